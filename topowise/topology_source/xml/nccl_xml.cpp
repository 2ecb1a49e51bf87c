// SPDX-License-Identifier: BSD-3-Clause
// NCCL's topology XML: <system> has one <cpu> per NUMA domain. Below it is a tree of <pci>: switches (class 0x0604),
// GPUs (with a <gpu> that names its <nvlink>, <xgmi> and <c2c>) and NICs (with a <nic> that names its <net>). Dumps are
// complete; files for virtual machines have only the <pci> tree, which NCCL matches by bus id with the devices that it
// finds. NCCL has merged the upstream and downstream ports of a switch into one <pci>, and has no host bridges: two
// GPUs that meet at a <cpu> are PHB. NCCL's src/graph/topo.cc and xml.cc show what its reader does with each element.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/node/bonds.hpp>
#include <topowise/topology_source/node/cpu_mask.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/node/pci_class.hpp>
#include <topowise/topology_source/xml/located_xml.hpp>

namespace topowise {
namespace {

// Reads what single elements of NCCL's XML say by themselves.

/// Collects what is wrong with a file, element by element. Only the first errors are kept.
class NcclErrors {
 public:
  explicit NcclErrors(const LocatedXml& xml) : xml_(xml) {}

  /// Throws when there are so many errors that reading on is of no use.
  void add(const pugi::xml_node& element, std::string what, std::string_view cell = {});
  /// The bus id in an attribute; if it is none, adds an error and gives nothing.
  [[nodiscard]] std::optional<PciAddress> address(const pugi::xml_node& element, const char* attribute);
  /// The rate of the PCIe link of a <pci>; 0 if the file does not say.
  [[nodiscard]] BytesPerSecond pcie_link(const pugi::xml_node& pci);
  /// A number that is whole, and not negative but for -1, which means not known; `otherwise` if the attribute is
  /// missing or, with an error, if it is no such number.
  [[nodiscard]] int whole(const pugi::xml_node& element, const char* attribute, int otherwise);
  void throw_if_any() const { found_.throw_if_any(); }

