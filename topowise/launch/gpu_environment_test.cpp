// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_environment.hpp>

#include <doctest/doctest.h>

#include <map>

#include <topowise/base/error.hpp>
#include <topowise/launch/gpu_list.hpp>

using namespace topowise;

namespace {

/// One node of four GPUs with UUIDs GPU-a0.. GPU-a3; rank r on GPU `gpus[r]`.
Placement node_of_four(std::vector<std::size_t> gpus, bool uuids = true) {
  Placement placement{"node", {{"", {}}}, {}};
  for (int g = 0; g < 4; ++g) {
    NodeGpu gpu{.name = "GPU" + std::to_string(g)};
    if (uuids) gpu.uuid = "GPU-a" + std::to_string(g) + "-0000";
    placement.nodes[0].gpus.push_back(std::move(gpu));
  }
  for (std::size_t r = 0; r < gpus.size(); ++r) placement.ranks.push_back({0, r, gpus[r], "place", ""});
  return placement;
}

std::map<std::string, std::string> set_for(const Placement& placement, std::size_t rank, GpuBinding binding,
                                           std::map<std::string, std::string> inherited) {
  const Variables variables =
      gpu_environment(placement, rank, placement.ranks[rank].local_rank, binding, [&](const std::string& name) {
        const auto found = inherited.find(name);
        return found == inherited.end() ? std::nullopt : std::optional(found->second);
      });
  return {variables.begin(), variables.end()};
}

}  // namespace

TEST_CASE("a machine that is a part of its host keeps the host's numbers") {
  Placement placement = node_of_four({2, 0});
  const int numbers[] = {3, 4, 6, 7};
  for (std::size_t g = 0; g < 4; ++g) placement.nodes[0].gpus[g].number = numbers[g];
  CHECK(set_for(placement, 0, GpuBinding::permute, {}).at("CUDA_VISIBLE_DEVICES") == "6,3,4,7");
  CHECK(set_for(placement, 0, GpuBinding::permute, {}).at("HIP_VISIBLE_DEVICES") == "6,3,4,7");
  CHECK(set_for(placement, 0, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "6,4"}}).at("CUDA_VISIBLE_DEVICES") == "6");
  CHECK(set_for(placement, 0, GpuBinding::only, {{"ROCR_VISIBLE_DEVICES", "6,4"}}).at("HIP_VISIBLE_DEVICES") == "0");
  CHECK_THROWS_AS(set_for(placement, 1, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "6,4"}}), Error);
  CHECK(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7"}})
            .at("CUDA_VISIBLE_DEVICES") == "6,3,4,7");
  CHECK_THROWS_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "5,6"}}), Error);
  // As many as there are: a control group counts them anew.
  CHECK(set_for(placement, 0, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "0,1,2,3"}}).at("CUDA_VISIBLE_DEVICES") ==
        "2");
}

TEST_CASE("the mapped GPU is at the position of the local rank, all others stay") {
  CHECK(permuted_gpus(4, 2, 0) == std::vector<std::size_t>{2, 0, 1, 3});
  CHECK(permuted_gpus(4, 2, 1) == std::vector<std::size_t>{0, 2, 1, 3});
  CHECK(permuted_gpus(4, 0, 3) == std::vector<std::size_t>{1, 2, 3, 0});
  CHECK(permuted_gpus(4, 1, 6) == std::vector<std::size_t>{0, 2, 1, 3});  // two ranks share a GPU: 6 mod 4
  CHECK(permuted_gpus(1, 0, 5) == std::vector<std::size_t>{0});
}

