// SPDX-License-Identifier: BSD-3-Clause
#include "texts.hpp"

#include <algorithm>
#include <array>

namespace topowise::test {
namespace {

constexpr std::array kAny{
    LargeText{"", "", "\n", ""},     LargeText{"", "", "#\n", ""},  LargeText{"", "", "x\n", ""},
    LargeText{"", "", "1\n", ""},    LargeText{"", "", "a ", "\n"}, LargeText{"", "", "1 ", "\n"},
    LargeText{"", "", "1,", "1\n"},  LargeText{"", "", "[", "\n"},  LargeText{"", "", "<a/>", "\n"},
    LargeText{"", "1\n", "x", "\n"},
};

constexpr std::array kTopologies{
    LargeText{"json", R"({"places":[)", R"({"kind":"gpu"},)", R"({"kind":"gpu"}]})", 400},
    LargeText{"json", R"({"places":[{"kind":"gpu"}],"warnings":[)", R"([],)", "[]]}"},
    LargeText{"json", R"({"places":[{"kind":"gpu"}],"warnings":[)", R"([[[[[[[[1]]]]]]]],)", "1]}"},
    LargeText{"json", R"({"places":[{"kind":"gpu"}],"warnings":[)", R"("",)", "1]}"},
    LargeText{"json", R"({"places":[{"kind":"gpu"}],"x":{)", R"("@":1,)", R"("x":1}})"},
    LargeText{"json", R"({"vertices":[)", R"({"kind":"gpu"},)",
              R"({"kind":"gpu"}],"places":[{"kind":"gpu","vertex":0}]})", 400},
    LargeText{"nccl-xml", "<system><cpu>", "<pci/>", "</cpu></system>"},
    LargeText{"nccl-xml", "<system><cpu>", "<a>x</a>", "</cpu></system>"},
    LargeText{"nccl-xml", "<system ", R"(a="" )", "/>"},
    LargeText{
        "nccl-xml", "<system><cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\">",
        R"(<pci busid="0000:@:00.0" class="0x030200" vendor="0x10de" link_speed="16.0 GT/s PCIe" link_width="16"/>)",
        "</cpu></system>", 64},
    LargeText{"hwloc-xml", "<topology><object type=\"Machine\">", "<info/>", "</object></topology>"},
    LargeText{"hwloc-xml", "<topology><object type=\"Machine\">",
              R"(<object type="Core" os_index="@"><object type="PU" os_index="@"/></object>)", "</object></topology>",
              900},
    LargeText{"nccl-log", "h:1:2 [0] NCCL INFO === System : maxBw 1 totalBw 1 ===\nh:1:2 [0] NCCL INFO CPU/0\n",
              "h:1:2 [0] NCCL INFO + PCI[1.0] - GPU/@ (0)\n", "h:1:2 [0] NCCL INFO =====\n"},
    LargeText{"nccl-log", "", "NCCL INFO \n", ""},
    LargeText{"nccl-log", "NCCL INFO NET/IB : Using ", "[@]a ", "\n"},
    LargeText{"nccl-log", "NCCL INFO === System\nNCCL INFO ", "+ ", "\n"},
    LargeText{"nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\tX\n", "\n", ""},
    LargeText{"nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\tX\n", "GPU0 X\n", ""},
    LargeText{"nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\tX\nLegend:\n", "NIC@: a\n", ""},
    LargeText{"nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\tX\n", "GPU0 ", "\n"},
    LargeText{"nvidia-smi", "\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1", " X", "\n"},
    LargeText{"nvidia-smi", "", "GPU0\nGPU0 X\n", ""},
    LargeText{"nvidia-smi", "GPU0 GPU1", " GPU@", "\nGPU0 X PIX\nGPU1 PIX X\n"},
    LargeText{"rocm-smi", "=== Weight between two GPUs ===\n GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n", "GPU1 1\n", ""},
    LargeText{"rocm-smi", "=== Weight between two GPUs ===\n GPU0 GPU1\nGPU0 0 15\nGPU1", " 1", "\n"},
    LargeText{"rocm-smi", "", "==a==\nGPU0\nGPU0 0\n", ""},
    LargeText{"rocm-smi", "", "GPU[@]:(Topology) Numa Node: 1\n", ""},
    LargeText{"rocm-smi", R"({"system":{)", R"("(Topology) Hops between DRM devices 0 and @":"1",)", R"("a":"1"}})"},
    LargeText{"rocm-smi", R"({"system":{"a":1},"x":[)", "1,", "1]}"},
    LargeText{"amd-smi", "LINK TYPE TABLE:\n 0000:0c:00.0 0000:22:00.0\n0000:0c:00.0 SELF XGMI\n", "0000:22:00.0 A\n",
              ""},
    LargeText{"amd-smi", "LINK TYPE TABLE:\n", "TABLE:\n0000:0c:00.0\n", ""},
    LargeText{"amd-smi", "", "GPU0 0000:0c:00.0\n", ""},
    LargeText{"amd-smi", "gpu,bdf,", "link_type_gpu_@,", "\n"},
    LargeText{"amd-smi", "gpu,link_type_gpu_0,link_type_gpu_1\n", "0,SELF,XGMI\n", "", 24},
    LargeText{"amd-smi", R"([{"gpu":0,"bdf":"0000:0c:00.0","link_type":{)", R"("gpu_@":"A",)", R"("gpu_0":"SELF"}}])"},
    LargeText{"amd-smi", R"([{"gpu":0,"links":[)", R"({"gpu":1,"weight":1},)", R"({"gpu":1}]}])"},
    LargeText{"ibnetdiscover", "Switch 2 \"S-1\" # \"leaf\"\n", "[@] \"H-@\"[1] # \"h@ mlx5_0\" 4xNDR\n", "", 1100},
    LargeText{"ibnetdiscover", "", "Ca 1 \"H-@\"\n", "", 150},
    LargeText{"ibnetdiscover", "Switch 2 \"a\"\n", "[@] \"b\"[@]\n", ""},
    LargeText{"ibnetdiscover", "Switch 2 \"S-1\"\n[1] \"H-1\"[1]\nUnicast lids a of switch guid 0x1 (a):\n",
              "0x@ 001 : a\n", ""},
    LargeText{"ibnetdiscover", "Switch 2 \"S-1\"\n[1] \"H-1\"[1]\nFrom ca {1}\n", "[1] -> {1}\n", ""},
    LargeText{"slurm", "SwitchName=s Nodes=a\n", "SwitchName=s@ Nodes=n@\n", ""},
    LargeText{"slurm", "SwitchName=s Nodes=a", ",n@", "\n"},
    LargeText{"slurm", "SwitchName=s Nodes=a\n", "#a=b\n", ""},
    LargeText{"slurm", "SwitchName=s Nodes=a\n", "#a@=b\n", ""},
    LargeText{"slurm", "SwitchName=s Nodes=a\n", "\\\n", ""},
    LargeText{"slurm", "SwitchName=s", " nodes=a", "\n"},
    LargeText{"slurm", "SwitchName=s Nodes=[0", ",1", "]\n"},
    LargeText{"slurm", "SwitchName=s Nodes=a\nBlockSizes=1", ",1", "\n"},
    LargeText{"slurm", "- topology: a\n  tree:\n    switches:\n", "    - switch: s@\n      nodes: n@\n", ""},
    LargeText{"kubernetes", R"({"kind":"NodeList","items":[)",
              R"({"metadata":{"name":"n@","labels":{"topology.kubernetes.io/zone":"z@"}}},)",
              R"({"metadata":{"name":"x","labels":{"topology.kubernetes.io/zone":"z"}}}]})", 1200},
    LargeText{"kubernetes", R"({"kind":"NodeList","items":[)", R"({"metadata":{"name":"n@"}},)", "{}]}", 400},
    LargeText{"flux", R"({"graph":{"nodes":[)", R"({"metadata":{"type":"node","paths":{"containment":"/c/r@/n@"}}},)",
              "{}]}}", 1400},
    LargeText{"pbs", R"({"pbs_version":"1","nodes":{)", R"("n@":{"resources_available":{"tier0":"t@"}},)",
              R"("x":{}}})", 1400},
    LargeText{"slurm-addresses", "", "SLURM_TOPOLOGY_ADDR=s.t@.n@\n", "", 1400},
    LargeText{"topograph", R"({"instances":[)", R"({"id":"i@","network_layers":["l@","s"]},)",
              R"({"id":"x","network_layers":["l"]}]})", 1400},
    LargeText{"topograph", R"([{"nodes":[{"compounded_nodes":[)", R"({"id":"n@","name":"h@","tier":-1},)",
              R"({"id":"s","tier":0}]}]}])", 300},
    LargeText{"topograph", R"([{"nodes":[{"compounded_nodes":[{"id":"s","tier":0}]}],"links":[)",
              R"({"compounded_links":[{"interfaces":[{"node":"s","interface":"@"},{"node":"n@","interface":"e0"}]}]},)",
              R"({"id":"a-*-s"}]}])", 900},
    LargeText{"lspci", "-[0000:00]-+-00.0  NVIDIA A100\n", "           +-01.0  NVIDIA A100\n", ""},
    LargeText{"lspci", "-[0000:00]-", "+-00.0-[01]-", "00.0  NVIDIA A100\n"},
    LargeText{"lspci", "-[0000:00]-+-00.0  NVIDIA A100\n", "Slot:\t@:00.0\n", ""},
    LargeText{"lspci", "-[0000:00]-+-00.0  NVIDIA A100\n", "-[0000:00]-00.0  NVIDIA A100\n", ""},
    LargeText{"lspci", "-[0000:00]-+-00.0  NVIDIA A100\n           ", "+", "\n"},
    LargeText{"lstopo", "Machine (1GB)\n  Package L#0\n", "    PCI 18:00.0 (3D)\n", ""},
    LargeText{"lstopo", "Machine (1GB)\n  Package L#0\n", "    HostBridge\n", ""},
    LargeText{"matrix", "2048\n", "1\n", ""},
    LargeText{"matrix", "", "0 1\n", ""},
    LargeText{"matrix", ",a\n", "a,1\n", ""},
    LargeText{"matrix", "", "GPU 0->GPU 1: Bandwidth=1GB/s\n", ""},
    LargeText{"matrix", "", "0 1\n0 1 1\n1 1 1\n", ""},
    LargeText{"matrix", "%%MatrixMarket matrix coordinate real general\n1000 1000 1000000\n", "1 2 3\n", ""},
    LargeText{"matrix", "%%MatrixMarket matrix array real general\n1000 1000\n", "1\n", ""},
    LargeText{"matrix", "%%MatrixMarket matrix array real general\n", "%\n", ""},
};

constexpr std::array kTraffics{
    LargeText{"json", R"({"ranks":2,"entries":[)", R"({"source":0,"destination":1,"bytes":1},)",
              R"({"source":0,"destination":1,"bytes":1}]})"},
    LargeText{"json", R"({"ranks":999999,"entries":[)", R"({"source":@,"destination":1,"bytes":1},)",
              R"({"source":0,"destination":1,"bytes":1}]})", 32},
    LargeText{"json", R"({"ranks":2,"entries":[)", "[],", "1]}"},
    LargeText{"npy", "\x93NUMPY\x01", "x", ""},
    LargeText{"matrix-market", "%%MatrixMarket matrix coordinate pattern general\n9 9 90000000\n", "1 2\n", ""},
    LargeText{"matrix-market", "%%MatrixMarket matrix coordinate pattern general\n9 9 3000000\n", "%\n", ""},
    LargeText{"ompi-monitoring", "", "E\t0\t1\t1 bytes\t1 msgs sent\n", ""},
    LargeText{"ompi-monitoring", "", "E\t0\t@\t1 bytes\t1 msgs sent\n", "", 32},
    LargeText{"ompi-monitoring", "", "D a procs:1\n", ""},
    LargeText{"ompi-monitoring", "D a procs:1", ",1", "\n"},
    LargeText{"otf2-print", "=== OTF2-PRINT ===\n", "MPI_SEND 0 1 Receiver: 1 (\"a\" <0>), Length: 1\n", ""},
    LargeText{"csv", "source,destination,bytes\n", "0,1,1\n", ""},
    LargeText{"csv", "source,destination,bytes\n", "0,@,1\n", "", 32},
    LargeText{"csv", "", "1;", "1\n"},
    LargeText{"csv", "a,b\n", "1,1\n", ""},
    LargeText{"qaplib", "700\n", "1 ", "\n"},
    LargeText{"qaplib", "700\n", "1\n", ""},
    LargeText{"metis", "400000 400000\n", "2\n", ""},
    LargeText{"metis", "300 40000\n", "2 ", "\n2\n1\n"},
    LargeText{"metis", "3 1000000\n", "2 ", "\n2\n1\n"},
    LargeText{"metis", "9000000 9000000\n", "\n", ""},
    LargeText{"matrix", "", "1 ", "\n"},
    LargeText{"matrix", "1 1\n", "1 ", "\n"},
    LargeText{"kineto", R"({"traceEvents":[)", R"({"ph":"X","name":"a@","args":{"Process Group Name":"a@"}},)", "{}]}"},
    LargeText{"kineto", R"({"distributedInfo":{"rank":0},"traceEvents":[)", "[],", "{}]}"},
    LargeText{"pytorch-et", R"({"schema":"1.1","nodes":[)", R"({"id":@,"name":"a@","inputs":{"values":[1]}},)", "{}]}"},
    LargeText{"chakra", "", "\x0a", ""},
    LargeText{
        "flight-recorder", R"({"pg_config":{"0":{"ranks":"[0]"}},"entries":[)",
        R"({"process_group":["0"],"profiling_name":"nccl:all_reduce","input_sizes":[[1]],"input_dtypes":["Int"]},)",
        R"({"profiling_name":"nccl:barrier"}]})"},
    LargeText{"flight-recorder", "\x80\x02", "K\x01", "."},
    LargeText{"flight-recorder", "\x80\x02", "]", "."},
    LargeText{"flight-recorder", "\x80\x02}(", "K\x01U\x01x", "u."},
    LargeText{"otf2",
              std::string_view("\x03"
                               "BOTF2"),
              "x", ""},
    LargeText{"nsight", std::string_view("SQLite format 3\0", 16), "x", ""},
    LargeText{"npz", "PK\x03\x04", "x", ""},
    LargeText{"npz", "", "PK\x05\x06", ""},
    LargeText{"scotch", "0\n400000 400000\n0 000\n", "1 1\n", ""},
    LargeText{"scotch", "0\n1000 4000000\n0 000\n1000000", " 1", "\n"},
    LargeText{"csv", "", "0 @ 1\n", "", 32},
    LargeText{"csv", "source destination bytes\n", "0 1 1\n", ""},
    LargeText{"simgrid", "0 init\n", "0 send 1 0 5\n", ""},
    LargeText{"simgrid", "0 init\n", "@ send 1 0 5\n", "", 1900},
    LargeText{"goal", "num_ranks 2\nrank 0 {\n", "send 5b to 1\n", "}\n"},
    LargeText{"paraver", "#Paraver (x):1:1:1:2(1)\n", "3:1:1:1:1:1:1:1:1:2:1:1:1:5:1\n", ""},
    LargeText{"paraver", "#Paraver (x):1:1:1:2(1)\n2:1:1:1:1:1", ":50000002:1", "\n"},
    LargeText{"paraver", "#Paraver (x):1:1:1:2(1)\nc:1:1:2:1:2\n", "2:1:1:1:1:1:50000002:10:50100001:@:50100004:1\n",
              "", 120},
    LargeText{"dumpi", "", "MPI_Send entering at walltime 1, cputime 1\nint a@=1\n", ""},
    LargeText{"dumpi", "MPI_Send entering at walltime 1, cputime 1\n", "int a@=1\n", ""},
    LargeText{"chakra-json", "", R"({"type":"COMM_COLL_NODE","attr":[{"name":"a@","int64Val":"1"}]})", ""},
    LargeText{"chakra-json", R"({"type":"COMM_COLL_NODE","attr":[)", R"({"name":"a","int64Val":"1"},)", "{}]}"},
    LargeText{"nccl-calls", "",
              "n1:@:9 [0] NCCL INFO AllReduce: opCount 0 count 1 datatype 7 root 0 comm 0x1 [nranks=2]\n", "", 1500},
    LargeText{"nccl-calls", "",
              "n1:1:9 [0] NCCL INFO AllReduce: opCount 0 count @ datatype 7 root 0 comm 0x1 [nranks=2]\n", "", 200},
    LargeText{"rccl-replay", "{\n version : 1,\n CommInitDev : [comm : 0x1, size : 2, uniqueID : 1, rank : 0]\n",
              "AllReduce : [opCount : 0, count : @, datatype : 7, op : 0, root : 0, comm : 0x1, nranks : 2, globalrank "
              ": 0]\n",
              "", 200},
    LargeText{"nccl-inspector", "",
              R"({"header":{"id":"@","rank":0,"n_ranks":2},"coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":1}})"
              "\n",
              "", 500},
};

}  // namespace

std::string LargeText::make(std::size_t size) const {
  std::string text(begin);
  text.reserve(size + part.size() + end.size() + 64);
  for (std::size_t i = 0; text.size() < size; ++i) {
    for (const char c : part) {
      if (c == '@')
        text += std::to_string(i);
      else
        text += c;
    }
  }
  return text.append(end);
}

std::size_t LargeText::parts(std::size_t size) const {
  std::size_t count = 0;
  for (std::size_t done = begin.size(); done < size; ++count) {
    done += part.size();
    const auto numbers = static_cast<std::size_t>(std::ranges::count(part, '@'));
    if (numbers > 0) done += numbers * (std::to_string(count).size() - 1);
  }
  return count;
}

std::span<const LargeText> large_topology_texts() {
  return kTopologies;
}

std::span<const LargeText> large_traffic_texts() {
  return kTraffics;
}

std::span<const LargeText> large_texts() {
  return kAny;
}

}  // namespace topowise::test
