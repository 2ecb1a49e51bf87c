// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/process.hpp>

#include <doctest/doctest.h>

#include <map>

using namespace topowise::job;

namespace {

Process with(const std::map<std::string, std::string>& variables) {
  return this_process([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

TEST_CASE("every launcher gives rank and local rank in its own variables") {
  const Process openmpi =
      with({{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "8"}});
  CHECK(openmpi.rank == 5);
  CHECK(openmpi.local_rank == 1);
  CHECK(openmpi.size == 8);
  CHECK(with({{"PMI_RANK", "3"}, {"MPI_LOCALRANKID", "2"}, {"PMI_SIZE", "4"}}).local_rank == 2);
  const Process slurm = with({{"SLURM_PROCID", "9"}, {"SLURM_LOCALID", "0"}, {"PMIX_RANK", "9"}});
  CHECK(slurm.launcher == "Slurm");
  CHECK(slurm.local_rank == 0);
  CHECK_FALSE(slurm.size);
  CHECK(with({{"PMI_RANK", "1"}, {"SLURM_LOCALID", "1"}}).local_rank == 1);
}

TEST_CASE("how many ranks the node has") {
  CHECK(with({{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}).local_size == 4);
  CHECK(with({{"PMI_RANK", "5"}, {"MPI_LOCALNRANKS", "2"}}).local_size == 2);
  const auto slurm = [](const char* node) {
    return with({{"SLURM_PROCID", "9"}, {"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"}, {"SLURM_NODEID", node}}).local_size;
  };
  CHECK(slurm("0") == 4);
  CHECK(slurm("1") == 4);
  CHECK(slurm("2") == 3);
  CHECK_FALSE(slurm("3"));
  CHECK(with({}).local_size == 1);
}

TEST_CASE("mpirun inside a Slurm job counts, not Slurm") {
  CHECK(with({{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"OMPI_COMM_WORLD_RANK", "3"}}).rank == 3);
}

TEST_CASE("PALS and Flux") {
  const Process pals =
      with({{"PALS_RANKID", "5"}, {"PALS_LOCAL_RANKID", "1"}, {"PALS_SIZE", "8"}, {"PALS_LOCAL_SIZE", "4"}});
  CHECK(pals.launcher == "PALS");
  CHECK(pals.rank == 5);
  CHECK(pals.local_rank == 1);
  CHECK(pals.size == 8);
  CHECK(pals.local_size == 4);
  const Process flux = with({{"FLUX_TASK_RANK", "5"}, {"FLUX_TASK_LOCAL_ID", "1"}, {"FLUX_JOB_SIZE", "8"}});
  CHECK(flux.launcher == "Flux");
  CHECK(flux.rank == 5);
  CHECK(flux.local_rank == 1);
  CHECK(flux.size == 8);
  CHECK_FALSE(flux.local_size);
  CHECK(with({{"PALS_RANKID", "5"}, {"PMI_SIZE", "8"}}).size == 8);
  const auto flux_on = [](const char* nodes) {
    return with({{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "4"}, {"FLUX_JOB_NNODES", nodes}}).local_size;
  };
  CHECK(flux_on("1") == 4);
  CHECK_FALSE(flux_on("2"));  // Flux does not say how it has divided the ranks
}

TEST_CASE("torchrun, which srun starts once a node; its names alone are nobody's") {
  std::map<std::string, std::string> variables{{"RANK", "5"},         {"LOCAL_RANK", "1"},
                                               {"WORLD_SIZE", "8"},   {"LOCAL_WORLD_SIZE", "4"},
                                               {"SLURM_PROCID", "1"}, {"SLURM_LOCALID", "0"}};
  CHECK(with(variables).launcher == "Slurm");
  CHECK_FALSE(with(variables).local_size);
  variables["TORCHELASTIC_RUN_ID"] = "none";
  const Process process = with(variables);
  CHECK(process.launcher == "torchrun");
  CHECK(process.rank == 5);
  CHECK(process.local_rank == 1);
  CHECK(process.size == 8);
  CHECK(process.local_size == 4);
  CHECK_FALSE(process.node_rank);
  variables["GROUP_RANK"] = "1";
  CHECK(with(variables).node_rank == 1);
  CHECK_FALSE(with({{"SLURM_PROCID", "5"}, {"GROUP_RANK", "1"}}).node_rank);
}

TEST_CASE("DeepSpeed") {
  const Process process = with({{"RANK", "5"},
                                {"LOCAL_RANK", "1"},
                                {"WORLD_SIZE", "8"},
                                {"LOCAL_SIZE", "4"},
                                {"CROSS_RANK", "1"},
                                {"CROSS_SIZE", "2"}});
  CHECK(process.launcher == "DeepSpeed");
  CHECK(process.rank == 5);
  CHECK(process.local_size == 4);
  CHECK(process.node_rank == 1);
}

TEST_CASE("variables that a script sets for PyTorch, where no launcher is: all three, or none") {
  std::map<std::string, std::string> variables{{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}};
  Process process = with(variables);
  CHECK(process.launcher == "env://");
  CHECK(process.rank == 5);
  CHECK(process.local_rank == 1);
  CHECK(process.size == 8);
  CHECK_FALSE(process.local_size);
  CHECK_FALSE(process.node_rank);
  variables["LOCAL_WORLD_SIZE"] = "4";
  variables["NODE_RANK"] = "1";
  process = with(variables);
  CHECK(process.local_size == 4);
  CHECK(process.node_rank == 1);
  variables["OMPI_COMM_WORLD_RANK"] = "3";
  CHECK(with(variables).launcher == "Open MPI");
  const auto lack = [](const std::map<std::string, std::string>& some) {
    CHECK(with(some).launcher.empty());
    return lack_of_env_start([&](const char* name) {
      const auto found = some.find(name);
      return found == some.end() ? nullptr : found->second.c_str();
    });
  };
  CHECK(lack({{"RANK", "5"}, {"WORLD_SIZE", "8"}}) == "there is no LOCAL_RANK");
  CHECK(lack({{"RANK", "5"}}) == "there is no WORLD_SIZE, LOCAL_RANK");
  CHECK(lack({{"RANK", "x"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}}) == "RANK is no number");
  CHECK(lack({{"RANK", "x"}, {"WORLD_SIZE", ""}}) == "there is no LOCAL_RANK, and RANK, WORLD_SIZE are no numbers");
  CHECK(lack({{"LOCAL_RANK", "1"}}).empty());
}

TEST_CASE("no launcher, or nonsense: one process") {
  CHECK(with({}).launcher.empty());
  CHECK(with({}).size == 1);
  CHECK(with({{"PMI_RANK", "x"}}).launcher.empty());
  CHECK(with({{"PMI_RANK", "-1"}}).launcher.empty());
}
