// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/reorder_ranks.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/write_all.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/launch/reorder_variables.hpp>
#include <topowise/reading/loads.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/this_machine.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::job {
namespace {

/// A source such as "node.xml+measured.txt" with the full paths of its files, because the program may change its folder
/// before it reads them.
std::string from_anywhere(const std::string& source) {
  std::string result;
  for (std::size_t begin = 0; begin <= source.size();) {
    const std::size_t end = std::min(source.find('+', begin), source.size());
    const std::string part = source.substr(begin, end - begin);
    std::error_code ignored;
    const bool is_file = std::filesystem::exists(part, ignored);
    result += (begin > 0 ? "+" : "") + (is_file ? std::filesystem::absolute(part).string() : part);
    begin = end + 1;
  }
  return result;
}

/// A source is read when the job starts, and again when ranks are mapped. A pipe gives its content only once, and a
/// second read, inside MPI, would wait for ever.
void refuse_pipes(const std::optional<std::string>& source) {
  if (!source) return;
  for (const std::string_view part : split(*source, '+')) {
    std::error_code ignored;
    if (std::filesystem::is_fifo(part, ignored))
      throw bad_input(fmt::format("'{}' is a pipe, and is read more than once", part), "write it to a file before");
  }
}

void set_if(const char* variable, const std::optional<std::string>& value) {
  if (value) set_variable(variable, *value);
}

/// What the option says, or else the variable.
std::optional<std::string> given_or_set(const std::optional<std::string>& given, const char* variable) {
  const std::string set = environment(variable).value_or(std::string());
  return given || set.empty() ? given : std::optional(set);
}

void set_source(const char* variable, const std::optional<std::string>& source) {
  if (source) set_variable(variable, from_anywhere(*source));
}

/// In a job of several hosts without a TOPOLOGY, the first process asks the site's programs for the network, and keeps
/// the answer in memory that the program inherits. It is the process that maps, but for parts of the job.
void pass_on_network(const Process& process) {
  constexpr int kSeconds = 5;  // for each program, while the other ranks wait in MPI_Init
  const bool several_hosts = process.size && process.local_size && *process.local_size < *process.size;
  if (process.rank != 0 || !several_hosts || environment(kReorderNetworkVariable)) return;
  std::string network;
  try {
    network = to_json(live_fabric(kSeconds));
  } catch (const Error&) {
    return;  // hosts are equally far from each other, as the report says
  }
  const int memory = ::memfd_create("topowise-network", 0);  // open until the program ends
  if (memory >= 0 && write_new(memory, network))
    set_variable(kReorderNetworkVariable, fmt::format("/proc/self/fd/{}", memory));
}

}  // namespace

void reorder_ranks(const ReorderOptions& options, const Process& process) {
  const std::optional<std::string> topology = given_or_set(options.topology, kReorderTopologyVariable);
  const std::optional<std::string> profile = given_or_set(options.profile, kReorderProfileVariable);
  const std::optional<std::string> loads = given_or_set(options.loads, kReorderLoadsVariable);
  for (const auto& source : {topology, profile, loads}) refuse_pipes(source);
  if (topology && process.rank == 0) static_cast<void>(read_topology(*topology));
  if (!topology) pass_on_network(process);
  if (profile && process.rank == 0) static_cast<void>(read_traffic(*profile));
  if (loads && process.rank == 0) static_cast<void>(read_loads("--reorder-loads", *loads, process.size));
  preload_interpose_library();
  set_variable(kReorderVariable, options.mode);
  if (options.time) set_variable(kReorderSecondsVariable, fmt::format("{}", options.time->value()));
  set_source(kReorderTopologyVariable, topology);
  set_if(kReorderMetricVariable, options.metric);
  set_source(kReorderProfileVariable, profile);
  set_source(kReorderLoadsVariable, loads);
  set_if(kReorderOnlyVariable, options.only);
  set_if(kReorderExceptVariable, options.except);
  set_if(kReorderIncludeVariable, options.include);
}

}  // namespace topowise::job
