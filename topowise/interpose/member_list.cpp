// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/member_list.hpp>

#include <utility>

namespace topowise::interpose {

std::vector<profile::Run> compress(std::span<const std::int32_t> ranks) {
  std::vector<profile::Run> runs;
  for (std::size_t begin = 0; begin < ranks.size();) {
    const bool outside = ranks[begin] == profile::kOutside;  // those of another job never share a run with ours
    std::size_t end = begin + 1;
    const auto fits = [&] { return end < ranks.size() && (ranks[end] == profile::kOutside) == outside; };
    const std::int32_t stride = fits() ? ranks[end] - ranks[begin] : 0;
    while (fits() && ranks[end] - ranks[end - 1] == stride) ++end;
    runs.push_back({ranks[begin], stride, end - begin});
    begin = end;
  }
  return runs;
}

MemberList::MemberList(std::vector<std::int32_t> ranks) : size_(static_cast<std::int32_t>(ranks.size())) {
  const std::vector<profile::Run> runs = compress(ranks);
  if (runs.size() > 1) {
    ranks_ = std::move(ranks);
  } else if (runs.size() == 1) {
    first_ = runs[0].first;
    stride_ = runs[0].stride;
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
