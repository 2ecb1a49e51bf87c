// SPDX-License-Identifier: BSD-3-Clause
// Maps the ranks of a job on one compute node onto the GPUs of that node: what the ranks report, and the orders that
// each gets.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/topology_source/live/job_share.hpp>

namespace topowise::job {

/// What a process reports before it becomes the program.
struct RankReport {
  std::size_t rank = 0;                          ///< rank in the job
  std::map<std::string, std::string> variables;  ///< those of reported_variables() that are set
  JobShare share{};                              ///< the GPUs that batch systems gave it

  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;
};
/// Variables that restrict or order the GPUs that a process sees.
[[nodiscard]] std::vector<std::string> reported_variables();

/// The orders that a process gets.
struct RankOrders {
  std::optional<NodeGpu> gpu;       ///< nothing: it stays as it is
  Variables variables;              ///< variables to set
  std::vector<std::string> nics{};  ///< NICs that the variables name
  std::string record_into;          ///< directory to record into; empty: do not
  std::vector<std::string> among;   ///< names of the node's GPUs in their order, where the machine states no bus ids
  std::size_t number = 0;           ///< which of them `gpu` is
};

// Reports and orders as text, for the way from one process to another.
[[nodiscard]] std::string to_text(const RankReport& report);
[[nodiscard]] RankReport report_from_text(const std::string& text);
[[nodiscard]] std::string to_text(const RankOrders& orders);
[[nodiscard]] RankOrders orders_from_text(const std::string& text);

/// What the user asks of the mapping; without it the mapper is auto, the metric distance, and the objective predicted
/// time where rates are known and ranks are few.
struct MappingWish {
  std::string mapper = "auto";
  std::optional<Metric> metric;
  std::optional<Objective> objective;
};

struct NodePlanOptions {
  GpuBinding binding = GpuBinding::permute;
  MappingWish mapping{};
  bool bind_nics = false;      ///< bind each rank to a NIC near its GPU
  std::string host;            ///< this node's name: which part of a machine of several nodes it is
  std::set<std::string> busy;  ///< bus ids or names of GPUs to leave out if there are others
  std::map<std::string, std::vector<std::string>> partitions;  ///< the UUIDs of each GPU's parts (MIG), by bus id
  /// Turned into a number of steps of the mapper. bench/start/auto.py: for 16 GPUs rank 0 takes 11 to 20 ms in all.
  Seconds work = Seconds(0.018);
};

struct NodePlan {
  std::vector<RankOrders> orders;      ///< orders by local rank; all empty if nothing could be planned
  std::vector<std::string> problems;   ///< for the user, lower case
  std::optional<MappingResult> found;  ///< what the mapper says; nothing if nothing was mapped
  std::size_t mapped_ranks = 0;
  std::size_t gpus = 0;  ///< how many GPUs could be used
  std::string share;     ///< what states which of the node's GPUs are the job's; empty if all are
};

/// Plans the mapping of one node. `reports` is by local rank, `traffic` by rank of the job; only what the node's ranks
/// send each other counts. Without traffic, every rank sends the same to every other. Never throws: `problems` says
/// what prevents a mapping, and then all ranks stay as they are.
[[nodiscard]] NodePlan plan_node(const Topology& topology, const std::optional<Traffic>& traffic,
                                 const std::vector<RankReport>& reports, const NodePlanOptions& options);

}  // namespace topowise::job
