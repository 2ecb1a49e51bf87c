// SPDX-License-Identifier: BSD-3-Clause
// hwloc's XML is a tree of <object>: Machine, Package, NUMANode, caches, cores. The PCI host bridges (Bridge 0-1) stand
// under the part of the machine that is near them, and the bridges and devices of PCI Express are under the host
// bridges. Each function of a bridge is listed: the root port, then for each switch its upstream port and its
// downstream ports. So, counted from the host bridge, every even bridge is a switch, and the odd ones are ports of what
// is above them. A GPU is a PCI function; CUDA, NVML, RSMI and OpenCL each add an OS device below it. In version 1 a
// NUMANode has children. From version 2 on it is a leaf, and the nodeset of a part says where it belongs.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <pugixml.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/node/cpu_mask.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/node/on_node.hpp>
#include <topowise/topology_source/node/pci_class.hpp>
#include <topowise/topology_source/xml/hwloc_objects.hpp>

namespace topowise {
namespace {

struct Region {
  VertexId vertex;
  std::vector<std::size_t> cpus;
  std::size_t package = 0;  ///< for a NUMA domain: index in packages_, or their number if it is in none
  Processor processor;      ///< for a package
};

struct Gpu {
  pugi::xml_node element;
  PciAddress pci;
  VertexId above;
  BytesPerSecond bandwidth;
  std::optional<SoftwareNumber> number;  ///< if some library has numbered it
  std::string uuid;
  GpuCandidate candidate;
};

/// The place of an object in the machine, handed down the tree.
struct Around {
  std::vector<std::size_t> nodes;  ///< NUMA domains, by the operating system's number
  std::size_t package = SIZE_MAX;  ///< index in packages_
};

class Reader {
 public:
  Reader(const std::string& where, std::string_view text) : where_(where), xml_(where, text), builder_(where) {}
  Topology read();

 private:
  void collect_regions(const pugi::xml_node& object);
  void add_region(const pugi::xml_node& object, bool is_package);
  void join_regions();
  void collect_pci(const pugi::xml_node& object, Around around);
  void read_bridge(const pugi::xml_node& object, VertexId above, int depth, BytesPerSecond port);
  void read_device(const pugi::xml_node& object, VertexId above, BytesPerSecond port);
  void read_nic(const pugi::xml_node& object, PciAddress pci, VertexId above, BytesPerSecond bandwidth);
  [[nodiscard]] std::optional<VertexId> nearest(const Around& around) const;
  VertexId anywhere();
  void choose_places();
  void number_gpus();
  void report_hidden_bonds();
  VertexId attach(Vertex vertex, std::optional<VertexId> above, LinkKind kind, BytesPerSecond bandwidth);
  void name_end(const pugi::xml_node& object, const HwlocEnd& end);

