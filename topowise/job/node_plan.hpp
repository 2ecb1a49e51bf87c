// SPDX-License-Identifier: BSD-3-Clause
// The part of a job that runs on one compute node, laid onto that node's GPUs: what its ranks tell, and what each is
// told.
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

namespace topowise::job {

/// What a process tells before it becomes the program.
struct RankReport {
  std::size_t rank = 0;                          ///< in the job
  std::map<std::string, std::string> variables;  ///< those of kReported that are set

  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;
};
/// Variables that restrict or order the GPUs that a process sees.
[[nodiscard]] std::vector<std::string> reported_variables();

/// What a process is told.
struct RankOrders {
  std::optional<NodeGpu> gpu;       ///< nothing: it stays as it is
  Variables variables;              ///< to set
  std::vector<std::string> nics{};  ///< that they name
  std::string record_into;          ///< directory to record into; empty: do not
  std::vector<std::string> among;   ///< names of the node's GPUs in their order, where the machine tells no bus ids
  std::size_t number = 0;           ///< which of them `gpu` is
};

// As text for the way from one process to another.
[[nodiscard]] std::string to_text(const RankReport& report);
[[nodiscard]] RankReport report_from_text(const std::string& text);
[[nodiscard]] std::string to_text(const RankOrders& orders);
[[nodiscard]] RankOrders orders_from_text(const std::string& text);

struct NodePlanOptions {
  GpuBinding binding = GpuBinding::permute;
  bool bind_nics = false;      ///< each rank to a NIC near its GPU
  std::string host;            ///< this node's name: which part of a machine of several nodes it is
  std::set<std::string> busy;  ///< bus ids or names of GPUs to leave out if there are others
  std::map<std::string, std::vector<std::string>> partitions;  ///< by bus id, the UUIDs of a GPU's parts (MIG)
  Seconds work = Seconds(0.05);                                ///< of the mapper, as counted steps
};

struct NodePlan {
  std::vector<RankOrders> orders;      ///< by local rank; all empty if nothing could be planned
  std::vector<std::string> problems;   ///< for the user, lower case
  std::optional<MappingResult> found;  ///< what the mapper says; nothing if nothing was mapped
  std::size_t mapped_ranks = 0;
  std::size_t gpus = 0;  ///< that could be used
};

/// `reports` by local rank. Of `traffic`, by job rank, only what the node's ranks send each other counts; without one,
/// every rank sends the same to every other. Never throws: what is in the way is in `problems`, and then all ranks stay
/// as they are.
[[nodiscard]] NodePlan plan_node(const Topology& topology, const std::optional<Traffic>& traffic,
                                 const std::vector<RankReport>& reports, const NodePlanOptions& options);

}  // namespace topowise::job
