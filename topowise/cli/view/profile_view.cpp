// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/profile_view.hpp>

#include <vector>

#include <topowise/traffic_source/recorded/summary.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {

void show_buffers(const std::string& traffic, const std::string& collectives, Terminal& terminal) {
  const std::optional<ProfileSummary> summary = summarize_profile(traffic);
  if (!summary) return;
  const auto between = [&](const char* memory) {
    return read_traffic(traffic, {.format = {}, .collectives = collectives, .memory = memory}).total_bytes();
  };
  const Bytes device = between("device-device");
  const Bytes mixed = between("mixed");
  if (!(device + mixed > Bytes(0))) return;
  terminal.print("\nbetween GPUs {}, between GPU and host {}, on the host {}\n", to_string(device), to_string(mixed),
                 to_string(between("host-host")));
  constexpr std::size_t kShown = 16;
  std::vector<std::string> ranks;
  for (const auto& [rank, gpus] : summary->gpus) {
    if (ranks.size() == kShown) {
      ranks.push_back(fmt::format("and {} ranks more", summary->gpus.size() - kShown));
      break;
    }
    ranks.push_back(fmt::format("{} on {}", rank, fmt::join(gpus, " ")));
  }
  if (!ranks.empty()) terminal.print("GPUs of the ranks: {}\n", fmt::join(ranks, ", "));
}

}  // namespace topowise::cli
