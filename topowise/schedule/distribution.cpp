// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/distribution.hpp>

#include <algorithm>
#include <bit>

namespace topowise {

double Distribution::count() const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.count;
  return sum;
}

void Distribution::sort() {
  std::ranges::sort(entries_, {}, &Entry::value);
}

void Distribution::compress() {
  sort();
  // The bits of doubles above 0 are in the order of the doubles.
  const auto cell = [this](double value) { return std::bit_cast<std::uint64_t>(value) >> dropped_bits_; };
  for (;; dropped_bits_ += 2) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (cell(entries_[i].value) == cell(entries_[kept].value)) {
        entries_[kept].count += entries_[i].count;
      } else {
        entries_[++kept] = entries_[i];
      }
    }
    entries_.resize(kept + 1);
    if (entries_.size() <= kMost / 2) return;
  }
}

double Distribution::quantile(double share) {
  sort();
  const double wanted = share * count();
  double below = 0;
  for (const Entry& entry : entries_) {
    below += entry.count;
    if (below >= wanted) return entry.value;
  }
  return entries_.empty() ? 0.0 : entries_.back().value;
}

std::vector<Distribution::Bin> Distribution::histogram(std::size_t bins) {
  if (entries_.empty() || bins == 0) return {};
  sort();
  const double low = entries_.front().value;
  const double width = (entries_.back().value - low) / static_cast<double>(bins);
  std::vector<Bin> result;
  for (std::size_t i = 0; i < bins; ++i)
    result.push_back({low + width * static_cast<double>(i), low + width * static_cast<double>(i + 1), 0});
  for (const Entry& entry : entries_) {
    const auto bin = width > 0 ? static_cast<std::size_t>((entry.value - low) / width) : 0;
    result[std::min(bin, bins - 1)].count += entry.count;
  }
  return result;
}

}  // namespace topowise
