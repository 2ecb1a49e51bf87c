// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this node that the job of this process was given, as batch systems state it.
//
// Not every job has the whole node, and a GPU that this process can open need not be its job's. Slurm lists the GPUs of
// a step (SLURM_STEP_GPUS) and of a job (SLURM_JOB_GPUS), but steps inherit the second list from the batch script,
// whose node alone it describes, and with --gpu-bind=none the first one is missing. Then SLURM_GPUS_ON_NODE has the
// count, and `scontrol -d show job` the list.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/cluster/batch_system.hpp>

namespace topowise {

struct JobShare {
  struct List {
    std::string source;             ///< "SLURM_STEP_GPUS"
    std::vector<std::string> gpus;  ///< numbers on the node, or UUIDs
  };
  struct Count {
    std::string source;
    std::size_t gpus = 0;
  };
  std::vector<List> lists;     ///< all are true: the share is what they have in common
  std::optional<Count> count;  ///< no more than so many; the smallest of those that are stated
  std::string unread;          ///< a file that would have a list and cannot be read; empty if there is none
};

enum class ShareOf : unsigned char {
  job,      ///< what all processes of the job on this node may use
  process,  ///< what this process may use: a step, or a single task, may have less
};
[[nodiscard]] JobShare job_share(const JobWitness& witness, ShareOf of);

struct ShareGpu {
  std::size_t number = 0;  ///< among all GPUs of the node in the order of their bus ids
  std::string uuid;        ///< empty if not known
};

/// A share, found among the GPUs of a node.
struct ShareOnNode {
  std::vector<std::size_t> gpus;     ///< positions of those that may be the job's, ascending
  std::optional<std::size_t> fewer;  ///< the job has only so many of `gpus`, and nothing says which
  std::string sources;               ///< "SLURM_JOB_GPUS, SLURM_GPUS_ON_NODE"; empty if nothing is stated
  std::string conflict;              ///< which list is taken where they have nothing in common; or which is not read
};
/// If a list has as many numbers as there are GPUs, these are all the job's: a control group hides the others, and the
/// list may count them.
[[nodiscard]] ShareOnNode share_on_node(const JobShare& share, std::span<const ShareGpu> gpus);

/// The same machine with only the job's GPUs as places, and with warnings that name what states them.
[[nodiscard]] Topology limited_to_share(const Topology& machine, const JobShare& share);

}  // namespace topowise
