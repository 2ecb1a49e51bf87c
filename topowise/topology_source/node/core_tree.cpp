// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/core_tree.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <topowise/reading/cpu_list.hpp>

namespace topowise {
namespace {

class Cores {
 public:
  Cores(const std::string& where, const Provenance& source, std::string host)
      : builder_(where), source_(source), host_(std::move(host)) {}

  Topology read(const HostObject& root, bool has_devices, const Warnings& warnings) {
    core_type_ = count_inside(root, "Core") > 0 ? "Core" : "PU";
    const VertexId machine = builder_.add_vertex({.kind = VertexKind::compute_node, .name = host_, .node = host_});
    for (const HostObject& object : root.inside) read_object(object, machine, root.numa);
    warnings.pass_to(builder_);
    if (!has_devices) builder_.warn(fmt::format("{}: the places are the {} cores", kNoDevices, builder_.place_count()));
    return std::move(builder_).build();
  }

 private:
  /// The kind of an object that gets a vertex: one that several cores share.
  [[nodiscard]] std::optional<VertexKind> kind_of(const HostObject& object) const {
    const std::string_view type = object.type;
    const bool has_memory = std::ranges::find(object.inside, "NUMANode", &HostObject::type) != object.inside.end();
    if (type == "Package" || type == "Socket") return VertexKind::package;
    if (type == "NUMANode" || ((type == "Group" || type == "Die") && has_memory)) return VertexKind::numa_domain;
    if ((type.ends_with("Cache") || type == "Group" || type == "Die") && count_inside(object, core_type_) > 1)
      return VertexKind::group;
    return std::nullopt;
  }

  void read_object(const HostObject& object, VertexId above, int numa) {
    if (object.numa >= 0) numa = object.numa;
    const std::string cpus = to_cpu_list(object.cpus);
    if (object.type == core_type_) {
      const std::string name = fmt::format("core {}", builder_.place_count());
      builder_.add_place(PlaceKind::core,
                         attach({.kind = VertexKind::core, .name = name, .numa = numa, .cpus = cpus}, above));
      return;
    }
    const std::optional<VertexKind> kind = kind_of(object);
    const bool is_leaf = object.inside.empty();  // a NUMANode of version 2 and later
    if (kind && !is_leaf)
      above = attach(
          {.kind = *kind, .name = fmt::format("{} {}", object.type, object.os_index), .numa = numa, .cpus = cpus},
          above);
    for (const HostObject& inner : object.inside) read_object(inner, above, numa);
  }

  VertexId attach(Vertex vertex, VertexId above) {
    vertex.parent = above;
    vertex.node = host_;
    const VertexId id = builder_.add_vertex(std::move(vertex));
    builder_.add_links({.from = id, .to = above, .kind = LinkKind::abstract, .source = source_});
    return id;
  }

  TopologyBuilder builder_;
  Provenance source_;
  std::string host_;
  std::string_view core_type_;
};

}  // namespace

std::size_t count_inside(const HostObject& object, std::string_view type) {
  std::size_t count = 0;
  for (const HostObject& inner : object.inside) count += inner.type == type ? 1 : count_inside(inner, type);
  return count;
}

Topology topology_of_cores(const std::string& where, const Provenance& source, const HostObject& machine,
                           const std::string& host, bool has_devices, const Warnings& warnings) {
  return Cores(where, source, host).read(machine, has_devices, warnings);
}

}  // namespace topowise
