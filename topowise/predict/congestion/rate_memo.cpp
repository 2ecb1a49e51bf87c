// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/rate_memo.hpp>

#include <algorithm>

namespace topowise {
namespace {

std::uint64_t hash_of(std::span<const CongestionModel::Flow> flows) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const CongestionModel::Flow flow : flows) hash = (hash ^ flow) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32);
}

}  // namespace

/// The entry of the set, or the free entry where it belongs.
std::size_t RateMemo::find(std::uint64_t hash, std::span<const CongestionModel::Flow> active) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Entry& entry = table_[at];
    if (entry.size == 0) return at;
    if (entry.hash == hash && entry.size == active.size() &&
        std::equal(active.begin(), active.end(), flows_.begin() + entry.begin)) {
      return at;
    }
  }
}

void RateMemo::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.size == 0) continue;
    std::size_t at = entry.hash & mask;
    while (table_[at].size != 0) at = (at + 1) & mask;
    table_[at] = entry;
  }
}

std::span<const double> RateMemo::rates(std::span<const CongestionModel::Flow> active) {
  if (active.empty()) return {};
  asked_flows_ += active.size();
  if (active.size() > kLargestSet) {
    large_.resize(active.size());
    model_.rates(active, large_);
    ++computed_;
    computed_flows_ += active.size();
    return large_;
  }
  const std::uint64_t hash = hash_of(active);
  std::size_t at = find(hash, active);
  if (table_[at].size == 0) {
    if (flows_.size() + active.size() > kMostRates) {
      std::ranges::fill(table_, Entry{});
      flows_.clear();
      rates_.clear();
      used_ = 0;
    }
    if (2 * (used_ + 1) > table_.size()) grow();
    at = find(hash, active);
    const std::size_t begin = flows_.size();
    flows_.insert(flows_.end(), active.begin(), active.end());
    rates_.resize(flows_.size());
    model_.rates(active, std::span(rates_).subspan(begin));
    table_[at] = {hash, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(active.size())};
    ++used_;
    ++computed_;
    computed_flows_ += active.size();
  }
  return std::span(rates_).subspan(table_[at].begin, active.size());
}

}  // namespace topowise
