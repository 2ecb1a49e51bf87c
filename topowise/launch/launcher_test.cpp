// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/launcher.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/base/text.hpp>

using namespace topowise;

namespace {

/// `nodes` compute nodes of four GPUs (without names if `named` is false). The order of the bus ids is opposed to that
/// of the names.
Topology cluster(int nodes, bool named = true, bool with_cpus = true) {
  TopologyBuilder builder("cluster");
  for (int n = 0; n < nodes; ++n) {
    const std::string host = named ? "n0" + std::to_string(n) : "";
    for (int g = 0; g < 4; ++g) {
      builder.add_place(PlaceKind::gpu,
                        builder.add_vertex({.kind = VertexKind::gpu,
                                            .name = "GPU" + std::to_string(g),
                                            .pci = PciAddress{0, static_cast<std::uint8_t>(0x80 - 16 * g), 0, 0},
                                            .numa = g / 2,
                                            .node = host,
                                            .cpus = with_cpus ? (g < 2 ? "0-7" : "8-15") : ""}));
    }
  }
  return std::move(builder).build();
}

Mapping mapping(std::initializer_list<std::size_t> places) {
  std::vector<Place> list;
  for (const std::size_t place : places) list.emplace_back(place);
  return Mapping(std::move(list));
}

std::string emit(std::string_view launcher, const Mapping& map, const Topology& topology) {
  return launcher_text(launcher, place_ranks(map, topology), topology);
}

/// The node of each task, by RFC 34 step by step.
std::vector<std::size_t> nodes_of_taskmap(const std::string& text) {
  std::vector<std::size_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = 0;
    numbers.push_back(std::stoul(text.substr(at), &end));
    at += end;
  }
  std::vector<std::size_t> nodes;
  for (std::size_t block = 0; block + 4 <= numbers.size(); block += 4) {
    for (std::size_t repetition = 0; repetition < numbers[block + 3]; ++repetition)
      for (std::size_t node = 0; node < numbers[block + 1]; ++node)
        nodes.insert(nodes.end(), numbers[block + 2], numbers[block] + node);
  }
  return nodes;
}

}  // namespace

TEST_CASE("a placement counts local ranks, and GPUs in the order of their bus ids") {
  const Placement placement = place_ranks(mapping({5, 0, 7, 1}), cluster(2));
  REQUIRE(placement.nodes.size() == 2);
  CHECK(placement.nodes[0].gpus[0].name == "GPU3");  // it has the smallest bus id
  CHECK(placement.ranks[0].node == 1);
  CHECK(placement.ranks[2].local_rank == 1);
  CHECK(placement.ranks[1].gpu == 3);
  CHECK(placement.ranks_by_node()[1] == std::vector<std::size_t>{0, 2});
}

TEST_CASE("Open MPI rankfile") {
  CHECK(emit("openmpi-rankfile", mapping({4, 2, 0}), cluster(2)) ==
        "# 3 ranks on 'cluster'\n"
        "# slots are the system's processor numbers, shared by ranks of one NUMA domain; to be read with\n"
        "#   Open MPI 4: mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE\n"
        "#   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to none topowise run --mapping MAPPING --cpu-bind "
        "numa "
        "--\n"
        "#   (whose FILE must not have the letters \"pe\" in its path)\n"
        "rank 0=n01 slot=0-7\nrank 1=n00 slot=8-15\nrank 2=n00 slot=0-7\n");
  CHECK(emit("openmpi-rankfile", mapping({3, 2}), cluster(1, false, false)) ==
        "# 2 ranks on 'cluster'\n"
        "# slots are cores, counted from 0, one for each rank of a host; to be read with\n"
        "#   Open MPI 4: mpirun --rankfile FILE\n"
        "#   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to :overload-allowed\n"
        "#   (whose FILE must not have the letters \"pe\" in its path)\n"
        "rank 0=localhost slot=0\nrank 1=localhost slot=1\n");
}

