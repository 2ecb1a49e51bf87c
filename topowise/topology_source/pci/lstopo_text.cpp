// SPDX-License-Identifier: BSD-3-Clause
// One object a line; the objects inside it are further to the right: "HostBridge", "PCIBridge", "PCI 18:00.0 (3D)".
// Below a PCI device stands the system's name for it: CoProc(CUDA) "cuda0", OpenFabrics "mlx5_0". A NUMANode stands
// beside the HostBridges that are near it (hwloc 2), or above them. Objects with one child share its line: "L2 L#0
// (1MB)
// + Core L#0 + PU L#0 (P#3)". `lstopo -v` adds ids: "PCI L#0 (busid=0000:18:00.0 id=10de:2330 class=0302(3D))". Neither
// rates nor bonds are printed; the XML has both.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/core_tree.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/on_node.hpp>
#include <topowise/topology_source/node/pci_class.hpp>
#include <topowise/topology_source/node/pci_paths.hpp>

namespace topowise {
namespace {

constexpr PciTreeSource kSource{.name = "lstopo",
                                .text = "text of lstopo",
                                .command = "lstopo FILE.xml writes all that it knows, also cores",
                                .bonds = "the text of lstopo has none, its XML may"};
constexpr std::size_t kDeepest = 256;
constexpr std::size_t kMostDevices = std::size_t{1} << 15;

/// An object that is open: lines further to the right are inside it.
struct Open {
  std::size_t indent = 0;
  int numa = -1;
  std::optional<std::size_t> bridge;       ///< number of a PCIBridge
  std::optional<std::size_t> host_bridge;  ///< number of a HostBridge
  std::optional<std::size_t> device;       ///< index of a PCI device
};

struct Found {
  PciDevice pci;
  std::string_view kind;  ///< "3D", "VGA", "Ethernet"
  PciFunction function;
};

/// The value of "busid=0000:18:00.0" and the like; empty if there is none.
std::string_view field(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view value = line.substr(at + key.size());
  return value.substr(0, value.find_first_of(" )"));
}

int class_of(std::string_view kind) {
  if (kind == "VGA") return PciClass::kVga;
  if (kind == "3D") return PciClass::k3d;
  if (kind == "ProcessingAccelerator") return PciClass::kAccelerator;
  return kind == "Display" ? PciClass::kDisplay : 0;
}

/// The number after "P#" in "NUMANode L#0 (P#3 125GB)"; -1 if there is none.
int number_after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return -1;
  const auto end = std::ranges::find_if_not(line.substr(at + 2), is_digit);
  const std::optional<std::int64_t> number =
      parse_integer(line.substr(at + 2, static_cast<std::size_t>(end - line.substr(at + 2).begin())));
  return number && *number < (1 << 16) ? static_cast<int>(*number) : -1;
}

int os_index(std::string_view line) {
  return number_after(line, "P#");
}

/// The name between the '"'.
std::string_view quoted_name(std::string_view line) {
  const std::size_t begin = line.find('"');
  const std::size_t end = line.rfind('"');
  return begin != std::string_view::npos && end > begin ? line.substr(begin + 1, end - begin - 1) : std::string_view();
}

/// The type of an object as the XML calls it: "L3Cache" for "L3 L#0 (16MB)"; empty for what holds no cores.
std::string type_of(std::string_view object) {
  const std::string_view word = object.substr(0, object.find(' '));
  if (object.find("L#") == std::string_view::npos && object.find("P#") == std::string_view::npos) return {};
  if (word.starts_with("L1")) return {};  // each core has its own
  if (word.size() >= 2 && word[0] == 'L' && is_digit(word[1])) return fmt::format("{}Cache", printable(word));
  if (word.starts_with("Group")) return "Group";
  const bool holds =
      word == "Package" || word == "Socket" || word == "Die" || word == "NUMANode" || word == "Core" || word == "PU";
  return holds ? std::string(word) : std::string();
}

/// Collects what holds cores.
class HostReader {
 public:
  /// False if there are more objects than any machine has.
  bool add(std::size_t indent, std::string_view line) {
    close(indent);
    while (!line.empty() && open_.size() < kDeepest) {
      const std::size_t plus = std::min(line.find(" + "), line.size());
      if (!add_object(indent, line.substr(0, plus))) return false;
      line.remove_prefix(std::min(plus + 3, line.size()));
    }
    return true;
  }

  /// What was read. Must not be called twice.
  HostObject machine() {
    close(0);
    return std::move(machine_.object);
  }

 private:
  struct Open {
    std::size_t indent = 0;
    HostObject object;
    std::size_t memories = 0;  ///< NUMANodes that are leaves directly inside
  };

