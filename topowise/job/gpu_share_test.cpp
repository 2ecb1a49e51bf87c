// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/gpu_share.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

using Environment = std::map<std::string, std::string>;

JobWitness witness(const Environment& variables, const std::string& gres = {}) {
  JobWitness witness;
  witness.variable = [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  witness.file = [](const std::string&) { return std::nullopt; };
  witness.host = "n1";
  if (!gres.empty())
    witness.program = [gres](const std::vector<std::string>&) { return "Nodes=n1 CPU_IDs=0-1 Mem=0 GRES=" + gres; };
  return witness;
}

/// The error, or the value of a variable that the rank gets; the warnings before it.
std::string start(const std::vector<std::size_t>& places, bool first, const JobWitness& who,
                  const char* variable = "CUDA_VISIBLE_DEVICES") {
  std::vector<Place> mapped;
  for (const std::size_t place : places) mapped.emplace_back(place);
  const Placement placement = place_ranks(Mapping(mapped), read_topology("preset:dgx1-v100"));
  std::string told;
  const Notices notices{{}, [&](const Diagnostic& diagnostic) { told += diagnostic.what + "; "; }};
  try {
    const ShareOnNode share = require_share(placement, 0, first, who, notices);
    return told + within_share(placement.nodes[0], share, who.variable)(variable).value_or("not set");
  } catch (const Error& error) {
    return told + error.diagnostics().front().what;
  }
}

}  // namespace

TEST_CASE("a rank sees the job's GPUs, and is refused if it is mapped to another one") {
  const Environment job{{"SLURM_JOB_ID", "7"},
                        {"SLURM_STEP_ID", "0"},
                        {"SLURM_STEP_TASKS_PER_NODE", "2"},
                        {"SLURM_JOB_GPUS", "3,4"},
                        {"SLURM_GPUS_ON_NODE", "2"}};
  CHECK(start({3, 4}, true, witness(job)) == "3,4");
  CHECK(start({3, 4}, true, witness(job), "HIP_VISIBLE_DEVICES") == "not set");
  CHECK(start({3, 4}, true, witness({})) == "not set");
  CHECK(start({0, 4}, false, witness(job)) ==
        "rank 0 is mapped to GPU0, which is not among the job's GPUs here (SLURM_JOB_GPUS): GPU3, GPU4");
  // The first rank of a node speaks for the others; a later one for itself.
  CHECK(start({3, 0}, false, witness(job)) == "3,4");
  CHECK(start({3, 0}, true, witness(job)) ==
        "rank 1 is mapped to GPU0, which is not among the job's GPUs here (SLURM_JOB_GPUS): GPU3, GPU4");
  // What a single task was given is no rule for the others.
  Environment task = job;
  task.insert({{"SLURM_STEP_GPUS", "3"}, {"CUDA_VISIBLE_DEVICES", "3"}});
  CHECK(start({3, 4}, true, witness(task)) == "3");
  CHECK(start({4, 3}, true, witness(task)) ==
        "rank 0 is mapped to GPU4, which is not among the job's GPUs here (SLURM_STEP_GPUS, SLURM_JOB_GPUS): GPU3");
}

TEST_CASE("where only the number of the job's GPUs is known, Slurm is asked, and otherwise a line says so") {
  const Environment job{
      {"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "2"}, {"SLURM_GPUS_ON_NODE", "2"}};
  CHECK(start({3, 4}, true, witness(job, "gpu:2(IDX:3-4)")) == "not set");
  CHECK(start({3, 0}, true, witness(job, "gpu:2(IDX:3-4)")) ==
        "rank 1 is mapped to GPU0, which is not among the job's GPUs here (scontrol -d show job): GPU3, GPU4");
  CHECK(
      start({3, 4}, true, witness(job)) ==
      "this job or step has 2 of 8 GPUs of this node (SLURM_GPUS_ON_NODE), and nothing says which: the mapped ones may "
      "be those of another job or step; not set");
  CHECK(start({3, 4, 5}, true, witness(job)) ==
        "the ranks of this node are mapped to 3 GPUs, and this job or step has 2 here (SLURM_GPUS_ON_NODE)");
}

TEST_CASE("the job's share is listed in the variable of each vendor, in the vendor's own numbers") {
  const auto share_in = [](const std::vector<std::pair<GpuVendor, std::string>>& gpus,
                           const std::vector<std::size_t>& share, const std::string& variable,
                           const Environment& set = {}) {
    PlacedNode node;
    for (const auto& [vendor, name] : gpus) {
      NodeGpu gpu{.name = name, .pci = {}, .uuid = {}, .cpus = {}};
      gpu.vendor = vendor;
      node.gpus.push_back(gpu);
    }
    return within_share(node, {.gpus = share, .fewer = {}, .sources = {}, .conflict = {}},
                        witness(set).variable)(variable)
        .value_or("not set");
  };
  const std::vector<std::pair<GpuVendor, std::string_view>> kVendors{{GpuVendor::unknown, "CUDA_VISIBLE_DEVICES"},
                                                                     {GpuVendor::nvidia, "CUDA_VISIBLE_DEVICES"},
                                                                     {GpuVendor::amd, "HIP_VISIBLE_DEVICES"},
                                                                     {GpuVendor::intel, "ZE_AFFINITY_MASK"},
                                                                     {GpuVendor::huawei, "ASCEND_RT_VISIBLE_DEVICES"},
                                                                     {GpuVendor::hygon, "HIP_VISIBLE_DEVICES"},
                                                                     {GpuVendor::cambricon, "MLU_VISIBLE_DEVICES"},
                                                                     {GpuVendor::iluvatar, "CUDA_VISIBLE_DEVICES"},
                                                                     {GpuVendor::moore_threads, "MUSA_VISIBLE_DEVICES"},
                                                                     {GpuVendor::metax, "MACA_VISIBLE_DEVICES"},
                                                                     {GpuVendor::enflame, "TOPS_VISIBLE_DEVICES"}};
  for (const auto& each : kVendors) {
    const GpuVendor vendor = each.first;
    const std::string variable(each.second);
    CAPTURE(variable);
    const std::vector<std::pair<GpuVendor, std::string>> four{
        {vendor, "a"}, {vendor, "b"}, {vendor, "c"}, {vendor, "d"}};
    CHECK(share_in(four, {2, 3}, variable) == "2,3");
    CHECK(share_in(four, {0, 1, 2, 3}, variable) == "not set");
    CHECK(share_in(four, {2, 3}, variable, {{variable, "1"}}) == "1");
  }
  const std::vector<std::pair<GpuVendor, std::string>> mixed{
      {GpuVendor::nvidia, "a"}, {GpuVendor::amd, "b"}, {GpuVendor::nvidia, "c"}, {GpuVendor::amd, "d"}};
  CHECK(share_in(mixed, {2, 3}, "CUDA_VISIBLE_DEVICES") == "1");
  CHECK(share_in(mixed, {2, 3}, "HIP_VISIBLE_DEVICES") == "1");
  CHECK(share_in(mixed, {2}, "HIP_VISIBLE_DEVICES") == "not set");
  const std::vector<std::pair<GpuVendor, std::string>> tiles{{GpuVendor::intel, "GPU0.0"},
                                                             {GpuVendor::intel, "GPU0.1"},
                                                             {GpuVendor::intel, "GPU1.0"},
                                                             {GpuVendor::intel, "GPU1.1"}};
  CHECK(share_in(tiles, {1, 2}, "ZE_AFFINITY_MASK") == "0.1,1.0");
}