  std::string where_;
  LocatedXml xml_;
  TopologyBuilder builder_;
  Diagnostics errors_;
  std::vector<Region> packages_;
  std::map<std::size_t, Region> nodes_;  ///< by the operating system's number
  std::optional<VertexId> machine_;
  std::vector<Gpu> gpus_;
  std::map<PciAddress, pugi::xml_node> seen_;
  HwlocEnds ends_;
  std::string host_;  ///< name of the machine, empty if not known
  Warnings notices_;  ///< of GPUs that are no places
  int root_complexes_ = 0;
};

std::string_view type_of(const pugi::xml_node& object) {
  const std::string_view type = object.attribute("type").value();
  return type == "Socket" ? "Package" : type;  // hwloc called a Package so until 1.10
}

std::vector<std::size_t> set_of(const pugi::xml_node& object, const char* attribute) {
  return parse_mask(object.attribute(attribute).value()).value_or(std::vector<std::size_t>{});
}

/// The parts of "0302 [10de:1db8] [10de:131d] a1 00".
struct PciType {
  PciClass kind;
  int device = 0;
};
PciType pci_type_of(const pugi::xml_node& object) {
  const std::string_view text = object.attribute("pci_type").value();
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.size() < open + 10) return {};
  return {parse_pci_class(text.substr(0, 4), text.substr(open + 1, 4)),
          parse_pci_class(text.substr(open + 6, 4), {}).code};
}

std::string_view fact_of(const pugi::xml_node& object, std::string_view name) {
  for (const pugi::xml_node& fact : object.children("info")) {
    if (fact.attribute("name").value() == name) return fact.attribute("value").value();
  }
  return {};
}

/// The processor of a package. Its architecture is a fact of the machine in version 2, and of the whole topology in
/// version 3.
Processor processor_of(const pugi::xml_node& package) {
  std::string_view architecture;
  for (pugi::xml_node above = package.parent(); above && architecture.empty(); above = above.parent())
    architecture = fact_of(above, "Architecture");
  const auto number = [&](std::string_view name) {
    return static_cast<int>(parse_integer(fact_of(package, name)).value_or(0));
  };
  return {architecture, fact_of(package, "CPUVendor"), number("CPUFamilyNumber"), number("CPUModelNumber")};
}

/// The rate of a PCIe link. hwloc writes GB/s; 0 means "not known".
BytesPerSecond link_speed(const pugi::xml_node& object) {
  const double speed = object.attribute("pci_link_speed").as_double();
  return speed > 0 && speed < 1e6 ? gigabytes_per_second(speed) : BytesPerSecond();
}

/// The slower of two rates. Both ends of a link state its speed, and the slower one is right.
BytesPerSecond slower(BytesPerSecond a, BytesPerSecond b) {
  if (a.value() <= 0 || b.value() <= 0) return std::max(a, b);
  return std::min(a, b);
}

/// "0000:04:00.0 (Raphael)"
std::string label_of(const pugi::xml_node& object, PciAddress pci) {
  const std::string_view name = fact_of(object, "PCIDevice");
  return name.empty() ? pci.to_string() : fmt::format("{} ({})", pci.to_string(), printable(name.substr(0, 80)));
}

/// The name of the machine, which is a fact of its Machine, or of the whole topology in version 3.
std::string host_name_of(const pugi::xml_node& root) {
  std::string_view name = fact_of(root, "HostName");
  for (const pugi::xml_node& object : root.children("object")) {
    if (name.empty()) name = fact_of(object, "HostName");
  }
  return host_or_empty(name);
}

VertexId Reader::attach(Vertex vertex, std::optional<VertexId> above, LinkKind kind, BytesPerSecond bandwidth) {
  if (above) {
    vertex.parent = above;
    if (vertex.numa < 0) vertex.numa = builder_.vertex(*above).numa;
    if (vertex.cpus.empty()) vertex.cpus = builder_.vertex(*above).cpus;
  }
  vertex.node = host_;
  const VertexId id = builder_.add_vertex(std::move(vertex));
  if (above)
    builder_.add_links({.from = id, .to = *above, .kind = kind, .bandwidth = bandwidth, .source = origin::kHwlocXml});
  return id;
}

void Reader::name_end(const pugi::xml_node& object, const HwlocEnd& end) {
  if (const pugi::xml_attribute index = object.attribute("gp_index")) ends_.insert_or_assign(index.as_ullong(), end);
}

void Reader::collect_regions(const pugi::xml_node& object) {
  const std::string_view type = type_of(object);
  if (type == "Package" || type == "NUMANode") add_region(object, type == "Package");
  for (const pugi::xml_node& child : object.children("object")) collect_regions(child);
}

void Reader::add_region(const pugi::xml_node& object, bool is_package) {
  Region region{.cpus = set_of(object, "cpuset")};
  if (region.cpus.empty()) return;  // memory of a device, or a package outside this cgroup
  const int number = object.attribute("os_index").as_int(-1);
  if (is_package) {
    region.vertex = builder_.add_vertex({.kind = VertexKind::package,
                                         .name = fmt::format("socket {}", packages_.size()),
                                         .node = host_,
                                         .cpus = to_cpu_list(region.cpus)});
    name_end(object, {.kind = HwlocEnd::Kind::package, .vertex = region.vertex});
    region.processor = processor_of(object);
    packages_.push_back(std::move(region));
  } else if (number >= 0) {
    region.vertex = builder_.add_vertex({.kind = VertexKind::numa_domain,
                                         .name = fmt::format("NUMA {}", number),
                                         .numa = number,
                                         .node = host_,
                                         .cpus = to_cpu_list(region.cpus)});
    nodes_.try_emplace(static_cast<std::size_t>(number), std::move(region));
  }
}

/// Puts NUMA domains below the package that has all their processors, and packages side by side. hwloc does not give
/// the rate of links between packages, so NCCL's constants do, by the model of the processor.
void Reader::join_regions() {
  std::vector<VertexId> side_by_side;
  BytesPerSecond across;
  for (const Region& package : packages_) {
    side_by_side.push_back(package.vertex);
    if (!package.processor.architecture.empty()) across = inter_socket_bandwidth(package.processor);
  }
  for (auto& [number, node] : nodes_) {
    const auto around = std::ranges::find_if(
        packages_, [&cpus = node.cpus](const Region& package) { return std::ranges::includes(package.cpus, cpus); });
    node.package = static_cast<std::size_t>(around - packages_.begin());
    if (around == packages_.end()) {
      side_by_side.push_back(node.vertex);
      continue;
    }
    builder_.set_parent(node.vertex, around->vertex);
    builder_.add_links({.from = node.vertex,
                        .to = around->vertex,
                        .kind = LinkKind::host,
                        .bandwidth = kInsidePackage,
                        .source = origin::kHwlocXml});
  }
  for (std::size_t a = 0; a < side_by_side.size(); ++a) {
    for (std::size_t b = a + 1; b < side_by_side.size(); ++b)
      builder_.add_links({.from = side_by_side[a],
                          .to = side_by_side[b],
                          .kind = LinkKind::inter_socket,
                          .bandwidth = across,
                          .source = {origin::kHwlocXml, Basis::nccl}});
  }
}

/// The only NUMA domain that an object belongs to; else its package; else the only domain or package of the machine.
std::optional<VertexId> Reader::nearest(const Around& around) const {
  std::optional<VertexId> only;
  int found = 0;
  for (const std::size_t number : around.nodes) {
    const auto node = nodes_.find(number);
    if (node == nodes_.end()) continue;
    only = node->second.vertex;
    ++found;
  }
  if (found == 1) return only;
  if (around.package < packages_.size()) return packages_[around.package].vertex;
  if (nodes_.size() == 1) return nodes_.begin()->second.vertex;
  if (packages_.size() == 1) return packages_.front().vertex;
  return std::nullopt;
}

/// A vertex for devices that hwloc places nowhere in particular: it is as far from everything as another socket.
VertexId Reader::anywhere() {
  if (machine_) return *machine_;
  machine_ = builder_.add_vertex({.kind = VertexKind::compute_node, .name = host_, .node = host_});
  for (const Region& package : packages_)
    builder_.add_links(
        {.from = package.vertex, .to = *machine_, .kind = LinkKind::inter_socket, .source = origin::kHwlocXml});
  for (const auto& [number, node] : nodes_) {
    if (node.package == packages_.size())
      builder_.add_links(
          {.from = node.vertex, .to = *machine_, .kind = LinkKind::inter_socket, .source = origin::kHwlocXml});
  }
  return *machine_;
}

void Reader::collect_pci(const pugi::xml_node& object, Around around) {
  const std::string_view type = type_of(object);
  if (type == "Bridge" || type == "PCIDev") {
    const std::optional<VertexId> near = nearest(around);
    return read_bridge(object, near ? *near : anywhere(), 0, {});
  }
  if (object.attribute("nodeset")) around.nodes = set_of(object, "nodeset");
  if (type == "Package") {
    const std::vector<std::size_t> cpus = set_of(object, "cpuset");
    around.package = static_cast<std::size_t>(std::ranges::find(packages_, cpus, &Region::cpus) - packages_.begin());
  }
  for (const pugi::xml_node& child : object.children("object")) collect_pci(child, around);
}

/// `depth` is the number of bridges between the host bridge and this object; `port` is the speed of the port above it.
void Reader::read_bridge(const pugi::xml_node& object, VertexId above, int depth, BytesPerSecond port) {
  if (type_of(object) == "PCIDev") return read_device(object, above, port);
  if (type_of(object) != "Bridge") return;
  const bool is_host_bridge = std::string_view(object.attribute("bridge_type").value()).starts_with('0');
  VertexId below = above;
  BytesPerSecond speed = slower(link_speed(object), port);
  if (is_host_bridge) {
    below = attach({.kind = VertexKind::root_complex, .name = fmt::format("root complex {}", root_complexes_++)}, above,
                   LinkKind::host, kInsidePackage);
    depth = 0;
    speed = {};
  } else if (++depth % 2 == 0) {
    const std::string_view bus = object.attribute("pci_busid").value();
    below = attach({.kind = VertexKind::pcie_switch, .name = std::string(bus), .pci = PciAddress::parse(bus)}, above,
                   LinkKind::pcie, speed);
    speed = {};
  }
  for (const pugi::xml_node& child : object.children("object")) read_bridge(child, below, depth, speed);
}

void Reader::read_device(const pugi::xml_node& object, VertexId above, BytesPerSecond port) {
  const PciType type = pci_type_of(object);
  PciFunction function{.type = type.kind, .device = type.device, .name = fact_of(object, "PCIDevice")};
  function.pci = PciAddress::parse(object.attribute("pci_busid").value());
  function.computes = std::ranges::any_of(object.children("object"), [](const pugi::xml_node& device) {
    return software_number(device.attribute("name").value()).has_value();
  });
  const GpuKind kind = gpu_kind(function);
  const bool is_gpu = kind != GpuKind::none;
  const bool is_nvswitch = std::string_view(object.attribute("subtype").value()) == "NVSwitch";
  const bool is_nic = type.kind.base() == PciClass::kNetworkBase;
  if (is_nvswitch) return name_end(object, {.kind = HwlocEnd::Kind::nvswitch});
  if (!is_gpu && !is_nic) return;
  constexpr std::size_t kEnough = 100;
  if (errors_.all().size() >= kEnough) errors_.throw_if_any();
  const std::string_view bus = object.attribute("pci_busid").value();
  const std::optional<PciAddress>& pci = function.pci;
  if (!pci) return errors_.add(xml_.at(object, fmt::format("'{}' is not a PCI bus id", printable(bus.substr(0, 80)))));
  const auto [first, is_new] = seen_.try_emplace(*pci, object);
  if (!is_new)
    return errors_.add(xml_.at(
        object, fmt::format("bus id '{}' is used twice, first in {}", bus, xml_.line_of(first->second)), {}, bus));
  const BytesPerSecond bandwidth = slower(link_speed(object), port);
  if (is_nic) return read_nic(object, *pci, above, bandwidth);
  Gpu gpu{.element = object, .pci = *pci, .above = above, .bandwidth = bandwidth};
  for (const pugi::xml_node& device : object.children("object")) {
    const std::optional<SoftwareNumber> number = software_number(device.attribute("name").value());
    if (number && (!gpu.number || *number < *gpu.number)) gpu.number = number;
    for (const std::string_view name : {"NVIDIAUUID", "AMDUUID"}) {
      if (const std::string_view uuid = fact_of(device, name); !uuid.empty()) gpu.uuid = uuid;
    }
  }
  gpu.candidate = {label_of(object, *pci), kind, is_for_programs(gpu.number)};
  gpus_.push_back(std::move(gpu));
}

/// Leaves out what is no place of a node with cores.
void Reader::choose_places() {
  std::vector<GpuCandidate> candidates;
  for (const Gpu& gpu : gpus_) candidates.push_back(gpu.candidate);
  const GpuChoice choice = choose_gpus(candidates, true);
  std::vector<Gpu> chosen;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (choice.is_place[i]) chosen.push_back(std::move(gpus_[i]));
  }
  gpus_ = std::move(chosen);
  for (const std::string& notice : choice.notices) notices_.add(notice);
}

