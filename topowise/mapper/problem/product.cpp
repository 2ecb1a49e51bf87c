// SPDX-License-Identifier: BSD-3-Clause
// The shape is read off rank 0: its nearest partner is one step along the first axis, which goes on as long as the next
// step is a partner of the last; the nearest partner beyond is one step along the next axis. What is sent along the
// axes of that shape is then looked up for every rank. Where that is not all, ranks may stand in another order
// (product_numbers).
#include <topowise/mapper/problem/product.hpp>

#include <algorithm>
#include <utility>

#include <topowise/base/extremes.hpp>
#include <topowise/mapper/problem/product_numbers.hpp>

namespace topowise {
namespace {

double both(const Traffic& traffic, std::size_t a, std::size_t b) {
  return traffic.bytes(Rank(a), Rank(b)).value() + traffic.bytes(Rank(b), Rank(a)).value();
}

/// The partners of rank 0, without itself, in order.
std::vector<std::size_t> partners_of_first(const Traffic& traffic) {
  std::vector<std::size_t> partners;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes.value() <= 0 || entry.source == entry.destination) continue;
    if (entry.source.index() == 0) partners.push_back(entry.destination.index());
    if (entry.destination.index() == 0) partners.push_back(entry.source.index());
  }
  std::ranges::sort(partners);
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  return partners;
}

/// Sizes and strides; nothing if they do not divide the number of ranks.
std::optional<Product> shape_of(const Traffic& traffic) {
  Product product;
  std::size_t done = 1;  // ranks in the axes so far
  const auto add = [&](std::size_t size) {
    if (size > 1) product.axes.push_back({.size = size, .stride = done});
    done *= size;
  };
  for (const std::size_t partner : partners_of_first(traffic)) {
    if (partner < done) continue;  // the way round an axis, or a diagonal
    if (partner % done != 0) return std::nullopt;
    add(partner / done);  // an axis along which nothing is sent
    std::size_t size = 2;
    while ((size + 1) * partner <= traffic.ranks() && both(traffic, (size - 1) * partner, size * partner) > 0) ++size;
    add(size);
    if (traffic.ranks() % done != 0) return std::nullopt;
  }
  if (product.axes.empty()) return std::nullopt;
  add(traffic.ranks() / done);
  return product;
}

std::optional<Product> shape_in_another_order(const Traffic& traffic) {
  std::optional<ProductNumbers> numbers = number_as_product(traffic);
  if (!numbers) return std::nullopt;
  Product product;
  std::size_t done = 1;
  for (const std::size_t size : numbers->sizes) {
    product.axes.push_back({.size = size, .stride = done});
    done *= size;
  }
  product.number = std::move(numbers->number);
  return product;
}

/// Weighs what is sent along the axes.
class Weighing {
 public:
  Weighing(const Traffic& traffic, const Product& product) : traffic_(traffic) {
    rank_of_.resize(product.number.size());
    for (std::uint32_t rank = 0; rank < rank_of_.size(); ++rank) rank_of_[product.number[rank]] = rank;
  }

  /// Returns whether all neighbours exchange the same.
  bool weigh(ProductAxis& axis) const {
    Extremes steps;  // bytes that neighbours along the axis exchange
    Extremes rounds;
    const std::size_t last = (axis.size - 1) * axis.stride;
    for (std::size_t number = 0; number < traffic_.ranks(); ++number) {
      const std::size_t at = number / axis.stride % axis.size;
      if (at + 1 < axis.size) steps.add(between(number, number + axis.stride));
      if (at == 0 && axis.size > 2) rounds.add(between(number, number + last));
    }
    axis.is_cycle = axis.size > 2 && rounds.least > 0;
    if (axis.is_cycle) steps.add(rounds.least);
    if (axis.is_cycle) steps.add(rounds.most);
    axis.weight = steps.least;
    return steps.least == steps.most && (axis.is_cycle || rounds.most == 0);
  }

 private:
  [[nodiscard]] double between(std::size_t a, std::size_t b) const {
    return rank_of_.empty() ? both(traffic_, a, b) : both(traffic_, rank_of_[a], rank_of_[b]);
  }

  const Traffic& traffic_;
  std::vector<std::uint32_t> rank_of_;  ///< by number; empty if that is the rank itself
};

double pairs_that_talk(const Traffic& traffic) {
  double pairs = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes.value() <= 0 || entry.source == entry.destination) continue;
    const bool answered = traffic.bytes(entry.destination, entry.source).value() > 0;
    pairs += answered ? 0.5 : 1;
  }
  return pairs;
}

/// The product with the weights of its axes; nothing if nothing is sent along them.
std::optional<Product> weighed(const Traffic& traffic, std::optional<Product> product) {
  if (!product) return product;
  const Weighing weighing(traffic, *product);
  product->is_whole = true;
  double covered = 0;
  for (ProductAxis& axis : product->axes) {
    product->is_whole = weighing.weigh(axis) && product->is_whole;
    covered += axis.weight > 0 ? edges_along(axis, traffic.ranks()) : 0;
  }
  if (covered == 0) return std::nullopt;
  product->is_whole = product->is_whole && pairs_that_talk(traffic) == covered;
  return product;
}

double bytes_along_axes(const Product& product, std::size_t ranks) {
  double bytes = 0;
  for (const ProductAxis& axis : product.axes) bytes += axis.weight * edges_along(axis, ranks);
  return bytes;
}

}  // namespace

double edges_along(const ProductAxis& axis, std::size_t ranks) {
  const std::size_t lines = ranks / axis.size;
  return static_cast<double>(lines * (axis.is_cycle ? axis.size : axis.size - 1));
}

std::optional<Product> find_product(const Traffic& traffic) {
  if (traffic.ranks() < 2) return std::nullopt;
  std::optional<Product> in_order = weighed(traffic, shape_of(traffic));
  if (in_order && in_order->is_whole) return in_order;
  std::optional<Product> other = weighed(traffic, shape_in_another_order(traffic));
  const double bytes = in_order ? bytes_along_axes(*in_order, traffic.ranks()) : 0;
  return other && bytes_along_axes(*other, traffic.ranks()) > bytes ? other : in_order;
}

}  // namespace topowise