TEST_CASE("nothing inherited: both vendors' variables, in PCI order") {
  const auto set = set_for(node_of_four({3, 1}), 0, GpuBinding::permute, {});
  CHECK(set.at("CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
  CHECK(set.at("CUDA_VISIBLE_DEVICES") == "3,0,1,2");
  CHECK(set.at("HIP_VISIBLE_DEVICES") == "3,0,1,2");
  CHECK_FALSE(set.contains("ROCR_VISIBLE_DEVICES"));
  CHECK(set_for(node_of_four({3}), 0, GpuBinding::only, {}).at("CUDA_VISIBLE_DEVICES") == "3");
  CHECK(set_for(node_of_four({3}), 0, GpuBinding::none, {}).empty());
}

TEST_CASE("an inherited list is the set to choose from") {
  const Placement placement = node_of_four({2, 0});
  // The list names two of four GPUs by index: only those are used, with their own numbers.
  CHECK(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "0,2"}}).at("CUDA_VISIBLE_DEVICES") ==
        "2,0");
  // The list names all four in another order, or the job's four GPUs have numbers from 4 on.
  CHECK(set_for(placement, 1, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "3,2,1,0"}}).at("CUDA_VISIBLE_DEVICES") ==
        "3,0,2,1");
  CHECK(set_for(placement, 0, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "4,5,6,7"}}).at("CUDA_VISIBLE_DEVICES") ==
        "6");
  // UUIDs may be abbreviated; HIP does not know them.
  const auto uuids = set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "GPU-a0,GPU-a2-0000"}});
  CHECK(uuids.at("CUDA_VISIBLE_DEVICES") == "GPU-a2-0000,GPU-a0");
  CHECK_FALSE(uuids.contains("HIP_VISIBLE_DEVICES"));
  // MIG instances have no places of their own: they are matched with the places in order, if there are as many.
  CHECK(set_for(node_of_four({2}, false), 0, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "MIG-w,MIG-x,MIG-y,MIG-z"}})
            .at("CUDA_VISIBLE_DEVICES") == "MIG-y");
  // CUDA stops reading at the first entry that names nothing.
  CHECK(set_for(placement, 1, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "0,1,-1,2"}}).at("CUDA_VISIBLE_DEVICES") ==
        "1,0");
}

TEST_CASE("set-device names the GPU and leaves the lists as they are") {
  Placement placement = node_of_four({2});
  placement.nodes[0].gpus[2].pci = PciAddress::parse("0000:0a:00.0");
  const auto by_bus = set_for(placement, 0, GpuBinding::set_device, {{"CUDA_VISIBLE_DEVICES", "3,2"}});
  CHECK(by_bus.at(kGpuVariable) == "0000:0a:00.0");
  CHECK_FALSE(by_bus.contains("CUDA_VISIBLE_DEVICES"));
  placement.nodes[0].gpus[2].pci.reset();
  placement.nodes[0].gpus[2].uuid = "GPU-a2";
  CHECK(set_for(placement, 0, GpuBinding::set_device, {}).at(kGpuVariable) == "GPU-a2");
  placement.nodes[0].gpus[2].uuid.clear();
  CHECK(set_for(placement, 0, GpuBinding::set_device, {{"CUDA_VISIBLE_DEVICES", "3,2"}}).at(kGpuVariable) == "1");
  CHECK(set_for(placement, 0, GpuBinding::set_device, {{"ROCR_VISIBLE_DEVICES", "3,2"}}).at(kGpuVariable) == "1");
  CHECK_THROWS_AS(set_for(placement, 0, GpuBinding::set_device, {{"CUDA_VISIBLE_DEVICES", "0,1"}}), Error);
  CHECK(parse_gpu_binding("set-device") == GpuBinding::set_device);
}

TEST_CASE("AMD: HIP counts inside what ROCR leaves over, and ROCR is never written") {
  const auto set = set_for(node_of_four({3, 1}), 0, GpuBinding::permute, {{"ROCR_VISIBLE_DEVICES", "1,3"}});
  CHECK(set.at("HIP_VISIBLE_DEVICES") == "1,0");
  CHECK_FALSE(set.contains("ROCR_VISIBLE_DEVICES"));
  CHECK_FALSE(set.contains("CUDA_VISIBLE_DEVICES"));
  CHECK(set_for(node_of_four({3, 1}), 0, GpuBinding::only,
                {{"ROCR_VISIBLE_DEVICES", "1,2,3"}, {"HIP_VISIBLE_DEVICES", "0,2"}})
            .at("HIP_VISIBLE_DEVICES") == "2");
}

TEST_CASE("a hidden GPU is an error, never a silent other GPU") {
  const Placement placement = node_of_four({2});
  CHECK_THROWS_WITH_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "0,1"}}),
                       "rank 0 is mapped to GPU2, but CUDA_VISIBLE_DEVICES='0,1' hides it", Error);
  CHECK_THROWS_WITH_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", ""}}),
                       "rank 0 is mapped to GPU2, but CUDA_VISIBLE_DEVICES='' hides it", Error);
  CHECK_THROWS_WITH_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "GPU-ffff"}}),
                       "CUDA_VISIBLE_DEVICES='GPU-ffff': it is not known which GPU 'GPU-ffff' is", Error);
  CHECK_THROWS_WITH_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "2,0,0,1"}}),
                       "CUDA_VISIBLE_DEVICES='2,0,0,1' names GPU '0' twice", Error);
  CHECK_THROWS_WITH_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "2,1,1"}}),
                       "CUDA_VISIBLE_DEVICES='2,1,1' names GPU '1' twice", Error);
}

