// SPDX-License-Identifier: BSD-3-Clause
// A machine without GPUs as a hierarchy of what cores share: machine, package, NUMA domain, cache. The level of two
// cores is the place where their ways up meet.
#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/node/cpu_mask.hpp>
#include <topowise/topology_source/xml/hwloc_objects.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostCores = 65536;

class Cores {
 public:
  Cores(const LocatedXml& xml, const std::string& where) : xml_(xml), builder_(where) {}

  Topology read() {
    const pugi::xml_node root = xml_.root();
    core_type_ = has(root, "Core") ? "Core" : "PU";
    const VertexId machine = builder_.add_vertex({.kind = VertexKind::compute_node, .name = "machine"});
    for (const pugi::xml_node& object : root.children("object")) read_object(object, machine, -1);
    if (builder_.place_count() == 0)
      throw Error(ExitStatus::bad_input, {xml_.at(root, "there is neither a GPU nor a core in this file")});
    builder_.warn(fmt::format("no GPU is described: the places are the {} cores", builder_.place_count()));
    return std::move(builder_).build();
  }

 private:
  static bool has(const pugi::xml_node& root, std::string_view type) {
    return bool(root.find_node([&](const pugi::xml_node& node) { return node.attribute("type").value() == type; }));
  }

  static std::size_t cores_below(const pugi::xml_node& object, std::string_view type) {
    std::size_t count = 0;
    for (const pugi::xml_node& child : object.children("object"))
      count += child.attribute("type").value() == type ? 1 : cores_below(child, type);
    return count;
  }

  /// The kind of an object that gets a vertex: one that several cores share.
  [[nodiscard]] std::optional<VertexKind> kind_of(const pugi::xml_node& object) const {
    const std::string_view type = object.attribute("type").value();
    const bool has_memory = bool(object.find_child_by_attribute("object", "type", "NUMANode"));
    if (type == "Package" || type == "Socket") return VertexKind::package;
    if (type == "NUMANode" || ((type == "Group" || type == "Die") && has_memory)) return VertexKind::numa_domain;
    if ((type.ends_with("Cache") || type == "Group" || type == "Die") && cores_below(object, core_type_) > 1)
      return VertexKind::group;
    return std::nullopt;
  }

  void read_object(const pugi::xml_node& object, VertexId above, int numa) {
    const std::string_view type = object.attribute("type").value();
    const std::vector<std::size_t> nodes =
        parse_mask(object.attribute("nodeset").value()).value_or(std::vector<std::size_t>{});
    if (nodes.size() == 1) numa = static_cast<int>(nodes.front());
    const std::string cpus =
        to_cpu_list(parse_mask(object.attribute("cpuset").value()).value_or(std::vector<std::size_t>{}));
    if (type == core_type_) {
      if (builder_.place_count() == kMostCores)
        throw Error(ExitStatus::bad_input, {xml_.at(object, fmt::format("more than {} cores", kMostCores))});
      const std::string name = fmt::format("core {}", builder_.place_count());
      builder_.add_place(PlaceKind::core,
                         attach({.kind = VertexKind::core, .name = name, .numa = numa, .cpus = cpus}, above));
      return;
    }
    const std::optional<VertexKind> kind = kind_of(object);
    const bool is_leaf = !object.child("object");  // a NUMANode of version 2 and later
    if (kind && !is_leaf)
      above = attach({.kind = *kind,
                      .name = fmt::format("{} {}", printable(type), object.attribute("os_index").as_int(0)),
                      .numa = numa,
                      .cpus = cpus},
                     above);
    for (const pugi::xml_node& child : object.children("object")) read_object(child, above, numa);
  }

  VertexId attach(Vertex vertex, VertexId above) {
    vertex.parent = above;
    const VertexId id = builder_.add_vertex(std::move(vertex));
    builder_.add_links({.from = id, .to = above, .kind = LinkKind::abstract, .source = "hwloc-xml"});
    return id;
  }

  const LocatedXml& xml_;
  TopologyBuilder builder_;
  std::string_view core_type_;
};

}  // namespace

Topology read_hwloc_cores(const LocatedXml& xml, const std::string& where) {
  return Cores(xml, where).read();
}

}  // namespace topowise
