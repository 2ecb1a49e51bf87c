// SPDX-License-Identifier: BSD-3-Clause
// What NCCL prints of the machine as it sees it (ncclTopoPrint, src/graph/topo.cc). It is between a line "===
// System ..." and a line of '='. Below each CPU is a tree of lines such as "+ PCI[48.0] - GPU/0-68000", with deeper
// ones further to the right. A log holds the lines of many processes, with or without a time stamp before each; only
// those of the first process that prints the tree are read. Rates are NCCL's: what it counts on, not the peaks of the
// wires. RCCL puts a DEV between the tree and the GPU.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/bonds.hpp>

namespace topowise {
namespace {

// The lines of a log of NCCL, which many processes write at once.

/// A line "n1:7:9 [0] NCCL INFO text".
struct NcclLogLine {
  std::size_t line = 0;      ///< number of the line where it begins
  std::string_view process;  ///< "n1:7:9", the same in all lines of the process
  std::string_view text;     ///< the text after "NCCL INFO "
};

/// A process may write in the middle of another one's line: "GPU/30n1:8:8 [1] NCCL INFO text", and "00 (0)" on the next
/// line. Such lines are put together again, if the processes are known by other lines that begin with their names.
class NcclLogLines {
 public:
  static constexpr std::string_view kMark = "NCCL INFO ";

  explicit NcclLogLines(const TextLines& lines);

  /// Calls `visit` for every line that has the mark. The views are valid only during the call. Returns how many lines
  /// were torn and could not be put together.
  std::size_t visit(const std::function<void(const NcclLogLine&)>& visit) const;

 private:
  [[nodiscard]] bool begins_line(std::string_view text) const;
  /// Where another process begins in the middle of the text; npos if none does.
  [[nodiscard]] std::size_t tear(std::string_view text) const;

  const TextLines& lines_;
  std::size_t indentation_ = 0;  ///< of all lines, in place of the prefix of a quote
  std::set<std::string, std::less<>> processes_;
};

/// True for "n1:7:9": a host and two numbers, but not for a time of day.
bool is_process(std::string_view word) {
  const std::size_t thread = word.rfind(':');
  if (thread == std::string_view::npos || thread == 0) return false;
  const std::size_t process = word.rfind(':', thread - 1);
  if (process == std::string_view::npos) return false;
  const std::string_view host = word.substr(0, process);
  return parse_integer(word.substr(process + 1, thread - process - 1)) && parse_integer(word.substr(thread + 1)) &&
         host.find_first_not_of("0123456789-/T[(") != std::string_view::npos;
}

/// Who printed a line, by the text before the mark: "n1:7:9" in "[2025-06-02 10:00:24] n1:7:9 [0] ", because a time
/// stamp differs from line to line. The whole text if it names no process.
std::string_view process_of(std::string_view prefix) {
  std::string_view found;
  std::string_view rest = prefix;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (is_process(word)) found = word;
  }
  return found.empty() ? prefix : found;
}

NcclLogLines::NcclLogLines(const TextLines& lines) : lines_(lines) {
  constexpr std::size_t kMostProcesses = std::size_t{1} << 16;
  std::set<std::string, std::less<>> once;  // a torn line may begin with half of its process's name
  for (std::size_t l = 0; l < lines.size() && once.size() < kMostProcesses; ++l) {
    std::string_view rest = lines[l];
    const std::string_view word = take_word(rest);
    if (!is_process(word)) continue;
    if (once.empty()) indentation_ = static_cast<std::size_t>(word.data() - lines[l].data());
    if (processes_.contains(word)) continue;
    if (!once.emplace(word).second) processes_.emplace(word);
  }
  std::erase_if(processes_, [&](const std::string& name) {  // "n1:7n1:8:8", which may be there twice
    for (std::size_t begin = 1; begin < name.size(); ++begin) {
      if (once.contains(std::string_view(name).substr(begin))) return true;
    }
    return false;
  });
}

std::size_t NcclLogLines::visit(const std::function<void(const NcclLogLine&)>& visit) const {
  constexpr std::size_t kMostTorn = 16;
  struct Torn {
    std::size_t line = 0;
    std::string begin;
  };
  std::vector<Torn> torn;  // beginnings of lines whose other half is to come; the last one is completed first
  std::size_t lost = 0;
  std::string joined;
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    std::size_t begin = l;
    std::string_view text = lines_[l];
    text.remove_prefix(std::min(indentation_, text.size()));
    if (!torn.empty() && !begins_line(text)) {
      begin = torn.back().line;
      joined = std::move(torn.back().begin).append(text);
      text = joined;
      torn.pop_back();
    }
    for (std::size_t end = tear(text); end != std::string_view::npos; end = tear(text)) {
      if (torn.size() == kMostTorn) {
        torn.erase(torn.begin());
        ++lost;
      }
      torn.push_back({begin, std::string(text.substr(0, end))});
      text.remove_prefix(end);
      begin = l;
    }
    const std::size_t mark = text.find(kMark);
    if (mark != std::string_view::npos)
      visit({begin, process_of(text.substr(0, mark)), text.substr(mark + kMark.size())});
  }
  return lost + torn.size();
}

