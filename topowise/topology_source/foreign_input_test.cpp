// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/formats.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

std::string name_of(std::string_view head) {
  const std::optional<ForeignInput> found = foreign_input(head);
  return found ? std::string(found->what) : "";
}

}  // namespace

TEST_CASE("wrong inputs are named") {
  CHECK(name_of("<graphs version=\"1\">\n  <graph id=\"0\"/>\n") ==
        "NCCL's graph file, which describes its rings and trees, not the machine");
  CHECK(name_of("00:00.0 Host bridge: Intel Corporation Device 09a2\n") ==
        "a list of 'lspci', which does not show the tree");
  CHECK(name_of("0000:17:00.0 3D controller: NVIDIA Corporation GH100\n") ==
        "a list of 'lspci', which does not show the tree");
  CHECK(name_of("| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05 |\n") == "the summary of 'nvidia-smi'");
  CHECK(name_of("\n==============NVSMI LOG==============\n") == "the report of 'nvidia-smi -q'");
  CHECK(name_of("{\"schema\": \"topowise.traffic/1\", \"ranks\": 4}") == "traffic, where a machine is asked for");
  CHECK(name_of("\n=== OTF2-PRINT ===\n") ==
        "a print of an OTF2 trace, which is traffic, where a machine is asked for");
  CHECK(name_of("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n") == "the list of 'nvidia-smi -L'");
  CHECK(name_of("GPU 0: NVIDIA A100 (UUID: GPU-1)\n\t Link 0: 25 GB/s\n") ==
        "the report of 'nvidia-smi nvlink', which does not say where the links lead");
  CHECK(name_of("available: 2 nodes (0-1)\nnode distances:\nnode   0   1\n") ==
        "the report of 'numactl -H', which lists no devices");
  CHECK(name_of("Architecture:  x86_64\nCPU(s): 2\nOn-line CPU(s) list: 0-1\n") ==
        "the report of 'lscpu', which lists no devices");
  CHECK(name_of("NodeName=n1 Arch=x86_64\n") ==
        "a list of Slurm's nodes (scontrol show nodes, slurm.conf), which says nothing of the network");
  CHECK(name_of("apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n") == "the nodes of Kubernetes as YAML");
  CHECK(name_of("NAME    STATUS   ROLES    AGE   VERSION\nnode-1   Ready    <none>   3d    v1.31\n") ==
        "the table of 'kubectl get nodes', which has no labels");
  for (const char* gres :
       {"AutoDetect=nvml\n", "# site\nNodeName=n[1-4] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n",
        "Name=gpu File=/dev/nvidia0 Cores=0-15 Links=-1,4\n", "NodeName=n1 AutoDetect=off Name=gpu Count=4\n"})
    CHECK(name_of(gres).starts_with("Slurm's gres.conf"));
  CHECK(name_of("apiVersion: v1\ndata:\n  topology.conf: |\n    SwitchName=s1 Nodes=n1\nkind: ConfigMap\n")
            .starts_with("a ConfigMap of Kubernetes"));
  CHECK(name_of(R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["nn-1", "nn-2"]}]})") ==
        "the answer of 'aws ec2 describe-instance-topology'");
  const auto of_slurm = [](const char* text) {
    const std::string name = name_of(text);
    const std::size_t end = name.find("', which says nothing of the network");
    return end == std::string::npos ? name : name.substr(name.find('\'') + 1, end - name.find('\'') - 1);
  };
  CHECK(of_slurm("NODELIST   NODES PARTITION STATE \nn0             1      all* idle \n") == "sinfo -N");
  CHECK(of_slurm("Sat Nov 28 00:26:24 2026\nNODELIST   NODES PARTITION       STATE CPUS\n") == "sinfo -N");
  CHECK(of_slurm(
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nall*         up   infinite      4   idle n[0-3]\n") ==
        "sinfo");
  CHECK(of_slurm("             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n") == "squeue");
  CHECK(of_slurm("Sat Nov 28 00:26:24 2026\n   JOBID PARTITION     NAME     USER    STATE\n") == "squeue");
  CHECK(of_slurm("JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n") == "sacct");
  CHECK(of_slurm("JobId=6 JobName=x\n   UserId=root(0)\n") == "scontrol show job");
  CHECK(of_slurm("StepId=6.batch UserId=0\n") == "scontrol show step");
  CHECK(of_slurm("PartitionName=all\n   AllowGroups=ALL\n") == "scontrol show partition");
  CHECK(of_slurm("Configuration data as of 2026-11-28T00:00:00\n") == "scontrol show config");
  CHECK(of_slurm("     STATE NNODES   NCORES    NGPUS NODELIST\n") == "flux resource list");
  CHECK(of_slurm("n01\n     Mom = n01.site.org\n     ntype = PBS\n     state = free\n") == "pbsnodes");
  CHECK(name_of("HOST_NAME          STATUS       JL/U    MAX  NJOBS\n") ==
        "a list of LSF's hosts, which says nothing of the network");
  CHECK(name_of("%PDF-1.4\n") == "a PDF");
  CHECK(name_of("<!DOCTYPE html><html>") == "a web page");
  CHECK(name_of("<html lang=\"en\">") == "a web page");
  CHECK(name_of("\x89PNG\r\n") == "a picture");
  CHECK(name_of("\xff\xd8\xff\xe0") == "a picture");
  CHECK_THROWS_WITH_AS((void)read_topology_text("f", "PK\x03\x04..."), "this is a zip archive", Error);
}

