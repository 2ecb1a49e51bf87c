// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/live_fabric.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <vector>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>

namespace topowise {
namespace {

constexpr int kSeconds = 30;  ///< a controller of a large site may take its time

}  // namespace

Topology live_fabric(const ReadAnswer& read) {
  const std::array<std::vector<std::string>, 3> commands{
      {{"scontrol", "show", "topology"}, {"ibnetdiscover"}, {"kubectl", "get", "nodes", "-o", "json"}}};
  std::string answers;
  for (const std::vector<std::string>& command : commands) {
    const std::string where = fmt::format("{}", fmt::join(command, " "));
    std::string why = "no answer";
    if (const std::optional<std::string> text = program_output(command, kSeconds)) {
      try {
        return read(where, *text);
      } catch (const Error& error) {
        why = error.diagnostics().front().what;
      }
    }
    answers += fmt::format("{}{}: {}", answers.empty() ? "" : "; ", where, why);
  }
  throw not_available(fmt::format("no program describes the network ({})", answers),
                      "cluster:FABRIC,NODE with a file: topology.conf, or what ibnetdiscover prints to root");
}

}  // namespace topowise