bool NcclLogLines::begins_line(std::string_view text) const {
  return processes_.contains(text.substr(0, text.find(' ')));
}

std::size_t NcclLogLines::tear(std::string_view text) const {
  if (processes_.empty()) return std::string_view::npos;
  for (std::size_t mark = text.find(kMark); mark != std::string_view::npos; mark = text.find(kMark, mark + 1)) {
    // The process is the word before the last one: "... n1:8:8 [1] ".
    const std::string_view before = text.substr(0, mark);
    const std::size_t bracket = before.rfind('[');
    if (bracket == std::string_view::npos || bracket == 0 || before[bracket - 1] != ' ') continue;
    const std::string_view header = before.substr(0, bracket - 1);
    const std::size_t blank = header.rfind(' ');
    for (std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1; begin < header.size(); ++begin) {
      if (!processes_.contains(header.substr(begin))) continue;
      if (begin > 0) return begin;
      break;
    }
  }
  return std::string_view::npos;
}

constexpr std::string_view kBegin = "=== System";
const Provenance kSource(origin::kNcclLog, Basis::nccl);
constexpr std::size_t kMostNodes = std::size_t{1} << 15;
constexpr std::size_t kMostNets = 4096;

/// The name in "GPU/0-68000": a kind, a host, a number. Host and number are hexadecimal; older versions write no host.
struct Name {
  std::string kind;
  std::uint64_t host = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const Name&, const Name&) = default;
};

/// A line "+ PCI[48.0] - GPU/0-68000 (8)".
struct Branch {
  std::size_t line = 0;
  std::size_t depth = 0;  ///< column of the '+'
  std::string link;
  double gigabytes_per_second = 0.0;
  Name name;
};

/// A CPU and the lines below it.
struct CpuLines {
  std::size_t line = 0;
  Name name;
  std::vector<Branch> branches;
};

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return failure == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<Name> parse_name(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  Name name{.kind = std::string(word.substr(0, slash))};
  std::string_view number = word.substr(slash + 1);
  if (const std::size_t dash = number.find('-'); dash != std::string_view::npos) {
    const std::optional<std::uint64_t> host = parse_hex(number.substr(0, dash));
    if (!host) return std::nullopt;
    name.host = *host;
    number.remove_prefix(dash + 1);
  }
  const std::optional<std::uint64_t> value = parse_hex(number);
  if (!value) return std::nullopt;
  name.number = *value;
  return name;
}

std::optional<Branch> parse_branch(std::size_t line, std::string_view text) {
  const std::size_t plus = text.find_first_not_of(' ');
  if (plus == std::string_view::npos || text[plus] != '+') return std::nullopt;
  const std::vector<std::string_view> words = split_blanks(text.substr(plus), 4);
  if (words.size() < 4 || words[2] != "-" || !words[1].ends_with(']')) return std::nullopt;
  const std::size_t bracket = words[1].find('[');
  const std::optional<Name> name = parse_name(words[3]);
  if (bracket == std::string_view::npos || !name) return std::nullopt;
  const std::optional<double> rate = parse_double(words[1].substr(bracket + 1, words[1].size() - bracket - 2));
  if (!rate || !std::isfinite(*rate) || *rate < 0) return std::nullopt;
  return Branch{line, plus, std::string(words[1].substr(0, bracket)), *rate, *name};
}

/// Reads names by number: "[12]mlx5_12:1/IB" in "NET/IB : Using [0]mlx5_0:1/IB ...".
void read_net_names(std::string_view text, std::map<std::uint64_t, std::string>& names) {
  if (text.find("NET/") == std::string_view::npos || text.find(": Using [") == std::string_view::npos) return;
  for (std::string_view word = take_word(text); !word.empty() && names.size() < kMostNets; word = take_word(text)) {
    const std::size_t end = word.find(']');
    if (!word.starts_with('[') || end == std::string_view::npos) continue;
    const std::optional<std::int64_t> number = parse_integer(word.substr(1, end - 1));
    const std::string_view name = word.substr(end + 1, word.find(':') - end - 1);
    if (number && *number >= 0 && !name.empty()) names.emplace(static_cast<std::uint64_t>(*number), printable(name));
  }
}

