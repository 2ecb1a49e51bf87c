// SPDX-License-Identifier: BSD-3-Clause
// The topology file of NCCL and RCCL (NCCL_TOPO_FILE): one <cpu> for each NUMA domain, below it PCIe switches, GPUs and
// NICs by bus id, and below a GPU its NVLinks. NCCL finds its own devices in the file by bus id, and asks the system
// for every attribute that the file leaves out; so the file has only what the machine's description knows. A switch
// without a bus id gets one that no device has, as in the files that cloud providers publish (ffff:ff:01.0). NCCL's
// parser knows no entities and no tabs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/pcie_link.hpp>
#include <topowise/launch/file_words.hpp>
#include <topowise/launch/gpu_script.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {
namespace {

/// The interfaces by which NCCL knows the NIC: those of "mlx5_0,mlx5_1". Empty if the name has another form.
std::vector<std::string_view> interfaces(std::string_view name) {
  const auto is_interface = [](std::string_view word) {
    constexpr std::size_t kLongest = 64;
    return !word.empty() && word.size() <= kLongest && !word.starts_with("NIC") &&
           std::ranges::all_of(
               word, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == ':'; });
  };
  std::vector<std::string_view> words = split(name, ',');
  return std::ranges::all_of(words, is_interface) ? words : std::vector<std::string_view>{};
}

/// Writes a compute node as text.
class Node {
 public:
  Node(const Topology& machine, std::string_view name) : machine_(machine), name_(name) {
    for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
      const VertexId id(v);
      const Vertex& vertex = machine.vertex(id);
      const bool device = vertex.kind == VertexKind::gpu || vertex.kind == VertexKind::nic;
      if (!device || !vertex.pci || node_name(machine, id) != name) continue;
      place(id);
      bonded_ = bonded_ || (vertex.kind == VertexKind::gpu && !direct_links(id, 0).empty());
    }
    for (auto& [above, children] : below_) sort(children);
    for (auto& [numa, domain] : domains_) sort(domain.devices);
  }

  [[nodiscard]] std::string text() {
    std::string all;
    for (const auto& [numa, domain] : domains_) {
      all += fmt::format("  <cpu numaid=\"{}\"{}>\n", numa, attribute("affinity", domain.mask));
      for (const VertexId id : domain.devices) all += device(id, 4);
      all += "  </cpu>\n";
    }
    return all;
  }

 private:
  struct Domain {
    std::string mask;
    std::vector<VertexId> devices;  ///< the devices directly below the processor
  };

  /// Sorts by bus id; devices without one come last.
  void sort(std::vector<VertexId>& devices) const {
    std::ranges::stable_sort(devices, {}, [this](VertexId id) {
      const std::optional<PciAddress>& pci = machine_.vertex(id).pci;
      return std::pair(!pci, pci);
    });
  }

  static std::string attribute(std::string_view name, const std::string& value) {
    return value.empty() ? std::string() : fmt::format(" {}=\"{}\"", name, value);
  }

  /// Puts a device, and the switches on its way up, below its processor.
  void place(VertexId device) {
    VertexId below = device;
    std::optional<VertexId> above = machine_.vertex(device).parent;
    for (; above && machine_.vertex(*above).kind == VertexKind::pcie_switch; above = machine_.vertex(*above).parent) {
      std::vector<VertexId>& children = below_[*above];
      const bool known = !children.empty();
      children.push_back(below);
      below = *above;
      if (known) return;
    }
    int numa = -1;
    std::string cpus;
    for (above = device; above; above = machine_.vertex(*above).parent) {
      if (numa < 0) numa = machine_.vertex(*above).numa;
      if (cpus.empty()) cpus = machine_.vertex(*above).cpus;
    }
    Domain& domain = domains_[numa];
    if (domain.mask.empty()) domain.mask = cpu_mask(cpus_in(cpus), ",");
    domain.devices.push_back(below);
  }

  [[nodiscard]] std::string device(VertexId id, std::size_t indent) {
    const Vertex& vertex = machine_.vertex(id);
    const std::string inside = content(id, indent + 2);
    const std::string_view kind = vertex.kind == VertexKind::gpu   ? "0x030200"
                                  : vertex.kind == VertexKind::nic ? "0x020000"
                                                                   : "0x060400";
    const std::string bus_id =
        vertex.pci ? vertex.pci->to_string() : fmt::format("ffff:ff:{:02x}.0", ++unnamed_ & 0x1f);
    const std::string begin =
        fmt::format("{:{}}<pci busid=\"{}\" class=\"{}\"{}", "", indent, bus_id, kind, link_above(id));
    return inside.empty() ? begin + "/>\n" : fmt::format("{}>\n{}{:{}}</pci>\n", begin, inside, "", indent);
  }

  [[nodiscard]] std::string content(VertexId id, std::size_t indent) {
    std::string all;
    if (machine_.vertex(id).kind == VertexKind::gpu) {
      const std::string links = direct_links(id, indent + 2);
      if (!links.empty()) all = fmt::format("{0:{1}}<gpu>\n{2}{0:{1}}</gpu>\n", "", indent, links);
      if (links.empty() && bonded_) all = fmt::format("{:{}}<gpu/>\n", "", indent);
    } else if (machine_.vertex(id).kind == VertexKind::nic) {
      const std::string name = name_in_node(machine_, id);
      for (const std::string_view interface : interfaces(name))
        all += fmt::format("{:{}}<net name=\"{}\"/>\n", "", indent + 2, interface);
      if (!all.empty()) all = fmt::format("{0:{1}}<nic>\n{2}{0:{1}}</nic>\n", "", indent, all);
    } else {
      for (const VertexId child : below_[id]) all += device(child, indent);
    }
    return all;
  }

  /// The attributes of the PCIe link towards the processor, if the rate is that of a PCIe link. A NIC has none: the
  /// rate of its link is the lower one of the PCIe link and the ports.
  [[nodiscard]] std::string link_above(VertexId id) const {
    const Vertex& vertex = machine_.vertex(id);
    for (const LinkId link_id : machine_.links_from(id)) {
      const Link& link = machine_.link(link_id);
      if (vertex.kind == VertexKind::nic || link.kind != LinkKind::pcie || link.to != vertex.parent) continue;
      if (const std::optional<PcieLink> pcie = pcie_link_of(link.bandwidth))
        return fmt::format(" link_speed=\"{:g} GT/s PCIe\" link_width=\"{}\"", pcie->gigatransfers_per_second,
                           pcie->lanes);
    }
    return vertex.kind == VertexKind::pcie_switch ? " link_speed=\"\" link_width=\"16\"" : "";  // NCCL asks no one
  }

  /// The NVLinks and xGMI links of a GPU: one element for each GPU, one for all NVSwitches together, one for the
  /// processor.
  [[nodiscard]] std::string direct_links(VertexId gpu, std::size_t indent) const {
    std::map<std::tuple<std::string_view, std::string, std::string_view>, int> widths;  // element, target, class
    for (const LinkId id : machine_.links_from(gpu)) {
      const Link& link = machine_.link(id);
      if (link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi) continue;
      const Vertex& end = machine_.vertex(link.to);
      const std::string_view element = link.kind == LinkKind::nvlink ? "nvlink" : "xgmi";
      if (end.kind == VertexKind::gpu && end.pci)
        widths[{element, end.pci->to_string(), "0x030200"}] += link.width;
      else if (end.kind == VertexKind::nvswitch)
        widths[{element, "ffff:fe:00.0", "0x068000"}] += link.width;
      else if (end.kind != VertexKind::gpu && element == "nvlink")
        widths[{element, "ffff:fd:00.0", "0x068001"}] += link.width;
    }
    std::string all;
    for (const auto& [end, width] : widths)
      all += fmt::format("{:{}}<{} target=\"{}\" count=\"{}\" tclass=\"{}\"/>\n", "", indent, std::get<0>(end),
                         std::get<1>(end), width, std::get<2>(end));
    return all;
  }

  const Topology& machine_;
  std::string_view name_;
  std::map<int, Domain> domains_;
  std::map<VertexId, std::vector<VertexId>> below_;  ///< the devices below each switch
  int unnamed_ = 0;
  bool bonded_ = false;  ///< some GPU has direct links: then every GPU of the file gets a <gpu> element
};

