// SPDX-License-Identifier: BSD-3-Clause
// An allreduce of a communicator over several nodes. Each node reduces on its GPUs, rank 0 of each takes part in an
// allreduce of the MPI library on the host, and each node hands the result out.
//
// A node that cannot take part must not leave the others waiting. So the nodes agree before each call, and after it
// they say whether all went well: two small allreduces of MPI's. Both would be wasted on vectors on the host, and no
// rank knows where the vectors of the others lie. So the nodes vote now and then whether most vectors were on GPUs
// lately: at calls 1, 2, 4, 8, ... and every 1024th. The nodes agree at each call only while this was so; otherwise
// every call goes through MPI.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include <topowise/collective/call.hpp>

namespace topowise::collective {

struct Across {
  int nodes = 1;
  /// Ranks 0 of all nodes call these together; both throw if MPI fails. bitwise_and() turns the words into the bitwise
  /// and of all nodes' words.
  using Words = std::array<std::uint64_t, 4>;
  std::function<void(Words& words)> bitwise_and;
  std::function<void(void* vector, const CollectiveCall& piece)> reduce;
};

class ActivityVote {
 public:
  /// Notes that a call begins. True if the nodes must vote before it.
  [[nodiscard]] bool begin(bool on_gpu) {
    ++calls_;
    ++since_vote_;
    if (on_gpu) ++on_gpu_;
    constexpr std::uint64_t kLongest = 1024;
    return (calls_ & (calls_ - 1)) == 0 || calls_ % kLongest == 0;
  }
  /// Whether at least half of the calls since the last vote, this one included, had their vectors on a GPU.
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
