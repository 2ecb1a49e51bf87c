// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/node_plan.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/job/gpu_share.hpp>
#include <topowise/launch/gpu_vendor.hpp>
#include <topowise/launch/nics.hpp>
#include <topowise/mapper/problem/budget.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>

namespace topowise::job {
namespace {

/// The GPUs of one node, and their places on the machine.
struct NodeGpus {
  PlacedNode node;
  std::vector<Place> place_of;  ///< the place of each GPU, by index into node.gpus
};

NodeGpus gpus_of(const Topology& topology, const std::string& host) {
  std::vector<Place> all;
  for (std::size_t p = 0; p < topology.place_count(); ++p) all.emplace_back(p);
  const Placement machine = place_ranks(Mapping(all), topology);
  const auto has_gpus = [](const PlacedNode& candidate) { return !candidate.gpus.empty(); };
  if (std::ranges::none_of(machine.nodes, has_gpus))
    throw not_available(fmt::format("no GPU is known in '{}', and --auto maps ranks onto GPUs alone", topology.name()),
                        "for processors: topowise map TRAFFIC live --save FILE, then topowise run --mapping FILE");
  HostNames names;
  for (const PlacedNode& candidate : machine.nodes) names.add(candidate.name);
  const std::optional<std::size_t> number = machine.nodes.size() == 1 ? 0 : names.find(host);
  if (!number)
    throw bad_input(
        fmt::format("'{}' has {} nodes, and none is called '{}'", topology.name(), machine.nodes.size(), host));
  const PlacedNode& node = machine.nodes[*number];
  NodeGpus found{node, std::vector<Place>(node.gpus.size())};
  for (std::size_t p = 0; p < all.size(); ++p) {
    const PlacedRank& placed = machine.ranks[p];
    if (placed.node == *number && placed.gpu) found.place_of[*placed.gpu] = all[p];
  }
  if (found.node.gpus.empty())
    throw not_available(fmt::format("'{}' of '{}' has no GPU that is known, and --auto maps ranks onto GPUs alone",
                                    found.node.name, topology.name()),
                        "for processors: topowise map TRAFFIC live --save FILE, then topowise run --mapping FILE");
  return found;
}

/// The indices of GPUs of Intel that a rank sees.
std::vector<std::size_t> seen_of_intel(const RankReport& report, const PlacedNode& node) {
  const std::optional<std::string> mask = report.variable("ZE_AFFINITY_MASK");
  std::vector<std::size_t> seen;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu)
    if (!mask || mask->empty() || lets_affinity_mask(*mask, affinity_mask(node, gpu))) seen.push_back(gpu);
  return seen;
}

/// The indices of the node's GPUs of one vendor that a rank sees, as the variables of that vendor say.
std::vector<std::size_t> seen_of_vendor(const RankReport& report, const PlacedNode& node, GpuVendor vendor) {
  if (vendor == GpuVendor::intel) return seen_of_intel(report, node);
  const std::string variable(vendor == GpuVendor::unknown ? visible_devices_of(GpuVendor::nvidia)
                             : vendor == GpuVendor::amd   ? std::string_view()
                                                          : visible_devices_of(vendor));
  const std::optional<std::string> list = variable.empty() ? std::nullopt : report.variable(variable);
  if (list) return visible_gpus(node, variable, *list).gpus;
  if (vendor != GpuVendor::unknown && vendor != GpuVendor::amd)
    return visible_gpus_of_hip(node, std::nullopt, std::nullopt).gpus;
  return visible_gpus_of_hip(node, report.variable("ROCR_VISIBLE_DEVICES"), report.variable("HIP_VISIBLE_DEVICES"))
      .gpus;
}

/// Indices of the GPUs that a rank sees, ascending.
std::vector<std::size_t> seen_by(const RankReport& report, const PlacedNode& node) {
  std::vector<std::size_t> gpus;
  for (const GpuVendor vendor : vendors_of(node)) {
    const GpusOfVendor own = gpus_of_vendor(node, vendor);
    for (const std::size_t gpu : seen_of_vendor(report, own.node, vendor)) gpus.push_back(own.in_node[gpu]);
  }
  std::ranges::sort(gpus);
  return gpus;
}

std::string names_of(const std::vector<std::size_t>& gpus, const PlacedNode& node) {
  std::vector<std::string> names;
  for (const std::size_t gpu : gpus) names.push_back(node.gpus[gpu].name);
  return fmt::format("{}", fmt::join(names, ","));
}

/// What the node's ranks send each other, numbered by their position in `ranks`.
Traffic among(const std::vector<std::size_t>& ranks, const std::optional<Traffic>& traffic) {
  std::vector<TrafficEntry> entries;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = 0; b < ranks.size(); ++b) {
      if (a == b) continue;
      const Bytes bytes = traffic ? traffic->bytes(Rank(ranks[a]), Rank(ranks[b])) : Bytes(1);
      if (bytes > Bytes(0)) entries.push_back({Rank(a), Rank(b), bytes, 1});
    }
  }
  return Traffic::from_entries(ranks.size(), std::move(entries));
}