TEST_CASE("GPUs of two vendors in one node: each vendor's variable counts its own") {
  Placement placement{"node", {{"", {}}}, {}};
  for (const std::string name : {"AMD GPU0", "NVIDIA GPU0", "AMD GPU1", "NVIDIA GPU1"})
    placement.nodes[0].gpus.push_back({.name = name});
  for (std::size_t r = 0; r < 4; ++r) placement.ranks.push_back({0, r, 3 - r, "place", ""});
  const auto nvidia = set_for(placement, 0, GpuBinding::only, {});
  CHECK(nvidia.at("CUDA_VISIBLE_DEVICES") == "1");
  CHECK(nvidia.at("CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
  CHECK_FALSE(nvidia.contains("HIP_VISIBLE_DEVICES"));
  const auto amd = set_for(placement, 1, GpuBinding::only, {});
  CHECK(amd == std::map<std::string, std::string>{{"HIP_VISIBLE_DEVICES", "1"}});
  CHECK(set_for(placement, 3, GpuBinding::only, {{"ROCR_VISIBLE_DEVICES", "1,0"}}).at("HIP_VISIBLE_DEVICES") == "1");
  CHECK(set_for(placement, 2, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "1,0"}}).at("CUDA_VISIBLE_DEVICES") ==
        "0,1");
}

TEST_CASE("lists are read and written by the numbers of the GPUs") {
  Placement placement = node_of_four({2, 1});
  placement.nodes[0].gpus.pop_back();
  placement.nodes[0].gpus[1].number = 2;
  placement.nodes[0].gpus[2].number = 3;
  CHECK(set_for(placement, 0, GpuBinding::permute, {}).at("CUDA_VISIBLE_DEVICES") == "3,0,2");
  CHECK(set_for(placement, 0, GpuBinding::permute, {}).at("HIP_VISIBLE_DEVICES") == "3,0,2");
  CHECK(set_for(placement, 1, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "2,3"}}).at("CUDA_VISIBLE_DEVICES") == "2");
  CHECK(set_for(placement, 1, GpuBinding::only, {{"HIP_VISIBLE_DEVICES", "2,3"}}).at("HIP_VISIBLE_DEVICES") == "2");
  CHECK(set_for(placement, 1, GpuBinding::only, {{"ROCR_VISIBLE_DEVICES", "3,2"}}).at("HIP_VISIBLE_DEVICES") == "1");
  CHECK_THROWS_AS(set_for(placement, 0, GpuBinding::permute, {{"CUDA_VISIBLE_DEVICES", "0,1"}}), Error);
}

TEST_CASE("a list of another vendor is the set to choose from") {
  Placement placement = node_of_four({2, 1}, false);
  for (NodeGpu& gpu : placement.nodes[0].gpus) gpu.vendor = GpuVendor::huawei;
  const std::map<std::string, std::string> inherited{{"ASCEND_RT_VISIBLE_DEVICES", "1,2"},
                                                     {"CUDA_VISIBLE_DEVICES", "7"}};
  const auto set = set_for(placement, 0, GpuBinding::set_device, inherited);
  CHECK(set == std::map<std::string, std::string>{{"ASCEND_RT_VISIBLE_DEVICES", "2,1"}});
  CHECK(set_for(placement, 1, GpuBinding::only, inherited).at("ASCEND_RT_VISIBLE_DEVICES") == "1");
  CHECK_THROWS_WITH_AS(set_for(placement, 1, GpuBinding::permute, {{"ASCEND_RT_VISIBLE_DEVICES", "0,2"}}),
                       "rank 1 is mapped to GPU1, but ASCEND_RT_VISIBLE_DEVICES='0,2' hides it", Error);
  for (NodeGpu& gpu : placement.nodes[0].gpus) gpu.vendor = GpuVendor::other;
  CHECK(set_for(placement, 0, GpuBinding::permute, {}).empty());
}

