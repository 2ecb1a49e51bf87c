// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <map>

#include <topowise/launch/job_name.hpp>

using namespace topowise;

namespace {

std::string name_with(std::map<std::string, std::string> variables, const std::string& proxy = "", int size = 4) {
  const LauncherVariables environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  };
  return job_name(environment, proxy, "host 17 123", size);
}

}  // namespace

TEST_CASE("the job's name comes from what the launcher left behind") {
  CHECK(name_with({{"PMIX_NAMESPACE", "prterun-vm-4595@1"}}) == "pmix prterun-vm-4595@1");
  CHECK(name_with({{"I_MPI_HYDRA_UUID", "e911-8733"}, {"HYDRA_BSTRAP_PGID", "0"}}) == "intel e911-8733 0");
  CHECK(name_with({}, "/usr/bin/hydra_pmi_proxy --control-port vm:33585 --rmk user --pgid 0 --proxy-id 3 ") ==
        "hydra vm:33585 0");
  CHECK(name_with({{"SLURM_JOB_ID", "8"}, {"SLURM_STEP_ID", "2"}, {"SLURM_PROCID", "1"}}) == "slurm 8.2");
  CHECK(name_with({{"PALS_APID", "5ab1-77"}, {"PALS_RANKID", "1"}}) == "pals 5ab1-77");
  CHECK(name_with({{"FLUX_JOB_ID", "f2Ab"}, {"FLUX_TASK_RANK", "1"}}) == "flux f2Ab");
}

TEST_CASE("hydra inside a Slurm allocation is hydra's job") {
  CHECK(name_with({{"SLURM_JOB_ID", "8"}, {"SLURM_PROCID", "0"}}, "hydra_pmi_proxy --control-port a:1 --pgid 0") ==
        "hydra a:1 0");
}

TEST_CASE("of launchers inside each other the inner one counts") {
  CHECK(name_with({{"FLUX_JOB_ID", "f2Ab"}, {"FLUX_TASK_RANK", "0"}, {"PMIX_NAMESPACE", "x"}}) == "pmix x");
  CHECK(name_with({{"FLUX_JOB_ID", "f2Ab"}}) == "unnamed");  // a script that is not a task of the job
  const std::map<std::string, std::string> torchrun{
      {"TORCHELASTIC_RUN_ID", "r7"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}, {"RANK", "3"},
      {"WORLD_SIZE", "4"},           {"SLURM_JOB_ID", "8"}, {"SLURM_PROCID", "1"}};
  CHECK(name_with(torchrun) == "torchrun r7 n1:29500");
  const std::map<std::string, std::string> deepspeed{
      {"CROSS_SIZE", "2"}, {"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}};
  CHECK(name_with(deepspeed) == "deepspeed n1:29500");
  CHECK(name_with(torchrun, "", 2) == "slurm 8.");  // the world belongs to another program, not to torchrun
  CHECK(name_with({{"RANK", "3"}, {"WORLD_SIZE", "4"}}) == "unnamed");
  CHECK(name_with({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}}) ==
        "env n1:29500");  // started by hand, or by a script
}

TEST_CASE("a spawned job of the same launcher has another name") {
  CHECK(name_with({}, "hydra_pmi_proxy --control-port a:1 --pgid 0") !=
        name_with({}, "hydra_pmi_proxy --control-port a:1 --pgid 1"));
}

TEST_CASE("without a launcher a single process is its own job, and several share a name") {
  CHECK(name_with({}, "", 1) == "single host 17 123");
  CHECK(name_with({}, "", 4) == "unnamed");
}

TEST_CASE("the key depends on name and size") {
  CHECK(job_key("a", 4) == job_key("a", 4));
  CHECK(job_key("a", 4) != job_key("b", 4));
  CHECK(job_key("a", 4) != job_key("a", 8));
}
