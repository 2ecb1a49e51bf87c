// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/process.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace topowise::job {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* local_rank;
  const char* size;
  const char* local_size;           ///< null if the launcher does not say
  const char* only_with = nullptr;  ///< those above have common names: they are this launcher's only beside this one
  const char* node_rank = nullptr;  ///< null: programs do not take their rank from the environment
};

/// The innermost launcher comes first. mpirun inside a Slurm job sets its own variables beside those of Slurm;
/// torchrun, which such launchers often start once a node, sets its own beside theirs.
constexpr std::array<Launcher, 9> kLaunchers{{
    {"torchrun", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID", "GROUP_RANK"},
    {"DeepSpeed", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_SIZE", "CROSS_SIZE", "CROSS_RANK"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"hydra", "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"PALS", "PALS_RANKID", "PALS_LOCAL_RANKID", "PALS_SIZE", "PALS_LOCAL_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_SIZE", nullptr},
    {"Slurm", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", nullptr},
    {"PMIx", "PMIX_RANK", "PMIX_LOCAL_RANK", "PMIX_SIZE", "PMIX_LOCAL_SIZE"},
}};

/// PyTorch's init_method="env://", with variables that a script or a person sets. They are looked at last, because
/// their names are common.
constexpr Launcher kByVariables{"env://", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", nullptr, "NODE_RANK"};

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
std::optional<std::size_t> number(const char* text) {
  return text == nullptr ? std::nullopt : number(std::string_view(text));
}

bool is_there(const Launcher& launcher, const std::function<const char*(const char*)>& environment) {
  return launcher.only_with == nullptr || environment(launcher.only_with) != nullptr;
}

/// The number of tasks on this node. Slurm gives the tasks of all nodes, "4(x2),3", and the number of this node.
std::optional<std::size_t> slurm_local_size(const char* tasks_per_node, const char* node_id) {
  const std::optional<std::size_t> node = number(node_id);
  if (!node || tasks_per_node == nullptr) return std::nullopt;
  std::size_t before = 0;
  for (std::string_view rest = tasks_per_node; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t bracket = part.find("(x");
    const std::optional<std::size_t> nodes =
        bracket == std::string_view::npos ? 1 : number(part.substr(bracket + 2, part.size() - bracket - 3));
    if (!nodes) return std::nullopt;
    before += *nodes;
    if (*node < before) return number(part.substr(0, bracket));
  }
  return std::nullopt;
}

}  // namespace

Process this_process(const std::function<const char*(const char*)>& environment) {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<std::size_t> rank = number(environment(launcher.rank));
    if (!rank || !is_there(launcher, environment)) continue;
    Process process{launcher.name,
                    *rank,
                    number(environment(launcher.local_rank)),
                    number(environment(launcher.size)),
                    std::nullopt,
                    launcher.node_rank == nullptr ? std::nullopt : number(environment(launcher.node_rank)),
                    launcher.node_rank};
    // Under srun with PMI or PMIx the rank may come from one of them, and the local rank from the other.
    for (const Launcher& other : kLaunchers) {
      if (!is_there(other, environment)) continue;
      if (!process.local_rank) process.local_rank = number(environment(other.local_rank));
      if (!process.local_size && other.local_size != nullptr)
        process.local_size = number(environment(other.local_size));
    }
    for (const char* by_pmi : {"PMI_SIZE", "PMIX_SIZE"})  // PALS often gives the size in this way only
      if (!process.size) process.size = number(environment(by_pmi));
    if (!process.local_size && number(environment("FLUX_JOB_NNODES")) == 1) process.local_size = process.size;
    if (!process.local_size)
      process.local_size = slurm_local_size(environment("SLURM_STEP_TASKS_PER_NODE"), environment("SLURM_NODEID"));
    return process;
  }
  if (lack_of_env_start(environment).empty() && number(environment(kByVariables.rank))) {
    return {kByVariables.name,
            *number(environment(kByVariables.rank)),
            number(environment(kByVariables.local_rank)),
            number(environment(kByVariables.size)),
            number(environment(kByVariables.local_size)),
            number(environment(kByVariables.node_rank)),
            kByVariables.node_rank};
  }
  return {{}, 0, 0, 1, 1};
}

std::string lack_of_env_start(const std::function<const char*(const char*)>& environment) {
  if (environment(kByVariables.rank) == nullptr && environment(kByVariables.size) == nullptr) return {};
  std::string missing;
  std::string wrong;
  for (const char* name : {kByVariables.rank, kByVariables.size, kByVariables.local_rank}) {
    if (number(environment(name))) continue;
    std::string& list = environment(name) == nullptr ? missing : wrong;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  if (!missing.empty()) missing = "there is no " + missing;
  if (!wrong.empty()) wrong += wrong.find(',') == std::string::npos ? " is no number" : " are no numbers";
  return missing + (missing.empty() || wrong.empty() ? "" : ", and ") + wrong;
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Process this_process() {
  return this_process([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace topowise::job
