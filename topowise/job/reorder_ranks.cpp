// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/reorder_ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/launch/reorder_variables.hpp>
#include <topowise/reading/loads.hpp>
#include <topowise/topology_source/source.hpp>
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

}  // namespace

void reorder_ranks(const ReorderOptions& options, const Process& process) {
  const std::optional<std::string> topology = given_or_set(options.topology, kReorderTopologyVariable);
  const std::optional<std::string> profile = given_or_set(options.profile, kReorderProfileVariable);
  const std::optional<std::string> loads = given_or_set(options.loads, kReorderLoadsVariable);
  for (const auto& source : {topology, profile, loads}) refuse_pipes(source);
  if (topology && process.rank == 0) static_cast<void>(read_topology(*topology));
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
