// SPDX-License-Identifier: BSD-3-Clause
// The copy on the host of one vector of any type in GPU memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include <topowise/interpose/allreduce/allreduce_settings.hpp>
#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/vectors.hpp>

namespace topowise::interpose::allreduce {

/// The bytes that `count` elements of a type take, from `first` on, which may lie before the buffer's address.
struct Span {
  Count first = 0;
  std::size_t bytes = 0;
  std::size_t slack = 0;  ///< bytes around them: some MPI libraries touch whole extents where there are gaps
  bool dense = false;     ///< without gaps, which are the program's
  Count extent = 0;       ///< of the type
};
/// Finds the span of a vector; false if MPI does not say.
[[nodiscard]] bool span_of(const Calls& mpi, Word type, Count count, Count type_size, Span& span) noexcept;

class HostCopy {
 public:
  /// Makes the copy; false, after saying so, if there is no memory for it.
  [[nodiscard]] bool make(const Span& span, const void* buffer) noexcept;
  [[nodiscard]] bool is_made() const { return memory_ != nullptr; }
  /// The address that a call of MPI gets in place of the buffer's. Like the buffer's, it may lie outside of the memory.
  [[nodiscard]] void* address() const noexcept { return const_cast<void*>(data_at(data_, -span_.first)); }
  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] const Span& span() const { return span_; }
  // Both are false, after saying so, if the driver refuses; what cannot be read is zero.
  [[nodiscard]] bool read(const void* buffer) noexcept;
  [[nodiscard]] bool write(void* buffer, const std::vector<plugin_interface::Run>& runs) const noexcept;

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  Span span_;
  std::unique_ptr<char, Free> memory_;
  char* data_ = nullptr;  ///< aligned as the buffer's
};

}  // namespace topowise::interpose::allreduce
