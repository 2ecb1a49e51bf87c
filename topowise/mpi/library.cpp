// SPDX-License-Identifier: BSD-3-Clause
// A process only becomes part of a job through the MPI library that its launcher speaks with: another one would start a
// job of one process. Libraries that are installed side by side have the same names, so the one beside the launcher
// counts.
#include <topowise/mpi/library.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <topowise/base/error.hpp>

namespace topowise::mpi {
namespace {

constexpr const char* kVariable = "TOPOWISE_MPI_LIBRARY";

using Names = std::vector<std::string>;

/// Sonames by ABI: 40 is Open MPI 4 and 5, 12 is MPICH's (Intel, MVAPICH, Cray's compatible one too).
Names open_mpi_names() {
  return {"libmpi.so.40"};
}
Names mpich_names() {
  return {"libmpi.so.12", "libmpich.so.12"};
}

Names names_for(const LauncherTraces& traces) {
  Names first = open_mpi_names();
  Names second = mpich_names();
  const bool speaks_pmix =
      traces.launcher == "Open MPI" || traces.launcher == "PMIx" || traces.environment("PMIX_NAMESPACE").has_value();
  if (!speaks_pmix) std::swap(first, second);
  const bool knows_its_own =
      traces.launcher == "Open MPI" || traces.launcher == "hydra" || traces.launcher == "MVAPICH";
  if (!knows_its_own) first.insert(first.end(), second.begin(), second.end());
  if (traces.launcher == "PALS") first.insert(first.begin(), {"libmpi_cray.so.12", "libmpi_gnu.so.12"});
  first.emplace_back("libmpi_abi.so.1");
  return first;
}

/// The folders where an MPI installation may keep its libraries: beside the folder of the launcher's programs, and
/// below the folders that the environment names.
Names folders_of(const LauncherTraces& traces) {
  Names folders;
  for (const std::string& program : traces.ancestors) {
    const std::filesystem::path root = std::filesystem::path(program).parent_path().parent_path();
    for (const char* name : {"lib", "lib64"}) folders.push_back((root / name).string());
  }
  for (const char* variable : {"OPAL_PREFIX", "I_MPI_ROOT", "CRAY_MPICH_DIR"}) {
    if (const std::optional<std::string> root = traces.environment(variable)) folders.push_back(*root + "/lib");
  }
  return folders;
}

std::string parent_of(const std::string& pid) {
  std::ifstream status("/proc/" + pid + "/status");
  for (std::string word; status >> word;) {
    if (word == "PPid:" && status >> word) return word;
  }
  return "0";
}

}  // namespace

std::vector<std::string> library_names(const LauncherTraces& traces) {
  if (const std::optional<std::string> stated = traces.environment(kVariable)) return {*stated};
  const Names names = names_for(traces);
  Names all;
  for (const std::string& folder : folders_of(traces)) {
    for (const std::string& name : names) {
      std::string path = fmt::format("{}/{}", folder, name);
      if (std::ranges::find(all, path) == all.end()) all.push_back(std::move(path));
    }
  }
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

std::vector<std::string> ancestor_programs() {
  std::vector<std::string> programs;
  constexpr int kFurthest = 12;  // wrapper scripts between the launcher and this program
  std::string pid = std::to_string(::getppid());
  for (int step = 0; step < kFurthest && pid != "0" && pid != "1"; ++step, pid = parent_of(pid)) {
    std::error_code hidden;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/" + pid + "/exe", hidden);
    if (!hidden) programs.push_back(program.string());
  }
  return programs;
}

SharedLibrary open_library(const LauncherTraces& traces) {
  const std::vector<std::string> names = library_names(traces);
  std::string reason;
  std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (library) return *library;
  throw not_available(
      fmt::format("no MPI library of the launcher ({}) can be opened: {}", traces.launcher, reason),
      fmt::format("{}=/path/to/libmpi.so names it; started without a launcher, one process measures", kVariable));
}

}  // namespace topowise::mpi
