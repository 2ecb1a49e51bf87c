// SPDX-License-Identifier: BSD-3-Clause
// A vector of any type in GPU memory, and its copy on the host, for the MPI library to work on.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/vectors.hpp>

namespace topowise::interpose::allreduce {

/// The bytes that `count` elements of a type take, from `first` on, which may lie before the buffer's address.
struct Span {
  Count first = 0;
  std::size_t bytes = 0;
  std::size_t slack = 0;  ///< around them: some MPI libraries touch whole extents where there are gaps
  bool dense = false;     ///< without gaps, which are the program's
};
/// False if MPI does not tell.
[[nodiscard]] bool span_of(const Calls& mpi, Word type, Count count, Count type_size, Span& span) noexcept;

class HostCopy {
 public:
  /// False, after saying so, if there is no memory for it.
  [[nodiscard]] bool make(const Span& span, const void* buffer) noexcept;
  [[nodiscard]] bool is_made() const { return memory_ != nullptr; }
  /// What stands for the buffer's address in a call of MPI. As that, it may lie outside of the memory.
  [[nodiscard]] void* address() const noexcept { return const_cast<void*>(data_at(data_, -span_.first)); }
  // False, after saying so, if the driver refuses; what cannot be read is zero.
  [[nodiscard]] bool read(const void* buffer) noexcept;
  [[nodiscard]] bool write(void* buffer) const noexcept;

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  Span span_;
  std::unique_ptr<char, Free> memory_;
  char* data_ = nullptr;  ///< aligned as the buffer's
};

/// A call whose vectors in GPU memory have copies on the host, for the MPI library to work on.
class StagedCall {
 public:
  // False, after saying so, if there is no memory for it, MPI does not tell what the type takes, or the driver refuses.
  // Where it cannot be read the MPI library's collective must follow all the same: the other ranks are in it.
  [[nodiscard]] bool make(const Call& call, const OnGpu& on_gpu) noexcept;
  [[nodiscard]] bool read() noexcept;         ///< before the MPI library reduces
  [[nodiscard]] bool write() const noexcept;  ///< when it has
  [[nodiscard]] const Call& on_host() const { return on_host_; }
  [[nodiscard]] Word comm() const { return call_.comm; }

 private:
  Call call_{}, on_host_{};
  HostCopy send_, receive_;
  bool reads_receive_ = false;
};

}  // namespace topowise::interpose::allreduce
