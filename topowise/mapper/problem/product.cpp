// SPDX-License-Identifier: BSD-3-Clause
// The shape is read off rank 0: its nearest partner is one step along the first axis, which goes on as long as the next
// step is a partner of the last; the nearest partner beyond is one step along the next axis. What is sent along the
// axes of that shape is then looked up for every rank. Where that is not all, ranks may be in another order
// (number_as_product).
#include <topowise/mapper/problem/product.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/base/extremes.hpp>

namespace topowise {
namespace {

// In a Cartesian product two edges of a vertex that run along different axes are two sides of exactly one square, and
// two along one axis are of none: the product relation of T. Feder ("Product graph representations", J. Graph Theory
// 16, 1992), from which W. Imrich and I. Peterin recognise products in linear time (Discrete Mathematics 307, 2007).
// Breadth first from rank 0, a vertex takes the axes of its edges over from the vertex before it: a square's opposite
// side has the same axis, and what is in no square goes on along the axis on which the vertex was reached. (A cycle of
// four is a product of two pairs, and is found as such.)
//
// Without the edges of an axis the ranks fall apart into those of equal coordinate, and these layers must be a path or
// a cycle. Nothing is believed: whoever weighs the axes looks every edge up.

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Pair {
  double bytes;  ///< both directions
  std::uint32_t a, b;
};

/// The pairs of ranks that exchange bytes; nothing if they are too many, or more than any product of paths and cycles
/// has.
std::optional<std::vector<Pair>> pairs_of(const Traffic& traffic) {
  constexpr std::size_t kMostPairs = 8'000'000;
  const std::size_t most = std::min(kMostPairs, 2 * traffic.ranks() * std::bit_width(traffic.ranks()));
  std::vector<Pair> pairs;
  for (const TrafficEntry& entry : traffic.entries()) {
    const double back = traffic.bytes(entry.destination, entry.source).value();
    const bool is_first = entry.source < entry.destination || back <= 0;
    if (entry.source == entry.destination || entry.bytes.value() <= 0 || !is_first) continue;
    const auto [low, high] = std::minmax({entry.source.index(), entry.destination.index()});
    pairs.push_back({entry.bytes.value() + back, static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
    if (pairs.size() > most) return std::nullopt;
  }
  return pairs;
}

/// How many of the heaviest pairs join all ranks, including all pairs as heavy as the last of them; 0 if even all pairs
/// do not join them.
std::size_t heaviest_that_join(std::span<const Pair> heaviest_first, std::size_t ranks) {
  DisjointSets joined(ranks);
  std::size_t parts = ranks;
  std::size_t count = 0;
  while (parts > 1 && count < heaviest_first.size()) {
    parts -= joined.join(heaviest_first[count].a, heaviest_first[count].b) ? 1 : 0;
    ++count;
  }
  if (parts > 1) return 0;
  while (count < heaviest_first.size() && heaviest_first[count].bytes == heaviest_first[count - 1].bytes) ++count;
  return count;
}

/// Neighbours of every rank, in order.
class Neighbours {
 public:
  Neighbours(std::span<const Pair> pairs, std::size_t ranks) : first_(ranks + 1, 0), all_(2 * pairs.size()) {
    for (const Pair& pair : pairs) {
      ++first_[pair.a + 1];
      ++first_[pair.b + 1];
    }
    for (std::size_t r = 0; r < ranks; ++r) first_[r + 1] += first_[r];
    std::vector<std::size_t> filled(first_.begin(), first_.end() - 1);
    for (const Pair& pair : pairs) {
      all_[filled[pair.a]++] = pair.b;
      all_[filled[pair.b]++] = pair.a;
    }
    for (std::size_t r = 0; r < ranks; ++r) std::ranges::sort(std::span(all_).subspan(first_[r], degree(r)));
  }

  [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return all_.size(); }
  [[nodiscard]] std::size_t first(std::size_t rank) const { return first_[rank]; }  ///< number of its first edge
  [[nodiscard]] std::size_t degree(std::size_t rank) const { return first_[rank + 1] - first_[rank]; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t rank) const {
    return std::span(all_).subspan(first_[rank], degree(rank));
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> all_;
};

/// The axis of every edge.
class AxesOfEdges {
 public:
  explicit AxesOfEdges(const Neighbours& neighbours)
      : neighbours_(neighbours), axes_(neighbours.degree(0)), axis_(neighbours.edges(), kNone) {
    std::vector<bool> seen(neighbours.ranks(), false);
    for (std::uint32_t i = 0; i < neighbours.degree(0); ++i) axis_[i] = i;
    std::vector<std::uint32_t> order{0};
    seen[0] = true;
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (std::size_t i = 0; i < neighbours.degree(order[next]); ++i) {
        const std::uint32_t to = neighbours.of(order[next])[i];
        if (seen[to]) continue;
        take_over(order[next], i);
        seen[to] = true;
        order.push_back(to);
      }
    }
  }

  [[nodiscard]] std::uint32_t of(std::size_t edge) { return static_cast<std::uint32_t>(axes_.find(axis_[edge])); }

 private:
  /// Takes axes over along edge `i` of `from`, whose edges all have an axis, to a vertex whose edges have none.
  void take_over(std::uint32_t from, std::size_t i) {
    const std::uint32_t to = neighbours_.of(from)[i];
    const std::size_t own = neighbours_.first(to);
    const std::size_t along = neighbours_.first(from) + i;
    for (std::size_t j = 0; j < neighbours_.degree(from); ++j) {
      const std::size_t other = neighbours_.first(from) + j;
      if (of(other) == of(along)) continue;
      const std::size_t fourth = corner(from, to, neighbours_.of(from)[j]);
      if (fourth == neighbours_.edges()) {
        axes_.join(axis_[other], axis_[along]);
      } else {
        axis_[fourth] = axis_[other];
      }
    }
    for (std::size_t edge = own; edge < own + neighbours_.degree(to); ++edge)
      if (axis_[edge] == kNone) axis_[edge] = axis_[along];
  }

  /// The edge from `to` to the only vertex but `from` that is next to both `to` and `other`; if there is not exactly
  /// one, the number behind all edges.
  [[nodiscard]] std::size_t corner(std::uint32_t from, std::uint32_t to, std::uint32_t other) const {
    const std::span<const std::uint32_t> near = neighbours_.of(to);
    std::size_t found = neighbours_.edges();
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (near[i] == from || !std::ranges::binary_search(neighbours_.of(other), near[i])) continue;
      if (found != neighbours_.edges()) return neighbours_.edges();
      found = neighbours_.first(to) + i;
    }
    return found;
  }

  const Neighbours& neighbours_;
  DisjointSets axes_;  ///< of the first rank's edges; joined where they are found to be one
  std::vector<std::uint32_t> axis_;
};

/// Layers of one axis as a row, from an end if there is one. Nothing if they are neither a path nor a cycle.
std::optional<std::vector<std::uint32_t>> row_of(std::span<const std::array<std::uint32_t, 2>> next) {
  const auto is_end = [](const auto& both) { return both[1] == kNone; };
  const auto end = std::ranges::find_if(next, is_end);
  std::uint32_t at = end == next.end() ? 0 : static_cast<std::uint32_t>(end - next.begin());
  std::vector<std::uint32_t> row{at};
  std::uint32_t before = kNone;
  while (row.size() < next.size()) {
    const std::uint32_t on = next[at][0] == before ? next[at][1] : next[at][0];
    if (on == kNone || on == row.front()) return std::nullopt;
    before = std::exchange(at, on);
    row.push_back(at);
  }
  return row;
}

/// The coordinate of every rank along an axis; nothing if its layers are no path and no cycle.
struct Coordinates {
  std::size_t size = 0;
  std::vector<std::uint32_t> of;
};
std::optional<Coordinates> coordinates(const Neighbours& neighbours, AxesOfEdges& axes, std::uint32_t axis) {
  const std::size_t ranks = neighbours.ranks();
  DisjointSets layers(ranks);
  const auto for_edges = [&](const auto& visit) {
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t i = 0; i < neighbours.degree(r); ++i)
        visit(axes.of(neighbours.first(r) + i) == axis, r, std::size_t{neighbours.of(r)[i]});
    }
  };
  for_edges([&](bool along, std::size_t a, std::size_t b) {
    if (!along) layers.join(a, b);
  });
  std::vector<std::uint32_t> number(ranks, kNone);  // of a layer, by its first rank
  std::uint32_t count = 0;
  for (std::size_t r = 0; r < ranks; ++r)
    if (layers.find(r) == r) number[r] = count++;
  std::vector<std::array<std::uint32_t, 2>> next(count, {kNone, kNone});
  bool is_row = count > 1;
  for_edges([&](bool along, std::size_t a, std::size_t b) {
    auto& [one, other] = next[number[layers.find(a)]];
    const std::uint32_t to = number[layers.find(b)];
    if (!along || one == to || other == to) return;
    is_row = is_row && (one == kNone || other == kNone);
    (one == kNone ? one : other) = to;
  });
  const std::optional<std::vector<std::uint32_t>> row = is_row ? row_of(next) : std::nullopt;
  if (!row) return std::nullopt;
  std::vector<std::uint32_t> place_in_row(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) place_in_row[(*row)[i]] = i;
  Coordinates found{.size = count, .of = std::vector<std::uint32_t>(ranks)};
  for (std::size_t r = 0; r < ranks; ++r) found.of[r] = place_in_row[number[layers.find(r)]];
  return found;
}

bool is_permutation(std::span<const std::uint32_t> numbers) {
  std::vector<bool> seen(numbers.size(), false);
  for (const std::uint32_t number : numbers) {
    if (seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

std::optional<ProductNumbers> product_of(std::span<const Pair> pairs, std::size_t ranks) {
  const Neighbours neighbours(pairs, ranks);
  if (2 * static_cast<std::size_t>(std::bit_width(ranks)) < neighbours.degree(0)) return std::nullopt;
  AxesOfEdges axes(neighbours);
  ProductNumbers product;
  product.number.assign(ranks, 0);
  std::size_t done = 1;
  for (std::uint32_t axis = 0; axis < neighbours.degree(0); ++axis) {
    if (axes.of(axis) != axis) continue;
    const std::optional<Coordinates> along = coordinates(neighbours, axes, axis);
    if (!along || done * along->size > ranks) return std::nullopt;
    for (std::size_t r = 0; r < ranks; ++r) product.number[r] += static_cast<std::uint32_t>(along->of[r] * done);
    product.sizes.push_back(along->size);
    done *= along->size;
  }
  if (done != ranks || !is_permutation(product.number)) return std::nullopt;
  return product;
}

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
    auto [steps, rounds] = along(axis);
    axis.is_cycle = axis.size > 2 && rounds.least > 0;
    if (axis.is_cycle) steps.add(rounds.least);
    if (axis.is_cycle) steps.add(rounds.most);
    axis.weight = steps.least;
    return steps.least == steps.most && (axis.is_cycle || rounds.most == 0);
  }

  /// The same where any two ranks of a line may exchange something.
  void weigh_with_all(ProductAxis& axis) const {
    const auto [steps, rounds] = along(axis);
    constexpr std::size_t kFew = 4;  // three ranks are a cycle
    axis.of_all = axis.size < kFew || std::min(steps.least, rounds.least) <= 0 ? 0 : least_of_all(axis);
    const double all_round = axis.size > 2 ? std::min(steps.least, rounds.least) - axis.of_all : 0;
    axis.weight = steps.least - axis.of_all;
    const auto size = static_cast<double>(axis.size);
    axis.is_cycle = all_round * size > axis.weight * (size - 1);
    if (axis.is_cycle) axis.weight = all_round;
  }

  /// Looks at what all ranks of different lines of the axis before exchange, of `size` ranks each, and takes it off
  /// what the axis and its links have.
  void weigh_across(ProductAxis& axis, std::size_t size) const {
    const std::size_t before = axis.stride / size;
    if (std::max(axis.of_all, axis.weight) <= 0 || may_be_open(axis, size)) return;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t number = 0; number < traffic_.ranks() && least > 0; ++number) {
      const std::size_t first = number - number / before % size * before;  // of its line of the axis before
      const std::size_t at = number / axis.stride % axis.size;
      for (std::size_t on = 1; at + on < axis.size && least > 0; ++on) {
        for (std::size_t i = 0; i < size && least > 0; ++i)
          least = std::min(least, between(number, first + on * axis.stride + i * before));
      }
    }
    axis.across = least;
    (axis.of_all > 0 ? axis.of_all : axis.weight) -= least;
    axis.link = std::max(0.0, axis.link - least);
  }

  /// Looks at what joins the lines of the axis before, of `size` ranks each.
  void weigh_links(ProductAxis& axis, std::size_t size) const {
    const std::size_t before = axis.stride / size;  // the stride of the axis before
    Extremes steps;
    Extremes round;
    for (std::size_t number = 0; number < traffic_.ranks(); ++number) {
      if (number / before % size != size - 1) continue;
      const std::size_t first = number - (size - 1) * before;  // of the same line
      const std::size_t at = number / axis.stride % axis.size;
      if (at + 1 < axis.size) steps.add(between(number, first + axis.stride));
      if (at + 1 == axis.size) round.add(between(number, first - at * axis.stride));
    }
    axis.link = steps.least;
    axis.is_ring = round.least >= steps.least;
  }

 private:
  /// Whether rank 0 exchanges nothing with a rank of another line.
  [[nodiscard]] bool may_be_open(const ProductAxis& axis, std::size_t size) const {
    for (std::size_t at = 1; at < axis.size; ++at) {
      for (std::size_t i = 0; i < size; ++i)
        if (between(0, at * axis.stride + i * (axis.stride / size)) <= 0) return true;
    }
    return false;
  }

  struct Line {
    Extremes steps;   ///< bytes that neighbours along the axis exchange
    Extremes rounds;  ///< the last and the first
  };
  [[nodiscard]] Line along(const ProductAxis& axis) const {
    Line line;
    const std::size_t last = (axis.size - 1) * axis.stride;
    for (std::size_t number = 0; number < traffic_.ranks(); ++number) {
      const std::size_t at = number / axis.stride % axis.size;
      if (at + 1 < axis.size) line.steps.add(between(number, number + axis.stride));
      if (at == 0 && axis.size > 2) line.rounds.add(between(number, number + last));
    }
    return line;
  }

  /// The least that two ranks of a line exchange.
  [[nodiscard]] double least_of_all(const ProductAxis& axis) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t number = 0; number < traffic_.ranks() && least > 0; ++number) {
      const std::size_t at = number / axis.stride % axis.size;
      for (std::size_t on = 1; at + on < axis.size && least > 0; ++on)
        least = std::min(least, between(number, number + on * axis.stride));
    }
    return least;
  }

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
  for (const ProductAxis& axis : product.axes) bytes += bytes_along(axis, ranks);
  return bytes;
}

