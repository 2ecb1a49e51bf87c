// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/member_list.hpp>

#include <utility>

namespace topowise::interpose {

namespace {

/// Whether all members are of this job and equally far apart.
bool is_progression(const std::vector<std::int32_t>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == kOutside || (i > 1 && ranks[i] - ranks[i - 1] != ranks[1] - ranks[0])) return false;
  }
  return true;
}

}  // namespace

MemberList::MemberList(std::vector<std::int32_t> ranks) : size_(static_cast<std::int32_t>(ranks.size())) {
  if (!is_progression(ranks)) {
    ranks_ = std::move(ranks);
  } else if (!ranks.empty()) {
    first_ = ranks[0];
    stride_ = ranks.size() > 1 ? ranks[1] - ranks[0] : 0;
  }
}

MemberList MemberList::identity(std::int32_t size) {
  MemberList list;
  list.size_ = size;
  list.stride_ = 1;
  return list;
}

std::vector<std::int32_t> MemberList::expanded() const {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size_));
  for (std::int32_t i = 0; i < size_; ++i) ranks[static_cast<std::size_t>(i)] = (*this)[i];
  return ranks;
}

}  // namespace topowise::interpose
