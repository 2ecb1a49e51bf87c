// SPDX-License-Identifier: BSD-3-Clause
// hwloc's matrices between devices, in MB/s per direction (hwloc/topology-nvml.c, topology-rsmi.c). NVLinkBandwidth is
// the number of links times a constant of the generation, so the number of links follows from it. It may name
// processors (POWER) and NVSwitches besides GPUs. XGMIBandwidth of hwloc's RSMI backend is the constant 100000 for
// every pair, whatever the machine ("TODO: verify" in its source). It is kept and marked, because the file has nothing
// better.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <pugixml.hpp>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/bonds.hpp>
#include <topowise/topology_source/xml/hwloc_objects.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostObjects = 4096;
constexpr double kRsmiConstant = 100000;

struct Matrix {
  pugi::xml_node element;
  std::vector<std::optional<HwlocEnd>> ends;  ///< nothing for an object that is not used
  std::vector<double> values;                 ///< row-major

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] double at(std::size_t from, std::size_t to) const { return values[from * size() + to]; }
  /// True if all pairs of different objects have this one value.
  [[nodiscard]] bool is_constant(double value) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i / size() != i % size() && values[i] != value) return false;
    }
    return size() > 1;
  }
};

std::string words(const pugi::xml_node& element, const char* name) {
  std::string all;
  for (const pugi::xml_node& chunk : element.children(name)) {
    all += chunk.child_value();
    all += ' ';
  }
  std::ranges::replace(all, '\n', ' ');
  return all;
}

std::optional<Matrix> read_matrix(const LocatedXml& xml, const pugi::xml_node& element, const HwlocEnds& ends,
                                  Diagnostics& errors) {
  const auto fail = [&](std::string what) {
    errors.add(xml.at(element, std::move(what)));
    return std::nullopt;
  };
  const std::size_t count = element.attribute("nbobjs").as_uint();
  if (count == 0 || count > kMostObjects)
    return fail(fmt::format("'{}' is not a number of objects", printable(element.attribute("nbobjs").value())));
  Matrix matrix{.element = element};
  const std::string indexes = words(element, "indexes");
  for (std::string_view index : split_blanks(indexes)) {
    if (const std::size_t colon = index.find(':'); colon != std::string_view::npos) index.remove_prefix(colon + 1);
    const std::optional<std::int64_t> number = parse_integer(index);
    if (!number) return fail(fmt::format("'{}' is not an index of an object", printable(index)));
    const auto end = ends.find(static_cast<std::uint64_t>(*number));
    matrix.ends.push_back(end == ends.end() ? std::nullopt : std::optional(end->second));
  }
  const std::string values = words(element, "u64values");
  for (const std::string_view value : split_blanks(values)) {
    const std::optional<double> number = parse_double(value);
    if (!number || !std::isfinite(*number) || *number < 0)
      return fail(fmt::format("'{}' is not a value of a matrix", printable(value)));
    matrix.values.push_back(*number);
  }
  if (matrix.ends.size() != count || matrix.values.size() != count * count)
    return fail(fmt::format("{} has {} objects and {} values, {} objects need {}",
                            printable(element.attribute("name").value()), matrix.ends.size(), matrix.values.size(),
                            count, count * count));
  return matrix;
}

/// MB/s of one link, as hwloc's NVML backend counts.
double nvlink_rate(const HwlocEnd& gpu) {
  if (gpu.pci_device >= 0x15f0 && gpu.pci_device <= 0x15ff) return 20000;  // GP100
  return gpu.pci_device >= 0x2900 ? 50000 : 25000;                         // Blackwell and later
}

/// MB/s of one link: 25 GT/s x 16 in MI200 (device 0x7400 to 0x741f), 32 GT/s in MI300, 23 GT/s before.
double xgmi_rate(const HwlocEnd& gpu) {
  if (gpu.pci_device >= 0x7400 && gpu.pci_device <= 0x741f) return 50000;
  return gpu.pci_device >= 0x74a0 ? 64000 : 46000;
}

int links_of(double megabytes_per_second, double rate) {
  return static_cast<int>(std::clamp(std::round(megabytes_per_second / rate), 1.0, 1024.0));
}

void warn_of_islands(const std::map<VertexId, std::map<std::size_t, int>>& into_switches, TopologyBuilder& builder) {
  std::map<std::size_t, std::size_t> group;  // by NVSwitch: its representative; few, so relabelled without union-find
  for (const auto& [gpu, switches] : into_switches) {
    for (const auto& [number, links] : switches) group.try_emplace(number, number);
    for (const auto& [number, links] : switches) {
      const std::size_t from = group[number];
      const std::size_t to = group[switches.begin()->first];
      for (auto& [member, representative] : group) {
        if (representative == from) representative = to;
      }
    }
  }
  const bool one = std::ranges::all_of(group, [&](const auto& entry) { return entry.second == group.begin()->second; });
  if (one) return;
  builder.assume("one plane of NVSwitches");
  builder.warn(
      "hwloc lists no links between NVSwitches, which leaves the GPUs in islands; all NVSwitches are taken as one");
}

