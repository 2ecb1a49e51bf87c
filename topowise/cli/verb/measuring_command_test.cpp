// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/bench_options.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace topowise::cli;

TEST_CASE("variables that decide what is measured are before the command, and no others") {
  const std::array<const char*, 6> environment{
      "TOPOWISE_FAKE_NODE=preset:helios-k80",       "HOME=/root",   "CUDA_VISIBLE_DEVICES=",
      "TOPOWISE_CUDA_LIBRARY=/a folder/libcuda.so", "TOPOWISELY=1", nullptr};
  CHECK(measuring_variables(environment.data()) ==
        "CUDA_VISIBLE_DEVICES= TOPOWISE_CUDA_LIBRARY='/a folder/libcuda.so' TOPOWISE_FAKE_NODE=preset:helios-k80 ");
}

TEST_CASE("a job is started again by the launcher that has started it") {
  CHECK(launcher_words("Open MPI", 4) == "mpirun -n 4 ");
  CHECK(launcher_words("hydra", 4) == "mpiexec -n 4 ");
  CHECK(launcher_words("Slurm", 16) == "srun -n 16 ");
  CHECK(launcher_words("Flux", 2) == "flux run -n 2 ");
  CHECK(launcher_words("PMIx", 2) == "mpirun -n 2 ");
}
