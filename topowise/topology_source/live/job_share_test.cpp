// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

#include <topowise/topology_source/live/job_share.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

namespace topowise {
namespace {

using Variables = std::map<std::string, std::string>;

/// Answers from tables; the host is n1, or "the host" in the first one.
JobWitness witness(Variables variables, Variables files = {}, const std::string& scontrol = {}) {
  const auto in = [](const Variables& table) {
    return [table](const std::string& name) -> std::optional<std::string> {
      const auto found = table.find(name);
      return found == table.end() ? std::nullopt : std::optional(found->second);
    };
  };
  const auto host = variables.find("the host");
  JobWitness witness{in(variables), in(files), {}, host == variables.end() ? "n1" : host->second};
  if (!scontrol.empty())
    witness.program = [scontrol](const std::vector<std::string>& command) -> std::optional<std::string> {
      return fmt::format("{}", fmt::join(command, " ")) == "scontrol -d show job 7" ? std::optional(scontrol)
                                                                                    : std::nullopt;
    };
  return witness;
}

/// "3,4 (SLURM_JOB_GPUS)", "0,1,2,3 but 2 (SLURM_GPUS_ON_NODE)", on a node of so many GPUs.
std::string share(const JobWitness& witness, ShareOf of, std::size_t gpus) {
  std::vector<ShareGpu> all;
  for (std::size_t g = 0; g < gpus; ++g) all.push_back({g, fmt::format("GPU-{}0000000-aaaa", g)});
  const ShareOnNode found = share_on_node(job_share(witness, of), all);
  return fmt::format("{}{} ({}){}", fmt::join(found.gpus, ","),
                     found.fewer ? fmt::format(" but {}", *found.fewer) : std::string(), found.sources,
                     found.conflict.empty() ? "" : "; " + found.conflict);
}

/// What Slurm 22.05 sets for the batch script of a job with GPUs 3-6 of n1 and 0-3 of n2, and for its steps.
Variables slurm(Variables more) {
  more.insert({{"SLURM_JOB_ID", "7"},
               {"SLURM_JOB_NODELIST", "n[1-2]"},
               {"SLURM_JOB_GPUS", "3,4,5,6"},
               {"SLURMD_NODENAME", "n1"},
               {"SLURM_LOCALID", "0"},
               {"SLURM_GPUS_ON_NODE", "4"}});
  return more;
}
Variables step(Variables more) {
  more.insert({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}});
  return slurm(std::move(more));
}

constexpr const char* kJob =
    "JobId=7 JobName=x\n   JOB_GRES=gpu:8\n     Nodes=n1 CPU_IDs=1-3 Mem=0 GRES=gpu:a100:4(IDX:3-6)\n"
    "     Nodes=n[2-3] CPU_IDs=0 Mem=0 GRES=gpu:a100:2(IDX:0-1),gpu:v100:2(IDX:4,6),shard:0(IDX:)\n";

}  // namespace

