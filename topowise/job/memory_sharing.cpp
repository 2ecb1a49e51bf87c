// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/memory_sharing.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/device/table.hpp>
#include <topowise/job/node_meeting.hpp>

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

namespace {

constexpr int kTimeout = 60;  ///< seconds; drivers that have to wake many GPUs take some
constexpr std::string_view kNoAnswer = "the driver gives no answer";

/// Gives each rank that offers memory the offer of the next such rank.
std::vector<std::string> pass_on(const std::vector<std::string>& offers) {
  std::vector<std::size_t> givers;
  for (std::size_t rank = 0; rank < offers.size(); ++rank) {
    if (!offers[rank].empty()) givers.push_back(rank);
  }
  std::vector<std::string> answers(offers.size());
  for (std::size_t i = 0; givers.size() > 1 && i < givers.size(); ++i)
    answers[givers[i]] = offers[givers[(i + 1) % givers.size()]];
  return answers;
}

void tell(const std::vector<std::string>& results, const Notices& notices) {
  std::vector<std::string> reasons;
  for (const std::string& result : results) {
    if (std::optional<std::string> reason = refusal_in(result)) reasons.push_back(std::move(*reason));
  }
  if (reasons.empty()) return;
  notices.warn(
      fmt::format("verify: {} of {} ranks on {} cannot open the GPU memory of another one, so copies between GPUs go "
                  "through host memory: {}",
                  reasons.size(), results.size(), host_name(), reasons.front()));
}

/// Runs in a child: offers memory of GPU 0 as long as the child lives.
HeldAnswer held_offer(const device::Backend& backend) {
  struct Held {
    device::Driver driver;
    Offer offer;
  };
  const auto held = std::make_shared<Held>(Held{device::open_driver(backend), {}});
  held->offer = offer_of(held->driver, 0);
  return {held->offer.text, held};
}

std::string open_in_child(const device::Backend& backend, const std::string& offered) {
  const std::optional<std::string> result = answer_of_child(
      [&] {
        const device::Driver driver = device::open_driver(backend);
        return try_to_open(driver, driver.devices().size() > 1 ? 1 : 0, offered);
      },
      kTimeout);
  return result.value_or(refusal_text(kNoAnswer));
}

/// Tries one vendor's driver. An empty text if sharing works; nothing if this vendor has no GPU here; else the refusal.
std::optional<std::string> try_backend(const device::Backend& backend) {
  LongLivedChild child([&] { return held_offer(backend); });
  if (!child.is_made()) return refusal_text("no process could be started to try it");
  const std::optional<std::string> offered = child.answer(kTimeout);
  if (!offered) return refusal_text(kNoAnswer);
  if (offered->empty()) return std::nullopt;
  return open_in_child(backend, *offered);
}

}  // namespace

void try_sharing(const std::optional<device::Driver>& driver, int device, const Process& process, Seconds timeout,
                 const Notices& notices) {
  if (process.local_size.value_or(1) < 2) return;
  try {
    const std::string job = job_of(process);
    const Offer offer = driver ? offer_of(*driver, device) : Offer{};
    const std::string offered = meet(node_meeting(process, job, "offers", timeout), offer.text, pass_on);
    const std::string result = driver ? try_to_open(*driver, device, offered) : std::string();
    static_cast<void>(
        meet(node_meeting(process, job, "openings", timeout), result, [&](const std::vector<std::string>& results) {
          tell(results, notices);
          return std::vector<std::string>(results.size());
        }));
  } catch (const Error&) {
    return;  // a rank did not come, which the mapping has reported already, or there is no launcher
  }
}

std::optional<std::string> sharing_refusal() {
  for (const device::Backend* backend : device::backends()) {
    const std::optional<std::string> result = try_backend(*backend);
    if (result) return refusal_in(*result);
  }
  return "no GPU driver";
}

}  // namespace topowise::job