/// The ranks behind rank 0 along an axis of this stride whose neighbours exchange nearly as much as the first two, and
/// rank 0.
std::size_t size_of_group(const Traffic& traffic, std::size_t stride) {
  constexpr double kAsMuch = 0.9;
  const double first = both(traffic, 0, stride);
  std::size_t size = 2;
  while ((size + 1) * stride <= traffic.ranks() && both(traffic, (size - 1) * stride, size * stride) >= kAsMuch * first)
    ++size;
  return size;
}

/// Like shape_of, but an axis ends where neighbours exchange less.
std::optional<Product> shape_of_groups(const Traffic& traffic) {
  Product product;
  std::size_t done = 1;
  const auto add = [&](std::size_t size) {
    if (size > 1) product.axes.push_back({.size = size, .stride = done});
    done *= size;
  };
  for (const std::size_t partner : partners_of_first(traffic)) {
    if (partner < done || partner % done != 0) continue;  // also the way round a ring that goes on to other groups
    add(partner / done);
    add(size_of_group(traffic, partner));
    if (traffic.ranks() % done != 0) return std::nullopt;
  }
  if (product.axes.empty()) return std::nullopt;
  add(traffic.ranks() / done);
  return product;
}

/// Whether rank 0 exchanges something with all ranks of its line.
bool may_be_all_to_all(const Traffic& traffic, const ProductAxis& axis) {
  for (std::size_t at = 1; at < axis.size; ++at)
    if (both(traffic, 0, at * axis.stride) <= 0) return false;
  return axis.size > 3;  // three ranks are a cycle
}

}  // namespace

