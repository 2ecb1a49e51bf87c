// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/formats.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/reading/foreign_input.hpp>
#include <topowise/reading/line_prefix.hpp>
#include <topowise/reading/quoted_text.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>
#include <topowise/topology_source/matrix/tables.hpp>
#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>

namespace topowise {
namespace {

bool has(std::string_view head, std::string_view mark) {
  return head.find(mark) != std::string_view::npos;
}

/// True for "00:1f.0 ISA bridge: Intel ..." or "0000:00:1f.0 ...".
bool is_lspci(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::string_view address = line.substr(0, line.find(' '));
  const bool form = (address.size() == 7 || address.size() == 12) && address[address.size() - 2] == '.' &&
                    address[address.size() - 5] == ':';
  return form &&
         std::ranges::all_of(address, [](unsigned char c) { return std::isxdigit(c) != 0 || c == ':' || c == '.'; }) &&
         has(line, ": ");
}

/// True if the text is little more than the message that a program printed instead of an answer.
bool is_error(std::string_view head, std::string_view message) {
  constexpr std::size_t kLongest = 1024;
  return head.size() < kLongest && has(head, message) && !has(head, "GPU0");
}

/// True if the text describes links, because a paste may hold a report and, after it, a description of the links.
bool describes_links(std::string_view head) {
  constexpr std::array<std::string_view, 7> kMarks{"(Topology)", "between two GPUs", " TABLE:", "\"gpu\"",
                                                   "_gpu_",      "GPU0\t",           "GPU0 "};
  return std::ranges::any_of(kMarks, [&](std::string_view mark) { return has(head, mark); });
}

bool is_rocm_report(std::string_view head) {
  return has(head, "ROCm System Management Interface") && !describes_links(head);
}

/// True for the output of `amd-smi` and its commands that do not report links.
bool is_amd_report(std::string_view head) {
  return (has(head, "| AMD-SMI ") || trim(head).starts_with("AMDSMI Tool: ")) && !describes_links(head);
}

/// True for a report of another vendor's tool without its table of classes.
bool is_report(std::string_view head, std::string_view mark) {
  constexpr std::array<std::string_view, 4> kNames{"GPU0", "GPU 0/", "NPU0", "Phy-ID"};
  return has(head, mark) && std::ranges::none_of(kNames, [&](std::string_view name) { return has(head, name); });
}

constexpr std::string_view kKubernetesNodes = "kubectl get nodes -o json > FILE";
constexpr std::string_view kSlurmNetwork = "scontrol show topology > FILE";

/// True for "Sat Nov 28 00:26:24 2026", with which the long forms of sinfo and squeue begin.
bool is_date(std::string_view line) {
  const std::vector<std::string_view> words = split_blanks(line, 6);
  return words.size() == 5 && words[0].size() == 3 && words[1].size() == 3 && words[3].size() == 8 &&
         words[3][2] == ':' && words[3][5] == ':';
}

/// True if the first line with text, or the one behind a date, begins with these words.
bool begins(std::string_view head, std::initializer_list<std::string_view> words) {
  std::string_view rest = trim(head);
  std::string_view line = take_part(rest, '\n');
  if (is_date(line)) line = take_part(rest, '\n');
  return std::ranges::all_of(words, [&](std::string_view word) { return take_word(line) == word; });
}

/// True for Slurm's gres.conf: `AutoDetect=nvml`, or `NodeName=n1 Name=gpu File=/dev/nvidia0 Links=-1,4`.
bool is_gres(std::string_view head) {
  constexpr std::array<std::string_view, 5> kOfDevices{" file=/dev/", " type=", " count=", " links=", " autodetect="};
  while (!head.empty()) {
    const std::string line = lower(trim(take_part(head, '\n')));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("autodetect=") || line.starts_with("name=")) return true;
    const bool of_devices = std::ranges::any_of(kOfDevices, [&](std::string_view key) { return has(line, key); });
    return line.starts_with("nodename=") && has(line, " name=") && of_devices;
  }
  return false;
}

constexpr std::array<ForeignMark, 51> kMarks{{
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
     {"NCCL's graph file, which describes its rings and trees, not the machine",
      "NCCL_TOPO_DUMP_FILE=node.xml writes the machine"}},
    {[](std::string_view head) { return has(head, "<nvidia_smi_log"); },
     {"the XML of 'nvidia-smi -q -x', which describes the GPUs but not how they are joined",
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
     {"a web page", "download the file itself, or save the page as text"}},
    {[](std::string_view head) { return head.starts_with("%PDF-"); }, {"a PDF", "the text itself"}},
    {[](std::string_view head) {
       return trim(head).starts_with("GPU 0: ") && has(head, "Link 0: ") && !has(head, "GPU0");
     },
     {"the report of 'nvidia-smi nvlink', which does not say where the links lead", "nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) {
       return trim(head).starts_with("GPU 0: ") && has(head, "(UUID: ") && !has(head, "GPU0");
     },
     {"the list of 'nvidia-smi -L'", "{ nvidia-smi -L; nvidia-smi topo -m; } > FILE"}},
    {[](std::string_view head) { return is_error(head, "NVIDIA-SMI has failed"); },
     {"an error of 'nvidia-smi': the driver of the GPUs does not answer",
      "nvidia-smi topo -m > FILE, where nvidia-smi shows the GPUs"}},
    {[](std::string_view head) { return is_error(head, "Driver/library version mismatch"); },
     {"an error of 'nvidia-smi': its library and the driver that is loaded have two versions",
      "restart the machine or load the driver anew, then nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) { return is_error(head, "Failed to initialize NVML"); },
     {"an error of 'nvidia-smi': NVML cannot reach the GPUs",
      "nvidia-smi topo -m > FILE, where nvidia-smi shows the GPUs"}},
    {[](std::string_view head) { return is_error(head, "Unable to determine the topology"); },
     {"an error of 'nvidia-smi topo'", "lstopo FILE.xml, or lspci -tv > FILE"}},
    {is_rocm_report, {"a report of 'rocm-smi' without the topology", "rocm-smi --showtopo > FILE"}},
    {is_amd_report, {"a report of 'amd-smi' without the topology", "amd-smi topology > FILE"}},
    {[](std::string_view head) { return is_report(head, "| npu-smi "); },
     {"a report of 'npu-smi' without the topology", "npu-smi info -t topo > FILE"}},
    {[](std::string_view head) { return is_report(head, "MetaX System Management Interface"); },
     {"a report of 'mx-smi' without the topology", "mx-smi topo -m > FILE"}},
    {[](std::string_view head) { return is_report(head, " mthreads-gmi:"); },
     {"a report of 'mthreads-gmi' without the topology", "mthreads-gmi topo -m > FILE"}},
    {[](std::string_view head) { return is_report(head, "| Device ID | Device Information"); },
     {"a report of 'xpu-smi' without the topology", "xpu-smi topology -m > FILE"}},
    {[](std::string_view head) {
       return has(head, "HSA System Attributes") || (has(head, "Agent 1") && has(head, " gfx"));
     },
     {"the report of 'rocminfo', which does not say how the GPUs are joined", "rocm-smi --showtopo > FILE"}},
    {[](std::string_view head) {
       const std::string_view begin = trim(head);
       return (begin.starts_with("CA '") && has(head, "CA type:")) || begin.starts_with("Infiniband device '") ||
              begin.starts_with("hca_id:");
     },
     {"a report of the adapters of one host, which says nothing of the network", "ibnetdiscover > FILE"}},
    {[](std::string_view head) { return is_error(head, "ibnetdiscover failed") || is_error(head, "can't open UMAD"); },
     {"an error of 'ibnetdiscover', which wants the rights to send to the subnet", "sudo ibnetdiscover > FILE"}},
    {[](std::string_view head) { return is_error(head, "No topology information available"); },
     {"the answer of Slurm that it knows no network", "ibnetdiscover > FILE, or a file topology.conf"}},
    {[](std::string_view head) { return has(head, "node distances:") && has(head, "available: "); },
     {"the report of 'numactl -H', which lists no devices", "lstopo FILE.xml, or nvidia-smi topo -m > FILE"}},
    {[](std::string_view head) { return trim(head).starts_with("Architecture:") && has(head, "On-line CPU(s) list:"); },
     {"the report of 'lscpu', which lists no devices", "lstopo FILE.xml, or nvidia-smi topo -m > FILE"}},
    {is_gres,
     {"Slurm's gres.conf, whose Links= say how many links join two GPUs, but not where GPUs meet on the host",
      "nvidia-smi topo -m > FILE on such a node; for the network scontrol show topology"}},
    {[](std::string_view head) {
       return has(head, "kind: ConfigMap") || has(head, R"("kind": "ConfigMap")") || has(head, R"("kind":"ConfigMap")");
     },
     {"a ConfigMap of Kubernetes, in which topograph keeps Slurm's file",
      "kubectl get configmap NAME -o jsonpath='{.data.topology\\.conf}' > topology.conf"}},
    {[](std::string_view head) {
       return trim(head).starts_with('{') && (has(head, R"("NetworkNodes")") || has(head, R"("networkNodeSet")"));
     },
     {"the answer of 'aws ec2 describe-instance-topology'",
      "kubectl get nodes -o json > FILE, or Slurm's topology.conf, which topograph makes of it"}},
    {[](std::string_view head) { return trim(head).starts_with("NodeName=") && !has(head, "SwitchName"); },
     {"a list of Slurm's nodes (scontrol show nodes, slurm.conf), which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) {
       return begins(head, {"PARTITION", "AVAIL"});
     },
     {"the output of 'sinfo', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) {
       return begins(head, {"NODELIST", "NODES"});
     },
     {"the output of 'sinfo -N', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) {
       return begins(head, {"JOBID", "PARTITION"}) || begins(head, {"CLUSTER:"});
     },
     {"the output of 'squeue', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) {
       return begins(head, {"JobID", "JobName"}) || begins(head, {"JobID|JobName"}) || begins(head, {"User", "JobID"});
     },
     {"the output of 'sacct', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) { return trim(head).starts_with("JobId="); },
     {"the output of 'scontrol show job', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) { return trim(head).starts_with("StepId="); },
     {"the output of 'scontrol show step', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) { return trim(head).starts_with("PartitionName=") && !has(head, "SwitchName"); },
     {"the output of 'scontrol show partition', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) { return trim(head).starts_with("Configuration data as of "); },
     {"the output of 'scontrol show config', which says nothing of the network", kSlurmNetwork}},
    {[](std::string_view head) {
       return begins(head, {"STATE", "NNODES"});
     },
     {"the output of 'flux resource list', which says nothing of the network", "ibnetdiscover > FILE"}},
    {[](std::string_view head) { return begins(head, {"HOST_NAME"}); },
     {"a list of LSF's hosts, which says nothing of the network", "ibnetdiscover > FILE"}},
    {[](std::string_view head) { return has(head, "\n     Mom = ") || has(head, "\n     state = free"); },
     {"the output of 'pbsnodes', which says nothing of the network", "ibnetdiscover > FILE"}},
    {[](std::string_view head) {
       return trim(head).starts_with("apiVersion:") && (has(head, "kind: Node") || has(head, "kind: List"));
     },
     {"the nodes of Kubernetes as YAML", kKubernetesNodes}},
    {[](std::string_view head) {
       return begins(head, {"NAME", "STATUS", "ROLES"});
     },
     {"the table of 'kubectl get nodes', which has no labels", kKubernetesNodes}},
    {is_lspci,
     {"a list of 'lspci', which does not show the tree",
      "lspci -tv > FILE, lstopo FILE.xml, or nvidia-smi topo -m > FILE"}},
}};

/// True for an object that no other reader of JSON claims.
bool is_json(std::string_view head) {
  return trim(head).starts_with('{') && !kRocmSmiFormat.recognises(head) && !kKubernetesFormat.recognises(head) &&
         !kFluxFormat.recognises(head) && !kPbsFormat.recognises(head) && !kTopographFormat.recognises(head);
}

/// A plain matrix comes last, because any numbers can be one.
const std::array kFormats{TopologyFormat{"json", "topowise's own description (topology --save)", is_json,
                                         topology_from_json, kLargestCluster},
                          kNcclXmlFormat,
                          kHwlocXmlFormat,
                          kNcclLogFormat,
                          kNvidiaSmiFormat,
                          kRocmSmiFormat,
                          kAmdSmiFormat,
                          kIbnetdiscoverFormat,
                          kSlurmFormat,
                          kKubernetesFormat,
                          kFluxFormat,
                          kPbsFormat,
                          kSlurmAddressFormat,
                          kTopographFormat,
                          kLspciFormat,
                          kLstopoTextFormat,
                          kPairMatrixFormat};

/// The text without what was put around it.
std::string cleaned(std::string text) {
  return unquoted(without_line_prefix(std::move(text)));
}

/// True for `{"host": "n1", "topo": "\\tGPU0\\tGPU1\\n..."}`.
bool is_field_of_json(std::string_view head) {
  const std::string_view begin = trim(head);
  if (!begin.starts_with('{') && !begin.starts_with('[')) return false;
  return json_schema(head).empty() && head.find("\\n") != std::string_view::npos && !describes_machine(head) &&
         describes_machine(without_escapes(head));
}

std::optional<ForeignInput> foreign(std::string_view head) {
  if (is_field_of_json(head) && !has(head, R"("ConfigMap")"))
    return ForeignInput{"JSON that holds the description as a text in one of its fields",
                        "jq -r .FIELD FILE > text.txt, which is the description itself"};
  return foreign_input(head);
}

/// The format that claims the beginning of a text.
const TopologyFormat& claiming_format(std::string_view head, const std::string& where) {
  if (const std::optional<ForeignInput> other = foreign(head))
    throw wrong_input(where, fmt::format("this is {}", other->what), std::string(other->hint));
  if (const TopologyFormat* found = format_of(kFormats, head)) return *found;
  if (head.empty()) throw wrong_input(where, "the input is empty");
  if (std::string why = why_no_text(head); !why.empty()) throw wrong_input(where, std::move(why));
  throw wrong_input(where, fmt::format("format not recognised; known are {}", fmt::join(names_of(kFormats), ", ")),
                    "topowise topology FILE --format NAME forces one");
}

}  // namespace

std::optional<ForeignInput> foreign_input(std::string_view head) {
  return foreign_input_of(kMarks, head);
}

std::span<const TopologyFormat> topology_formats() {
  return kFormats;
}

const TopologyFormat& topology_format(std::string_view name) {
  if (const TopologyFormat* found = format_named(kFormats, name)) return *found;
  throw unknown_format("topology format", name, names_of(kFormats));
}

bool describes_machine(std::string_view head) {
  if (json_schema(head) == "topowise.topology/1") return true;
  if (looks_like_forwarding(head) || looks_measured(head) || is_nvidia_smi_xml(head)) return true;
  const std::span<const TopologyFormat> plain = std::span(kFormats).subspan(1, kFormats.size() - 2);
  return format_of(plain, head) != nullptr;  // neither just any JSON nor just any matrix
}

const std::string& MachineFile::head() {
  if (!head_) head_ = cleaned(input_.text_head());
  return *head_;
}

const std::string& MachineFile::text(std::size_t limit) {
  if (!text_) text_ = cleaned(std::move(input_).text(limit));
  return *text_;
}

const TopologyFormat& format_of(MachineFile& file, std::string_view format) {
  const TopologyFormat& chosen = format.empty() ? claiming_format(file.head(), file.where()) : topology_format(format);
  // Also where the format is forced: devices, noise and binary files have bytes that no text has.
  if (std::string why = why_no_text(file.head()); !why.empty()) throw wrong_input(file.where(), std::move(why));
  return chosen;
}

Topology read_topology_text(const std::string& where, std::string_view text, std::string_view format) {
  const std::string plain = cleaned(std::string(text));
  const std::string_view head = std::string_view(plain).substr(0, Input::kHead);
  return (format.empty() ? claiming_format(head, where) : topology_format(format)).read(where, plain);
}

}  // namespace topowise
