// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/orders.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostMessages = 10'000'000;

void check_count(std::size_t messages) {
  if (messages > kMostMessages) throw bad_input(fmt::format("the exchange has more than {} messages", kMostMessages));
}

Exchange star(std::size_t ranks, Bytes bytes, bool outward) {
  check_count(ranks);
  std::vector<Communication> messages;
  for (std::size_t r = 1; r < ranks; ++r)
    messages.push_back({Rank(outward ? 0 : r), Rank(outward ? r : 0), bytes, Seconds()});
  return Exchange(std::move(messages));
}

std::size_t ranks_of(std::span<const int> extents) {
  std::size_t ranks = 1;
  for (const int extent : extents) {
    if (extent < 1) throw bad_input(fmt::format("a grid with an extent of {}", extent));
    ranks *= static_cast<std::size_t>(extent);
    check_count(ranks * extents.size() * 2);
  }
  return ranks;
}

std::vector<int> checked_directions(std::span<const int> directions, std::size_t dimensions) {
  std::vector<int> all(2 * dimensions);
  std::iota(all.begin(), all.end(), 0);
  if (directions.empty()) return all;
  if (!std::ranges::is_permutation(directions, all))
    throw bad_input(fmt::format("the directions must be a permutation of 0 to {}", all.size() - 1));
  return {directions.begin(), directions.end()};
}

}  // namespace

Exchange halo(std::span<const int> extents, Bytes bytes, std::span<const int> directions) {
  const std::size_t ranks = ranks_of(extents);
  const std::vector<int> order = checked_directions(directions, extents.size());
  std::vector<std::size_t> strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * static_cast<std::size_t>(extents[d]);
  std::vector<Communication> messages;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const int direction : order) {
      const auto d = static_cast<std::size_t>(direction / 2);
      const auto extent = static_cast<std::size_t>(extents[d]);
      const std::size_t coordinate = r / strides[d] % extent;
      if (direction % 2 == 0 && coordinate > 0) messages.push_back({Rank(r), Rank(r - strides[d]), bytes, Seconds()});
      if (direction % 2 == 1 && coordinate + 1 < extent)
        messages.push_back({Rank(r), Rank(r + strides[d]), bytes, Seconds()});
    }
  }
  return Exchange(std::move(messages));
}

Exchange ring(std::size_t ranks, Bytes bytes) {
  check_count(ranks);
  std::vector<Communication> messages;
  for (std::size_t r = 0; ranks > 1 && r < ranks; ++r)
    messages.push_back({Rank(r), Rank((r + 1) % ranks), bytes, Seconds()});
  return Exchange(std::move(messages));
}

Exchange all_to_all(std::size_t ranks, Bytes bytes) {
  check_count(ranks);
  check_count(ranks * ranks);
  std::vector<Communication> messages;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t shift = 1; shift < ranks; ++shift)
      messages.push_back({Rank(r), Rank((r + shift) % ranks), bytes, Seconds()});
  }
  return Exchange(std::move(messages));
}

Exchange scatter(std::size_t ranks, Bytes bytes) {
  return star(ranks, bytes, true);
}

Exchange gather(std::size_t ranks, Bytes bytes) {
  return star(ranks, bytes, false);
}

}  // namespace topowise