TEST_CASE("Open MPI 5 counts cores: it reads the system's numbers only where these are the same") {
  const auto cores = [](const std::vector<std::string>& cpus) {
    TopologyBuilder builder("cores");
    for (const std::string& list : cpus)
      builder.add_place(PlaceKind::core,
                        builder.add_vertex({.kind = VertexKind::core, .name = "core", .node = "n", .cpus = list}));
    return std::move(builder).build();
  };
  const auto has = [&](const std::vector<std::string>& cpus, const std::string& words) {
    return emit("openmpi-rankfile", mapping({1, 0}), cores(cpus)).find(words + "\n") != std::string::npos;
  };
  CHECK(has({"0", "1", "2"}, "# slots are the system's processor numbers; to be read with"));
  CHECK(has({"0", "1", "2"}, "--map-by rankfile:file=FILE --bind-to :overload-allowed"));
  const std::string bound = "--map-by rankfile:file=FILE --bind-to none topowise run --mapping MAPPING --";
  CHECK(has({"0", "2", "1", "3"}, bound));
  CHECK(has({"0,2", "1,3"}, bound));
  CHECK(has({"4", "5"}, bound));
  CHECK(has({"0,2", "1,3"}, "rank 1=n slot=0,2"));
}

TEST_CASE("hostfiles name a host for every rank") {
  CHECK(emit("mpich-hostfile", mapping({4, 2, 0}), cluster(2)) == "n01:1\nn00:1\nn00:1\n");
  CHECK(emit("slurm-hostfile", mapping({4, 2, 0}), cluster(2)) == "n01\nn00\nn00\n");
  CHECK(emit("pbs-nodefile", mapping({4, 2, 0}), cluster(2)) == "n01\nn00\nn00\n");
  CHECK_THROWS_WITH_AS(emit("slurm-hostfile", mapping({0}), cluster(1, false)),
                       "'cluster' does not know the names of its hosts", Error);
}

TEST_CASE("a place that is no device of a node, and on no named one, is a node of its own") {
  for (const PlaceKind kind : {PlaceKind::slot, PlaceKind::node}) {
    TopologyBuilder builder("net");
    for (int place = 0; place < 5; ++place)
      builder.add_place(kind, builder.add_vertex({.kind = VertexKind::group, .name = "P" + std::to_string(place)}), 2);
    const Topology net = std::move(builder).build();
    const Mapping map = mapping({4, 0, 3, 0, 1});
    CHECK(place_ranks(map, net).nodes.size() == 5);
    CHECK(emit("cray-rank-order", map, net) ==
          "# 5 ranks on 'net', one line a place, in the order of the nodes (or slots) of the job; to be read with\n"
          "#   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS\n"
          "# places without ranks are left out: the job must have the places 0-1,3-4 of the machine, in this order\n"
          "# nodes have different numbers of ranks: start as many on each (srun --distribution=arbitrary)\n"
          "1,3\n4\n2\n0\n");
    CHECK(emit("flux-taskmap", map, net) == "--taskmap=manual:[[4,1,1,1],[0,1,1,1],[3,1,1,1],[0,2,1,1]]\n");
    CHECK(emit("rank-order", map, net) ==
          "# 5 ranks on 'net': the process of each, counted place by place\n4\n0\n3\n1\n2\n");
    std::vector<Place> all;
    for (std::size_t place = 0; place < net.place_count(); ++place) all.emplace_back(place);
    for (const Launcher& launcher : launchers()) {
      CAPTURE(launcher.name);
      const bool by_index =
          launcher.name == "cray-rank-order" || launcher.name == "flux-taskmap" || launcher.name == "rank-order";
      if (by_index)
        CHECK_NOTHROW(check_launcher(launcher.name, net, all));
      else
        CHECK_THROWS_AS(check_launcher(launcher.name, net, all), Error);
    }
    CHECK_FALSE(ranks_not_told_apart("flux-taskmap", map, net));
  }
}