void Reader::read_nic(const pugi::xml_node& object, PciAddress pci, VertexId above, BytesPerSecond bandwidth) {
  std::string name = pci.to_string();
  for (const pugi::xml_node& device : object.children("object")) {
    const std::string_view type = device.attribute("osdev_type").value();
    const bool is_verbs = type == "3" || type == "32";  // OpenFabrics: 3 before version 3, 32 from it on
    if (is_verbs || name == pci.to_string()) name = device.attribute("name").value();
  }
  attach({.kind = VertexKind::nic, .name = name, .pci = pci}, above, LinkKind::pcie, bandwidth);
}

void Reader::number_gpus() {
  std::vector<NumberedGpu> found;
  for (const Gpu& gpu : gpus_) found.push_back({gpu.number, gpu.pci});
  std::vector<Gpu> ordered;
  std::vector<NumberedGpu> numbered;
  for (const std::size_t i : order_of_gpus(found)) {
    ordered.push_back(std::move(gpus_[i]));
    numbered.push_back(found[i]);
  }
  gpus_ = std::move(ordered);
  const std::vector<int> numbers = numbers_for_programs(numbered);
  GpuNames naming;
  for (std::size_t i = 0; i < gpus_.size(); ++i)
    naming.add(gpu_vendor(pci_type_of(gpus_[i].element).kind.vendor), numbers[i]);
  const std::vector<std::string> names = naming.names();
  if (const std::optional<std::string> warning = naming.warning()) builder_.warn(*warning);
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    Gpu& gpu = gpus_[i];
    const PciType type = pci_type_of(gpu.element);
    const VertexId vertex = attach({.kind = VertexKind::gpu,
                                    .name = names[i],
                                    .pci = gpu.pci,
                                    .uuid = gpu.uuid,
                                    .vendor = vendor_if_intel(gpu_vendor(type.kind.vendor)),
                                    .number = numbers[i]},
                                   gpu.above, LinkKind::pcie, gpu.bandwidth);
    builder_.add_place(PlaceKind::gpu, vertex);
    const HwlocEnd end{HwlocEnd::Kind::gpu, vertex, type.kind.vendor, type.device};
    name_end(gpu.element, end);
    for (const pugi::xml_node& device : gpu.element.children("object")) name_end(device, end);
  }
}