  bool add_object(std::size_t indent, std::string_view text) {
    constexpr std::size_t kMostObjects = 4 * kMostCores;
    std::string type = type_of(text);
    if (type.empty()) return true;
    const int system = os_index(text);
    if (type == "PU" && !open_.empty() && open_.back().object.type == "Core") {
      if (system >= 0) open_.back().object.cpus.push_back(static_cast<std::size_t>(system));
      return true;
    }
    open_.push_back({.indent = indent, .object = HostObject{.type = std::move(type)}});
    HostObject& next = open_.back().object;
    next.os_index = system >= 0 ? system : number_after(text, "L#");
    if (next.type == "PU" && system >= 0) next.cpus.push_back(static_cast<std::size_t>(system));
    if (next.type == "NUMANode") next.numa = system;
    return ++objects_ <= kMostObjects;
  }

  /// Closes all objects that lines at this indent are not inside.
  void close(std::size_t indent) {
    while (!open_.empty() && open_.back().indent >= indent) {
      HostObject done = std::move(open_.back().object);
      open_.pop_back();
      Open& above = open_.empty() ? machine_ : open_.back();
      if (done.type == "NUMANode" && done.inside.empty()) above.object.numa = above.memories++ == 0 ? done.numa : -1;
      std::ranges::sort(done.cpus);
      done.cpus.erase(std::unique(done.cpus.begin(), done.cpus.end()), done.cpus.end());
      if (!open_.empty()) above.object.cpus.insert(above.object.cpus.end(), done.cpus.begin(), done.cpus.end());
      above.object.inside.push_back(std::move(done));
    }
  }

  Open machine_;
  std::vector<Open> open_;
  std::size_t objects_ = 0;
};

class TreeReader {
 public:
  explicit TreeReader(const TextLines& lines) : lines_(lines) {}