TEST_CASE("Intel: a rank sees its own GPU or tile alone, counted among Intel's") {
  Placement placement{"node", {{"", {}}}, {}};
  for (const std::string name : {"NVIDIA GPU0", "Intel GPU0", "Intel GPU1"})
    placement.nodes[0].gpus.push_back({.name = name});
  for (std::size_t r = 0; r < 3; ++r) placement.ranks.push_back({0, r, 2 - r, "place", ""});
  const std::map<std::string, std::string> second{
      {"ZE_AFFINITY_MASK", "1"}, {"ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1"}, {"ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE"}};
  CHECK(set_for(placement, 0, GpuBinding::permute, {}) == second);
  CHECK(set_for(placement, 0, GpuBinding::only, {{"CUDA_VISIBLE_DEVICES", "0"}, {"ZE_AFFINITY_MASK", "0, 1"}}) ==
        second);
  CHECK_THROWS_WITH_AS(set_for(placement, 0, GpuBinding::permute, {{"ZE_AFFINITY_MASK", "0"}}),
                       "rank 0 is mapped to Intel GPU1, but ZE_AFFINITY_MASK='0' hides it", Error);
  const auto nvidia = set_for(placement, 2, GpuBinding::permute, {});
  CHECK(nvidia.at("CUDA_VISIBLE_DEVICES") == "0");
  CHECK_FALSE(nvidia.contains("ZE_AFFINITY_MASK"));
  placement.nodes[0].gpus = {{.name = "GPU0.0"}, {.name = "GPU0.1"}, {.name = "GPU3.1"}};
  CHECK(set_for(placement, 0, GpuBinding::permute, {}).at("ZE_AFFINITY_MASK") == "3.1");
  CHECK(set_for(placement, 0, GpuBinding::permute, {{"ZE_AFFINITY_MASK", "3"}}).at("ZE_AFFINITY_MASK") == "3.1");
  CHECK_THROWS_AS(set_for(placement, 0, GpuBinding::permute, {{"ZE_AFFINITY_MASK", "3.0"}}), Error);
}

namespace {

std::string list_of_parent(const Placement& placement, std::map<std::string, std::string> inherited,
                           const std::string& variable = "CUDA_VISIBLE_DEVICES") {
  const Variables variables = gpu_environment_of_parent(placement, 0, [&](const std::string& name) {
    const auto found = inherited.find(name);
    return found == inherited.end() ? std::nullopt : std::optional(found->second);
  });
  return std::map<std::string, std::string>(variables.begin(), variables.end())[variable];
}

}  // namespace

TEST_CASE("one list gives every worker of a process its GPU; the other GPUs stay behind") {
  CHECK(list_of_parent(node_of_four({2, 0, 3, 1}), {}) == "2,0,3,1");
  CHECK(list_of_parent(node_of_four({2, 0, 3, 1}), {}, "HIP_VISIBLE_DEVICES") == "2,0,3,1");
  CHECK(list_of_parent(node_of_four({3, 1}), {}) == "3,1,0,2");
  CHECK(list_of_parent(node_of_four({3, 1}), {{"CUDA_VISIBLE_DEVICES", "GPU-a1,GPU-a3"}}) == "GPU-a3,GPU-a1");
  CHECK(list_of_parent(node_of_four({3, 1}, false), {{"ROCR_VISIBLE_DEVICES", "1,2,3"}}, "HIP_VISIBLE_DEVICES") ==
        "2,0,1");
  Placement elsewhere = node_of_four({});
  elsewhere.ranks.push_back({0, 0, {}, "core 0", "0"});
  CHECK(
      gpu_environment_of_parent(elsewhere, 0, [](const std::string&) { return std::optional<std::string>(); }).empty());
}

TEST_CASE("what no list can say is refused") {
  const auto refused = [](const Placement& placement) { return list_of_parent(placement, {}); };
  CHECK_THROWS_WITH_AS(refused(node_of_four({2, 2})), "several ranks are mapped to GPU2: a list names it once", Error);
  Placement partitioned = node_of_four({0, 1});
  partitioned.nodes[0].gpus[1].partitions = {"MIG-1"};
  CHECK_THROWS_WITH_AS(refused(partitioned), "GPU1 is partitioned: a program sees one part of it and nothing else",
                       Error);
  Placement without = node_of_four({0});
  without.ranks.push_back({0, 1, {}, "core 0", "0"});
  CHECK_THROWS_WITH_AS(refused(without), "rank 1 is mapped to core 0, which is no GPU", Error);
  Placement mixed = node_of_four({0, 1});
  mixed.nodes[0].gpus[0].vendor = GpuVendor::nvidia;
  mixed.nodes[0].gpus[1].vendor = GpuVendor::amd;
  CHECK_THROWS_WITH_AS(refused(mixed), "the ranks are on GPUs of several vendors, each with a list", Error);
  for (NodeGpu& gpu : mixed.nodes[0].gpus) gpu.vendor = GpuVendor::intel;
  CHECK_THROWS_WITH_AS(refused(mixed), "Level Zero keeps the order of its devices, whatever its list says", Error);
  CHECK_THROWS_AS(list_of_parent(node_of_four({2, 0}), {{"CUDA_VISIBLE_DEVICES", "0,1"}}), Error);
}