void add_nvlinks(const Matrix& matrix, TopologyBuilder& builder) {
  Bonds bonds;
  std::map<VertexId, std::map<std::size_t, int>> into_switches;  // by GPU and NVSwitch (row): number of links
  std::map<VertexId, double> rates;
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    const std::optional<HwlocEnd>& from = matrix.ends[a];
    if (!from || from->kind == HwlocEnd::Kind::nvswitch) continue;
    for (std::size_t b = 0; b < matrix.size(); ++b) {
      const std::optional<HwlocEnd>& to = matrix.ends[b];
      if (a == b || !to || matrix.at(a, b) <= 0) continue;
      const HwlocEnd& gpu = from->kind == HwlocEnd::Kind::gpu ? *from : *to;
      if (gpu.kind != HwlocEnd::Kind::gpu) continue;
      const int width = links_of(matrix.at(a, b), nvlink_rate(gpu));
      if (to->kind == HwlocEnd::Kind::nvswitch) {
        into_switches[from->vertex][b] += width;
        rates[from->vertex] += matrix.at(a, b);
      } else if (from->vertex != to->vertex) {
        bonds.state(from->vertex, to->vertex, LinkKind::nvlink, width, BytesPerSecond(matrix.at(a, b) * 1e6));
      }
    }
  }
  bonds.add_to(builder, origin::kHwlocXml);
  if (into_switches.empty()) return;
  warn_of_islands(into_switches, builder);
  const VertexId plane = builder.add_vertex({.kind = VertexKind::nvswitch, .name = "NVSwitch plane"});
  for (const auto& [gpu, switches] : into_switches) {
    const int width = std::accumulate(switches.begin(), switches.end(), 0,
                                      [](int sum, const auto& entry) { return sum + entry.second; });
    builder.add_links({.from = gpu,
                       .to = plane,
                       .kind = LinkKind::nvlink,
                       .width = width,
                       .bandwidth = BytesPerSecond(rates[gpu] * 1e6),
                       .source = origin::kHwlocXml});
  }
}

/// Adds the xGMI links. A pair that is more than one hop apart has no link of its own.
void add_xgmi(const Matrix& matrix, const std::optional<Matrix>& hops, TopologyBuilder& builder) {
  const bool constant = matrix.is_constant(kRsmiConstant);
  const bool hops_fit = hops && hops->size() == matrix.size();
  Bonds bonds;
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    for (std::size_t b = 0; b < matrix.size(); ++b) {
      const std::optional<HwlocEnd>& from = matrix.ends[a];
      const std::optional<HwlocEnd>& to = matrix.ends[b];
      if (!from || !to || from->vertex == to->vertex || matrix.at(a, b) <= 0) continue;
      if (hops_fit && hops->at(a, b) > 1) continue;
      const int width = constant ? 1 : links_of(matrix.at(a, b), xgmi_rate(*from));
      bonds.state(from->vertex, to->vertex, LinkKind::xgmi, width, BytesPerSecond(matrix.at(a, b) * 1e6));
    }
  }
  bonds.add_to(builder, {origin::kHwlocXml, constant ? Basis::constant : Basis::stated});
  if (constant)
    builder.warn(
        "hwloc gives 100 GB/s for every pair of GPUs, a constant of its RSMI backend and no measurement; join "
        "rocm-smi, "
        "RCCL's XML, a preset or a measured matrix with '+'");
}

}  // namespace

bool add_hwloc_distances(const LocatedXml& xml, const HwlocEnds& ends, TopologyBuilder& builder, Diagnostics& errors) {
  std::map<std::string_view, Matrix> by_name;
  for (const pugi::xml_node& element : xml.root().children()) {
    if (!std::string_view(element.name()).starts_with("distances2")) continue;
    const std::string_view name = element.attribute("name").value();
    if (name != "NVLinkBandwidth" && name != "XGMIBandwidth" && name != "XGMIHops") continue;
    if (std::optional<Matrix> matrix = read_matrix(xml, element, ends, errors))
      by_name.insert_or_assign(name, std::move(*matrix));
  }
  if (const auto found = by_name.find("NVLinkBandwidth"); found != by_name.end()) add_nvlinks(found->second, builder);
  const auto hops = by_name.find("XGMIHops");
  if (const auto found = by_name.find("XGMIBandwidth"); found != by_name.end())
    add_xgmi(found->second, hops == by_name.end() ? std::nullopt : std::optional(hops->second), builder);
  return by_name.contains("NVLinkBandwidth") || by_name.contains("XGMIBandwidth");
}

}  // namespace topowise
