// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/foreign_input.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>

namespace topowise {
namespace {

bool has(std::string_view head, std::string_view mark) {
  return head.find(mark) != std::string_view::npos;
}

/// "00:1f.0 ISA bridge: Intel ..." or "0000:00:1f.0 ..."
bool is_lspci(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::string_view address = line.substr(0, line.find(' '));
  const bool form = (address.size() == 7 || address.size() == 12) && address[address.size() - 2] == '.' &&
                    address[address.size() - 5] == ':';
  return form &&
         std::ranges::all_of(address, [](unsigned char c) { return std::isxdigit(c) != 0 || c == ':' || c == '.'; }) &&
         has(line, ": ");
}

struct Mark {
  bool (*fits)(std::string_view head);
  ForeignInput input;
};

constexpr std::array<Mark, 21> kMarks{{
    {[](std::string_view head) {
       return trim(head).starts_with("Unicast lids ") || trim(head).starts_with("From ca {");
     },
     {"the forwarding tables or routes of a fabric", "ibnetdiscover > fabric.txt, then fabric.txt+FILE"}},
    {[](std::string_view head) { return head.starts_with("BZh"); },
     {"compressed by bzip2", "bzip2 -dc FILE | topowise ... -"}},
    {[](std::string_view head) { return head.starts_with("PK\x03\x04"); }, {"a zip archive", "unpack it first"}},
    {[](std::string_view head) {
       return head.starts_with(
           "\x7f"
           "ELF");
     },
     {"a program", "a description of a machine"}},
    {[](std::string_view head) { return json_schema(head) == "topowise.traffic/1"; },
     {"traffic, where a machine is asked for", "TRAFFIC comes first, then TOPOLOGY"}},
    {[](std::string_view head) { return trim(head).starts_with("=== OTF2-PRINT ==="); },
     {"a print of an OTF2 trace, which is traffic, where a machine is asked for",
      "TRAFFIC comes first, then TOPOLOGY"}},
    {[](std::string_view head) { return json_schema(head) == "topowise.exchange/1"; },
     {"an exchange, where a machine is asked for", "EXCHANGE comes first, then TOPOLOGY"}},
    {[](std::string_view head) { return json_schema(head) == "topowise.mapping/1"; },
     {"a mapping, where a machine is asked for", "--mapping FILE"}},
    {[](std::string_view head) { return has(head, "<graphs") && !has(head, "<system"); },
     {"NCCL's graph file, which tells its rings and trees, not the machine",
      "NCCL_TOPO_DUMP_FILE=node.xml writes the machine"}},
    {[](std::string_view head) { return has(head, "<nvidia_smi_log"); },
     {"the XML of 'nvidia-smi -q -x', which tells of the GPUs but not how they are joined",
      "nvidia-smi topo -m > topo.txt, then topo.txt+FILE"}},
    {[](std::string_view head) { return has(head, "==============NVSMI LOG=============="); },
     {"the report of 'nvidia-smi -q'", "nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) { return has(head, "| NVIDIA-SMI ") && !has(head, "GPU0\t"); },
     {"the summary of 'nvidia-smi'", "nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) { return head.starts_with("\x89PNG") || head.starts_with("\xff\xd8\xff"); },
     {"a picture", "the text itself"}},
    {[](std::string_view head) {
       const std::string begin = lower(trim(head).substr(0, 15));
       return begin.starts_with("<!doctype html") || begin.starts_with("<html");
     },
     {"a web page", "download the file itself"}},
    {[](std::string_view head) { return head.starts_with("%PDF-"); }, {"a PDF", "the text itself"}},
    {[](std::string_view head) {
       return trim(head).starts_with("GPU 0: ") && has(head, "Link 0: ") && !has(head, "GPU0");
     },
     {"the report of 'nvidia-smi nvlink', which does not say where the links lead", "nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) {
       return trim(head).starts_with("GPU 0: ") && has(head, "(UUID: ") && !has(head, "GPU0");
     },
     {"the list of 'nvidia-smi -L'", "{ nvidia-smi -L; nvidia-smi topo -m; } > FILE"}},
    {[](std::string_view head) { return has(head, "node distances:") && has(head, "available: "); },
     {"the report of 'numactl -H', which tells no devices", "lstopo FILE.xml, or nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) { return trim(head).starts_with("Architecture:") && has(head, "On-line CPU(s) list:"); },
     {"the report of 'lscpu', which tells no devices", "lstopo FILE.xml, or nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) {
       return (trim(head).starts_with("NodeName=") || trim(head).starts_with("PARTITION ")) && !has(head, "SwitchName");
     },
     {"a list of Slurm's nodes, which tells no network", "scontrol show topology > FILE"}},
    {is_lspci,
     {"a list of 'lspci', which tells no tree", "lspci -tv > FILE, lstopo FILE.xml, or nvidia-smi topo -m > FILE"}},
}};

}  // namespace

std::optional<ForeignInput> foreign_input(std::string_view head) {
  const auto found = std::ranges::find_if(kMarks, [&](const Mark& mark) { return mark.fits(head); });
  return found == kMarks.end() ? std::nullopt : std::optional(found->input);
}

}  // namespace topowise
