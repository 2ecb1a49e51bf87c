// SPDX-License-Identifier: BSD-3-Clause
// An MPI group that is given back at the end of the scope.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose {

class Group {
 public:
  explicit Group(const Mpi& m) : mpi_(m) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (valid_) mpi_.Group_free(&word_);
  }
  /// The place for MPI to write to; 32-bit handles fill half of it, so the rest must be 0.
  Word* out() { return &word_; }
  bool accept(int status) { return valid_ = status == 0; }
  [[nodiscard]] Word word() const { return word_; }

 private:
  const Mpi& mpi_;
  Word word_ = 0;
  bool valid_ = false;
};

}  // namespace topowise::interpose
