// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/start_files.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::benchmark {
namespace {

constexpr const char* kTraffic = "traffic.json";
constexpr const char* kMachine = "machine.json";

std::filesystem::path new_folder() {
  std::error_code failure;
  std::string name = (std::filesystem::temp_directory_path(failure) / "topowise-bench-XXXXXX").string();
  if (!failure && ::mkdtemp(name.data()) == nullptr) failure = std::error_code(errno, std::generic_category());
  if (failure)
    throw bad_input(fmt::format("cannot make a folder for the files of a start: {}", failure.message()),
                    "TMPDIR=/a/folder");
  return name;
}

}  // namespace

StartFiles::StartFiles(const Traffic& traffic, const Topology& machine) : folder_(new_folder()) {
  write_file((folder_ / kTraffic).string(), to_json(traffic));
  write_file((folder_ / kMachine).string(), to_json(machine));
}

StartFiles::~StartFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Traffic StartFiles::read_traffic() const {
  return topowise::read_traffic((folder_ / kTraffic).string());
}

Topology StartFiles::read_machine() const {
  return read_topology((folder_ / kMachine).string());
}

}  // namespace topowise::benchmark
