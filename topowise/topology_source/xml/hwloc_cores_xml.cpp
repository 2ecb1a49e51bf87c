// SPDX-License-Identifier: BSD-3-Clause
// The objects of hwloc's XML that hold cores.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/core_tree.hpp>
#include <topowise/topology_source/node/cpu_mask.hpp>
#include <topowise/topology_source/xml/hwloc_objects.hpp>

namespace topowise {
namespace {

/// Nothing but what cores are in: devices have no processors.
HostObject host_object(const pugi::xml_node& object) {
  const std::string_view type = object.attribute("type").value();
  HostObject read{.type = printable(type), .os_index = object.attribute("os_index").as_int(0)};
  const std::vector<std::size_t> nodes =
      parse_mask(object.attribute("nodeset").value()).value_or(std::vector<std::size_t>{});
  if (nodes.size() == 1) read.numa = static_cast<int>(nodes.front());
  read.cpus = parse_mask(object.attribute("cpuset").value()).value_or(std::vector<std::size_t>{});
  for (const pugi::xml_node& inner : object.children("object")) read.inside.push_back(host_object(inner));
  return read;
}

}  // namespace

Topology read_hwloc_cores(const LocatedXml& xml, const std::string& where, const std::string& host,
                          const Warnings& warnings) {
  const pugi::xml_node root = xml.root();
  const HostObject machine = host_object(root);
  const std::size_t cores = count_inside(machine, "Core");
  const std::size_t places = cores > 0 ? cores : count_inside(machine, "PU");
  if (places == 0) throw Error(ExitStatus::bad_input, {xml.at(root, "there is neither a GPU nor a core in this file")});
  if (places > kMostCores)
    throw Error(ExitStatus::bad_input, {xml.at(root, fmt::format("more than {} cores", kMostCores))});
  const bool has_devices = count_inside(machine, "Bridge") + count_inside(machine, "PCIDev") > 0;
  return topology_of_cores(where, origin::kHwlocXml, machine, host, has_devices, warnings);
}

}  // namespace topowise