TEST_CASE("share: Slurm") {
  // The batch script.
  CHECK(share(witness(slurm({{"CUDA_VISIBLE_DEVICES", "3,4,5,6"}})), ShareOf::job, 8) ==
        "3,4,5,6 (CUDA_VISIBLE_DEVICES, SLURM_JOB_GPUS)");
  // --gpu-bind=none: only the batch script's list is left.
  CHECK(share(witness(step({})), ShareOf::process, 8) == "3,4,5,6 (SLURM_JOB_GPUS)");
  CHECK(share(witness(step({})), ShareOf::job, 8) == "3,4,5,6 (SLURM_JOB_GPUS)");
  // A control group hides the GPUs of others, whatever the numbers are.
  CHECK(share(witness(step({})), ShareOf::process, 4) == "0,1,2,3 (SLURM_JOB_GPUS)");
  CHECK(share(witness(step({{"SLURM_STEP_GPUS", "5,6"}})), ShareOf::process, 2) ==
        "0,1 (SLURM_STEP_GPUS, SLURM_JOB_GPUS)");
  // A step, or a task of it, has fewer.
  const Variables task = step({{"SLURM_STEP_GPUS", "5"}, {"CUDA_VISIBLE_DEVICES", "5"}});
  CHECK(share(witness(task), ShareOf::process, 8) == "5 (SLURM_STEP_GPUS, SLURM_JOB_GPUS)");
  CHECK(share(witness(task), ShareOf::job, 8) == "3,4,5,6 (SLURM_JOB_GPUS)");
  const Variables small = step({{"SLURM_GPUS_ON_NODE", "2"}});
  CHECK(share(witness(small), ShareOf::process, 8) == "3,4,5,6 but 2 (SLURM_JOB_GPUS, SLURM_GPUS_ON_NODE)");
  // A step of one task on each node has what the job has.
  const Variables single = step({{"SLURM_STEP_GPUS", "3,4"}, {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"}});
  CHECK(share(witness(single), ShareOf::job, 8) == "3,4 (SLURM_STEP_GPUS, SLURM_JOB_GPUS)");
  // The whole node.
  CHECK(share(witness(step({{"SLURM_JOB_GPUS", "0,1,2,3"}})), ShareOf::process, 4) == "0,1,2,3 (SLURM_JOB_GPUS)");
  CHECK(share(witness({{"SLURM_JOB_ID", "7"}}, {}, kJob), ShareOf::job, 8) == "0,1,2,3,4,5,6,7 ()");  // without GPUs
}

TEST_CASE("share: on other nodes than that of the batch script Slurm itself says it") {
  Variables variables =
      step({{"SLURMD_NODENAME", "n1"}, {"the host", "n2.site.org"}});  // as mpiexec of MPICH forwards it
  CHECK(share(witness(variables, {}, kJob), ShareOf::process, 8) == "0,1,4,6 (scontrol -d show job)");
  variables = step({{"SLURMD_NODENAME", "n2"}, {"the host", "other-name"}});
  CHECK(share(witness(variables, {}, kJob), ShareOf::process, 8) == "0,1,4,6 (scontrol -d show job)");
  variables = step({{"SLURMD_NODENAME", "n2"}, {"the host", "n2"}});
  CHECK(share(witness(variables), ShareOf::process, 8) == "0,1,2,3,4,5,6,7 but 4 (SLURM_GPUS_ON_NODE)");
  CHECK(share(witness(variables, {}, kJob), ShareOf::process, 8) == "0,1,4,6 (scontrol -d show job)");
  variables["SLURM_STEP_GPUS"] = "1,4";
  CHECK(share(witness(variables, {}, kJob), ShareOf::process, 8) == "1,4 (SLURM_STEP_GPUS)");
  // salloc sets no SLURM_JOB_GPUS.
  variables = step({});
  variables.erase("SLURM_JOB_GPUS");
  CHECK(share(witness(variables, {}, kJob), ShareOf::process, 8) == "3,4,5,6 (scontrol -d show job)");
  CHECK(share(witness(variables, {}, "Invalid job id"), ShareOf::process, 8) ==
        "0,1,2,3,4,5,6,7 but 4 (SLURM_GPUS_ON_NODE)");
}

TEST_CASE("share: other batch systems and launchers") {
  CHECK(share(witness({}), ShareOf::job, 4) == "0,1,2,3 ()");
  CHECK(share(witness({{"PBS_GPUFILE", "g"}}, {{"g", "n0-gpu0\nn1.site.org-gpu2\nn1-gpu1\n"}}), ShareOf::job, 4) ==
        "1,2 (PBS_GPUFILE)");
  CHECK(share(witness({{"PBS_GPUFILE", "g"}}), ShareOf::job, 4) ==
        "0,1,2,3 (); PBS_GPUFILE='g' cannot be read: it does not say which GPUs are the job's");
  CHECK(share(witness({{"SGE_HGR_gpu", "1 3"}}), ShareOf::job, 4) == "1,3 (SGE_HGR_gpu)");
  CHECK(share(witness({{"SGE_HGR_gpu", "GPU0 GPU2"}}), ShareOf::job, 4) == "0,2 (SGE_HGR_gpu)");
  CHECK(share(witness({{"SGE_HGR_gpu", "left right"}}), ShareOf::job, 4) == "0,1,2,3 ()");
  // LSF, PBS Pro and Flux set what the runtimes read. A rank of several may have its own.
  const Variables lsf{{"LSB_JOBID", "5"}, {"CUDA_VISIBLE_DEVICES", "2,3"}};
  CHECK(share(witness(lsf), ShareOf::job, 4) == "2,3 (CUDA_VISIBLE_DEVICES)");
  CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", "GPU-2,GPU-30000000-aaaa"}}), ShareOf::job, 4) ==
        "2,3 (CUDA_VISIBLE_DEVICES)");
  CHECK(share(witness({{"ROCR_VISIBLE_DEVICES", "0"}}), ShareOf::job, 4) == "0 (ROCR_VISIBLE_DEVICES)");
  CHECK(share(witness({{"FLUX_JOB_ID", "f"}, {"FLUX_TASK_LOCAL_ID", "1"}, {"CUDA_VISIBLE_DEVICES", "1"}}), ShareOf::job,
              4) == "0,1,2,3 ()");
  CHECK(share(witness({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"CUDA_VISIBLE_DEVICES", "1"}}), ShareOf::process, 4) ==
        "0,1,2,3 ()");  // whoever plans for the rank reads these lists itself
}

TEST_CASE("share: what cannot be a list of GPUs is none") {
  for (const char* list : {"", "-1", "NoDevFiles", "void"})
    CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", list}}), ShareOf::job, 4) == "0,1,2,3 but 0 (CUDA_VISIBLE_DEVICES)");
  CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", ""}, {"HIP_VISIBLE_DEVICES", "1"}}), ShareOf::job, 4) ==
        "1 (HIP_VISIBLE_DEVICES)");
  for (const char* list : {"all", "MIG-1,MIG-2", "MIG-GPU-1/2/0", "0x3", "99999999999", ","})
    CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", list}}), ShareOf::job, 4) == "0,1,2,3 ()");
  // Numbers of GPUs that are not seen here tell only how many there are.
  CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", "6,7"}}), ShareOf::job, 4) == "0,1,2,3 but 2 (CUDA_VISIBLE_DEVICES)");
  CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", "1,1,0"}}), ShareOf::job, 4) == "0,1 (CUDA_VISIBLE_DEVICES)");
  CHECK(share(witness({{"CUDA_VISIBLE_DEVICES", "1"}}), ShareOf::job, 0) == " ()");
}

