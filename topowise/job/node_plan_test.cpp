// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/node_plan.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/mapper/problem/budget.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

std::vector<RankReport> ranks(std::size_t count, std::size_t first = 0) {
  std::vector<RankReport> reports(count);
  for (std::size_t local = 0; local < count; ++local) reports[local].rank = first + local;
  return reports;
}

std::string value_of(const RankOrders& orders, const std::string& name) {
  for (const auto& [variable, value] : orders.variables) {
    if (variable == name) return value;
  }
  return "not set";
}

const Topology& helios() {
  static const Topology machine = read_topology("preset:helios-k80");
  return machine;
}

}  // namespace

TEST_CASE("the weighted stencil goes where the mapper proves it best") {
  const Traffic traffic = read_traffic("pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B");
  const NodePlan plan = plan_node(helios(), traffic, ranks(16), {.work = Seconds(600)});
  REQUIRE(plan.found);
  CHECK(plan.problems.empty());
  CHECK(plan.found->cost == 176);
  CHECK(plan.found->proven_optimal);
  std::set<std::string> used;
  for (std::size_t local = 0; local < 16; ++local) {
    REQUIRE(plan.orders[local].gpu);
    used.insert(plan.orders[local].gpu->name);
    CHECK(value_of(plan.orders[local], "CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
  }
  CHECK(used.size() == 16);
}

TEST_CASE("ranks go where their messages take least time, by few enough predictions for a program that waits") {
  for (const char* pattern : {"pattern:torus2d:4x4", "pattern:random:16", "pattern:hypercube:4"}) {
    CAPTURE(pattern);
    const Traffic traffic = read_traffic(pattern);
    const NodePlan plan = plan_node(helios(), traffic, ranks(16), {});
    REQUIRE(plan.found);
    CHECK(plan.found->objective == "predicted-time");
    CHECK(plan.found->cost < plan.found->identity_cost);
  }
  // Of ranks of which nothing is known, only nearness is known to be good.
  CHECK(plan_node(helios(), std::nullopt, ranks(4), {}).found->objective == "hop-bytes");
}

namespace {

/// A clock that stands still, so that counts of steps alone end a search, and counts how often a search looks at it.
class CountingClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override {
    ++looks_;
    return Seconds(0);
  }
  [[nodiscard]] std::size_t looks() const { return looks_; }

 private:
  mutable std::size_t looks_ = 0;
};

}  // namespace

TEST_CASE("a program that starts on 16 GPUs waits for a bounded number of steps, whatever its traffic is") {
  constexpr std::size_t kMostLooks = 1500;  // at most 829 at the time of writing, each after a bounded piece of work
  for (const char* machine : {"preset:helios-k80", "preset:dgx2"}) {
    for (const char* pattern :
         {"pattern:torus2d:4x4", "pattern:stencil2d:4x4:w=3", "pattern:hypercube:4", "pattern:alltoall:16",
          "pattern:random:16", "pattern:random:16:degree=8", "pattern:random:16:degree=12:seed=3"}) {
      CAPTURE(machine);
      CAPTURE(pattern);
      MapProblem problem{.traffic = read_traffic(pattern), .topology = read_topology(machine)};
      problem.objective = choose_objective(problem, {}).objective;
      const CountingClock clock;
      MapOptions options = steps_of(NodePlanOptions{}.work);
      options.clock = &clock;
      CHECK(map_ranks(problem, "auto", options).cost > 0);
      CHECK(clock.looks() > 0);
      CHECK(clock.looks() < kMostLooks);
    }
  }
}

TEST_CASE("the mapper, the metric and the objective are the user's choice") {
  std::vector<TrafficEntry> entries;
  for (std::size_t rank = 0; rank < 4; ++rank) entries.push_back({Rank(rank), Rank(rank ^ 2), Bytes(1e6), 1});
  const Traffic traffic = Traffic::from_entries(4, entries);
  const auto found = [&](const MappingWish& wish) {
    return *plan_node(helios(), traffic, ranks(4), {.mapping = wish}).found;
  };
  CHECK(found({}).objective == "predicted-time");
  CHECK(found({.objective = Objective::max_congestion}).objective == "max-congestion");
  const MappingResult nearest = found({.metric = Metric::distance});  // a metric is about hop-bytes
  CHECK(nearest.objective == "hop-bytes");
  CHECK(nearest.cost == 4e6);
  const MappingResult in_order = found({.mapper = "identity"});
  CHECK(in_order.cost == in_order.identity_cost);
}

TEST_CASE("NICs near the GPUs: one for each rank by UCX, the same ones for all by NCCL; what a rank has set stays") {
  std::vector<RankReport> reports = ranks(8);
  reports[3].variables["UCX_NET_DEVICES"] = "all";
  const Topology machine = read_topology("preset:dgx-a100");
  const NodePlan plan = plan_node(machine, std::nullopt, reports, {.bind_nics = true});
  REQUIRE(plan.found);
  CHECK(plan.problems.empty());
  std::set<std::string> used;
  for (std::size_t local = 0; local < 8; ++local) {
    used.insert(value_of(plan.orders[local], "UCX_NET_DEVICES"));
    CHECK(value_of(plan.orders[local], "NCCL_IB_HCA") == value_of(plan.orders[0], "NCCL_IB_HCA"));
  }
  CHECK(value_of(plan.orders[0], "NCCL_IB_HCA").starts_with("=mlx5_"));
  CHECK(used.contains("not set"));
  CHECK(used.size() == 8);
  CHECK(plan.orders[0].nics.size() == 8);  // for --verify: everything that NCCL is told
  CHECK(orders_from_text(to_text(plan.orders[0])).nics == plan.orders[0].nics);
  reports[3].variables["NCCL_IB_HCA"] = "^mlx5_0";
  CHECK(plan_node(machine, std::nullopt, reports, {.bind_nics = true}).orders[3].nics.empty());
  CHECK(value_of(plan_node(machine, std::nullopt, ranks(8), {}).orders[0], "NCCL_IB_HCA") == "not set");
  const NodePlan none = plan_node(helios(), std::nullopt, ranks(4), {.bind_nics = true});
  REQUIRE(none.problems.size() == 1);
  CHECK(none.problems[0] == "the machine names no NIC near its GPUs, so none is chosen");
}

TEST_CASE("of a job on several nodes, what this node's ranks send each other counts") {
  // Rank 4 talks to 7 and 5 to 6, of a job of 8 ranks; ranks 4 to 7 are on four GPUs, two behind each switch.
  std::vector<TrafficEntry> entries{{Rank(4), Rank(7), Bytes(10), 1}, {Rank(5), Rank(6), Bytes(10), 1}};
  entries.push_back({Rank(0), Rank(5), Bytes(1000), 1});
  const Traffic traffic = Traffic::from_entries(8, entries);
  const NodePlan plan = plan_node(read_topology("tree:2:2"), traffic, ranks(4, 4), {});
  // The places of a tree are no GPUs.
  CHECK_FALSE(plan.found);
  REQUIRE(plan.problems.size() == 1);
  CHECK(plan.problems[0].find("no GPU is known") != std::string::npos);
  const NodePlan four = plan_node(helios(), traffic, ranks(4, 4), {});
  REQUIRE(four.found);
  CHECK(four.found->cost == four.found->lower_bound);
}

namespace {

Topology node_of(GpuVendor vendor, std::size_t gpus) {
  TopologyBuilder builder("node");
  for (std::size_t gpu = 0; gpu < gpus; ++gpu)
    builder.add_place(
        PlaceKind::gpu,
        builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU" + std::to_string(gpu), .vendor = vendor}));
  return std::move(builder).build();
}

/// The variable of each of two ranks, of which both have `set`.
std::vector<std::string> listed(GpuVendor vendor, const char* variable, const std::map<std::string, std::string>& set,
                                const JobShare& share = {}) {
  std::vector<RankReport> reports = ranks(2);
  for (RankReport& report : reports) {
    report.variables = set;
    report.share = share;
  }
  const NodePlan plan = plan_node(node_of(vendor, 4), std::nullopt, reports, {.binding = GpuBinding::only});
  REQUIRE(plan.found);
  return {value_of(plan.orders[0], variable), value_of(plan.orders[1], variable)};
}

}  // namespace

TEST_CASE("ranks on accelerators of any vendor stay among those that their variable or their job lists") {
  using List = std::vector<std::string>;
  for (const GpuVendor vendor :
       {GpuVendor::nvidia, GpuVendor::amd, GpuVendor::intel, GpuVendor::huawei, GpuVendor::hygon, GpuVendor::cambricon,
        GpuVendor::iluvatar, GpuVendor::moore_threads, GpuVendor::metax, GpuVendor::enflame}) {
    const std::string variable(visible_devices_of(vendor));
    CAPTURE(variable);
    CHECK(listed(vendor, variable.c_str(), {{variable, "2,3"}}) == List{"2", "3"});
    CHECK(listed(vendor, variable.c_str(), {}, {.lists = {{"SLURM_JOB_GPUS", {"1", "3"}}}, .count = {}}) ==
          List{"1", "3"});
    const std::vector<std::string> reported = reported_variables();
    CHECK(std::ranges::count(reported, variable) == 1);
  }
}

TEST_CASE("more ranks than GPUs share, fewer leave some free") {
  const NodePlan many = plan_node(read_topology("preset:perlmutter-a100"), std::nullopt, ranks(10), {});
  std::map<std::string, int> ranks_on;
  for (const RankOrders& orders : many.orders) ++ranks_on[orders.gpu->name];
  CHECK(ranks_on.size() == 4);
  for (const auto& [name, count] : ranks_on) CHECK(count <= 3);
  CHECK(plan_node(helios(), std::nullopt, ranks(3), {}).mapped_ranks == 3);
}

TEST_CASE("a rank without a GPU is left as it is, and the others are mapped") {
  std::vector<RankReport> reports = ranks(4);
  reports[2].variables["CUDA_VISIBLE_DEVICES"] = "";
  const NodePlan plan = plan_node(read_topology("preset:perlmutter-a100"), std::nullopt, reports, {});
  REQUIRE(plan.found);
  CHECK(plan.mapped_ranks == 3);
  CHECK_FALSE(plan.orders[2].gpu);
  CHECK(plan.orders[2].variables.empty());
  CHECK(plan.problems == std::vector<std::string>{"rank 2 sees no GPU, so it stays without one"});
}

TEST_CASE("ranks that see different GPUs stay as they are") {
  std::vector<RankReport> reports = ranks(2);
  reports[0].variables["CUDA_VISIBLE_DEVICES"] = "0,1";
  reports[1].variables["CUDA_VISIBLE_DEVICES"] = "1,2";
  const NodePlan plan = plan_node(read_topology("preset:perlmutter-a100"), std::nullopt, reports, {});
  CHECK_FALSE(plan.found);
  CHECK(plan.orders.size() == 2);
  CHECK_FALSE(plan.orders[0].gpu);
  REQUIRE(plan.problems.size() == 1);
  CHECK(plan.problems[0].starts_with("rank 0 sees GPU0,GPU1 and rank 1 sees GPU1,GPU2: "));
}

TEST_CASE("busy GPUs are left out while there are others") {
  const Topology machine = read_topology("preset:perlmutter-a100");
  const NodePlan plan = plan_node(machine, std::nullopt, ranks(3), {.busy = {"GPU1"}});
  for (const RankOrders& orders : plan.orders) CHECK(orders.gpu->name != "GPU1");
  const NodePlan all = plan_node(machine, std::nullopt, ranks(4), {.busy = {"GPU0", "GPU1", "GPU2", "GPU3"}});
  CHECK(all.gpus == 4);
  CHECK(all.problems == std::vector<std::string>{"all GPUs are busy, so all are used"});
}

TEST_CASE("only GPUs of the job are used, and no others are visible") {
  std::vector<RankReport> reports = ranks(2);
  for (RankReport& report : reports) report.share.lists = {{"SLURM_JOB_GPUS", {"12", "13", "14"}}};
  const NodePlan plan = plan_node(helios(), std::nullopt, reports, {.busy = {"GPU12"}});
  REQUIRE(plan.found);
  CHECK(plan.problems.empty());
  CHECK(plan.gpus == 2);
  CHECK(plan.share == "SLURM_JOB_GPUS");
  for (const RankOrders& orders : plan.orders) {
    CHECK((orders.gpu->name == "GPU13" || orders.gpu->name == "GPU14"));
    CHECK(value_of(orders, "CUDA_VISIBLE_DEVICES").find("12") != std::string::npos);
    CHECK(value_of(orders, "CUDA_VISIBLE_DEVICES").size() == 8);
  }
  // A list of the rank's own that has nothing in common with it, and is larger.
  for (RankReport& report : reports) report.variables["CUDA_VISIBLE_DEVICES"] = "0,1,2,3";
  const NodePlan other = plan_node(helios(), std::nullopt, reports, {});
  REQUIRE(!other.problems.empty());
  CHECK(other.problems.front() ==
        "rank 0 sees GPU0,GPU1,GPU2,GPU3, and the job's GPUs are GPU12,GPU13,GPU14 (SLURM_JOB_GPUS): "
        "GPU12,GPU13,GPU14 are taken");
}

TEST_CASE("ranks to which control groups show different GPUs by the same numbers stay as they are") {
  std::vector<RankReport> reports = ranks(2);
  for (std::size_t r = 0; r < 2; ++r) {
    reports[r].variables["CUDA_VISIBLE_DEVICES"] = "0";
    reports[r].share.lists = {{"SLURM_STEP_GPUS", {std::to_string(4 + r)}}, {"SLURM_JOB_GPUS", {"4", "5"}}};
  }
  const Topology one = limited_to_share(helios(), {{{"SLURM_STEP_GPUS", {"4"}}}, std::nullopt});
  const NodePlan plan = plan_node(one, std::nullopt, reports, {});
  CHECK(!plan.found);
  REQUIRE(!plan.problems.empty());
  CHECK(plan.problems.back().starts_with(
      "rank 0 was given GPU 4 and rank 1 GPU 5 (SLURM_STEP_GPUS): only ranks that see the same GPUs can be mapped"));
}

TEST_CASE("if only the number of the job's GPUs is known, every rank keeps its own") {
  std::vector<RankReport> reports = ranks(2);
  for (RankReport& report : reports) report.share.count = JobShare::Count{"SLURM_GPUS_ON_NODE", 4};
  const NodePlan plan = plan_node(read_topology("preset:hgx-h100"), std::nullopt, reports, {});
  CHECK(!plan.found);
  REQUIRE(plan.problems.size() == 1);
  CHECK(
      plan.problems.front() ==
      "this job or step has 4 of GPU0,GPU1,GPU2,GPU3,GPU4,GPU5,GPU6,GPU7 (SLURM_GPUS_ON_NODE), and nothing says which "
      "(srun without --gpu-bind=none lists them)");
  for (RankReport& report : reports) report.share.count->gpus = 8;
  CHECK(plan_node(read_topology("preset:hgx-h100"), std::nullopt, reports, {}).gpus == 8);
}

TEST_CASE("a machine of several nodes: this host's part") {
  std::string json = R"({"schema": "topowise.topology/1", "name": "two", "places": [)";
  for (int gpu = 0; gpu < 4; ++gpu)
    json += std::string(gpu > 0 ? "," : "") + R"({"kind": "gpu", "name": "G)" + std::to_string(gpu) +
            R"(", "node": ")" + (gpu < 2 ? "a" : "b") + "\"}";
  const Topology machine = topology_from_json("two.json", json + "]}");
  const NodePlan plan = plan_node(machine, std::nullopt, ranks(2), {.host = "b.cluster"});
  REQUIRE(plan.found);
  CHECK(std::set{plan.orders[0].gpu->name, plan.orders[1].gpu->name} == std::set<std::string>{"G2", "G3"});
  CHECK(plan_node(machine, std::nullopt, ranks(2), {.host = "c"}).problems.front() ==
        "'two' has 2 nodes, and none is called 'c'");
}

TEST_CASE("reports and orders travel as text") {
  RankReport report{3,
                    {{"CUDA_VISIBLE_DEVICES", "0,1 \n"}, {"HIP_VISIBLE_DEVICES", ""}},
                    {{{"SLURM_STEP_GPUS", {"3", "GPU-4"}}}, JobShare::Count{"SLURM_GPUS_ON_NODE", 2}}};
  const RankReport back = report_from_text(to_text(report));
  CHECK(back.rank == 3);
  CHECK(back.variable("CUDA_VISIBLE_DEVICES") == "0,1  ");
  CHECK(back.variable("HIP_VISIBLE_DEVICES") == "");
  CHECK_FALSE(back.variable("ROCR_VISIBLE_DEVICES"));
  REQUIRE(back.share.lists.size() == 1);
  CHECK(back.share.lists[0].source == "SLURM_STEP_GPUS");
  CHECK(back.share.lists[0].gpus == std::vector<std::string>{"3", "GPU-4"});
  REQUIRE(back.share.count);
  CHECK(back.share.count->gpus == 2);
  const RankOrders orders{NodeGpu{"GPU 1", PciAddress::parse("0000:06:00.0"), "GPU-1", "0-3", 1},
                          {{"A", "b=c"}, {"D", ""}},
                          {},
                          "/tmp/a b",
                          {"GPU 0", "GPU 1"},
                          1};
  const RankOrders same = orders_from_text(to_text(orders));
  REQUIRE(same.gpu);
  CHECK(same.gpu->name == "GPU 1");
  CHECK(same.gpu->pci == orders.gpu->pci);
  CHECK(same.gpu->uuid == "GPU-1");
  CHECK(same.gpu->cpus == "0-3");
  CHECK(same.gpu->numa == 1);
  CHECK(same.variables == orders.variables);
  CHECK(same.record_into == "/tmp/a b");
  CHECK(same.among == orders.among);
  CHECK(same.number == 1);
  CHECK_FALSE(orders_from_text("").gpu);
}

namespace {

/// Four GPUs; the second is cut into three parts.
Topology partly_cut() {
  std::string json = R"({"schema": "topowise.topology/1", "name": "four", "places": [)";
  for (int gpu = 0; gpu < 4; ++gpu)
    json += fmt::format(R"({}{{"kind": "gpu", "name": "G{}", "pci": "0000:1{}:00.0", "capacity": {}}})",
                        gpu > 0 ? "," : "", gpu, gpu, gpu == 1 ? 3 : 1);
  return topology_from_json("four.json", json + "]}");
}

const NodePlanOptions kPartlyCut{.partitions = {{"0000:11:00.0", {"MIG-a", "MIG-b", "MIG-c"}}}};

}  // namespace

TEST_CASE("partitioned GPUs are left out, of the lists too, while the whole ones do") {
  const NodePlan plan = plan_node(partly_cut(), std::nullopt, ranks(3), kPartlyCut);
  REQUIRE(plan.found);
  CHECK(plan.gpus == 3);
  CHECK(plan.problems == std::vector<std::string>{"G1 is partitioned (MIG), and left out"});
  for (const RankOrders& orders : plan.orders) {
    CHECK(orders.gpu->name != "G1");
    const std::string list = value_of(orders, "CUDA_VISIBLE_DEVICES");
    CHECK(list.size() == 5);
    CHECK(list.find('1') == std::string::npos);
  }
  NodePlanOptions current = kPartlyCut;
  current.binding = GpuBinding::set_device;
  const NodePlan kept = plan_node(partly_cut(), std::nullopt, ranks(3), current);
  CHECK(value_of(kept.orders[0], "CUDA_VISIBLE_DEVICES") == "0,2,3");
  CHECK(value_of(kept.orders[0], "TOPOWISE_GPU").starts_with("0000:1"));
}

TEST_CASE("where parts are needed each rank gets one of its own") {
  const NodePlan plan = plan_node(partly_cut(), std::nullopt, ranks(6), kPartlyCut);
  REQUIRE(plan.found);
  CHECK(plan.problems ==
        std::vector<std::string>{"G1 is partitioned (MIG): a rank there gets a part, without peer access"});
  std::set<std::string> parts;
  for (const RankOrders& orders : plan.orders) {
    if (orders.gpu->name != "G1") continue;
    CHECK(value_of(orders, "CUDA_VISIBLE_DEVICES") == orders.gpu->uuid);
    parts.insert(orders.gpu->uuid);
  }
  CHECK(parts == std::set<std::string>{"MIG-a", "MIG-b", "MIG-c"});
}

TEST_CASE("a rank that was given a part has nothing to choose") {
  std::vector<RankReport> reports = ranks(2);
  for (RankReport& report : reports) report.variables["CUDA_VISIBLE_DEVICES"] = "MIG-b";
  const NodePlan plan = plan_node(partly_cut(), std::nullopt, reports, kPartlyCut);
  CHECK_FALSE(plan.found);
  REQUIRE(plan.problems.size() == 1);
  CHECK(plan.problems[0].starts_with("rank 0 was given a part of a GPU (CUDA_VISIBLE_DEVICES='MIG-b')"));
}
