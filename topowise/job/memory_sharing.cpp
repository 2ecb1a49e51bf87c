// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/memory_sharing.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/device/owned.hpp>
#include <topowise/device/table.hpp>
#include <topowise/job/node_meeting.hpp>
#include <topowise/topology_source/live/program_output.hpp>

namespace topowise::cli {
namespace {

constexpr std::size_t kSmall = 1 << 20;
constexpr int kPatience = 60;  ///< seconds; drivers that have to wake many GPUs take some

// A handle or a refusal on its way from one process to another.
constexpr std::string_view kHandle = "handle ";
constexpr std::string_view kRefusal = "refusal ";
constexpr const char* kNoAnswer = "refusal the driver gives no answer";

std::string refusal(const Error& error) {
  const Diagnostic& first = error.diagnostics().front();
  return fmt::format("{}{}{}", kRefusal, first.what, first.hint.empty() ? "" : fmt::format(" ({})", first.hint));
}

std::string to_text(const device::IpcHandle& handle) {
  std::string text(kHandle);
  for (const unsigned char byte : handle.bytes) text += fmt::format("{:02x}", byte);
  return text;
}

device::IpcHandle handle_from_text(std::string_view text) {
  device::IpcHandle handle{};
  text.remove_prefix(std::min(text.size(), kHandle.size()));
  for (std::size_t i = 0; i < sizeof handle.bytes && 2 * i + 1 < text.size(); ++i)
    handle.bytes[i] = static_cast<unsigned char>(std::stoi(std::string(text.substr(2 * i, 2)), nullptr, 16));
  return handle;
}

/// Device memory of this process, to be opened by others as long as this object lives.
struct Offer {
  std::optional<device::OwnedMemory> memory;
  std::string text;
};

Offer offer_of(const device::Driver& driver, int device) {
  Offer offer;
  try {
    offer.memory.emplace(device::make_memory(driver, device, kSmall));
    offer.text = to_text(driver.export_memory(offer.memory->get()));
  } catch (const Error& error) {
    offer.text = refusal(error);
  }
  return offer;
}

/// Empty if what is offered can be opened, or if nothing is offered.
std::string try_to_open(const device::Driver& driver, int device, const std::string& offered) {
  if (!offered.starts_with(kHandle)) return offered;
  try {
    driver.select(device);
    driver.close_memory(driver.import_memory(handle_from_text(offered)));
    return {};
  } catch (const Error& error) {
    return refusal(error);
  }
}

/// Everybody gets what the next one offers, of those that offer something.
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

void tell(const std::vector<std::string>& results, const Terminal& terminal) {
  const auto refused = std::ranges::count_if(results, [](const std::string& r) { return r.starts_with(kRefusal); });
  if (refused == 0) return;
  const std::string& first =
      *std::ranges::find_if(results, [](const std::string& r) { return r.starts_with(kRefusal); });
  terminal.warn(
      fmt::format("verify: {} of {} ranks on {} cannot open the GPU memory of another one, so copies between GPUs go "
                  "through host memory: {}",
                  refused, results.size(), host_name(), first.substr(kRefusal.size())));
}

/// A process that offers memory of GPU 0 and ends when the writing end of `until` is closed.
[[noreturn]] void offer_and_wait(const device::Backend& backend, int to, int until) {
  try {
    const device::Driver driver = device::open_driver(backend);
    const Offer offer = offer_of(driver, 0);
    if (::write(to, offer.text.data(), offer.text.size()) < 0) ::_exit(1);
    ::close(to);
    char nothing = 0;
    while (::read(until, &nothing, 1) < 0 && errno == EINTR) continue;
  } catch (const Error&) {  // no GPU of this vendor: nothing is offered
  }
  ::_exit(0);
}

std::string open_in_child(const device::Backend& backend, const std::string& offered) {
  const std::optional<std::string> result = answer_of_child(
      [&] {
        const device::Driver driver = device::open_driver(backend);
        return try_to_open(driver, driver.devices().size() > 1 ? 1 : 0, offered);
      },
      kPatience);
  return result.value_or(kNoAnswer);
}

/// Empty: it works; nothing: this vendor has no GPU here.
std::optional<std::string> try_backend(const device::Backend& backend) {
  std::array<int, 2> offers{};
  std::array<int, 2> life{};
  if (::pipe2(offers.data(), O_CLOEXEC) != 0) return std::nullopt;
  if (::pipe2(life.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(life[1]);
    offer_and_wait(backend, offers[1], life[0]);
  }
  ::close(offers[1]);
  ::close(life[0]);
  const std::optional<std::string> offered = child > 0 ? read_pipe(offers[0], kPatience) : "";
  std::optional<std::string> result;
  if (!offered)
    result = kNoAnswer;
  else if (!offered->empty())
    result = open_in_child(backend, *offered);
  if (!offered) ::kill(child, SIGKILL);
  ::close(offers[0]);
  ::close(life[1]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return result;
}

}  // namespace

void try_sharing(const std::optional<device::Driver>& driver, int device, const JobProcess& process, Seconds patience,
                 const Terminal& terminal) {
  if (process.local_size.value_or(1) < 2) return;
  try {
    const std::string job = job_of(process);
    const Offer offer = driver ? offer_of(*driver, device) : Offer{};
    const std::string offered = meet(node_meeting(process, job, "offers", patience), offer.text, pass_on);
    const std::string result = driver ? try_to_open(*driver, device, offered) : std::string();
    static_cast<void>(
        meet(node_meeting(process, job, "openings", patience), result, [&](const std::vector<std::string>& results) {
          tell(results, terminal);
          return std::vector<std::string>(results.size());
        }));
  } catch (const Error&) {
    return;  // somebody did not come, which the mapping has told already, or there is no launcher
  }
}

std::optional<std::string> sharing_refusal() {
  for (const device::Backend* backend : device::backends()) {
    const std::optional<std::string> result = try_backend(*backend);
    if (!result) continue;
    if (result->empty()) return std::nullopt;
    return result->substr(std::min(result->size(), kRefusal.size()));
  }
  return "no GPU driver";
}

}  // namespace topowise::cli
