// SPDX-License-Identifier: BSD-3-Clause
// The pairs that a collective operation is made of: docs/models/collectives.md. A model is one file and one row of the
// table.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <topowise/profile/format.hpp>

namespace topowise::collective {

/// One call on a communicator, with positions in the communicator instead of world ranks.
struct Call {
  profile::Operation operation = profile::Operation::barrier;
  std::size_t members = 0;
  std::size_t root = 0;
  double bytes = 0;           ///< of one member's part, which profile::Share defines; the mean if the parts differ
  std::vector<double> parts;  ///< gatherv, allgatherv: what each member contributes; reduce_scatter: the block that it
                              ///< ends up with; empty for the others
  std::vector<std::size_t> node_of = {};  ///< the node of each member; empty: not known
};

/// What one member sends to another in one call.
struct Sent {
  std::size_t source;
  std::size_t destination;
  double bytes;
  double messages;
};

/// Collects what is sent. Leaves out a member's messages to itself, which are copies in its memory.
class Sends {
 public:
  void add(std::size_t source, std::size_t destination, double bytes, double messages = 1) {
    if (source != destination) list_.push_back({source, destination, bytes, messages});
  }
  [[nodiscard]] const std::vector<Sent>& list() const { return list_; }

 private:
  std::vector<Sent> list_;
};

struct Model {
  std::string_view name;
  std::string_view help;                    ///< one line
  void (*expand)(const Call&, Sends& out);  ///< not for operations whose Share is per_partner, except reduce_scatter
};

/// The pairs of a call by the model. A call in which no member has an element sends nothing, as Open MPI and MPICH end
/// such a call at once; a barrier has none, and messages all the same.
void expand(const Model& model, const Call& call, Sends& out);

[[nodiscard]] std::span<const Model> models();
/// Throws Error(usage) for an unknown name.
[[nodiscard]] const Model& model_named(std::string_view name);

// The models of the table; each has its own file.
void expand_openmpi(const Call& call, Sends& out);
void expand_mpich(const Call& call, Sends& out);
void expand_linear(const Call& call, Sends& out);
void expand_nccl(const Call& call, Sends& out);
void expand_nccl_ring(const Call& call, Sends& out);
void expand_nccl_tree(const Call& call, Sends& out);
void expand_nccl_hierarchical(const Call& call, Sends& out);
void expand_nccl_direct(const Call& call, Sends& out);
void expand_nccl_pat(const Call& call, Sends& out);

}  // namespace topowise::collective