class Planner {
 public:
  Planner(const Topology& topology, const std::vector<RankReport>& reports, const NodePlanOptions& options)
      : topology_(topology), reports_(reports), options_(options), gpus_(gpus_of(topology, options.host)) {
    fill_partitions(gpus_.node.gpus);
  }

  void plan(const std::optional<Traffic>& traffic, NodePlan& plan) {
    look_at_ranks(plan);
    if (mapped_.empty()) throw not_available("no rank of this node sees a GPU");
    choose_places(plan);
    std::vector<std::size_t> job_ranks;
    for (const std::size_t local : mapped_) job_ranks.push_back(reports_[local].rank);
    MapProblem problem{.traffic = among(job_ranks, traffic), .topology = topology_};
    problem.allowed = allowed_;
    if (mapped_.size() > capacity())
      problem.ranks_per_place = static_cast<int>((mapped_.size() + allowed_.size() - 1) / allowed_.size());
    const MappingWish& wish = options_.mapping;
    problem.metric = wish.metric.value_or(Metric::distance);
    problem.objective = wish.objective.value_or(Objective::hop_bytes);
    // Of ranks of which nothing is known, only nearness can be said to be good.
    if (traffic) {
      const ObjectiveChoice choice = choose_objective(problem, {wish.objective, wish.metric.has_value(), wish.mapper});
      problem.objective = choice.objective;
      problem.spares_hop_bytes = choice.spares_hop_bytes;
    }
    const MappingResult result = map_ranks(problem, wish.mapper, steps_of(options_.work));
    give_orders(result.mapping, plan);
    plan.mapped_ranks = mapped_.size();
    plan.gpus = allowed_.size();
    plan.found = result;
  }

 private:
  /// Finds which GPUs each rank sees.
  void look_at_ranks(NodePlan& plan) {
    std::vector<std::string> blind;
    for (std::size_t local = 0; local < reports_.size(); ++local) {
      refuse_partition(reports_[local]);
      seen_.push_back(seen_in_share(reports_[local], plan));
      if (seen_[local].empty())
        blind.push_back(std::to_string(reports_[local].rank));
      else
        mapped_.push_back(local);
    }
    if (!blind.empty() && !mapped_.empty())
      plan.problems.push_back(fmt::format("rank{} {} {} no GPU, so {} without one", blind.size() == 1 ? "" : "s",
                                          fmt::join(blind, ", "), blind.size() == 1 ? "sees" : "see",
                                          blind.size() == 1 ? "it stays" : "they stay"));
  }

  /// The GPUs that a rank sees and that are its job's. Throws Error(not_available) if it is not known which these are.
  std::vector<std::size_t> seen_in_share(const RankReport& report, NodePlan& plan) const {
    const std::vector<std::size_t> seen = seen_by(report, gpus_.node);
    const ShareOnNode share = share_of(gpus_.node, report.share);
    std::vector<std::size_t> common;
    std::ranges::set_intersection(seen, share.gpus, std::back_inserter(common));
    if (common.empty() && !seen.empty() && !share.gpus.empty()) {
      common = seen.size() <= share.gpus.size() ? seen : share.gpus;
      add_problem(plan, fmt::format("rank {} sees {}, and the job's GPUs are {} ({}): {} are taken", report.rank,
                                    names_of(seen, gpus_.node), names_of(share.gpus, gpus_.node), share.sources,
                                    names_of(common, gpus_.node)));
    }
    if (!share.conflict.empty()) add_problem(plan, share.conflict);
    if (share.fewer && common.size() > *share.fewer)
      throw not_available(fmt::format("this job or step has {} of {} ({}), and nothing says which", *share.fewer,
                                      names_of(common, gpus_.node), share.sources),
                          "srun without --gpu-bind=none lists them");
    if (common.size() < gpus_.node.gpus.size()) plan.share = sources_of(report, share);
    return common;
  }

