// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/pci_class.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace topowise;

namespace {

GpuKind by_ids(const char* code, const char* vendor, const char* device, const char* bus = "0000:01:00.0",
               bool computes = false) {
  return gpu_kind({.type = parse_pci_class(code, vendor),
                   .device = parse_pci_id(device),
                   .pci = PciAddress::parse(bus),
                   .computes = computes});
}
GpuKind by_name(const char* name, const char* kind = "", const char* bus = "0000:01:00.0") {
  PciFunction function = printed_function(kind, name);
  function.pci = PciAddress::parse(bus);
  return gpu_kind(function);
}

}  // namespace

TEST_CASE("cards and modules are GPUs, also where they share a package with processors") {
  CHECK(by_ids("0x030200", "0x10de", "0x2342", "0009:01:00.0") == GpuKind::discrete);  // GH200
  CHECK(by_ids("0x120000", "0x1002", "0x74a0") == GpuKind::discrete);                  // MI300A
  CHECK(by_ids("0x038000", "0x1002", "0x74a0") == GpuKind::discrete);
  CHECK(by_ids("0300", "10de", "2204") == GpuKind::discrete);                             // GeForce
  CHECK(by_ids("0300", "1002", "744c") == GpuKind::discrete);                             // Radeon
  CHECK(by_ids("0300", "8086", "56a0", "0000:03:00.0") == GpuKind::discrete);             // Arc
  CHECK(by_ids("0380", "8086", "0bd5", "0000:00:05.0") == GpuKind::discrete);             // Max, in a VM
  CHECK(by_name("NVIDIA Corporation GH100 [GH200 120GB / 480GB]") == GpuKind::discrete);  //
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300A]") == GpuKind::discrete);
  CHECK(by_name("Intel Corporation DG2 [Arc A770]", "VGA compatible controller") == GpuKind::discrete);
  CHECK(by_name("Intel Corporation Device 56c0") == GpuKind::discrete);
}

TEST_CASE("chips of management controllers are no GPUs, whatever reads them") {
  for (const char* vendor : {"102b", "1a03", "19e5", "1013", "15ad"})
    CHECK(by_ids("0300", vendor, "2000") == GpuKind::none);
  CHECK(by_ids("0300", "1002", "515e") == GpuKind::none);  // ATI ES1000
  CHECK(by_ids("0300", "1002", "4752") == GpuKind::none);  // ATI Rage XL
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] ES1000") == GpuKind::none);
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] Rage XL PCI", "VGA compatible controller") == GpuKind::none);
  CHECK(by_name("ASPEED Technology, Inc. ASPEED Graphics Family", "VGA compatible controller") == GpuKind::none);
  CHECK(by_name("Matrox Electronics Systems Ltd. G200eR2") == GpuKind::none);
}

TEST_CASE("graphics inside the processor, by id and by name") {
  CHECK(by_ids("0300", "1002", "164e") == GpuKind::integrated);
  CHECK(by_ids("0380", "1002", "150e") == GpuKind::integrated);
  CHECK(by_ids("0300", "8086", "4680", "0000:00:02.0") == GpuKind::integrated);
  CHECK(by_ids("0380", "8086", "3e96", "0000:00:02.0", true) == GpuKind::integrated);
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] Raphael") == GpuKind::integrated);
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] Device 13c0 (rev c1)") == GpuKind::integrated);
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] Something new [1002:1586]") == GpuKind::integrated);
  CHECK(by_name("Intel Corporation AlderLake-S GT1 [UHD Graphics 770]", "", "0000:00:02.0") == GpuKind::integrated);
  CHECK(by_name("Advanced Micro Devices, Inc. [AMD/ATI] Radeon High Definition Audio Controller [Rembrandt/Strix]") ==
        GpuKind::none);
  CHECK(by_name("Intel Corporation 12th Gen Core Processor Host Bridge") == GpuKind::none);
}

TEST_CASE("without a vendor a VGA device is not decided, unless software lists it") {
  CHECK(by_ids("0300", "", "") == GpuKind::unsure);
  CHECK(by_ids("0300", "", "", "0000:01:00.0", true) == GpuKind::discrete);
  CHECK(by_ids("0302", "", "") == GpuKind::discrete);
  CHECK(by_ids("0380", "", "") == GpuKind::discrete);
  CHECK(by_ids("0380", "", "", "0000:00:02.0") == GpuKind::unsure);
}

TEST_CASE("integrated graphics is a place only where nothing else is") {
  const GpuCandidate card{"card", GpuKind::discrete, false};
  const GpuCandidate graphics{"graphics", GpuKind::integrated, false};
  const GpuCandidate listed{"listed", GpuKind::integrated, true};
  const GpuCandidate vga{"vga", GpuKind::unsure, false};
  const auto chosen = [](std::vector<GpuCandidate> all, bool has_cores) {
    std::string text;
    const GpuChoice choice = choose_gpus(all, has_cores);
    for (std::size_t i = 0; i < all.size(); ++i) text += (choice.is_place[i] ? all[i].label : "-") + " ";
    for (const std::string& notice : choice.notices) text += notice.substr(0, notice.find(" is")) + "! ";
    return text;
  };
  CHECK(chosen({card, graphics, listed, vga}, true) == "card - - - graphics! listed! vga! ");
  CHECK(chosen({graphics}, true) == "- graphics! ");
  CHECK(chosen({graphics}, false) == "graphics graphics! ");
  CHECK(chosen({graphics, listed}, true) == "- listed graphics! ");
  CHECK(chosen({vga}, true) == "- vga! ");
}

TEST_CASE("numbers of GPUs: a management library's before CUDA's, CUDA's before OpenCL's") {
  CHECK(*software_number("nvml3") == *software_number("rsmi3"));
  CHECK(*software_number("nvml3") < *software_number("cuda0"));
  CHECK(*software_number("cuda7") < *software_number("opencl0d1"));
  CHECK(software_number("opencl1d5")->number == 5);
  CHECK(software_number("ze2")->number == 2);
  CHECK_FALSE(software_number("zebra"));
  CHECK_FALSE(software_number("nvml"));
  CHECK_FALSE(software_number("eth0"));
}

TEST_CASE("GPUs without a number fill what the others leave free") {
  const auto order = [](const std::vector<std::pair<const char*, const char*>>& all) {
    std::vector<NumberedGpu> gpus;
    for (const auto& [name, bus] : all) gpus.push_back({software_number(name), PciAddress::parse(bus)});
    return order_of_gpus(gpus);
  };
  using Order = std::vector<std::size_t>;
  CHECK(order({{"nvml1", "0000:01:00.0"}, {"nvml0", "0000:02:00.0"}}) == Order{1, 0});
  CHECK(order({{"nvml5", "0000:01:00.0"}, {"nvml3", "0000:02:00.0"}}) == Order{1, 0});
  CHECK(order({{"", "0000:03:00.0"}, {"", "0000:02:00.0"}, {"nvml0", "0000:09:00.0"}}) == Order{2, 1, 0});
  CHECK(order({{"", "0000:01:00.0"}, {"nvml0", "0000:02:00.0"}, {"rsmi0", "0000:03:00.0"}}) == Order{1, 0, 2});
}
