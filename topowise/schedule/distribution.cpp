// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/distribution.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

namespace topowise {

double Distribution::count() const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.count;
  return sum;
}

void Distribution::compress() {
  std::ranges::sort(entries_, {}, &Entry::value);
  // The bits of positive doubles have the same order as the doubles.
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

/// Sorts only the entries of one cell of a coarse histogram.
double Distribution::quantile(double share) const {
  if (entries_.empty()) return 0.0;
  const auto [low, high] = std::ranges::minmax(entries_, {}, &Entry::value);
  constexpr std::size_t kCells = 4096;
  const double scale = high.value > low.value ? (kCells - 1) / (high.value - low.value) : 0.0;
  const auto cell_of = [&, low = low.value](double value) { return static_cast<std::size_t>((value - low) * scale); };
  std::vector<double> cells(kCells, 0.0);
  for (const Entry& entry : entries_) cells[cell_of(entry.value)] += entry.count;
  const double wanted = share * count();
  double below = 0;
  std::size_t cell = 0;
  while (cell + 1 < kCells && below + cells[cell] < wanted) below += cells[cell++];
  std::vector<Entry> inside;
  std::ranges::copy_if(entries_, std::back_inserter(inside),
                       [&](const Entry& entry) { return cell_of(entry.value) == cell; });
  std::ranges::sort(inside, {}, &Entry::value);
  for (const Entry& entry : inside) {
    below += entry.count;
    if (below >= wanted) return entry.value;
  }
  return high.value;
}

std::vector<Distribution::Bin> Distribution::histogram(std::size_t bins) const {
  if (entries_.empty() || bins == 0) return {};
  const auto [smallest, largest] = std::ranges::minmax(entries_, {}, &Entry::value);
  const double low = smallest.value;
  const double width = (largest.value - low) / static_cast<double>(bins);
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
