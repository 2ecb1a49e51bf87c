// SPDX-License-Identifier: BSD-3-Clause
// An allreduce of a communicator over several nodes. Each node reduces on its GPUs, rank 0 of each takes part in an
// allreduce of the MPI library on the host, and each node hands the result out.
//
// What a node cannot do must not leave the others waiting, so before each call the nodes agree, and behind it they say
// whether all went well: two small allreduces of MPI's. For vectors on the host these would be wasted, and whether a
// call's vectors are on the host no rank knows of the others. So nodes take a vote now and then whether most vectors
// were on GPUs lately: at calls 1, 2, 4, 8, ... and every 1024th. Only while they were do they agree at each call;
// otherwise every call goes through MPI.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include <topowise/collective/call.hpp>

namespace topowise::collective {

struct Across {
  int nodes = 1;
  /// At rank 0 of each node, by all nodes together; they throw if MPI fails. Words become the bitwise and of all
  /// nodes'.
  using Words = std::array<std::uint64_t, 4>;
  std::function<void(Words& words)> bitwise_and;
  std::function<void(void* vector, const CollectiveCall& piece)> reduce;
};

class ActivityVote {
 public:
  /// A call begins. True if the nodes are to vote before it.
  [[nodiscard]] bool begin(bool on_gpu) {
    ++calls_;
    ++since_vote_;
    if (on_gpu) ++on_gpu_;
    constexpr std::uint64_t kLongest = 1024;
    return (calls_ & (calls_ - 1)) == 0 || calls_ % kLongest == 0;
  }
  /// Whether most calls since the last vote, and with this one, had their vectors on a GPU.
  [[nodiscard]] bool mine() const { return 2 * on_gpu_ >= since_vote_; }
  void end_vote(bool active) {
    active_ = active;
    since_vote_ = on_gpu_ = 0;
  }
  [[nodiscard]] bool active() const { return active_; }

 private:
  std::uint64_t calls_ = 0, since_vote_ = 0, on_gpu_ = 0;
  bool active_ = false;
};

}  // namespace topowise::collective
