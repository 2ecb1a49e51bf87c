// SPDX-License-Identifier: BSD-3-Clause
// Member lists of communicators. Rows, columns and blocks of a process grid are arithmetic progressions of world ranks
// and take no array.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace topowise::interpose {

/// A member of another job: it has no rank in this world.
inline constexpr std::int32_t kOutside = -1;

/// Rank in a communicator -> rank in the world.
class MemberList {
 public:
  MemberList() = default;
  explicit MemberList(std::vector<std::int32_t> ranks);
  /// 0, 1, ... size-1
  [[nodiscard]] static MemberList identity(std::int32_t size);

  [[nodiscard]] std::int32_t size() const { return size_; }
  /// World rank (or kOutside) of member `index`, 0 <= index < size().
  [[nodiscard]] std::int32_t operator[](std::int32_t index) const {
    return ranks_.empty() ? first_ + index * stride_ : ranks_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::vector<std::int32_t> expanded() const;

  struct Progression {
    std::int32_t first, stride;
  };
  /// The progression, if the list is one.
  [[nodiscard]] std::optional<Progression> progression() const {
    return ranks_.empty() ? std::optional(Progression{first_, stride_}) : std::nullopt;
  }

 private:
  std::int32_t size_ = 0;
  std::int32_t first_ = 0;
  std::int32_t stride_ = 0;
  std::vector<std::int32_t> ranks_;
};

}  // namespace topowise::interpose