/// The tree that one process printed.
struct Printed {
  std::vector<CpuLines> cpus;
  std::map<std::uint64_t, std::string> net_names;
};

class TreeFinder {
 public:
  explicit TreeFinder(const TextLines& lines) : lines_(lines) {}

  void read(const NcclLogLine& line) {
    read_net_names(line.text, printed_.net_names);
    if (line.text.starts_with(kBegin) && !inside_ && !done_) {
      inside_ = true;
      process_ = line.process;
    } else if (inside_ && line.process == process_) {
      read_node(line);
    }
  }

  /// The tree. Some of the `lost` lines may have belonged to it.
  Printed result(std::size_t lost, Warnings& warnings) && {
    if (inside_) warnings.add(fmt::format("{}: the topology is cut off: no line of '=' ends it", lines_.where()));
    if (lost > 0) {
      warnings.add(fmt::format(
          "{}: processes wrote into each other's lines, and {} could not be put together: something may be missing",
          lines_.where(), counted(lost, "line")));
    }
    if (unread_ > 0) warnings.add(fmt::format("{}: left out ({} in all)", example_, counted(unread_, "line")));
    return std::move(printed_);
  }

 private:
  void read_node(const NcclLogLine& line) {
    if (line.text.starts_with("====")) {
      inside_ = false;
      done_ = true;
    } else if (const std::optional<Branch> branch = parse_branch(line.line, line.text);
               branch && !printed_.cpus.empty()) {
      printed_.cpus.back().branches.push_back(*branch);
      ++nodes_;
    } else if (const std::optional<Name> name = parse_name(line.text.substr(0, line.text.find(' ')));
               name && name->kind == "CPU") {
      printed_.cpus.push_back({line.line, *name, {}});
      ++nodes_;
    } else if (const std::string_view text = trim(line.text); text.starts_with('+') || text.starts_with("CPU/")) {
      if (unread_++ == 0)
        example_ = located(lines_.at(line.line, text, fmt::format("{} is no node of NCCL's tree", in_quotes(text))));
    }
    if (nodes_ > kMostNodes)
      fail(lines_.at(line.line, {}, fmt::format("more than {} nodes in one machine", kMostNodes)));
  }

  const TextLines& lines_;
  Printed printed_;
  std::string process_;
  bool inside_ = false;
  bool done_ = false;
  std::size_t nodes_ = 0;
  std::size_t unread_ = 0;  ///< lines of the tree that make no sense
  std::string example_;     ///< the first of them
};

Printed find_tree(const TextLines& lines, Warnings& warnings) {
  TreeFinder finder(lines);
  const std::size_t lost = NcclLogLines(lines).visit([&](const NcclLogLine& line) { finder.read(line); });
  return std::move(finder).result(lost, warnings);
}

/// Number of NVLinks that NCCL counts on for a rate. All links of one generation have the same rate (src/graph/topo.h).
int links_for(double gigabytes_per_second) {
  constexpr std::array kPerLink{20.6, 20.0, 40.1, 18.0, 12.0};
  constexpr double kMostLinks = 18;
  for (const double rate : kPerLink) {
    const double links = gigabytes_per_second / rate;
    if (links < kMostLinks + 0.5 && std::round(links) >= 1 && std::abs(links - std::round(links)) < 0.01)
      return static_cast<int>(std::round(links));
  }
  return 1;
}

class LogBuilder {
 public:
  LogBuilder(const TextLines& lines, const Printed& printed, Warnings& warnings)
      : lines_(lines), printed_(printed), warnings_(warnings), builder_(lines.where()) {
    for (const CpuLines& cpu : printed.cpus)
      several_hosts_ = several_hosts_ || cpu.name.host != printed.cpus[0].name.host;
  }

  Topology run() && {
    for (const CpuLines& cpu : printed_.cpus) add_cpu(cpu);
    collect_gpus();
    for (const CpuLines& cpu : printed_.cpus) add_tree(cpu);
    number_gpus();
    for (const CpuLines& cpu : printed_.cpus) add_bonds(cpu);
    bonds_.add_to(builder_, kSource);
    join_plane();
    warnings_.pass_to(builder_);
    return std::move(builder_).build();
  }

 private:
  struct Gpu {
    std::optional<VertexId> above;
    double gigabytes_per_second = 0.0;
    std::optional<VertexId> vertex;
  };

