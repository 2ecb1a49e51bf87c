// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/matrix_symmetry.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <topowise/base/disjoint_sets.hpp>

namespace topowise {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace

Symmetry::Symmetry(std::span<const double> matrix, std::size_t size) : size_(size), relation_(size * size) {
  std::map<std::pair<double, double>, std::uint32_t> number;
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      const auto next = static_cast<std::uint32_t>(number.size());
      relation_[a * size + b] = number.try_emplace({matrix[a * size + b], matrix[b * size + a]}, next).first->second;
    }
  }
}

/// Elements of different colours are in different orbits. (Colours are hashes of what an element sees: two that clash
/// only make the search below work for nothing.)
Symmetry::Elements Symmetry::stable_colours(std::span<const std::uint32_t> fixed) const {
  Elements colour(size_, 0);
  for (std::size_t f = 0; f < fixed.size(); ++f) colour[fixed[f]] = static_cast<std::uint32_t>(f + 1);
  std::size_t classes = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seen(size_);
  for (;;) {
    for (std::size_t a = 0; a < size_; ++a) {
      std::uint64_t sum = mix(colour[a]);
      for (std::size_t b = 0; b < size_; ++b)
        sum += mix((std::uint64_t{relation(a, b)} << 32) | (colour[b] + std::uint64_t{a == b} * 0x80000000U));
      seen[a] = {sum, static_cast<std::uint32_t>(a)};
    }
    std::ranges::sort(seen);
    std::size_t found = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      if (k > 0 && seen[k].first != seen[k - 1].first) ++found;
      colour[seen[k].second] = static_cast<std::uint32_t>(found);
    }
    if (found + 1 == classes) return colour;
    classes = found + 1;
  }
}

/// Looks for one automorphism that keeps the fixed elements and carries one given element to another.
class Symmetry::Search {
 public:
  Search(const Symmetry& symmetry, std::span<const std::uint32_t> fixed, const Elements& colour)
      : symmetry_(symmetry), colour_(colour), image_(colour.size(), kNone), used_(colour.size(), false) {
    for (const std::uint32_t element : fixed) assign(element, element);
    // Small colour classes first: they leave the least choice.
    std::vector<std::uint32_t> members(colour.size(), 0);
    for (const std::uint32_t c : colour) ++members[c];
    for (std::uint32_t a = 0; a < colour.size(); ++a) {
      if (image_[a] == kNone) open_.push_back(a);
    }
    std::ranges::stable_sort(open_, {}, [&](std::uint32_t a) { return members[colour[a]]; });
  }

  /// The images of all elements, or null.
  const Elements* carry(std::uint32_t from, std::uint32_t to) {
    constexpr std::size_t kSteps = 4096;
    steps_left_ = kSteps;
    assign(from, to);
    const bool found = extend(0);
    result_ = image_;
    if (!found) release(from, to);
    if (found) {
      for (const std::uint32_t a : open_) release(a, image_[a]);
    }
    return found ? &result_ : nullptr;
  }

 private:
  void assign(std::uint32_t a, std::uint32_t b) {
    image_[a] = b;
    used_[b] = true;
    mapped_.push_back(a);
  }
  void release(std::uint32_t a, std::uint32_t b) {
    image_[a] = kNone;
    used_[b] = false;
    mapped_.pop_back();
  }

  [[nodiscard]] bool fits(std::uint32_t a, std::uint32_t b) const {
    if (used_[b] || colour_[a] != colour_[b] || symmetry_.relation(a, a) != symmetry_.relation(b, b)) return false;
    return std::ranges::all_of(
        mapped_, [&](std::uint32_t c) { return symmetry_.relation(a, c) == symmetry_.relation(b, image_[c]); });
  }

  bool extend(std::size_t at) {
    while (at < open_.size() && image_[open_[at]] != kNone) ++at;
    if (at == open_.size()) return true;
    const std::uint32_t a = open_[at];
    const auto attempt = [&](std::uint32_t b) {
      if (steps_left_ == 0 || !fits(a, b)) return false;
      --steps_left_;
      assign(a, b);
      if (extend(at + 1)) return true;
      release(a, b);
      return false;
    };
    if (attempt(a)) return true;  // most automorphisms of a hierarchy move few elements
    for (const std::uint32_t b : open_) {
      if (b != a && attempt(b)) return true;
    }
    return false;
  }

  const Symmetry& symmetry_;
  const Elements& colour_;
  Elements image_;
  Elements result_;
  std::vector<bool> used_;
  Elements mapped_;
  Elements open_;
  std::size_t steps_left_ = 0;
};

std::vector<std::uint32_t> Symmetry::representatives(std::span<const std::uint32_t> fixed) const {
  const Elements colour = stable_colours(fixed);
  DisjointSets orbits(size_);
  Search search(*this, fixed, colour);
  for (std::uint32_t a = 0; a < size_; ++a) {
    for (std::uint32_t b = a + 1; b < size_ && orbits.find(a) == a; ++b) {
      if (colour[a] != colour[b] || a == orbits.find(b)) continue;
      const Elements* image = search.carry(a, b);
      if (image == nullptr) continue;
      for (std::uint32_t x = 0; x < size_; ++x) orbits.join(x, (*image)[x]);  // each is in the orbit of its image
    }
  }
  Elements smallest(size_);
  for (std::uint32_t a = 0; a < size_; ++a) smallest[a] = static_cast<std::uint32_t>(orbits.find(a));
  return smallest;
}

}  // namespace topowise
