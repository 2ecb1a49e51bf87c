// SPDX-License-Identifier: BSD-3-Clause
// The copy on the host of one vector of a call, for the MPI library to work on.
#pragma once

#include <vector>

#include <topowise/interpose/allreduce/host_copy.hpp>

namespace topowise::interpose::allreduce {

/// A vector of a call; its address is null if the rank does not have it, or MPI does not look at it.
struct CallVector {
  const void* address = nullptr;
  Count count = 0;
  Word type = 0;
};

[[nodiscard]] inline bool on_gpu(const CallVector& vector) noexcept {
  return vector.address != nullptr && on_gpu(data_at(vector.address, begin_of_data(vector.type)));
}

class StagedVector {
 public:
  // All are false, after saying so, as in StagedCall. A vector on the host stays where it is.
  /// `receives`: MPI writes there.
  [[nodiscard]] bool make(const CallVector& vector, Word comm, bool receives) noexcept;
  /// Copies what MPI will read. `all`: also of a vector that it is going to write.
  [[nodiscard]] bool read(bool all) noexcept;
  [[nodiscard]] bool write() const noexcept;
  /// What MPI gets.
  [[nodiscard]] void* address() const noexcept {
    return copy_.is_made() ? copy_.address() : const_cast<void*>(vector_.address);
  }

 private:
  CallVector vector_;
  HostCopy copy_;
  bool receives_ = false;
  std::vector<plugin_interface::Run> runs_;  ///< what is written back
};

}  // namespace topowise::interpose::allreduce