  /// "CUDA_VISIBLE_DEVICES, SLURM_STEP_GPUS"
  static std::string sources_of(const RankReport& report, const ShareOnNode& share) {
    std::vector<std::string> sources;
    for (std::string& name : visible_devices_variables())
      if (report.variable(name)) sources.push_back(std::move(name));
    if (!share.sources.empty()) sources.push_back(share.sources);
    return fmt::format("{}", fmt::join(sources, ", "));
  }

  static void add_problem(NodePlan& plan, const std::string& problem) {
    if (std::ranges::find(plan.problems, problem) == plan.problems.end()) plan.problems.push_back(problem);
  }

  /// Throws for a rank that was given a part of a GPU while the places of the machine are whole GPUs.
  void refuse_partition(const RankReport& report) const {
    const std::string list = report.variable("CUDA_VISIBLE_DEVICES").value_or("");
    const bool places_are_parts =
        std::ranges::any_of(gpus_.node.gpus, [](const NodeGpu& gpu) { return gpu.uuid.starts_with("MIG-"); });
    if (!list.starts_with("MIG-") || places_are_parts) return;
    throw not_available(fmt::format("rank {} was given a part of a GPU (CUDA_VISIBLE_DEVICES='{}'), and a program sees "
                                    "no other beside it: there is nothing to choose",
                                    report.rank, printable(list)),
                        "no CUDA_VISIBLE_DEVICES: each rank then gets a part of its own");
  }

  void fill_partitions(std::vector<NodeGpu>& gpus) const {
    for (NodeGpu& gpu : gpus) {
      const auto found = gpu.pci ? options_.partitions.find(gpu.pci->to_string()) : options_.partitions.end();
      if (found != options_.partitions.end()) gpu.partitions = found->second;
    }
  }

  /// Chooses the GPUs that the ranks see, without the busy ones, and without the partitioned ones if the others are
  /// enough.
  void choose_places(NodePlan& plan) {
    const std::vector<std::size_t>& first = seen_[mapped_.front()];
    constexpr const char* kHint =
        "srun --gpus-per-node=N without --gpu-bind and --gpus-per-task, or no CUDA_VISIBLE_DEVICES for single ranks";
    const RankReport& one = reports_[mapped_.front()];
    for (const std::size_t local : mapped_) {
      if (seen_[local] != first)
        throw bad_input(
            fmt::format("rank {} sees {} and rank {} sees {}: only ranks that see the same GPUs can be mapped",
                        one.rank, names_of(first, gpus_.node), reports_[local].rank,
                        names_of(seen_[local], gpus_.node)),
            kHint);
      // Where a control group shows each rank its own GPUs, all call them 0, 1, ...
      if (const std::string lists = different_lists(one, reports_[local]); !lists.empty())
        throw bad_input(fmt::format("{}: only ranks that see the same GPUs can be mapped", lists), kHint);
    }
    std::vector<Place> idle;
    for (const std::size_t gpu : first) {
      allowed_.push_back(gpus_.place_of[gpu]);
      if (!is_busy(gpus_.node.gpus[gpu])) idle.push_back(gpus_.place_of[gpu]);
    }
    if (idle.empty())
      plan.problems.emplace_back("all GPUs are busy, so all are used");
    else
      allowed_ = idle;
    leave_partitions_out(plan);
  }

  /// "rank 0 was given GPU 4 and rank 1 GPU 5 (SLURM_STEP_GPUS)", if a source lists others for the second rank.
  static std::string different_lists(const RankReport& one, const RankReport& other) {
    for (const JobShare::List& mine : one.share.lists) {
      const auto theirs = std::ranges::find(other.share.lists, mine.source, &JobShare::List::source);
      if (theirs != other.share.lists.end() && theirs->gpus != mine.gpus)
        return fmt::format("rank {} was given GPU {} and rank {} GPU {} ({})", one.rank, fmt::join(mine.gpus, ","),
                           other.rank, fmt::join(theirs->gpus, ","), mine.source);
    }
    return {};
  }

