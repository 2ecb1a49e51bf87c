// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The machine: read from anything that describes one, or built in code.
///
/// A Topology is an immutable graph of vertices (GPUs, switches, sockets, nodes ...), links (one direction each) and
/// places (positions that can hold ranks). It answers for every pair of places: level, distance, bandwidth, latency,
/// route.
///
/// @code
/// const topowise::Topology node = topowise::load_topology("preset:l40s-8");
/// node.distance(topowise::Place(0), topowise::Place(7));  // 3: across the sockets
///
/// topowise::TopologyBuilder builder("two GPUs behind one switch");
/// const auto gpu = topowise::VertexKind::gpu;
/// const auto plx = builder.add_vertex({.kind = topowise::VertexKind::pcie_switch, .name = "PLX"});
/// for (const char* name : {"GPU0", "GPU1"}) {
///   const auto vertex = builder.add_vertex({.kind = gpu, .name = name, .parent = plx});
///   builder.add_links({.from = vertex, .to = plx, .kind = topowise::LinkKind::pcie,
///                      .bandwidth = topowise::gigabytes_per_second(25)});
///   builder.add_place(topowise::PlaceKind::gpu, vertex);
/// }
/// const topowise::Topology machine = std::move(builder).build();
/// @endcode
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/error.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/units.hpp>

/// All names of the library.
namespace topowise {

/// Reads a machine from what a user may write for TOPOLOGY on the command line: "live" (this machine), "preset:NAME",
/// "tree:2:4:2", "torus:8x8x4", "mesh:16x16", "dragonfly:4:8:4", "cluster:FABRIC,NODE", the path of a file, "-"
/// (standard input), or several descriptions of one machine joined with "+".
///
/// The format of a file is recognised by its content: `nvidia-smi topo -m`, NCCL/RCCL and hwloc XML, a log of NCCL,
/// `lspci -tv`, lstopo's text, rocm-smi, amd-smi, a pair matrix, Slurm, ibnetdiscover, iblinkinfo, or what
/// save_topology() wrote. `format` forces one of those that `topowise topology --help` lists.
/// @throws Error bad_input with file, line and column for a damaged description; usage for an unknown name;
///   not_available if `live` finds nothing that describes this machine.
[[nodiscard]] Topology load_topology(const std::string& source, std::string_view format = {});

/// The same for a description that is in memory. `where` names the text in error messages.
/// @throws Error as load_topology() does.
[[nodiscard]] Topology topology_from_text(const std::string& where, std::string_view text,
                                          std::string_view format = {});

/// Writes the machine as JSON ("topowise.topology/1"). The file is replaced at once or not at all.
/// @throws Error bad_input if the path cannot be written.
void save_topology(const std::string& path, const Topology& machine);

/// The machines that load_topology("preset:NAME") knows, sorted.
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace topowise
