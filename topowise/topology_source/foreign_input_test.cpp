// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/foreign_input.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;

namespace {

std::string name_of(std::string_view head) {
  const std::optional<ForeignInput> found = foreign_input(head);
  return found ? std::string(found->what) : "";
}

}  // namespace

TEST_CASE("wrong inputs are named") {
  CHECK(name_of("<graphs version=\"1\">\n  <graph id=\"0\"/>\n") ==
        "NCCL's graph file, which tells its rings and trees, not the machine");
  CHECK(name_of("00:00.0 Host bridge: Intel Corporation Device 09a2\n") == "a list of 'lspci', which tells no tree");
  CHECK(name_of("0000:17:00.0 3D controller: NVIDIA Corporation GH100\n") == "a list of 'lspci', which tells no tree");
  CHECK(name_of("| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05 |\n") == "the summary of 'nvidia-smi'");
  CHECK(name_of("\n==============NVSMI LOG==============\n") == "the report of 'nvidia-smi -q'");
  CHECK(name_of("{\"schema\": \"topowise.traffic/1\", \"ranks\": 4}") == "traffic, where a machine is asked for");
  CHECK(name_of("\n=== OTF2-PRINT ===\n") ==
        "a print of an OTF2 trace, which is traffic, where a machine is asked for");
  CHECK(name_of("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n") == "the list of 'nvidia-smi -L'");
  CHECK(name_of("GPU 0: NVIDIA A100 (UUID: GPU-1)\n\t Link 0: 25 GB/s\n") ==
        "the report of 'nvidia-smi nvlink', which does not say where the links lead");
  CHECK(name_of("available: 2 nodes (0-1)\nnode distances:\nnode   0   1\n") ==
        "the report of 'numactl -H', which tells no devices");
  CHECK(name_of("Architecture:  x86_64\nCPU(s): 2\nOn-line CPU(s) list: 0-1\n") ==
        "the report of 'lscpu', which tells no devices");
  CHECK(name_of("NodeName=n1 Arch=x86_64\n") == "a list of Slurm's nodes, which tells no network");
  CHECK(name_of("%PDF-1.4\n") == "a PDF");
  CHECK(name_of("<!DOCTYPE html><html>") == "a web page");
  CHECK(name_of("<html lang=\"en\">") == "a web page");
  CHECK(name_of("\x89PNG\r\n") == "a picture");
  CHECK(name_of("\xff\xd8\xff\xe0") == "a picture");
  CHECK_THROWS_WITH_AS((void)read_topology_text("f", "PK\x03\x04..."), "this is a zip archive", Error);
}

TEST_CASE("right inputs are not") {
  CHECK(name_of("").empty());
  CHECK(name_of("0 1\n1 0\n").empty());
  CHECK(name_of("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-15\n").empty());
  CHECK(name_of("GPU 0: A100 (UUID: GPU-1)\n\tGPU0\tGPU1\nGPU0\t X \tNV12\n").empty());
  CHECK(name_of("| NVIDIA-SMI 535 |\n\tGPU0\tGPU1\n").empty());  // a paste of both
  CHECK(name_of("<system version=\"1\">\n  <cpu numaid=\"0\">").empty());
  CHECK(name_of("SwitchName=s1 Nodes=n[1-2]\n").empty());
  CHECK(name_of("{\"schema\": \"topowise.topology/1\"}").empty());
}