TEST_CASE("nodes with names beside places without: each is called what it is") {
  // A place, two nodes of two GPUs, another place.
  TopologyBuilder builder("both");
  const auto add_place = [&](const std::string& name) {
    builder.add_place(PlaceKind::node, builder.add_vertex({.kind = VertexKind::group, .name = name}));
  };
  add_place("P0");
  for (const char* host : {"n0", "n0", "n1", "n1"})
    builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU", .node = host}));
  add_place("P5");
  const Topology both = std::move(builder).build();
  const auto has = [](const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK(text.find(words) != std::string::npos);
  };
  const std::string all = emit("cray-rank-order", mapping({5, 1, 3, 0}), both);
  has(all, "one line a node or place, in the order of the nodes (or slots) of the job;");
  CHECK(all.find("left out") == std::string::npos);
  const std::string some = emit("cray-rank-order", mapping({5, 1, 2}), both);
  has(some,
      "# nodes and places without ranks are left out: the job must have n0, the place 5 of the machine, in this ");
  has(emit("cray-rank-order", mapping({1, 3}), both), "one line a node, in the order of the nodes of the job;");
  has(emit("cray-rank-order", mapping({1, 3}), both), "# places without ranks are left out: the job must have n0, n1,");
  const auto note = [&](const Mapping& map) { return launcher_named("flux-taskmap").note(place_ranks(map, both)); };
  CHECK(note(mapping({0, 1})) ==
        "the numbers count nodes without ranks, too: the job must have all 2 nodes and 2 places of the machine as "
        "nodes, in their order");
  CHECK(note(mapping({0, 1, 3, 5})) ==
        "each place of the machine that states no host is taken for a node of the job, like the machine's nodes and in "
        "one order with them");
  CHECK(emit("flux-taskmap", mapping({0, 1, 3, 5}), both) == "--taskmap=manual:[[0,4,1,1]]\n");
  has(emit("rank-order", mapping({5, 1, 3, 0}), both),
      "counted node by node, GPU by GPU and place by place\n3\n1\n2\n0\n");
  CHECK(emit("slurm-hostfile", mapping({3, 1}), both) == "n1\nn0\n");
  CHECK_THROWS_WITH_AS((void)emit("slurm-hostfile", mapping({0}), both),
                       "the machine does not name its hosts, and each of its places may be one", Error);
}

TEST_CASE("a node without a name is no localhost beside others") {
  TopologyBuilder builder("some");
  for (const char* host : {"n0", ""})
    builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU", .node = host}));
  const Topology some = std::move(builder).build();
  for (const char* launcher : {"mpich-hostfile", "hydra-rankmap", "openmpi-rankfile", "slurm-hostfile", "pbs-nodefile",
                               "deepspeed-hostfile", "torchrun"}) {
    CAPTURE(launcher);
    CHECK_THROWS_WITH_AS((void)emit(launcher, mapping({0, 1}), some), "'some' names only some of its hosts", Error);
    if (std::string_view(launcher) != "torchrun") CHECK_NOTHROW((void)emit(launcher, mapping({0}), some));
  }
}

TEST_CASE("names of hosts that no source states are in no file") {
  TopologyBuilder builder(cluster(3));
  builder.invent_hosts();
  const Topology invented = std::move(builder).build();
  const Mapping map = mapping({8, 9, 0, 1});
  for (const Launcher& launcher : launchers()) {
    if (launcher.text == nullptr) continue;
    CAPTURE(launcher.name);
    if (launcher.holds == Holds::hosts && launcher.name != "flux-taskmap") {
      CHECK_THROWS_WITH_AS((void)emit(launcher.name, map, invented),
                           doctest::Contains("is made up, and no launcher knows it"), Error);
    } else if (launcher.name != "deepspeed-hostfile") {
      CHECK(emit(launcher.name, map, invented).find("n0") == std::string::npos);
    }
  }
  CHECK_THROWS_AS((void)emit("deepspeed-hostfile", map, invented), Error);
  CHECK(emit("cray-rank-order", map, invented).find("the job must have the nodes 0,2 of the machine, in this order") !=
        std::string::npos);
  CHECK(emit("torchrun", map, invented).find("${TOPOWISE_MATCH_NODES:-order}") != std::string::npos);
}

