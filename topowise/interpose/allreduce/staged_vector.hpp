// SPDX-License-Identifier: BSD-3-Clause
// The copies on the host of the vectors of a call, for the MPI library to work on.
#pragma once

#include <vector>

#include <topowise/interpose/allreduce/host_copy.hpp>
#include <topowise/interpose/base/arguments.hpp>

namespace topowise::interpose::allreduce {

/// A vector of a call. Its address may be null where its type has the addresses (MPI_BOTTOM).
struct CallVector {
  const void* address = nullptr;
  Count count = 0;
  Word type = 0;
  bool there = true;  ///< false if the rank does not have it, or MPI does not look at it
};
/// What else there is to know of a vector that a rank receives.
struct Parts {
  /// One for each rank: counts and displacements, in elements of the vector's type.
  Counts counts{}, begins{};
  int number = 0;      ///< 0: the vector has no such parts
  Count offset = 0;    ///< bytes from the vector's address to the first part
  Count written = -1;  ///< of a vector in place: elements that MPI writes, from the first on; below 0: all
};

[[nodiscard]] inline bool on_gpu(const CallVector& vector, Count offset = 0) noexcept {
  return vector.there && on_gpu(data_at(vector.address, begin_of_data(vector.type) + offset));
}

class StagedVector {
 public:
  // All are false, after saying so, if there is no memory for the copy, MPI does not say what the type takes, or the
  // driver refuses. Where a vector cannot be read the MPI library's collective must follow all the same: the other
  // ranks are in it. A vector on the host stays where it is.
  /// `receives`: MPI writes there.
  [[nodiscard]] bool make(const CallVector& vector, Word comm, bool receives, const Parts& parts = {}) noexcept;
  /// Copies what MPI will read. `all`: also of a vector that it is going to write.
  [[nodiscard]] bool read(bool all) noexcept;
  [[nodiscard]] bool write() const noexcept;
  /// What MPI gets.
  [[nodiscard]] void* address() const noexcept {
    return copy_.is_made() ? copy_.address() : const_cast<void*>(vector_.address);
  }

 private:
  CallVector vector_;
  [[nodiscard]] bool find_runs(Word comm, const Parts& parts) noexcept;

  HostCopy copy_;
  bool receives_ = false;
  std::vector<plugin_interface::Run> runs_;  ///< what is written back
};

/// The vectors of one call, as this rank has them.
class StagedVectors {
 public:
  // As the functions of StagedVector.
  /// `in_place`: MPI reads the vector that it receives. `parts`: of that vector.
  [[nodiscard]] bool make(const CallVector& send, const CallVector& receive, bool in_place, Word comm,
                          const Parts& parts = {}) noexcept;
  [[nodiscard]] bool read() noexcept;
  [[nodiscard]] bool write() const noexcept { return receive_.write(); }
  [[nodiscard]] void* send() const noexcept { return send_.address(); }
  [[nodiscard]] void* receive() const noexcept { return receive_.address(); }
  [[nodiscard]] Word comm() const noexcept { return comm_; }

  // The same of an allreduce.
  [[nodiscard]] bool make(const Call& call) noexcept;
  /// The call with the copies.
  [[nodiscard]] Call on_host(const Call& call) const noexcept;

 private:
  StagedVector send_, receive_;
  bool in_place_ = false;
  Word comm_ = 0;
};

}  // namespace topowise::interpose::allreduce
