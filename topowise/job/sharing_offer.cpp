// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/sharing_offer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace topowise::job {
namespace {

constexpr std::size_t kSmall = 1 << 20;
constexpr std::string_view kHandle = "handle ";
constexpr std::string_view kRefusal = "refusal ";

std::string refusal_of(const Error& error) {
  const Diagnostic& first = error.diagnostics().front();
  return refusal_text(first.hint.empty() ? first.what : fmt::format("{} ({})", first.what, first.hint));
}

}  // namespace

std::string to_text(const device::IpcHandle& handle) {
  std::string text(kHandle);
  for (const unsigned char byte : handle.bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<device::IpcHandle> handle_from_text(std::string_view text) {
  device::IpcHandle handle{};
  if (!text.starts_with(kHandle) || text.size() != kHandle.size() + 2 * sizeof handle.bytes) return std::nullopt;
  const char* digits = text.data() + kHandle.size();
  for (unsigned char& byte : handle.bytes) {
    const auto [end, failure] = std::from_chars(digits, digits + 2, byte, 16);
    if (failure != std::errc() || end != digits + 2) return std::nullopt;
    digits = end;
  }
  return handle;
}

std::string refusal_text(std::string_view why) {
  return fmt::format("{}{}", kRefusal, why);
}

std::optional<std::string> refusal_in(std::string_view text) {
  return text.starts_with(kRefusal) ? std::optional(std::string(text.substr(kRefusal.size()))) : std::nullopt;
}

Offer offer_of(const device::Driver& driver, int device) {
  Offer offer;
  try {
    offer.memory.emplace(device::make_memory(driver, device, kSmall));
    offer.text = to_text(driver.export_memory(offer.memory->get()));
  } catch (const Error& error) {
    offer.text = refusal_of(error);
  }
  return offer;
}

std::string try_to_open(const device::Driver& driver, int device, const std::string& offered) {
  if (offered.empty() || refusal_in(offered)) return offered;
  const std::optional<device::IpcHandle> handle = handle_from_text(offered);
  if (!handle) return refusal_text("another rank offers what is no handle of GPU memory");
  try {
    driver.select(device);
    driver.close_memory(driver.import_memory(*handle));
    return {};
  } catch (const Error& error) {
    return refusal_of(error);
  }
}

}  // namespace topowise::job
