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

TEST_CASE("every launcher tells rank and local rank in its own variables") {
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

TEST_CASE("no launcher, or nonsense: one process") {
  CHECK(with({}).launcher.empty());
  CHECK(with({}).size == 1);
  CHECK(with({{"PMI_RANK", "x"}}).launcher.empty());
  CHECK(with({{"PMI_RANK", "-1"}}).launcher.empty());
}