/// Warns of bonds that may be hidden. Older versions of hwloc, and versions built without NVML or RSMI, write no
/// bandwidths of bonds.
void Reader::report_hidden_bonds() {
  UnbondedGpus unbonded;
  for (const Gpu& gpu : gpus_) {
    const PciType type = pci_type_of(gpu.element);
    unbonded.add(type.kind.vendor, type.device, 0, false);
  }
  unbonded.report(builder_, where_, "hwloc writes their bandwidths since 2.4 if it has NVML or RSMI");
}

Topology Reader::read() {
  const pugi::xml_node root = xml_.root();
  if (std::string_view(root.name()) != "topology")
    throw Error(ExitStatus::bad_input,
                {xml_.at(root, fmt::format("<{}> is not hwloc's <topology>", printable(root.name())))});
  host_ = host_name_of(root);
  for (const pugi::xml_node& object : root.children("object")) collect_regions(object);
  join_regions();
  for (const pugi::xml_node& object : root.children("object")) collect_pci(object, {});
  choose_places();
  number_gpus();
  errors_.throw_if_any();
  if (gpus_.empty()) return read_hwloc_cores(xml_, where_, host_, notices_);
  notices_.pass_to(builder_);
  if (!add_hwloc_distances(xml_, ends_, builder_, errors_)) report_hidden_bonds();
  errors_.throw_if_any();
  return std::move(builder_).build();
}

bool recognises(std::string_view head) {
  return head.find("<topology") != std::string_view::npos || head.find("\"hwloc2.dtd\"") != std::string_view::npos ||
         head.find("\"hwloc.dtd\"") != std::string_view::npos;
}

Topology read(const std::string& where, std::string_view text) {
  return Reader(where, text).read();
}

}  // namespace

const TopologyFormat kHwlocXmlFormat{"hwloc-xml", "hwloc XML, versions 1 to 3 (lstopo file.xml)", recognises, read};

}  // namespace topowise
