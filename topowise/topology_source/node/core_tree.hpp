// SPDX-License-Identifier: BSD-3-Clause
// A machine without GPUs as a hierarchy of what cores share: machine, package, NUMA domain, cache. The level of two
// cores is the place where their ways up meet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

/// An object of hwloc: "Package", "NUMANode", "L3Cache", "Core", "PU".
struct HostObject {
  std::string type;
  int os_index = 0;
  int numa = -1;                  ///< its only NUMA domain; -1 if it has several, or if not known
  std::vector<std::size_t> cpus;  ///< by the operating system's numbers
  std::vector<HostObject> inside;
};

inline constexpr std::size_t kMostCores = 65536;

/// With which the warning about a source without devices begins: it may have hidden GPUs.
inline constexpr std::string_view kNoDevices = "no device is described, and so no GPU";

/// The places are the cores, else the PUs, of `machine`, at most kMostCores. `host` is the node's name, empty if not
/// known. `has_devices`: the source would show GPUs. There must be a place.
[[nodiscard]] Topology topology_of_cores(const std::string& where, const Provenance& source, const HostObject& machine,
                                         const std::string& host, bool has_devices, const Warnings& warnings);

/// The number of objects of a type in `object`.
[[nodiscard]] std::size_t count_inside(const HostObject& object, std::string_view type);

}  // namespace topowise