  /// Leaves partitioned GPUs out if the whole ones are enough: a part has a fraction of the speed, and no peer access.
  void leave_partitions_out(NodePlan& plan) {
    std::vector<Place> whole;
    std::vector<std::string> cut;
    for (std::size_t gpu = 0; gpu < gpus_.place_of.size(); ++gpu) {
      if (std::ranges::find(allowed_, gpus_.place_of[gpu]) == allowed_.end()) continue;
      if (gpus_.node.gpus[gpu].partitions.empty())
        whole.push_back(gpus_.place_of[gpu]);
      else
        cut.push_back(gpus_.node.gpus[gpu].name);
    }
    if (cut.empty()) return;
    const bool enough = whole.size() >= mapped_.size();
    if (enough) allowed_ = whole;
    plan.problems.push_back(fmt::format("{} {} partitioned (MIG){}", fmt::join(cut, ", "),
                                        cut.size() > 1 ? "are" : "is",
                                        enough ? ", and left out" : ": a rank there gets a part, without peer access"));
  }

  [[nodiscard]] bool is_busy(const NodeGpu& gpu) const {
    return options_.busy.contains(gpu.name) || (gpu.pci && options_.busy.contains(gpu.pci->to_string()));
  }

  [[nodiscard]] std::size_t capacity() const {
    std::size_t sum = 0;
    for (const Place place : allowed_) sum += static_cast<std::size_t>(topology_.place(place).capacity);
    return sum;
  }

  void give_orders(const Mapping& mapping, NodePlan& plan) const {
    Placement placement = place_ranks(mapping, topology_);
    for (PlacedNode& node : placement.nodes) fill_partitions(node.gpus);
    std::vector<RankOrders> orders(reports_.size());
    for (std::size_t i = 0; i < mapped_.size(); ++i) {
      const std::size_t local = mapped_[i];
      const Inherited inherited = within_share(gpus_.node, share_of(gpus_.node, reports_[local].share),
                                               [&](const std::string& name) { return reports_[local].variable(name); });
      const PlacedRank& placed = placement.ranks[i];
      orders[local].gpu = placement.nodes[placed.node].gpus[*placed.gpu];
      if (const std::optional<std::string> part = partition_of(placement, i)) orders[local].gpu->uuid = *part;
      const NodeGpu& gpu = *orders[local].gpu;
      if (const std::string why = why_no_variable(gpu); i == 0 && !why.empty())
        plan.problems.push_back(why + ": none is set");
      if (!gpu.pci && gpu.uuid.empty()) {
        for (const NodeGpu& each : placement.nodes[placed.node].gpus) orders[local].among.push_back(each.name);
        orders[local].number = *placed.gpu;
      }
      orders[local].variables = gpu_environment(placement, i, local, options_.binding, inherited);
    }
    if (options_.bind_nics) give_nics(placement, mapping, orders, plan);
    plan.orders = std::move(orders);
  }

  /// All ranks of the placement are on one node, which is this one.
  void give_nics(const Placement& placement, const Mapping& mapping, std::vector<RankOrders>& orders,
                 NodePlan& plan) const {
    const std::size_t node = placement.ranks.front().node;
    const std::vector<std::optional<std::string>> chosen = nics_of_node(placement, node, mapping, topology_);
    const std::vector<std::string> near = nics_near_node(placement, node, mapping, topology_);
    std::vector<std::optional<std::string>> nics(reports_.size());
    for (std::size_t i = 0; i < mapped_.size(); ++i) nics[mapped_[i]] = chosen[i];
    if (std::ranges::none_of(nics, &std::optional<std::string>::has_value))
      plan.problems.emplace_back("the machine names no NIC near its GPUs, so none is chosen");
    for (const std::size_t local : mapped_) {
      const Inherited inherited = [&](const std::string& name) { return reports_[local].variable(name); };
      const Variables variables = nic_environment(nics, near, local, inherited);
      orders[local].variables.insert(orders[local].variables.end(), variables.begin(), variables.end());
      orders[local].nics = nics_in_use(variables, nics[local].value_or(""), near);
    }
  }

  const Topology& topology_;
  const std::vector<RankReport>& reports_;
  const NodePlanOptions& options_;
  NodeGpus gpus_;
  std::vector<std::vector<std::size_t>> seen_;  ///< the GPUs that each local rank sees, as indices into gpus_
  std::vector<std::size_t> mapped_;             ///< local ranks that see a GPU
  std::vector<Place> allowed_;
};

}  // namespace

NodePlan plan_node(const Topology& topology, const std::optional<Traffic>& traffic,
                   const std::vector<RankReport>& reports, const NodePlanOptions& options) {
  NodePlan plan;
  plan.orders.resize(reports.size());
  try {
    Planner(topology, reports, options).plan(traffic, plan);
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    plan.problems.push_back(first.hint.empty() ? first.what : fmt::format("{} ({})", first.what, first.hint));
  }
  return plan;
}

}  // namespace topowise::job
