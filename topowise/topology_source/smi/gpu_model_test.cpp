// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/gpu_model.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include <topowise/topology_source/node/text_formats.hpp>

using namespace topowise;

namespace {

double gigabytes(std::string_view text) {
  return nvlink_of_named_gpus(text).value() / 1e9;
}

const std::string kMatrix = "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n";

}  // namespace

TEST_CASE("the name of a GPU gives the generation of its NVLinks") {
  CHECK(gigabytes("GPU 0: NVIDIA B200 (UUID: GPU-1)") == 50);
  CHECK(gigabytes("NVIDIA GB300\nNVIDIA GB300") == 50);
  CHECK(gigabytes("| 0  Tesla V100-SXM2-32GB  Off |") == 25);
  CHECK(gigabytes("NVIDIA H100 80GB HBM3") == 25);
  CHECK(gigabytes("Tesla P100-SXM2") == 20);
  CHECK(gigabytes("NVIDIA A40") == 14.0625);
  CHECK(gigabytes("GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)\nGPU 1: NVIDIA GeForce RTX 3090 (UUID: GPU-2)") ==
        14.0625);
}

TEST_CASE("no name, half a name, or names of different generations give nothing") {
  CHECK(gigabytes("") == 0);
  CHECK(gigabytes("root@b200-17:~# nvidia-smi topo -m") == 0);
  CHECK(gigabytes("0xB2000 AB200") == 0);
  CHECK(gigabytes("pid 3090, RTX 4090") == 0);
  CHECK(gigabytes("NVIDIA H100, NVIDIA B200") == 0);
  CHECK(gigabytes("NVIDIA H100, NVIDIA H200") == 25);
}

TEST_CASE("the name of a GPU says what its slot carries; without one it is assumed, and so is an adapter's") {
  const auto slot = [](std::string_view text) { return std::round(slot_of_named_gpus(text).value() / 1e9); };
  CHECK(slot("NVIDIA H100 80GB HBM3") == 63);
  CHECK(slot("Tesla T4, Tesla V100-SXM2-32GB") == 16);
  CHECK(slot("NVIDIA L40S") == 32);
  CHECK(slot("NVIDIA B300 SXM6 AC") == 121);
  CHECK(slot("NVIDIA A100, NVIDIA H100") == 0);
  const std::string matrix = "\tGPU0\tGPU1\tNIC0\nGPU0\t X \tPHB\tPHB\nGPU1\tPHB\t X \tPHB\nNIC0\tPHB\tPHB\t X \n";
  const auto sources = [&](const std::string& name) {
    const Topology machine = kNvidiaSmiFormat.read("f", name + matrix);
    std::string all;
    for (const Link& link : machine.links())
      if (link.kind == LinkKind::pcie && machine.vertex(link.from).parent == link.to)
        all += fmt::format("{} {:.0f} {}\n", machine.vertex(link.from).name, link.bandwidth.value() / 1e9,
                           to_string(link.source));
    return all;
  };
  CHECK(sources("") == "GPU0 16 nvidia-smi (assumed)\nGPU1 16 nvidia-smi (assumed)\nNIC0 16 nvidia-smi (assumed)\n");
  CHECK(sources("NVIDIA L40S\n") ==
        "GPU0 32 nvidia-smi (nominal)\nGPU1 32 nvidia-smi (nominal)\nNIC0 32 nvidia-smi (assumed)\n");
}

TEST_CASE("a matrix with the name beside it has the rate of that GPU, one without an assumed one") {
  const Topology named = kNvidiaSmiFormat.read("f", "GPU 0: NVIDIA B200\n" + kMatrix);
  CHECK(named.bandwidth(Place(0), Place(1)).value() == 900e9);
  CHECK(named.links()[named.route(Place(0), Place(1)).front().index()].source == "nvidia-smi (nominal)");
  const Topology bare = kNvidiaSmiFormat.read("f", kMatrix);
  CHECK(bare.bandwidth(Place(0), Place(1)).value() == 450e9);
  CHECK(bare.links()[bare.route(Place(0), Place(1)).front().index()].source == "nvidia-smi (assumed)");
}