  /// The name of a GPU, also for the other name that RCCL's DEV is.
  static Name gpu_name(const Name& name) { return {"GPU", name.host, name.number}; }

  void add_cpu(const CpuLines& cpu) {
    constexpr std::uint64_t kMostNuma = 1 << 16;
    const int numa = cpu.name.number < kMostNuma ? static_cast<int>(cpu.name.number) : -1;
    Vertex vertex{.kind = VertexKind::numa_domain, .name = fmt::format("NUMA {}", numa), .numa = numa};
    if (several_hosts_) vertex.node = fmt::format("host{}", cpu.name.host);
    if (!vertices_.emplace(cpu.name, builder_.add_vertex(std::move(vertex))).second)
      fail(lines_.at(cpu.line, {}, fmt::format("CPU {} stands twice in the topology", cpu.name.number)));
  }

  void collect_gpus() {
    for (const CpuLines& cpu : printed_.cpus) {
      for (const Branch& branch : cpu.branches) {
        if (branch.name.kind == "GPU" && (branch.link == "PCI" || branch.link == "LOC" || branch.link == "C2C"))
          gpus_.try_emplace(gpu_name(branch.name));
      }
    }
    if (gpus_.empty()) fail({lines_.where(), {}, "there is no GPU in the topology of this log", {}, {}});
  }

  VertexId attach(Vertex vertex, VertexId above, LinkKind kind, double gigabytes) {
    const Vertex& parent = builder_.vertex(above);
    vertex.parent = above;
    vertex.numa = parent.numa;
    vertex.node = parent.node;
    const VertexId id = builder_.add_vertex(std::move(vertex));
    builder_.add_links(
        {.from = id, .to = above, .kind = kind, .bandwidth = gigabytes_per_second(gigabytes), .source = kSource});
    return id;
  }

  static std::optional<PciAddress> pci_of(const Name& name) {
    return PciAddress::parse(fmt::format("{:04x}:{:02x}:{:02x}.{:x}", name.number >> 20 & 0xffff,
                                         name.number >> 12 & 0xff, name.number >> 4 & 0x1f, name.number & 0x7));
  }

  /// Adds switches, GPUs and adapters. What a bond leads to is no part of the tree.
  void add_tree(const CpuLines& cpu) {
    std::vector<std::pair<std::size_t, VertexId>> open;  // column of the '+', vertex for what is below it
    for (std::size_t index = 0; index < cpu.branches.size(); ++index) {
      const Branch& branch = cpu.branches[index];
      while (!open.empty() && open.back().first >= branch.depth) open.pop_back();
      const VertexId above = open.empty() ? vertices_.at(cpu.name) : open.back().second;
      if (branch.link == "SYS") add_socket_link(cpu.name, branch);
      if (branch.link != "PCI" && branch.link != "C2C") continue;
      const bool is_gpu =
          gpus_.contains(gpu_name(branch.name)) && (branch.name.kind == "GPU" || branch.name.kind == "DEV");
      if (is_gpu) {
        Gpu& gpu = gpus_[gpu_name(branch.name)];
        if (!gpu.above) {
          gpu.above = above;
          gpu.gigabytes_per_second = branch.gigabytes_per_second;
        }
        open.emplace_back(branch.depth, above);  // the GPU's bonds are read later
      } else if (branch.name.kind == "NIC") {
        open.emplace_back(branch.depth, add_nic(cpu, index, above));
      } else if (branch.name.kind == "PCI") {
        const auto [found, is_new] = vertices_.try_emplace(branch.name);
        if (is_new)
          found->second = attach({.kind = VertexKind::pcie_switch,
                                  .name = pci_of(branch.name) ? pci_of(branch.name)->to_string() : "PCIe switch",
                                  .pci = pci_of(branch.name)},
                                 above, LinkKind::pcie, branch.gigabytes_per_second);
        open.emplace_back(branch.depth, found->second);
      }
    }
  }

  /// Adds the link between two CPUs once, because both of them name it.
  void add_socket_link(const Name& cpu, const Branch& branch) {
    const auto other = vertices_.find(branch.name);
    if (branch.name.kind != "CPU" || other == vertices_.end() || !(cpu < branch.name)) return;
    builder_.add_links({.from = vertices_.at(cpu),
                        .to = other->second,
                        .kind = LinkKind::inter_socket,
                        .bandwidth = gigabytes_per_second(branch.gigabytes_per_second),
                        .source = kSource});
  }

