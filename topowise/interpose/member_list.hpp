// SPDX-License-Identifier: BSD-3-Clause
// Member lists of communicators, written as arithmetic progressions: rows, columns and blocks of a process grid take
// one run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/profile/format.hpp>

namespace topowise::interpose {

/// Greedy: each run is as long as it can be. Members of another job (profile::kOutside) make runs of their own.
[[nodiscard]] std::vector<profile::Run> compress(std::span<const std::int32_t> ranks);

/// Rank in a communicator -> rank in the world. A list that is one progression is kept as such, without an array.
class MemberList {
 public:
  MemberList() = default;
  explicit MemberList(std::vector<std::int32_t> ranks);
  /// 0, 1, ... size-1
  [[nodiscard]] static MemberList identity(std::int32_t size);

  [[nodiscard]] std::int32_t size() const { return size_; }
  /// World rank (or profile::kOutside) of member `index`, 0 <= index < size().
  [[nodiscard]] std::int32_t operator[](std::int32_t index) const {
    return ranks_.empty() ? first_ + index * stride_ : ranks_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::vector<std::int32_t> expanded() const;

 private:
  std::int32_t size_ = 0;
  std::int32_t first_ = 0;
  std::int32_t stride_ = 0;
  std::vector<std::int32_t> ranks_;
};

}  // namespace topowise::interpose