TEST_CASE("reports and errors of the vendors' programs are named") {
  const std::string rocm = "==== ROCm System Management Interface ====\n";
  CHECK(name_of(rocm + "==== Concise Info ====\nDevice  Node\n") == "a report of 'rocm-smi' without the topology");
  CHECK(name_of(rocm + "GPU[0]\t: (Topology) Numa Node: 0\n").empty());
  CHECK(name_of(rocm + "==== Hops between two GPUs ====\n       GPU0\nGPU0   0\n").empty());
  CHECK(name_of("+----+\n| AMD-SMI 25.3.0  |\n") == "a report of 'amd-smi' without the topology");
  CHECK(name_of("AMDSMI Tool: 24.6 | AMDSMI Library version: 24.6\n") == "a report of 'amd-smi' without the topology");
  CHECK(name_of("| AMD-SMI 25.3.0  |\nLINK TYPE TABLE:\n").empty());
  CHECK(name_of(rocm + "LINK TYPE TABLE:\n").empty());
  CHECK(name_of("| npu-smi 25.5.2    Version: 25.5.2   |\n| NPU   Name |\n") ==
        "a report of 'npu-smi' without the topology");
  CHECK(name_of("| npu-smi 25.5.2    Version: 25.5.2   |\n\t   NPU0       NPU1\nNPU0       X          HCCS\n").empty());
  const std::string metax = "=== MetaX System Management Interface Log ===\n";
  CHECK(name_of(metax + "| MX-SMI 2.2.9 |\n") == "a report of 'mx-smi' without the topology");
  CHECK(name_of(metax + "Device link type matrix\n        GPU0    GPU1\nGPU0    X       MX\n").empty());
  CHECK(name_of("-----\n    mthreads-gmi:2.4.1           Driver Version:5.1.0\n") ==
        "a report of 'mthreads-gmi' without the topology");
  CHECK(name_of("+---+\n| Device ID | Device Information   |\n") == "a report of 'xpu-smi' without the topology");
  CHECK(name_of("*******\nAgent 1\n*******\n  Name:  gfx942\n") ==
        "the report of 'rocminfo', which does not say how the GPUs are joined");
  CHECK(name_of("CA 'mlx5_0'\n\tCA type: MT4129\n") ==
        "a report of the adapters of one host, which says nothing of the network");
  CHECK(name_of("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n") ==
        "an error of 'nvidia-smi': the driver of the GPUs does not answer");
  CHECK(name_of("Failed to initialize NVML: Driver/library version mismatch\n") ==
        "an error of 'nvidia-smi': its library and the driver that is loaded have two versions");
  CHECK(name_of("Failed to initialize NVML: Unknown Error\n") ==
        "an error of 'nvidia-smi': NVML cannot reach the GPUs");
  CHECK(name_of("Unable to determine the topology: Not Supported\n") == "an error of 'nvidia-smi topo'");
  CHECK(name_of("ibwarn: [1] mad_rpc_open_port: can't open UMAD port ((null):0)\n") ==
        "an error of 'ibnetdiscover', which wants the rights to send to the subnet");
  CHECK(name_of("No topology information available\n") == "the answer of Slurm that it knows no network");
  CHECK(name_of("Failed to initialize NVML: Unknown Error\n\tGPU0\tGPU1\nGPU0\t X \tPHB\n").empty());
}

TEST_CASE("right inputs are not") {
  CHECK(name_of("").empty());
  CHECK(name_of("0 1\n1 0\n").empty());
  CHECK(name_of("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-15\n").empty());
  CHECK(name_of("GPU 0: A100 (UUID: GPU-1)\n\tGPU0\tGPU1\nGPU0\t X \tNV12\n").empty());
  CHECK(name_of("| NVIDIA-SMI 535 |\n\tGPU0\tGPU1\n").empty());  // pasted output of both commands
  CHECK(name_of("<system version=\"1\">\n  <cpu numaid=\"0\">").empty());
  CHECK(name_of("SwitchName=s1 Nodes=n[1-2]\n").empty());
  CHECK(name_of("{\"schema\": \"topowise.topology/1\"}").empty());
}
