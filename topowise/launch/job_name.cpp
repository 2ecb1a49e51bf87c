// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/job_name.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <topowise/base/hash.hpp>

namespace topowise {
namespace {

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The value of "--option value" in a command line.
std::string option_value(const std::string& line, const std::string& option) {
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word == option && words >> word) return word;
  return {};
}

}  // namespace

std::string process_stat_field(const std::string& pid, int number) {
  const std::string stat = file_content("/proc/" + pid + "/stat");
  // The second field, the program's name, may itself hold blanks.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= number; ++i) fields >> field;
  return field;
}

std::string hydra_proxy_line() {
  std::string pid = std::to_string(getppid());
  constexpr int kFurthest = 8;  // wrapper scripts between the proxy and the program
  for (int step = 0; step < kFurthest && !pid.empty() && pid != "0" && pid != "1"; ++step) {
    std::string line = file_content("/proc/" + pid + "/cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find("hydra_pmi_proxy") != std::string::npos) return line;
    pid = process_stat_field(pid, 4);
  }
  return {};
}

std::string job_name(const LauncherVariables& environment, const std::string& proxy_line,
                     const std::string& process_name, int world_size) {
  const auto value = [&](const char* name) {
    const char* text = environment(name);
    return std::string(text != nullptr ? text : "");
  };
  // The innermost launcher comes first: srun often starts one torchrun a node.
  const std::string run = value("TORCHELASTIC_RUN_ID");
  if (!run.empty() && !value("RANK").empty() && value("WORLD_SIZE") == std::to_string(world_size))
    return "torchrun " + run + " " + value("MASTER_ADDR") + ":" + value("MASTER_PORT");
  if (!value("CROSS_SIZE").empty() && !value("RANK").empty() && value("WORLD_SIZE") == std::to_string(world_size))
    return "deepspeed " + value("MASTER_ADDR") + ":" + value("MASTER_PORT");
  if (const std::string name = value("PMIX_NAMESPACE"); !name.empty()) return "pmix " + name;
  if (const std::string name = value("I_MPI_HYDRA_UUID"); !name.empty())
    return "intel " + name + " " + value("HYDRA_BSTRAP_PGID");
  if (const std::string port = option_value(proxy_line, "--control-port"); !port.empty())
    return "hydra " + port + " " + option_value(proxy_line, "--pgid");
  if (const std::string id = value("PALS_APID"); !id.empty()) return "pals " + id;
  if (const std::string id = value("FLUX_JOB_ID"); !id.empty() && !value("FLUX_TASK_RANK").empty()) return "flux " + id;
  if (!value("SLURM_JOB_ID").empty() && !value("SLURM_PROCID").empty())
    return "slurm " + value("SLURM_JOB_ID") + "." + value("SLURM_STEP_ID");
  if (!value("MASTER_ADDR").empty() && !value("RANK").empty() && value("WORLD_SIZE") == std::to_string(world_size))
    return "env " + value("MASTER_ADDR") + ":" + value("MASTER_PORT");
  return world_size == 1 ? "single " + process_name : "unnamed";
}

std::string job_name_here(int world_size) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string pid = std::to_string(getpid());
  constexpr int kStartTime = 22;
  const std::string process_name = std::string(host.data()) + " " + pid + " " + process_stat_field(pid, kStartTime);
  return job_name([](const char* name) { return std::getenv(name); }, hydra_proxy_line(), process_name, world_size);
}

std::uint64_t job_key(const std::string& name, int world_size) {
  Fnv1a hash;
  hash.add(name);
  hash.add(" of ");
  hash.add(std::to_string(world_size));
  return hash.value();
}

}  // namespace topowise