 private:
  const LocatedXml& xml_;
  Diagnostics found_;
};

void NcclErrors::add(const pugi::xml_node& element, std::string what, std::string_view cell) {
  constexpr std::size_t kEnough = 100;
  found_.add(xml_.at(element, std::move(what), {}, cell));
  if (found_.all().size() == kEnough) found_.throw_if_any();
}

std::optional<PciAddress> NcclErrors::address(const pugi::xml_node& element, const char* attribute) {
  const std::string_view text = element.attribute(attribute).value();
  const std::optional<PciAddress> pci = PciAddress::parse(text);
  if (pci) return pci;
  if (text.empty())
    add(element, fmt::format("<{}> has no {}", element.name(), attribute));
  else
    add(element, fmt::format("'{}' is not a PCI bus id", printable(text.substr(0, 80))), text);
  return std::nullopt;
}

BytesPerSecond NcclErrors::pcie_link(const pugi::xml_node& pci) {
  constexpr double kMostTransfers = 1000;
  constexpr double kMostLanes = 64;
  // "Unknown", "" and "255" lanes of the kernel are no mistake.
  const auto number = [&](const char* attribute, double most) {
    const std::string_view text = pci.attribute(attribute).value();
    const std::string_view first = text.substr(0, text.find(' '));
    const std::optional<double> value = parse_double(first);
    if (value && *value >= 0 && std::isfinite(*value)) return *value <= most ? *value : 0.0;
    if (!first.empty() && lower(first) != "unknown")
      add(pci, fmt::format("{} '{}' is no number", attribute, printable(text.substr(0, 80))), text);
    return 0.0;
  };
  const double transfers = number("link_speed", kMostTransfers);
  return pcie_bandwidth(transfers, static_cast<int>(number("link_width", kMostLanes)));
}

int NcclErrors::whole(const pugi::xml_node& element, const char* attribute, int otherwise) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::string_view text = element.attribute(attribute).value();
  if (text.empty()) return otherwise;
  const std::optional<std::int64_t> number = parse_integer(text);
  if (number && *number >= -1 && *number <= kMost) return static_cast<int>(*number);
  add(element, fmt::format("{} '{}' is no number of that kind", attribute, printable(text.substr(0, 80))), text);
  return otherwise;
}

/// True for a GPU in a file without classes: a leaf, whose vendor, if it is stated, makes GPUs.
bool is_classless_gpu(const pugi::xml_node& pci, int vendor) {
  return !pci.child("pci") && !pci.child("nic") && (vendor == 0 || vendor == 0x10de || vendor == 0x1002);
}

/// The vendor of a <gpu>: "NVIDIA" by the PCI vendor of its <pci>, else by what only one vendor's library writes; empty
/// if not known.
std::string_view nccl_gpu_vendor(const pugi::xml_node& gpu, const pugi::xml_node& pci) {
  const std::string_view vendor = gpu_vendor(parse_pci_class({}, pci.attribute("vendor").value()).vendor);
  if (!vendor.empty()) return vendor;
  if (gpu.attribute("gcn")) return "AMD";
  return gpu.attribute("sm") ? "NVIDIA" : "";
}

/// True for the name of an interface that no wire leaves: container, bridge and tunnel devices.
bool is_virtual_net(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"br-", "cali", "cni",  "docker", "dummy", "flannel", "kube", "lo",
                                            "tap", "tun",  "veth", "virbr",  "vmnet", "vnet",    "vxlan"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// The rate of a <net>. Its `speed` is in Mb/s, but Slingshot's cxi plug-in has written kb/s; nothing is faster than 10
/// Tb/s.
BytesPerSecond nccl_net_bandwidth(const pugi::xml_node& net) {
  double speed = net.attribute("speed").as_double();
  if (!(speed > 0) || speed > 1e12) return {};
  if (speed > 1e7) speed /= 1000.0;
  return BytesPerSecond(speed * 1e6 / 8.0);
}

// The bonds of NCCL's XML: <nvlink>, <xgmi> and <c2c> below each <gpu>.

struct NcclCpu {
  VertexId vertex;
  std::string_view host;
  Processor processor;
};

struct NcclGpu {
  pugi::xml_node element;  ///< <gpu>, or its <pci> if there is no <gpu>
  PciAddress pci;
  int device = 0;  ///< the attribute "dev"
  VertexId above;
  BytesPerSecond bandwidth;  ///< of its PCIe link
  std::size_t cpu = 0;
  std::string_view vendor;  ///< empty if not known
  VertexId vertex;
};

/// The bonds of all GPUs, whose vertices exist already, and how far they can be known.
class NcclBonds {
 public:
  /// Reads the bonds. Errors go to `errors`; ends that are no GPU of the file go to the warnings of `builder`. All
  /// arguments must outlive it.
  NcclBonds(const std::vector<NcclCpu>& cpus, const std::vector<NcclGpu>& gpus, NcclErrors& errors,
            TopologyBuilder& builder);

  /// Adds the links of the bonds, and those into the NVSwitches.
  void add_links();

  /// True if the file names no bond at all.
  [[nodiscard]] bool none_told() const { return bonds_.empty() && to_switches_.empty() && !far_ends_missing_; }
  [[nodiscard]] bool widths_are_known() const;

 private:
  void read(const NcclGpu& gpu);
  void read_nvlink(const NcclGpu& gpu, const pugi::xml_node& element);
  void read_xgmi(const NcclGpu& gpu, const pugi::xml_node& element);
  void read_c2c(const NcclGpu& gpu, const pugi::xml_node& element);
  void join_switches();

  [[nodiscard]] int count(const pugi::xml_node& element);
  /// The GPU of that bus id on the host of `gpu`; null if there is none.
  [[nodiscard]] const NcclGpu* peer_of(const NcclGpu& gpu, PciAddress pci) const;
  void warn_of_hidden_target(const NcclGpu& gpu, const pugi::xml_node& element);
  [[nodiscard]] std::string hidden_target(const NcclGpu& gpu, const pugi::xml_node& element) const;

  const std::vector<NcclCpu>& cpus_;
  const std::vector<NcclGpu>& gpus_;
  NcclErrors& errors_;
  TopologyBuilder& builder_;
  std::map<std::pair<std::string_view, PciAddress>, std::size_t> by_address_;  ///< by host: index in gpus_
  Bonds bonds_;
  std::map<std::size_t, int> to_switches_;  ///< index in gpus_ -> number of links into the NVSwitches
  bool far_ends_missing_ = false;           ///< bonds were left out because their other end is not in the file
};

namespace {}  // namespace

NcclBonds::NcclBonds(const std::vector<NcclCpu>& cpus, const std::vector<NcclGpu>& gpus, NcclErrors& errors,
                     TopologyBuilder& builder)
    : cpus_(cpus), gpus_(gpus), errors_(errors), builder_(builder) {
  for (std::size_t i = 0; i < gpus.size(); ++i) by_address_.try_emplace({cpus[gpus[i].cpu].host, gpus[i].pci}, i);
  for (const NcclGpu& gpu : gpus) read(gpu);
}

void NcclBonds::add_links() {
  bonds_.add_to(builder_, {origin::kNcclXml, widths_are_known() ? Basis::nominal : Basis::unknown_width});
  join_switches();
}

int NcclBonds::count(const pugi::xml_node& element) {
  const pugi::xml_attribute attribute = element.attribute("count");
  const std::optional<std::int64_t> links = parse_integer(attribute.value());
  if (attribute && links && *links >= 1 && *links <= 1024) return static_cast<int>(*links);
  errors_.add(element, fmt::format("'{}' is not a number of links", printable(attribute.value())), "count");
  return 0;
}

void NcclBonds::read(const NcclGpu& gpu) {
  for (const pugi::xml_node& child : gpu.element.children()) {
    const std::string_view name = child.name();
    if (name == "nvlink") read_nvlink(gpu, child);
    if (name == "xgmi") read_xgmi(gpu, child);
    if (name == "c2c") read_c2c(gpu, child);
  }
}

void NcclBonds::warn_of_hidden_target(const NcclGpu& gpu, const pugi::xml_node& element) {
  far_ends_missing_ = true;
  builder_.warn(hidden_target(gpu, element));
}

std::string NcclBonds::hidden_target(const NcclGpu& gpu, const pugi::xml_node& element) const {
  const std::string& name = builder_.vertex(gpu.vertex).name;
  const std::string_view target = element.attribute("target").value();
  if (PciAddress::parse(target) == gpu.pci)
    return fmt::format(
        "{}: {} {} links lead back to itself, so {}; a '+' with nvidia-smi topo -m or a measured matrix shows it", name,
        element.attribute("count").value(), element.name(), kFarEndNotShown);
  return fmt::format("{}: {} target '{}' is no GPU of this file; its links are left out", name, element.name(),
                     printable(target.substr(0, 80)));
}

const NcclGpu* NcclBonds::peer_of(const NcclGpu& gpu, PciAddress pci) const {
  const auto found = by_address_.find({cpus_[gpu.cpu].host, pci});
  return found == by_address_.end() ? nullptr : &gpus_[found->second];
}

/// Reads an <nvlink>. The class of its target says what is at the other end (NCCL's kvDictPciClass): 0x0680 an
/// NVSwitch, 0x068001 a POWER processor, 0x03 a GPU.
void NcclBonds::read_nvlink(const NcclGpu& gpu, const pugi::xml_node& element) {
  const int width = count(element);
  // NCCL writes this target itself where a virtual machine hides the switches (xml.cc).
  if (width > 0 && std::string_view(element.attribute("target").value()) == "fffffff:ffff:ff") {
    to_switches_[static_cast<std::size_t>(&gpu - gpus_.data())] += width;
    return;
  }
  const std::optional<PciAddress> target = errors_.address(element, "target");
  if (!target || width == 0) return;
  const BytesPerSecond bandwidth = nvlink_bandwidth(gpu.element.attribute("sm").as_int()) * width;
  const std::string_view target_class = element.attribute("tclass").value();
  const NcclGpu* peer = peer_of(gpu, *target);
  if (target_class == "0x068001")
    bonds_.state_both(gpu.vertex, cpus_[gpu.cpu].vertex, LinkKind::nvlink, width, bandwidth);
  else if (target_class.starts_with("0x0680"))
    to_switches_[static_cast<std::size_t>(&gpu - gpus_.data())] += width;
  else if (peer != nullptr && peer != &gpu)
    bonds_.state(gpu.vertex, peer->vertex, LinkKind::nvlink, width, bandwidth);
  else
    warn_of_hidden_target(gpu, element);
}

void NcclBonds::read_xgmi(const NcclGpu& gpu, const pugi::xml_node& element) {
  const std::optional<PciAddress> target = errors_.address(element, "target");
  const int width = count(element);
  if (!target || width == 0) return;
  const NcclGpu* peer = peer_of(gpu, *target);
  if (peer == nullptr || peer == &gpu) return warn_of_hidden_target(gpu, element);
  bonds_.state(gpu.vertex, peer->vertex, LinkKind::xgmi, width,
               xgmi_bandwidth(gpu.element.attribute("gcn").value()) * width);
}

/// Reads a <c2c>, the only kind of link whose rate is in the file: "bw" in MB/s per link.
void NcclBonds::read_c2c(const NcclGpu& gpu, const pugi::xml_node& element) {
  const int width = count(element);
  const double rate = element.attribute("bw").as_double();
  if (width == 0) return;
  if (!(rate >= 0) || rate > 1e9)
    return errors_.add(element, fmt::format("'{}' is not a rate in MB/s", printable(element.attribute("bw").value())),
                       "bw");
  bonds_.state_both(gpu.vertex, cpus_[gpu.cpu].vertex, LinkKind::c2c, width, BytesPerSecond(rate * 1e6 * width));
}

/// NCCL takes all NVSwitches of a machine as one, and so do we, because the hardware chooses which of them a packet
/// crosses.
void NcclBonds::join_switches() {
  if (to_switches_.empty()) return;
  const VertexId plane = builder_.add_vertex({.kind = VertexKind::nvswitch, .name = "NVSwitch plane"});
  for (const auto& [index, width] : to_switches_) {
    const NcclGpu& gpu = gpus_[index];
    builder_.add_links({.from = gpu.vertex,
                        .to = plane,
                        .kind = LinkKind::nvlink,
                        .width = width,
                        .bandwidth = nvlink_bandwidth(gpu.element.attribute("sm").as_int()) * width,
                        .source = {origin::kNcclXml, Basis::nominal}});
  }
}

/// False if the widths cannot be trusted. RCCL's files for MI250, MI250X and MI300A often say 1 for every bond, and
/// RCCL takes the widths from its own tables.
bool NcclBonds::widths_are_known() const {
  constexpr int kMi300a = 0x74a0;
  const bool wider = std::ranges::any_of(gpus_, [&](const NcclGpu& gpu) {
    const std::string_view gcn = gpu.element.attribute("gcn").value();
    const int device = parse_pci_class({}, gpu.element.parent().attribute("device").value()).vendor;
    return (gcn == "910" || gcn == "gfx90a" || device == kMi300a) && gpu.element.child("xgmi");
  });
  return !wider || !bonds_.all_single();
}

/// Most NUMA domains of one file. The largest seen has 8, a rack of 18 trays has 36.
constexpr std::size_t kMostCpus = 256;

/// A network interface that is below no PCI device. Each <cpu> of a host lists all of them.
struct Net {
  std::string_view host;
  std::string name;
  VertexId above;
  std::map<std::string_view, BytesPerSecond> ports;
};

class Reader {
 public:
  Reader(const std::string& where, std::string_view text) : xml_(where, text), builder_(where), builder_name_(where) {}

  Topology read();

 private:
  void read_cpu(const pugi::xml_node& element);
  void read_pci(const pugi::xml_node& element, VertexId above);
  VertexId pci_switch(const pugi::xml_node& element, PciAddress pci, VertexId above);
  void read_gpu(const pugi::xml_node& element, const pugi::xml_node& pci_element, PciAddress pci, VertexId above);
  void read_nic(const pugi::xml_node& pci_element, PciAddress pci, VertexId above);
  void read_nets(const pugi::xml_node& nic, VertexId above);
  void add_nets();
  void number_gpus();
  void join_sockets();
  void find_gpu_naming(const pugi::xml_node& root);
  void report_hidden_bonds();

  VertexId attach(Vertex vertex, VertexId above, LinkKind kind, BytesPerSecond bandwidth);

  LocatedXml xml_;
  TopologyBuilder builder_;
  std::string builder_name_;
  NcclErrors errors_{xml_};
  bool names_gpus_ = false;     ///< the file has <gpu> elements
  bool without_class_ = false;  ///< no <pci> of such a file states its class either, so its leaves are the GPUs
  bool several_hosts_ = false;
  std::vector<NcclCpu> cpus_;
  std::vector<NcclGpu> gpus_;
  using HostAddress = std::pair<std::string_view, PciAddress>;     ///< a rack has each bus id once on each host
  std::map<HostAddress, pugi::xml_node> devices_;                  ///< the GPUs and NICs, each once
  std::map<HostAddress, std::pair<VertexId, VertexId>> switches_;  ///< the switches, and the vertex above each
  using HostNet = std::pair<std::string_view, std::string>;        ///< by host and name
  std::set<HostNet> nets_below_pci_;
  std::map<HostNet, std::size_t> net_numbers_;  ///< indices in nets_
  std::vector<Net> nets_;                       ///< nets that are below no PCI device
  int nics_ = 0;
};

VertexId Reader::attach(Vertex vertex, VertexId above, LinkKind kind, BytesPerSecond bandwidth) {
  vertex.parent = above;
  const Vertex& parent = builder_.vertex(above);
  vertex.numa = parent.numa;
  vertex.node = parent.node;
  vertex.cpus = parent.cpus;
  const VertexId id = builder_.add_vertex(std::move(vertex));
  builder_.add_links({.from = id, .to = above, .kind = kind, .bandwidth = bandwidth, .source = origin::kNcclXml});
  return id;
}

void Reader::read_cpu(const pugi::xml_node& element) {
  if (cpus_.size() == kMostCpus)
    throw Error(ExitStatus::bad_input, {xml_.at(element, fmt::format("more than {} <cpu> elements", kMostCpus))});
  const std::string_view host = element.attribute("host_hash").value();
  const int numa = errors_.whole(element, "numaid", static_cast<int>(cpus_.size()));
  Vertex vertex{.kind = VertexKind::numa_domain, .name = fmt::format("NUMA {}", numa), .numa = numa};
  if (several_hosts_) vertex.node = std::string(host);
  const std::string_view affinity = element.attribute("affinity").value();
  if (const std::optional<std::vector<std::size_t>> cpus = parse_mask(affinity))
    vertex.cpus = to_cpu_list(*cpus);
  else if (!affinity.empty())
    errors_.add(element, fmt::format("'{}' is not a processor mask", printable(affinity.substr(0, 80))), affinity);
  cpus_.push_back({builder_.add_vertex(std::move(vertex)),
                   host,
                   {element.attribute("arch").value(), element.attribute("vendor").value(),
                    element.attribute("familyid").as_int(), element.attribute("modelid").as_int()}});
  for (const pugi::xml_node& child : element.children()) {
    const std::string_view name = child.name();
    if (name == "pci") read_pci(child, cpus_.back().vertex);
    if (name == "nic") read_nets(child, cpus_.back().vertex);
  }
}

void Reader::read_pci(const pugi::xml_node& element, VertexId above) {
  const std::optional<PciAddress> pci = errors_.address(element, "busid");
  if (!pci) return;
  const PciClass device = parse_pci_class(element.attribute("class").value(), element.attribute("vendor").value());
  const auto computes = [&] {
    const GpuKind kind = gpu_kind({device, parse_pci_id(element.attribute("device").value()), *pci});
    return kind == GpuKind::discrete || kind == GpuKind::unsure;  // NCCL lists no management controllers
  };
  const bool is_gpu = names_gpus_      ? bool(element.child("gpu"))
                      : without_class_ ? is_classless_gpu(element, device.vendor)
                                       : computes();
  const bool is_nic = !is_gpu && (element.child("nic") || device.base() == PciClass::kNetworkBase);
  if (is_gpu || is_nic) {
    const auto [seen, is_new] = devices_.try_emplace({cpus_.back().host, *pci}, element);
    if (!is_new) {
      errors_.add(element,
                  fmt::format("bus id '{}' is used twice, first in {}", element.attribute("busid").value(),
                              xml_.line_of(seen->second)),
                  element.attribute("busid").value());
      return;
    }
  }
  if (is_gpu) {
    if (!element.child("gpu")) read_gpu(element, element, *pci, above);
    for (const pugi::xml_node& gpu : element.children("gpu")) read_gpu(gpu, element, *pci, above);
  }
  if (is_nic) read_nic(element, *pci, above);
  if (!element.child("pci")) return;
  const VertexId below = is_gpu || is_nic ? above : pci_switch(element, *pci, above);
  for (const pugi::xml_node& child : element.children("pci")) read_pci(child, below);
}

/// Adds a switch once. RCCL writes one physical switch several times, once per downstream port group, so the same bus
/// id is the same switch.
VertexId Reader::pci_switch(const pugi::xml_node& element, PciAddress pci, VertexId above) {
  const auto seen = switches_.find({cpus_.back().host, pci});
  if (seen != switches_.end()) {
    if (seen->second.second == above) return seen->second.first;
    throw Error(ExitStatus::bad_input,
                {xml_.at(element, fmt::format("PCI device '{}' stands in two places of the tree", pci.to_string()), {},
                         element.attribute("busid").value())});
  }
  const VertexId id = attach({.kind = VertexKind::pcie_switch, .name = pci.to_string(), .pci = pci}, above,
                             LinkKind::pcie, errors_.pcie_link(element));
  switches_.try_emplace({cpus_.back().host, pci}, id, above);
  return id;
}

void Reader::read_gpu(const pugi::xml_node& element, const pugi::xml_node& pci_element, PciAddress pci,
                      VertexId above) {
  gpus_.push_back({.element = element,
                   .pci = pci,
                   .device = element.attribute("dev").as_int(std::numeric_limits<int>::max()),
                   .above = above,
                   .bandwidth = errors_.pcie_link(pci_element),
                   .cpu = cpus_.size() - 1,
                   .vendor = nccl_gpu_vendor(element, pci_element)});
}

void Reader::read_nic(const pugi::xml_node& pci_element, PciAddress pci, VertexId above) {
  std::string name;
  BytesPerSecond bandwidth = errors_.pcie_link(pci_element);
  BytesPerSecond ports;
  for (const pugi::xml_node& nic : pci_element.children("nic")) {
    for (const pugi::xml_node& net : nic.children("net")) {
      name += fmt::format("{}{}", name.empty() ? "" : ",", net.attribute("name").value());
      nets_below_pci_.emplace(cpus_.back().host, net.attribute("name").value());
      ports += nccl_net_bandwidth(net);
    }
  }
  if (name.empty()) name = fmt::format("NIC{}", nics_);
  ++nics_;
  // Data that reaches a NIC leaves it by its ports, so a route that ends here gets the narrower of the two rates.
  if (ports.value() > 0) bandwidth = bandwidth.value() > 0 ? std::min(bandwidth, ports) : ports;
  attach({.kind = VertexKind::nic, .name = name, .pci = pci}, above, LinkKind::pcie, bandwidth);
}

void Reader::read_nets(const pugi::xml_node& nic, VertexId above) {
  const std::string_view host = cpus_.back().host;
  for (const pugi::xml_node& net : nic.children("net")) {
    const std::string name = net.attribute("name").value();
    const auto [seen, is_new] = net_numbers_.try_emplace({host, name}, nets_.size());
    if (is_new || name.empty()) nets_.push_back({host, name, above, {}});
    Net& own = is_new || name.empty() ? nets_.back() : nets_[seen->second];
    own.ports.try_emplace(net.attribute("port").value(), nccl_net_bandwidth(net));
  }
}

void Reader::add_nets() {
  std::size_t virtual_nets = 0;
  for (const Net& net : nets_) {
    if (nets_below_pci_.contains({net.host, net.name})) continue;
    if (is_virtual_net(net.name)) {
      ++virtual_nets;
      continue;
    }
    BytesPerSecond bandwidth;
    for (const auto& [port, own] : net.ports) bandwidth += own;
    const int number = nics_++;
    attach({.kind = VertexKind::nic, .name = net.name.empty() ? fmt::format("NIC{}", number) : net.name}, net.above,
           LinkKind::host, bandwidth);
  }
  if (virtual_nets > 0) builder_.warn(fmt::format("{} virtual network interfaces are left out", virtual_nets));
}

/// Numbers the GPUs by "dev", which may have gaps; without "dev" by bus id, as the vendors' tools do. Each vendor's
/// GPUs have their own numbers.
void Reader::number_gpus() {
  const auto key = [](const NcclGpu& gpu) { return std::tuple(gpu.device, gpu.pci); };
  std::ranges::stable_sort(gpus_, [&](const NcclGpu& a, const NcclGpu& b) {
    if (cpus_[a.cpu].host != cpus_[b.cpu].host) return cpus_[a.cpu].host < cpus_[b.cpu].host;
    return key(a) < key(b);
  });
  GpuNames naming;
  for (const NcclGpu& gpu : gpus_) naming.add(gpu.vendor);
  if (const std::optional<std::string> warning = naming.warning()) builder_.warn(*warning);
  std::map<std::tuple<std::string_view, std::string_view, int>, const NcclGpu*> numbers;  // by host, vendor and "dev"
  std::map<std::pair<std::string_view, std::string_view>, int> counted;                   // by host and vendor
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    NcclGpu& gpu = gpus_[i];
    const std::string_view host = cpus_[gpu.cpu].host;
    const std::string_view vendor = naming.several() ? gpu.vendor : std::string_view();
    const bool numbered = gpu.device != std::numeric_limits<int>::max();
    const auto [first, is_new] = numbers.try_emplace({host, vendor, gpu.device}, &gpu);
    if (numbered && !is_new)
      errors_.add(gpu.element,
                  fmt::format("dev '{}' is used twice, first in {}", gpu.device, xml_.line_of(first->second->element)),
                  "dev");
    const int own = counted[{host, vendor}]++;
    const int number = numbered ? gpu.device : naming.several() ? own : static_cast<int>(i);
    gpu.vertex = attach({.kind = VertexKind::gpu,
                         .name = fmt::format("{}{}GPU{}", vendor, vendor.empty() ? "" : " ", number),
                         .pci = gpu.pci,
                         .number = numbered ? number : -1},
                        gpu.above, LinkKind::pcie, gpu.bandwidth);
    builder_.add_place(PlaceKind::gpu, gpu.vertex);
  }
}

/// Joins each NUMA domain with each, as NCCL does, because the file does not say how they are joined.
void Reader::join_sockets() {
  for (std::size_t a = 0; a < cpus_.size(); ++a) {
    for (std::size_t b = a + 1; b < cpus_.size(); ++b) {
      if (cpus_[a].host != cpus_[b].host) continue;
      builder_.add_links({.from = cpus_[a].vertex,
                          .to = cpus_[b].vertex,
                          .kind = LinkKind::inter_socket,
                          .bandwidth = std::min(inter_socket_bandwidth(cpus_[a].processor),
                                                inter_socket_bandwidth(cpus_[b].processor)),
                          .source = {origin::kNcclXml, Basis::nccl}});
    }
  }
}

/// Finds out how the file names GPUs. Files of clouds may have only bus ids. Their leaves count as GPUs if they are no
/// more than a node has; if there are more, some are adapters, and nothing says which.
void Reader::find_gpu_naming(const pugi::xml_node& root) {
  constexpr std::size_t kMostGpus = 16;
  const auto is_named = [&](const char* name) {
    return bool(root.find_node([&](const pugi::xml_node& node) { return std::string_view(node.name()) == name; }));
  };
  names_gpus_ = is_named("gpu");
  if (names_gpus_) return;
  std::size_t leaves = 0;
  const pugi::xml_node with_class = root.find_node([&](const pugi::xml_node& node) {
    if (std::string_view(node.name()) != "pci") return false;
    const PciClass device = parse_pci_class({}, node.attribute("vendor").value());
    if (is_classless_gpu(node, device.vendor)) ++leaves;
    return bool(node.attribute("class"));
  });
  without_class_ = !with_class && leaves > 0;
  if (!without_class_) return;
  if (leaves > kMostGpus)
    throw Error(
        ExitStatus::bad_input,
        {xml_.at(root, fmt::format("{} devices, of which nothing says whether they are GPUs or adapters", leaves),
                 "NCCL_TOPO_DUMP_FILE=node.xml writes a complete file")});
  builder_.assume(fmt::format("{} devices without a class are GPUs", leaves));
  builder_.warn(
      fmt::format("no <pci> of this file states its class or what it is: its {} devices are taken to be GPUs", leaves));
}

void Reader::report_hidden_bonds() {
  UnbondedGpus unbonded;
  for (const NcclGpu& gpu : gpus_) {
    const pugi::xml_node pci = names_gpus_ ? gpu.element.parent() : gpu.element;
    unbonded.add(parse_pci_class({}, pci.attribute("vendor").value()).vendor,
                 parse_pci_class({}, pci.attribute("device").value()).vendor, gpu.element.attribute("sm").as_int(),
                 !names_gpus_);
  }
  unbonded.report(builder_, builder_name_,
                  names_gpus_ ? "none of its <gpu> has a link" : "it has no <gpu>, as files for virtual machines");
}

Topology Reader::read() {
  const pugi::xml_node root = xml_.root();
  if (std::string_view(root.name()) != "system")
    throw Error(ExitStatus::bad_input,
                {xml_.at(root, std::string_view(root.name()) == "graphs"
                                   ? "this is NCCL's graph file, which describes its rings and trees, not the machine"
                                   : fmt::format("<{}> is not NCCL's <system>", printable(root.name())))});
  find_gpu_naming(root);
  std::set<std::string_view> hosts;
  for (const pugi::xml_node& cpu : root.children("cpu")) hosts.insert(cpu.attribute("host_hash").value());
  several_hosts_ = hosts.size() > 1;
  for (const pugi::xml_node& cpu : root.children("cpu")) read_cpu(cpu);
  add_nets();
  number_gpus();
  errors_.throw_if_any();
  if (gpus_.empty()) throw Error(ExitStatus::bad_input, {xml_.at(root, "there is no GPU in this file")});
  NcclBonds bonds(cpus_, gpus_, errors_, builder_);
  errors_.throw_if_any();
  bonds.add_links();
  if (bonds.none_told()) report_hidden_bonds();
  join_sockets();
  if (!bonds.widths_are_known())
    builder_.warn(
        "every xGMI bond is given as 1 link, but those of MI250 and MI250X are 1, 2 and 4 wide and those of MI300A 2; "
        "join preset:mi250x, preset:mi300a or a measured matrix with '+'");
  return std::move(builder_).build();
}

bool recognises(std::string_view head) {
  return head.find("<system") != std::string_view::npos && head.find("<topology") == std::string_view::npos;
}

Topology read(const std::string& where, std::string_view text) {
  return Reader(where, text).read();
}

}  // namespace

const TopologyFormat kNcclXmlFormat{"nccl-xml", "NCCL and RCCL topology XML (NCCL_TOPO_DUMP_FILE)", recognises, read};

}  // namespace topowise