  /// Adds an adapter. Its name is that of its network, which is below it.
  VertexId add_nic(const CpuLines& cpu, std::size_t index, VertexId above) {
    const Branch& branch = cpu.branches[index];
    std::string name = fmt::format("NIC{}", nics_++);
    double rate = branch.gigabytes_per_second;
    const Branch* net = index + 1 < cpu.branches.size() ? &cpu.branches[index + 1] : nullptr;
    if (net != nullptr && net->depth > branch.depth && net->link == "NET") {
      const auto known = printed_.net_names.find(net->name.number);
      if (known != printed_.net_names.end()) name = known->second;
      rate = std::min(rate, net->gigabytes_per_second);
    }
    return attach({.kind = VertexKind::nic, .name = name, .pci = pci_of(branch.name)}, above, LinkKind::pcie, rate);
  }

  /// Numbers the GPUs in the order of their bus ids, like the vendors' tools.
  void number_gpus() {
    std::size_t number = 0;
    for (auto& [name, gpu] : gpus_) {
      if (!gpu.above)
        fail({lines_.where(), {}, fmt::format("GPU {:x} stands nowhere in the tree", name.number), {}, {}});
      gpu.vertex = attach({.kind = VertexKind::gpu, .name = fmt::format("GPU{}", number++), .pci = pci_of(name)},
                          *gpu.above, LinkKind::pcie, gpu.gigabytes_per_second);
      builder_.add_place(PlaceKind::gpu, *gpu.vertex);
    }
  }

  void add_bonds(const CpuLines& cpu) {
    std::vector<std::pair<std::size_t, Name>> open;
    for (std::size_t index = 0; index < cpu.branches.size(); ++index) {
      const Branch& branch = cpu.branches[index];
      while (!open.empty() && open.back().first >= branch.depth) open.pop_back();
      if (!open.empty() && (branch.link == "NVL" || branch.link == "XGMI")) add_bond(open.back().second, branch);
      open.emplace_back(branch.depth, gpu_name(branch.name));
    }
  }

  void add_bond(const Name& from, const Branch& branch) {
    const auto gpu = gpus_.find(from);
    if (gpu == gpus_.end()) return;
    const bool is_nvlink = branch.link == "NVL";
    const int width = is_nvlink ? links_for(branch.gigabytes_per_second) : 1;
    const BytesPerSecond rate = gigabytes_per_second(branch.gigabytes_per_second);
    if (branch.name.kind == "NVS") {
      into_plane_.try_emplace(from, width, branch.gigabytes_per_second);
      return;
    }
    const auto peer = gpus_.find(gpu_name(branch.name));
    if (peer == gpus_.end() || peer == gpu) return;
    bonds_.state(*gpu->second.vertex, *peer->second.vertex, is_nvlink ? LinkKind::nvlink : LinkKind::xgmi, width, rate);
  }

  void join_plane() {
    if (into_plane_.empty()) return;
    const VertexId plane = builder_.add_vertex({.kind = VertexKind::nvswitch, .name = "NVSwitch plane"});
    for (const auto& [name, link] : into_plane_) {
      builder_.add_links({.from = *gpus_.at(name).vertex,
                          .to = plane,
                          .kind = LinkKind::nvlink,
                          .width = link.first,
                          .bandwidth = gigabytes_per_second(link.second),
                          .source = kSource});
    }
  }

  const TextLines& lines_;
  const Printed& printed_;
  Warnings& warnings_;
  TopologyBuilder builder_;
  bool several_hosts_ = false;
  std::map<Name, VertexId> vertices_;  ///< CPUs and switches
  std::map<Name, Gpu> gpus_;
  std::map<Name, std::pair<int, double>> into_plane_;
  Bonds bonds_;
  int nics_ = 0;
};

bool recognises(std::string_view head) {
  return head.find(NcclLogLines::kMark) != std::string_view::npos || head.find("NCCL WARN ") != std::string_view::npos;
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  const std::string_view text = plain_text(input, cleaned);
  const TextLines lines(where, text, kLongestLine);
  Warnings warnings;
  const Printed printed = find_tree(lines, warnings);
  if (printed.cpus.empty())
    fail({where,
          {},
          "this is a log of NCCL without the topology",
          {},
          "NCCL_TOPO_DUMP_FILE=node.xml writes it, NCCL_DEBUG_SUBSYS=INIT,GRAPH prints it"});
  return LogBuilder(lines, printed, warnings).run();
}

}  // namespace

const TopologyFormat kNcclLogFormat{"nccl-log", "a log of NCCL or RCCL with its topology (NCCL_DEBUG_SUBSYS=GRAPH)",
                                    recognises, read, kLargestCluster};

}  // namespace topowise
