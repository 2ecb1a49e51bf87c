// SPDX-License-Identifier: BSD-3-Clause
// One object a line; the objects inside it stand further to the right: "HostBridge", "PCIBridge", "PCI 18:00.0 (3D)".
// Below a PCI device stands the system's name for it: CoProc(CUDA) "cuda0", OpenFabrics "mlx5_0". A NUMANode stands
// beside the HostBridges that are near it (hwloc 2), or above them. Neither rates nor bonds are printed; the XML has
// both.
#include <topowise/topology_source/pci/lstopo_text.hpp>

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
  bool computes = false;  ///< a device of CUDA, NVML, RSMI, OpenCL or Level Zero is inside
};

/// The number after "P#" in "NUMANode L#0 (P#3 125GB)"; -1 if there is none.
int os_index(std::string_view line) {
  const std::size_t at = line.find("P#");
  if (at == std::string_view::npos) return -1;
  const auto end = std::ranges::find_if_not(line.substr(at + 2), is_digit);
  const std::optional<std::int64_t> number =
      parse_integer(line.substr(at + 2, static_cast<std::size_t>(end - line.substr(at + 2).begin())));
  return number && *number < (1 << 16) ? static_cast<int>(*number) : -1;
}

/// The name between the '"'.
std::string_view quoted_name(std::string_view line) {
  const std::size_t begin = line.find('"');
  const std::size_t end = line.rfind('"');
  return begin != std::string_view::npos && end > begin ? line.substr(begin + 1, end - begin - 1) : std::string_view();
}

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
      read_object(l, line.substr(indent));
    }
    return usable();
  }

 private:
  void read_object(std::size_t l, std::string_view text) {
    if (text.starts_with("NUMANode")) {
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
    const std::string slot = words.size() < 2                         ? std::string()
                             : std::ranges::count(words[1], ':') == 1 ? fmt::format("0000:{}", words[1])
                                                                      : std::string(words[1]);
    const std::optional<PciAddress> pci = PciAddress::parse(slot);
    if (!pci)
      fail(lines_.at(l, text, "no bus id: hwloc 1 prints none as text", "lstopo FILE.xml writes all that it knows"));
    Found found{{{.pci = pci}, 0, {}}, {}, false};
    const std::size_t open = text.find('(');
    if (open != std::string_view::npos) found.kind = text.substr(open + 1, text.find(')', open) - open - 1);
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
    const bool vendor_names = name.starts_with("cuda") || name.starts_with("nvml") || name.starts_with("rsmi") ||
                              name.starts_with("opencl") || name.starts_with("ze");
    found.computes = found.computes || text.starts_with("CoProc") || vendor_names;
    if (name.starts_with("cuda") || name.starts_with("nvml")) found.pci.vendor = "NVIDIA";
    if (name.starts_with("rsmi")) found.pci.vendor = "AMD";
  }

  /// The GPUs and adapters. A VGA device counts as a GPU only if no other device computes, because a management
  /// controller is a VGA device, too.
  std::vector<PciDevice> usable() {
    const bool any = std::ranges::any_of(found_, [](const Found& each) { return each.computes || each.kind == "3D"; });
    std::vector<PciDevice> devices;
    for (Found& each : found_) {
      const bool is_network = each.kind == "Ethernet" || each.kind == "InfiniBand" || each.kind == "Network";
      const bool is_gpu = each.computes || each.kind == "3D" || each.kind == "Display" || (!any && each.kind == "VGA");
      if (!is_gpu && !is_network) continue;
      each.pci.device.kind = is_gpu ? VertexKind::gpu : VertexKind::nic;
      if (is_gpu) each.pci.device.name.clear();
      if (!is_gpu && each.pci.device.name.empty()) each.pci.device.name = each.pci.device.pci->to_string();
      devices.push_back(std::move(each.pci));
    }
    return devices;
  }

  const TextLines& lines_;
  std::vector<Open> open_;
  std::vector<Found> found_;
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
  return topology_of_paths(where, TreeReader(lines).read(), kSource, warnings);
}

}  // namespace

const TopologyFormat kLstopoTextFormat{"lstopo", "lstopo as text (its XML says more)", recognises, read};

}  // namespace topowise
