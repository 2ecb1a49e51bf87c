// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/host_copy.hpp>

#include <algorithm>
#include <cstring>

#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::allreduce {

bool span_of(const Calls& mpi, Word type, Count count, Count type_size, Span& span) noexcept {
  Count lower = 0;
  Count extent = 0;
  Count true_lower = 0;
  Count true_extent = 0;
  if (mpi.Type_get_extent(type, &lower, &extent) != 0 || mpi.Type_get_true_extent(type, &true_lower, &true_extent) != 0)
    return false;
  const Count last = (count - 1) * extent;  // extents may be negative
  span.first = true_lower + std::min<Count>(0, last);
  span.bytes = static_cast<std::size_t>(true_extent + std::max<Count>(0, last) - std::min<Count>(0, last));
  span.slack = static_cast<std::size_t>(std::abs(extent) + std::abs(lower - true_lower));
  span.extent = extent;
  span.dense = static_cast<Count>(span.bytes) == count * type_size;
  return true;
}

bool HostCopy::make(const Span& span, const void* buffer) noexcept {
  constexpr std::uintptr_t kAlignment = 64;
  span_ = span;
  memory_.reset(static_cast<char*>(std::malloc(2 * span.slack + kAlignment + span.bytes)));
  if (memory_ == nullptr) {
    print_stderr(-1, "%s: no memory for a copy of %zu bytes of GPU memory", answered, span.bytes);
    return false;
  }
  const auto least = reinterpret_cast<std::uintptr_t>(memory_.get()) + span.slack;
  const auto original = reinterpret_cast<std::uintptr_t>(data_at(buffer, span.first));
  data_ = memory_.get() + span.slack + (original - least) % kAlignment;
  return true;
}

bool HostCopy::read(const void* buffer) noexcept {
  plugin_interface::Message message{};
  const bool good = reducer()->copy_to_host(data_, data_at(buffer, span_.first), span_.bytes, &message);
  if (good) return true;
  print_stderr(-1, "%s: GPU memory cannot be read: %s", answered, message.data());
  std::memset(data_, 0, span_.bytes);
  return false;
}

bool HostCopy::write(void* buffer, const std::vector<plugin_interface::Run>& runs) const noexcept {
  plugin_interface::Message message{};
  const bool good = reducer()->copy_to_gpu(buffer, address(), runs.data(), runs.size(), &message);
  if (!good) print_stderr(-1, "%s: GPU memory cannot be written: %s", answered, message.data());
  return good;
}

}  // namespace topowise::interpose::allreduce