TEST_CASE("share: where lists differ, what they have in common, else the smaller one") {
  CHECK(share(witness(slurm({{"CUDA_VISIBLE_DEVICES", "4,5,7"}})), ShareOf::job, 8) ==
        "4,5 (CUDA_VISIBLE_DEVICES, SLURM_JOB_GPUS)");
  CHECK(
      share(witness(slurm({{"CUDA_VISIBLE_DEVICES", "0,1"}})), ShareOf::job, 8) ==
      "0,1 (CUDA_VISIBLE_DEVICES, SLURM_JOB_GPUS); CUDA_VISIBLE_DEVICES and SLURM_JOB_GPUS have no GPU in common, and "
      "CUDA_VISIBLE_DEVICES is taken");
}

TEST_CASE("share: places of a machine") {
  const Topology whole = read_preset("dgx1-v100");
  const JobShare four = job_share(witness(slurm({})), ShareOf::job);
  const Topology part = limited_to_share(whole, four);
  REQUIRE(part.place_count() == 4);
  CHECK(part.vertex_of(Place(0)).name == "GPU3");
  CHECK(part.path_class(Place(0), Place(3)) == whole.path_class(Place(3), Place(6)));
  REQUIRE(!part.warnings().empty());
  CHECK(part.warnings().back() ==
        "4 of 8 GPUs are this job's (SLURM_JOB_GPUS): GPU3, GPU4, GPU5, GPU6; 'live:node' is the whole node");
  CHECK(limited_to_share(whole, {}).place_count() == 8);
  CHECK(limited_to_share(whole, {}).warnings().size() == whole.warnings().size());
  const Topology counted = limited_to_share(whole, {{}, JobShare::Count{"SLURM_GPUS_ON_NODE", 2}});
  CHECK(counted.place_count() == 8);
  CHECK(counted.warnings().back() ==
        "this job or step has only 2 of these 8 GPUs (SLURM_GPUS_ON_NODE), and nothing says which");
}

}  // namespace topowise
