// SPDX-License-Identifier: BSD-3-Clause
// A user's program: it uses each public header of the installed library, and no other headers of topowise.
#include <cstdio>
#include <cstring>

#include <topowise/error.hpp>
#include <topowise/evaluate.hpp>
#include <topowise/exchange.hpp>
#include <topowise/json.hpp>
#include <topowise/launch.hpp>
#include <topowise/map.hpp>
#include <topowise/mapping.hpp>
#include <topowise/predict.hpp>
#include <topowise/schedule.hpp>
#include <topowise/topology.hpp>
#include <topowise/traffic.hpp>
#include <topowise/units.hpp>
#include <topowise/version.hpp>

namespace {

topowise::Topology four_gpus() {
  topowise::TopologyBuilder builder("four GPUs behind two switches");
  const auto host = builder.add_vertex({.kind = topowise::VertexKind::root_complex, .name = "host"});
  for (int gpu = 0, plx = 0; gpu < 4; ++gpu) {
    topowise::VertexId parent;
    if (gpu % 2 == 0) {
      parent = builder.add_vertex({.kind = topowise::VertexKind::pcie_switch, .name = "PLX", .parent = host});
      plx = static_cast<int>(parent.index());
      builder.add_links({.from = parent,
                         .to = host,
                         .kind = topowise::LinkKind::pcie,
                         .bandwidth = topowise::gigabytes_per_second(25)});
    }
    parent = topowise::VertexId(static_cast<std::size_t>(plx));
    const auto vertex =
        builder.add_vertex({.kind = topowise::VertexKind::gpu, .name = "GPU" + std::to_string(gpu), .parent = parent});
    builder.add_links({.from = vertex,
                       .to = parent,
                       .kind = topowise::LinkKind::pcie,
                       .bandwidth = topowise::gigabytes_per_second(25)});
    builder.add_place(topowise::PlaceKind::gpu, vertex);
  }
  return std::move(builder).build();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
    std::puts(TOPOWISE_VERSION);
    return 0;
  }
  const topowise::Traffic halo = topowise::load_traffic("pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B");
  const topowise::Topology node = topowise::load_topology("preset:helios-k80");
  const topowise::MappingResult result = topowise::map_ranks(halo, node);

  using topowise::Bytes, topowise::Rank;
  const topowise::Topology machine = four_gpus();
  const topowise::Traffic pairs =
      topowise::Traffic::from_entries(4, {{Rank(0), Rank(2), Bytes(1e9), 1}, {Rank(1), Rank(3), Bytes(1e9), 1}});
  const topowise::MappingResult built = topowise::map_ranks(pairs, machine);
  const topowise::Evaluation numbers = topowise::evaluate(pairs, machine, built.mapping);
  const topowise::Schedule order = topowise::schedule(topowise::one_message_a_pair(pairs), machine, built.mapping);
  const std::string again = to_json(topowise::topology_from_json("memory", to_json(machine)));
  const bool lines = topowise::launcher_text(built.mapping, machine, "gpu-env").size() > 4;
  try {
    (void)topowise::load_topology("preset:nothing");
    return 1;
  } catch (const topowise::Error& error) {
    if (error.status() != topowise::ExitStatus::bad_input) return 1;
  }
  std::printf("%g %g %g %g %d\n", result.identity_cost, result.cost, numbers.hop_bytes, order.makespan.value(),
              lines && again == to_json(machine));
}
