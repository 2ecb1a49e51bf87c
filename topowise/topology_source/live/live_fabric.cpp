// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/live_fabric.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/reading/format.hpp>

namespace topowise {
namespace {

constexpr int kSeconds = 30;  ///< a controller of a large site may take its time

std::string why_no_output(const ProgramResult& result) {
  switch (*result.failure) {
    case NoOutput::missing:
      return "not installed";
    case NoOutput::late:
      return fmt::format("no answer in {} s", kSeconds);
    case NoOutput::too_long:
      return fmt::format("the answer is larger than {} GiB", kLargestCluster >> 30);
    case NoOutput::failed:
      break;
  }
  return fmt::format("it ended with {}{}{}", result.ending, result.complaint.empty() ? "" : ": ", result.complaint);
}

}  // namespace

Topology live_fabric(const ReadAnswer& read) {
  const std::array<std::vector<std::string>, 3> commands{
      {{"scontrol", "show", "topology"}, {"ibnetdiscover"}, {"kubectl", "get", "nodes", "-o", "json"}}};
  std::string answers;
  for (const std::vector<std::string>& command : commands) {
    const std::string where = fmt::format("{}", fmt::join(command, " "));
    const ProgramResult result = run_program(command, kSeconds, kLargestCluster);
    std::string why;
    if (result.failure) {
      why = why_no_output(result);
    } else {
      try {
        return read(where, result.output);
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
