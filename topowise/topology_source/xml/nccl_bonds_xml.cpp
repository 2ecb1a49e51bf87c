// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/xml/nccl_bonds_xml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/topology_source/node/pci_class.hpp>

namespace topowise {
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

}  // namespace topowise