std::optional<ProductNumbers> number_as_product(const Traffic& traffic) {
  std::optional<std::vector<Pair>> pairs = pairs_of(traffic);
  if (!pairs || pairs->empty()) return std::nullopt;
  std::ranges::stable_sort(*pairs, std::greater<>(), &Pair::bytes);
  const std::size_t heaviest = heaviest_that_join(*pairs, traffic.ranks());
  if (heaviest == 0) return std::nullopt;
  std::optional<ProductNumbers> product = product_of(std::span(*pairs).first(heaviest), traffic.ranks());
  if (!product && heaviest < pairs->size()) product = product_of(*pairs, traffic.ranks());
  return product;
}

double bytes_along(const ProductAxis& axis, std::size_t ranks) {
  const double pairs = static_cast<double>(ranks) * static_cast<double>(axis.size - 1) / 2;
  return axis.weight * edges_along(axis, ranks) + axis.of_all * pairs;
}

double bytes_across(const Product& product, std::size_t axis, std::size_t ranks) {
  if (axis == 0) return 0;
  const ProductAxis& here = product.axes[axis];
  const std::size_t others = product.axes[axis - 1].size * (here.size - 1);  // of each rank
  return here.across * static_cast<double>(ranks * others) / 2;
}

double bytes_of_links(const Product& product, std::size_t axis, std::size_t ranks) {
  if (axis == 0) return 0;
  const ProductAxis& here = product.axes[axis];
  const std::size_t chains = ranks / (product.axes[axis - 1].size * here.size);
  return here.link * static_cast<double>(chains * (here.is_ring ? here.size : here.size - 1));
}

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

std::optional<Product> find_product_of_groups(const Traffic& traffic) {
  if (traffic.ranks() < 2) return std::nullopt;
  std::optional<Product> product = shape_of_groups(traffic);
  if (!product) return std::nullopt;
  const std::optional<Product> plain = shape_of(traffic);
  const bool is_plain =
      plain && std::ranges::equal(plain->axes, product->axes, {}, &ProductAxis::size, &ProductAxis::size);
  const auto is_open = [&](const ProductAxis& axis) { return !may_be_all_to_all(traffic, axis); };
  if (is_plain && std::ranges::all_of(product->axes, is_open)) return std::nullopt;
  const Weighing weighing(traffic, *product);
  for (ProductAxis& axis : product->axes) weighing.weigh_with_all(axis);
  for (std::size_t i = 1; i < product->axes.size(); ++i) {
    weighing.weigh_links(product->axes[i], product->axes[i - 1].size);
    weighing.weigh_across(product->axes[i], product->axes[i - 1].size);
  }
  return bytes_along_axes(*product, traffic.ranks()) > 0 ? product : std::nullopt;
}

}  // namespace topowise