void require_bus_ids(const PlacedNode& node) {
  for (const NodeGpu& gpu : node.gpus) {
    if (!gpu.pci)
      throw bad_input(fmt::format("'{}' has no PCI bus id, by which NCCL finds it", printable(gpu.name)),
                      "topowise topology live --save node.json, or a '+' with a source that has bus ids");
  }
}

}  // namespace

std::string nccl_topology(const Placement& placement, const Topology& topology) {
  require_gpus(placement);
  std::set<std::size_t> used;
  for (const PlacedRank& rank : placement.ranks) used.insert(rank.node);
  std::string text;
  std::string_view first;
  for (const std::size_t number : used) {
    const PlacedNode& node = placement.nodes[number];
    require_bus_ids(node);
    const std::string its = Node(topology, node.name).text();
    if (text.empty()) {
      text = its;
      first = node.name;
    } else if (its != text) {
      throw bad_input(fmt::format("the nodes '{}' and '{}' differ, but NCCL reads the file of its own node",
                                  printable(first), printable(node.name)),
                      "one node at a time: topowise map TRAFFIC NODE --emit nccl-topo, or --allow its GPUs");
    }
  }
  std::string name = in_comment(placement.topology);
  for (std::size_t dashes = name.find("--"); dashes != std::string::npos; dashes = name.find("--"))
    name.replace(dashes, 2, "-");
  std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
  return fmt::format("<system version=\"1\">\n  <!-- a node of '{}' -->\n{}</system>\n", name, text);
}

}  // namespace topowise