TEST_CASE("torchrun's script knows a node by the name without the domain only where that is no other node's") {
  TopologyBuilder builder("cluster");
  const std::vector<std::string> hosts{"gpu01", "gpu02.a", "gpu03.a", "gpu03.b", "10.0.0.1", "10.0.0.2"};
  for (const std::string& host : hosts)
    builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU0", .node = host}));
  const std::string text = emit("torchrun", mapping({0, 1, 2, 3, 4, 5}), std::move(builder).build());
  for (const char* line :
       {"name/gpu01|name/gpu01.*) node=0 ;;", "name/gpu02.a|name/gpu02) node=1 ;;", "name/gpu03.a) node=2 ;;",
        "name/gpu03.b) node=3 ;;", "name/10.0.0.1) node=4 ;;", "name/10.0.0.2) node=5 ;;"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("hydra's rank map numbers the hosts that it names") {
  CHECK(emit("hydra-rankmap", mapping({4, 2, 0}), cluster(2)) == "-hosts n00:2,n01:1 -rankmap 1,0,0\n");
  CHECK(emit("hydra-rankmap", mapping({8, 4}), cluster(3)) == "-hosts n01:1,n02:1 -rankmap 1,0\n");
  CHECK(emit("hydra-rankmap", mapping({0, 1}), cluster(1, false)) == "-hosts localhost:2 -rankmap 0,0\n");
}

TEST_CASE("Flux task maps, read back as Flux does") {
  CHECK(emit("flux-taskmap", mapping({0, 1, 4, 5}), cluster(2)) == "--taskmap=manual:[[0,2,2,1]]\n");
  CHECK(emit("flux-taskmap", mapping({4, 0, 1, 5}), cluster(2)) ==
        "--taskmap=manual:[[1,1,1,1],[0,1,2,1],[1,1,1,1]]\n");
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> order(12);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    std::vector<Place> places;
    for (const std::size_t place : order) places.emplace_back(place);
    const std::string text = emit("flux-taskmap", Mapping(std::move(places)), cluster(3));
    std::vector<std::size_t> nodes;
    for (const std::size_t place : order) nodes.push_back(place / 4);
    CHECK(nodes_of_taskmap(text) == nodes);
  }
}

TEST_CASE("Cray rank order: slots of a node follow its GPUs") {
  // Bus ids run backwards: place 3 is GPU 0 of the node.
  CHECK(emit("cray-rank-order", mapping({4, 2, 0, 3}), cluster(2)) ==
        "# 4 ranks on 'cluster', one line a node, in the order of the nodes of the job; to be read with\n"
        "#   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS\n"
        "# nodes have different numbers of ranks: start as many on each (srun --distribution=arbitrary)\n"
        "3,1,2\n0\n");
}

TEST_CASE("files that count the nodes of the job say which nodes it must have") {
  const Mapping gap = mapping({8, 9, 0});
  CHECK(emit("cray-rank-order", gap, cluster(3))
            .find("\n# nodes without ranks are left out: the job must have n00, n02, in "
                  "this order\n") != std::string::npos);
  const auto note = [](const Mapping& map) {
    return launcher_named("flux-taskmap").note(place_ranks(map, cluster(3)));
  };
  CHECK(note(gap) == "the numbers count nodes without ranks, too: the job must have all 3 nodes of the machine");
  CHECK(note(mapping({0, 4, 8})).empty());
}

TEST_CASE("Slurm's GPU map is the same on all nodes") {
  CHECK(emit("slurm-gpu-map", mapping({0, 4, 2, 6}), cluster(2, true, false)) == "--gpu-bind=map_gpu:3,1\n");
  CHECK_THROWS_AS((void)emit("slurm-gpu-map", mapping({0, 4, 2, 5}), cluster(2)), Error);
}

TEST_CASE("Slurm's GPU map binds each local rank to the processors near its GPU") {
  // Processors 0-7 are near the GPUs of places 0 and 1, which are GPUs 3 and 2; 8-15 are near those of places 2 and 3.
  CHECK(emit("slurm-gpu-map", mapping({0, 4, 2, 6}), cluster(2)) ==
        "--gpu-bind=map_gpu:3,1 --cpu-bind=mask_cpu:0xff,0xff00\n");
  // Ranks that share processors get parts of them, in the order of their GPUs.
  CHECK(emit("slurm-gpu-map", mapping({0, 1, 2, 3}), cluster(1)) ==
        "--gpu-bind=map_gpu:3,2,1,0 --cpu-bind=mask_cpu:0xf0,0xf,0xf000,0xf00\n");
  CHECK(emit("slurm-gpu-map", mapping({0, 0, 0}), cluster(1)) ==
        "--gpu-bind=map_gpu:3,3,3 --cpu-bind=mask_cpu:0x3,0x1c,0xe0\n");
}

namespace {

/// A node for each of `nodes`, with a GPU near each of the lists of processors.
Topology near(const std::vector<std::vector<std::string>>& nodes) {
  TopologyBuilder builder("near");
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const std::string& cpus : nodes[n])
      builder.add_place(
          PlaceKind::gpu,
          builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU", .node = "n" + std::to_string(n), .cpus = cpus}));
  }
  return std::move(builder).build();
}

std::string slurm_note(const Mapping& map, const Topology& topology) {
  return launcher_named("slurm-gpu-map").note(place_ranks(map, topology));
}

}  // namespace

TEST_CASE("Slurm's GPU map: hardware threads, large numbers, processors that are not known or differ") {
  // The second hardware threads of the cores are far from the first.
  const Topology threads = near({{"0-1,64-65", "0-1,64-65", "2-3,66-67"}});
  CHECK(emit("slurm-gpu-map", mapping({0, 1, 2}), threads) ==
        "--gpu-bind=map_gpu:0,1,2 --cpu-bind=mask_cpu:0x10000000000000001,0x20000000000000002,0xc000000000000000c\n");
  CHECK(slurm_note(mapping({0}), threads) ==
        "this needs a job that has all these processors (--exclusive); else leave --cpu-bind out");
  // Two ranks cannot divide single processors.
  CHECK(emit("slurm-gpu-map", mapping({0, 0, 1}), near({{"0,4", "1,5"}})) ==
        "--gpu-bind=map_gpu:0,0,1 --cpu-bind=mask_cpu:0x11,0x11,0x22\n");
  const Topology unknown = near({{"0-3", ""}});
  CHECK(emit("slurm-gpu-map", mapping({1, 0}), unknown) == "--gpu-bind=map_gpu:1,0\n");
  CHECK(slurm_note(mapping({1, 0}), unknown) ==
        "the processors are left to Slurm, because those near GPU are not known");
  const Topology differ = near({{"0-3", "4-7"}, {"4-7", "0-3"}});
  CHECK(emit("slurm-gpu-map", mapping({0, 2}), differ) == "--gpu-bind=map_gpu:0\n");
  CHECK(slurm_note(mapping({0, 2}), differ) ==
        "the processors are left to Slurm, because the nodes differ in those near a GPU");
  const Topology same = near({{"0-7", "0-7"}});  // no GPU has nearer processors than another
  CHECK(emit("slurm-gpu-map", mapping({1, 0}), same) == "--gpu-bind=map_gpu:1,0\n");
  CHECK(slurm_note(mapping({1, 0}), same).empty());
  CHECK_THROWS_AS((void)emit("slurm-gpu-map", mapping({0, 1}), near({{"0-3", "$(x)"}})), Error);
}

TEST_CASE("GPUs that programs take by their local rank") {
  const Topology machine = cluster(2);  // place 3 is GPU 0 of its node
  const auto off = [&](std::initializer_list<std::size_t> places) {
    return rank_off_gpu(place_ranks(mapping(places), machine));
  };
  CHECK_FALSE(off({3, 2, 7, 6}));
  CHECK_FALSE(off({3, 2, 1, 0, 3}));  // a fifth rank begins again
  CHECK(off({3, 1}) == 1);
}

TEST_CASE("hosts that a launcher gives ranks unasked") {
  const auto off = [](std::initializer_list<std::size_t> places) {
    return rank_off_host(place_ranks(mapping(places), cluster(3)));
  };
  CHECK_FALSE(off({1, 0, 5, 4, 8, 9}));
  CHECK_FALSE(off({0, 1, 2, 4, 5}));
  CHECK_FALSE(off({0, 1, 8, 9}));
  CHECK(off({0, 4, 1, 5}) == 2);
  CHECK(off({4, 0}) == 1);
  CHECK(off({0, 4, 5}) == 2);
  CHECK(off({0, 1, 4, 8, 9}) == 3);
}

TEST_CASE("GPU variables, one line per rank: the mapped GPU at the position of the local rank") {
  CHECK(emit("gpu-env", mapping({0, 3, 1}), cluster(1)) ==
        "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=3,0,1,2 HIP_VISIBLE_DEVICES=3,0,1,2\n"
        "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1,0,2,3 HIP_VISIBLE_DEVICES=1,0,2,3\n"
        "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,2,3 HIP_VISIBLE_DEVICES=0,1,2,3\n"
        "# one process that makes the workers of n00: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=3,0,2,1 "
        "HIP_VISIBLE_DEVICES=3,0,2,1\n");
}

TEST_CASE("a place that is no GPU, an unknown launcher") {
  TopologyBuilder builder("cores");
  builder.add_place(PlaceKind::core, builder.add_vertex({.kind = VertexKind::core, .name = "core 0"}));
  CHECK_THROWS_WITH_AS((void)emit("gpu-env", mapping({0}), std::move(builder).build()), "core 0 is no GPU", Error);
  CHECK_THROWS_WITH_AS((void)emit("slurm-gpu-mp", mapping({0}), cluster(1)),
                       "unknown launcher 'slurm-gpu-mp', did you mean 'slurm-gpu-map'?", Error);
}

TEST_CASE("what no mapping can fill is known without one") {
  const auto check = [](std::string_view name, const Topology& topology, std::initializer_list<std::size_t> usable) {
    check_launcher(name, topology, mapping(usable).places());
  };
  TopologyBuilder builder("mixed");
  const auto add = [&](PlaceKind kind, VertexKind vertex, std::string name, std::string cpus) {
    builder.add_place(kind, builder.add_vertex({.kind = vertex, .name = std::move(name), .cpus = std::move(cpus)}));
  };
  add(PlaceKind::core, VertexKind::core, "core 0", "?");
  add(PlaceKind::core, VertexKind::core, "core 1", "1");
  add(PlaceKind::gpu, VertexKind::gpu, "GPU0", "");
  const Topology mixed = std::move(builder).build();
  for (const char* name : {"deepspeed-hostfile", "gpu-env", "nccl-topo", "rank-order", "shell", "slurm-gpu-map"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH_AS(check(name, mixed, {1, 0}), "core 1 is no GPU", Error);
  }
  CHECK_NOTHROW(check("rank-order", mixed, {0, 1, 2}));
  CHECK_THROWS_AS(check("nccl-topo", mixed, {0, 1, 2}), Error);  // its GPU has no bus id
  CHECK_THROWS_AS(check("openmpi-rankfile", mixed, {0}), Error);
  CHECK_NOTHROW(check("openmpi-rankfile", mixed, {0, 1}));
  CHECK_THROWS_WITH_AS(check("pbs-nodefile", cluster(1, false), {0, 1}),
                       "'cluster' does not know the names of its hosts", Error);
  for (const Launcher& launcher : launchers()) CHECK_NOTHROW(check(launcher.name, cluster(2), {0, 1, 4, 5}));
}

TEST_CASE("what all mappings that fill the places must fail is known without one") {
  const Topology full = cluster(3);
  const auto slots = [](std::initializer_list<std::size_t> places) { return mapping(places); };
  const auto check = [&](std::string_view name, const Mapping& map) { check_filled(name, full, map.places()); };
  CHECK_THROWS_AS(check("slurm-gpu-map", slots({0, 1, 2, 3, 4, 5, 6})), Error);
  CHECK_THROWS_AS(check("slurm-gpu-map", slots({0, 1, 4, 6})), Error);
  CHECK_THROWS_AS(check("deepspeed-hostfile", slots({0, 0, 1, 1})), Error);
  for (const Launcher& launcher : launchers()) CHECK_NOTHROW(check(launcher.name, slots({4, 5, 0, 1, 9, 8})));
}

TEST_CASE("a place that no rank can have") {
  TopologyBuilder builder("mixed");
  for (const VertexKind kind : {VertexKind::gpu, VertexKind::gpu, VertexKind::core})
    builder.add_place(kind == VertexKind::gpu ? PlaceKind::gpu : PlaceKind::core,
                      builder.add_vertex({.kind = kind, .name = "it"}));
  const Topology mixed = std::move(builder).build();
  CHECK(refused_place("gpu-env", mixed, mapping({0, 1, 2}).places()) == 2);
  CHECK(refused_place("gpu-env", mixed, mapping({0, 1}).places()) == std::nullopt);
  CHECK(refused_place("gpu-env", mixed, {}) == std::nullopt);
}

TEST_CASE("places that a launcher's file does not tell apart") {
  const Topology known = cluster(2);  // two GPUs share processors
  const Topology unknown = cluster(2, true, false);
  const auto told = [](std::string_view launcher, const Mapping& map, const Topology& topology) {
    const auto found = ranks_not_told_apart(launcher, map, topology);
    return found ? std::to_string(found->first) + "," + std::to_string(found->second) : std::string("all");
  };
  // The order of the bus ids is opposed to that of the names: place 3 is the first GPU.
  const Mapping by_default = mapping({3, 2, 1, 0, 7, 6, 5, 4});
  const Mapping other = mapping({3, 2, 1, 0, 4, 6, 5, 7});
  for (const std::string_view launcher :
       {"openmpi-rankfile", "mpich-hostfile", "hydra-rankmap", "pbs-nodefile", "slurm-hostfile", "flux-taskmap"}) {
    CAPTURE(launcher);
    CHECK(told(launcher, by_default, unknown) == "all");
    CHECK(told(launcher, other, unknown) != "all");
    CHECK(told(launcher, other, known) != "all");
  }
  const Mapping one_each = mapping({0, 2, 5, 7});  // one rank for each list of processors
  CHECK(told("openmpi-rankfile", one_each, known) == "all");
  CHECK(told("openmpi-rankfile", one_each, unknown) == "0,1");
  CHECK(told("mpich-hostfile", one_each, known) == "0,1");
  for (const std::string_view launcher : {"gpu-env", "shell", "torchrun", "deepspeed-hostfile", "nccl-topo"})
    CHECK(told(launcher, other, unknown) == "all");
}

TEST_CASE("places without names are told apart like others") {
  TopologyBuilder builder("unnamed");
  for (const char* cpus : {"0", "1"})
    builder.add_place(PlaceKind::core, builder.add_vertex({.kind = VertexKind::core, .cpus = cpus}));
  const Topology machine = std::move(builder).build();
  CHECK(ranks_not_told_apart("mpich-hostfile", mapping({1, 0}), machine).has_value());
  CHECK_FALSE(ranks_not_told_apart("mpich-hostfile", mapping({0, 1}), machine));
  CHECK_FALSE(ranks_not_told_apart("openmpi-rankfile", mapping({1, 0}), machine));
}

TEST_CASE("files that count on local rank k using GPU k") {
  const Topology machine = cluster(2);  // place 3 is GPU 0 of its node
  for (const std::string_view launcher : {"cray-rank-order", "rank-order"}) {
    CHECK_FALSE(rank_off_count(launcher, place_ranks(mapping({0, 1, 2, 3, 7, 6}), machine)));
    CHECK(rank_off_count(launcher, place_ranks(mapping({0, 1, 7, 6}), machine)) ==
          1);  // GPUs 2 and 3 of the first node
    CHECK(rank_off_count(launcher, place_ranks(mapping({3, 3}), machine)) == 1);
  }
  CHECK_FALSE(rank_off_count("shell", place_ranks(mapping({0, 1, 7, 6}), machine)));
}

namespace {

/// One node of GPUs with these numbers, names after `word`, and of this vendor.
Topology numbered(const std::vector<int>& numbers, GpuVendor vendor = GpuVendor::unknown,
                  const std::string& word = "GPU") {
  TopologyBuilder builder("node");
  for (std::size_t g = 0; g < numbers.size(); ++g)
    builder.add_place(PlaceKind::gpu,
                      builder.add_vertex({.kind = VertexKind::gpu,
                                          .name = word + std::to_string(numbers[g]),
                                          .pci = PciAddress{0, static_cast<std::uint8_t>(0x10 * (g + 1)), 0, 0},
                                          .vendor = vendor,
                                          .number = numbers[g]}));
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("numbers of GPUs are those that the source states, also with gaps or against the order of the bus ids") {
  CHECK(emit("slurm-gpu-map", mapping({1, 0, 2}), numbered({0, 2, 3})) == "--gpu-bind=map_gpu:2,0,3\n");
  CHECK(emit("slurm-gpu-map", mapping({0, 1}), numbered({1, 0})) == "--gpu-bind=map_gpu:1,0\n");
  CHECK(emit("gpu-env", mapping({1}), numbered({0, 2, 3}))
            .starts_with("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2,0,3 "));
  const std::string script = emit("shell", mapping({1}), numbered({0, 2, 3}));
  CHECK(script.find("0) gpu=2 gpus=0,2,3; ") != std::string::npos);
  CHECK(script.find("\n*,*) all=$gpus ;;\n") != std::string::npos);
  CHECK(emit("shell", mapping({1}), numbered({0, 1})).find("all=$gpus") == std::string::npos);
  const std::string hosts = emit("deepspeed-hostfile", mapping({1, 0, 2}), numbered({0, 2, 3}));
  CHECK(hosts.find("--include localhost:0,2,3 ") != std::string::npos);
  CHECK(hosts.ends_with("localhost slots=4\n"));
  // Local rank 1 of a program that counts would use GPU 1, which is not among these.
  CHECK(rank_off_count("rank-order", place_ranks(mapping({0, 1}), numbered({0, 2}))) == 1);
  CHECK_FALSE(rank_off_count("rank-order", place_ranks(mapping({0, 1}), numbered({0, 1}))));
}

TEST_CASE("names give the numbers where no source states them, unless the bus ids have another order") {
  const auto named = [](const std::vector<std::string>& names, bool bus_ids) {
    TopologyBuilder builder("node");
    for (std::size_t g = 0; g < names.size(); ++g) {
      Vertex gpu{.kind = VertexKind::gpu, .name = names[g]};
      if (bus_ids) gpu.pci = PciAddress{0, static_cast<std::uint8_t>(g + 1), 0, 0};
      builder.add_place(PlaceKind::gpu, builder.add_vertex(std::move(gpu)));
    }
    return std::move(builder).build();
  };
  const auto map = [&](const Topology& machine) { return emit("slurm-gpu-map", mapping({0, 1}), machine); };
  CHECK(map(named({"GPU1", "GPU3"}, false)) == "--gpu-bind=map_gpu:1,3\n");
  CHECK(map(named({"GPU1", "GPU3"}, true)) == "--gpu-bind=map_gpu:1,3\n");
  CHECK(map(named({"GPU3", "GPU1"}, false)) == "--gpu-bind=map_gpu:3,1\n");
  CHECK(map(named({"GPU3", "GPU1"}, true)) == "--gpu-bind=map_gpu:0,1\n");
  CHECK(map(named({"A10", "A11"}, true)) == "--gpu-bind=map_gpu:0,1\n");
  CHECK(map(named({"GPU3", "GPU3"}, false)) == "--gpu-bind=map_gpu:0,1\n");
}

TEST_CASE("programs of each vendor read their own variable") {
  const auto variables = [](GpuVendor vendor) { return emit("gpu-env", mapping({1}), numbered({0, 1}, vendor)); };
  CHECK(variables(GpuVendor::huawei) == "ASCEND_RT_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::moore_threads) == "MUSA_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::metax) == "MACA_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::cambricon) == "MLU_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::hygon) == "HIP_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::iluvatar) == "CUDA_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::enflame) == "TOPS_VISIBLE_DEVICES=1,0\n");
  CHECK(variables(GpuVendor::intel).find("ZE_AFFINITY_MASK=1\n") != std::string::npos);
  const std::string script = emit("shell", mapping({1}), numbered({0, 1}, GpuVendor::moore_threads));
  CHECK(script.find("gpu=1 gpus=2 vendor=MooreThreads; ") != std::string::npos);
  CHECK(script.find("MooreThreads)\nchoose MUSA_VISIBLE_DEVICES \"${MUSA_VISIBLE_DEVICES-$all}\"\n"
                    "export MUSA_VISIBLE_DEVICES=$list\n;;\n") != std::string::npos);
  for (const char* launcher : {"gpu-env", "shell", "torchrun"}) {
    CHECK_THROWS_WITH_AS(emit(launcher, mapping({1}), numbered({0, 1}, GpuVendor::other)),
                         "which variable lists the visible devices for programs of the vendor of 'GPU1' is not known",
                         Error);
  }
}