  std::vector<PciDevice> read() {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const std::string_view line = lines_[l];
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent == std::string_view::npos) continue;
      while (!open_.empty() && open_.back().indent >= indent) open_.pop_back();
      if (open_.size() > kDeepest) fail(lines_.at(l, {}, "objects are nested deeper than any machine's"));
      open_.push_back({.indent = indent});
      check_numbers(l, line);
      read_object(l, line.substr(indent));
      if (!host_.add(indent, line.substr(indent))) fail(lines_.at(l, {}, "more objects than any machine has"));
    }
    return usable();
  }

  [[nodiscard]] HostObject host() { return host_.machine(); }
  [[nodiscard]] const std::string& host_name() const { return host_name_; }

 private:
  /// Refuses "PU L#3 (P#1e400)".
  void check_numbers(std::size_t l, std::string_view line) {
    for (std::string_view rest = line; rest.find('#') != std::string_view::npos;) {
      const std::size_t mark = rest.find('#');
      const bool counts = mark > 0 && (rest[mark - 1] == 'L' || rest[mark - 1] == 'P');
      rest.remove_prefix(mark + 1);
      const std::string_view word = rest.substr(0, rest.find_first_of(" ,)\"+"));
      if (counts && !(parse_integer(word) && is_digit(word.front())))
        fail(lines_.at(l, word, fmt::format("{} is no number of an object", in_quotes(word))));
    }
  }

  void read_object(std::size_t l, std::string_view text) {
    if (text.starts_with("Machine")) {
      host_name_ = host_or_empty(field(text, "HostName="));
    } else if (text.starts_with("NUMANode")) {
      open_.back().numa = os_index(text);
      if (open_.size() > 1 && open_[open_.size() - 2].numa < 0) open_[open_.size() - 2].numa = open_.back().numa;
    } else if (text.starts_with("HostBridge")) {
      open_.back().host_bridge = host_bridges_++;
    } else if (text.starts_with("PCIBridge")) {
      open_.back().bridge = bridges_++;
    } else if (text.starts_with("PCI ")) {
      add_device(l, text);
    } else if (open_.size() > 1 && open_[open_.size() - 2].device) {
      name_device(found_[*open_[open_.size() - 2].device], text);
    }
  }

  void add_device(std::size_t l, std::string_view text) {
    if (found_.size() == kMostDevices) fail(lines_.at(l, text, fmt::format("more than {} PCI devices", kMostDevices)));
    const std::vector<std::string_view> words = split_blanks(text, 2);
    std::string_view slot = field(text, "busid=");
    if (slot.empty() && words.size() > 1) slot = words[1];
    const std::optional<PciAddress> pci =
        PciAddress::parse(std::ranges::count(slot, ':') == 1 ? fmt::format("0000:{}", slot) : std::string(slot));
    if (!pci)
      fail(lines_.at(l, text, "no bus id: hwloc 1 prints none as text", "lstopo FILE.xml writes all that it knows"));
    Found found{{{.pci = pci}, 0, {}}, {}, {.pci = pci}};
    const std::size_t open = text.find('(', std::min(text.find("class="), text.size()) % text.size());
    if (open != std::string_view::npos) found.kind = text.substr(open + 1, text.find(')', open) - open - 1);
    const std::string_view ids = field(text, " id=");
    const std::size_t colon = std::min(ids.find(':'), ids.size());
    found.function.type = {class_of(found.kind), parse_pci_id(ids.substr(0, colon))};
    found.function.device = parse_pci_id(ids.substr(std::min(colon + 1, ids.size())));
    for (const Open& above : open_) {
      if (above.numa >= 0) found.pci.device.numa = above.numa;
      if (above.host_bridge) found.pci.host_bridge = *above.host_bridge + 1;
      if (above.bridge) found.pci.bridges.push_back(*above.bridge);
    }
    open_.back().device = found_.size();
    found_.push_back(std::move(found));
  }

  static void name_device(Found& found, std::string_view text) {
    const std::string_view name = quoted_name(text);
    if (text.starts_with("OpenFabrics") || (text.starts_with("Net") && found.pci.device.name.empty()))
      found.pci.device.name = printable(name);
    const std::optional<SoftwareNumber> number = software_number(name);
    if (number && (!found.pci.number || *number < *found.pci.number)) found.pci.number = number;
    found.function.computes = found.function.computes || text.starts_with("CoProc") || number;
    if (name.starts_with("cuda") || name.starts_with("nvml")) found.pci.vendor = "NVIDIA";
    if (name.starts_with("rsmi") || name.starts_with("amdsmi")) found.pci.vendor = "AMD";
  }

  /// The devices that may be GPUs, and the adapters.
  std::vector<PciDevice> usable() {
    std::vector<PciDevice> devices;
    for (Found& each : found_) {
      const bool is_network = each.kind == "Ethernet" || each.kind == "InfiniBand" || each.kind == "Network";
      const GpuKind kind = gpu_kind(each.function);
      if (kind == GpuKind::none && !is_network) continue;
      const std::string bus = each.pci.device.pci->to_string();
      if (kind != GpuKind::none) {
        each.pci.gpu = {fmt::format("{} ({})", bus, printable(each.kind)), kind, is_for_programs(each.pci.number)};
        if (each.pci.vendor.empty()) each.pci.vendor = gpu_vendor(each.function.type.vendor);
        each.pci.device.name.clear();
      } else {
        each.pci.device.kind = VertexKind::nic;
        if (each.pci.device.name.empty()) each.pci.device.name = bus;
      }
      devices.push_back(std::move(each.pci));
    }
    return devices;
  }

  const TextLines& lines_;
  std::vector<Open> open_;
  std::vector<Found> found_;
  HostReader host_;
  std::string host_name_;
  std::size_t host_bridges_ = 0;
  std::size_t bridges_ = 0;
};

bool recognises(std::string_view head) {
  const TextLines lines({}, head);
  bool machine = false;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string_view line = trim(lines[l]);
    machine = machine || line.starts_with("Machine (") || line.starts_with("Machine L#");
    if (machine &&
        (line.starts_with("Package L#") || line.starts_with("NUMANode L#") || line.starts_with("HostBridge")))
      return true;
  }
  return false;
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  const std::string_view text = plain_text(input, cleaned);
  const TextLines lines(where, text, kLongestLine);
  Warnings warnings;
  TreeReader reader(lines);
  std::vector<PciDevice> devices = reader.read();
  const bool has_devices = !devices.empty() || text.find("HostBridge") != std::string_view::npos;
  const HostObject host = reader.host();
  const std::size_t cores = std::max(count_inside(host, "Core"), count_inside(host, "PU"));
  keep_gpu_places(devices, cores > 0, where, warnings);
  const auto is_gpu = [](const PciDevice& each) { return each.device.kind == VertexKind::gpu; };
  if (cores == 0 || std::ranges::any_of(devices, is_gpu))
    return on_node(topology_of_paths(where, std::move(devices), kSource, warnings), reader.host_name());
  if (cores > kMostCores) fail({where, {}, fmt::format("more than {} cores", kMostCores), {}, {}});
  return topology_of_cores(where, kSource.name, host, reader.host_name(), has_devices, warnings);
}

}  // namespace

const TopologyFormat kLstopoTextFormat{"lstopo", "lstopo as text (its XML says more)", recognises, read};

}  // namespace topowise
