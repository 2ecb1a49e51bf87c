// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/congestion/transfer_sets.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include <topowise/base/hash.hpp>
#include <topowise/schedule/orders.hpp>

namespace topowise::benchmark {
namespace {

/// A hash of what one used place is to another: the class of the pair on this machine, and when the set sends from one
/// to the other.
std::uint64_t relation(const Topology& machine, Place from, Place to, int position) {
  const PathClass path = machine.path_class(from, to);
  Fnv1a hash;
  hash.add_number(static_cast<std::uint64_t>(path.kind));
  hash.add_number(static_cast<std::uint64_t>(path.grade));
  hash.add_number(std::bit_cast<std::uint64_t>(machine.bandwidth(from, to).value()));
  hash.add_number(static_cast<std::uint64_t>(position + 1));
  return hash.value();
}

TransferSet among(const std::vector<Place>& places, const Exchange& exchange, std::string_view name) {
  TransferSet set{std::string(name), {}};
  for (const Communication& message : exchange.communications())
    set.transfers.emplace_back(places[message.source.index()], places[message.destination.index()]);
  return set;
}

}  // namespace

std::uint64_t shape_of(const Topology& machine, const TransferSet& set) {
  std::map<Place, std::size_t> number;
  std::map<std::pair<Place, Place>, int> position;  // among the transfers of its source
  std::map<Place, int> sent;
  for (const auto& [from, to] : set.transfers) {
    for (const Place place : {from, to}) number.try_emplace(place, number.size());
    position.emplace(std::pair(from, to), sent[from]++);
  }
  const std::size_t n = number.size();
  std::vector<std::uint64_t> relations(n * n);
  for (const auto& [a, i] : number) {
    for (const auto& [b, j] : number) {
      if (a == b) continue;
      const auto found = position.find({a, b});
      relations[i * n + j] = relation(machine, a, b, found == position.end() ? -1 : found->second);
    }
  }
  // A round tells places apart by their relations to all others. After n rounds a difference has reached every place.
  std::vector<std::uint64_t> colours(n, 0);
  for (std::size_t round = 0; round < n; ++round) {
    std::vector<std::uint64_t> next(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::array<std::uint64_t, 3>> seen;
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) seen.push_back({relations[i * n + j], relations[j * n + i], colours[j]});
      }
      std::ranges::sort(seen);
      Fnv1a hash;
      hash.add_number(colours[i]);
      for (const auto& [forth, back, colour] : seen) {
        for (const std::uint64_t part : {forth, back, colour}) hash.add_number(part);
      }
      next[i] = hash.value();
    }
    colours = std::move(next);
  }
  std::ranges::sort(colours);
  Fnv1a hash;
  for (const std::uint64_t colour : colours) hash.add_number(colour);
  return hash.value();
}

TransferSets::TransferSets(const Topology& machine, std::vector<Place> places, std::uint64_t seed)
    : machine_(machine), places_(std::move(places)), random_(seed) {}

TransferSet TransferSets::alone() const {
  std::pair<Place, Place> nearest{places_.at(0), places_.at(1)};
  for (const Place a : places_) {
    for (const Place b : places_) {
      if (a < b && machine_.path_class(a, b) < machine_.path_class(nearest.first, nearest.second)) nearest = {a, b};
    }
  }
  return {"alone", {nearest}};
}

std::vector<TransferSet> TransferSets::collectives() {
  const Bytes any(1);
  const std::size_t n = places_.size();
  std::vector<TransferSet> sets;
  for (TransferSet& set :
       std::array{among(places_, ring(n, any), "ring"), among(places_, scatter(n, any), "scatter"),
                  among(places_, gather(n, any), "gather"), among(places_, all_to_all(n, any), "all-to-all")}) {
    if (is_new(set)) sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<TransferSet> TransferSets::all_among(std::span<const Place> few, std::size_t most, std::string_view name) {
  std::vector<std::pair<Place, Place>> pairs;
  for (const Place a : few) {
    for (const Place b : few) {
      if (a != b) pairs.emplace_back(a, b);
    }
  }
  std::vector<TransferSet> sets;
  for (std::uint64_t chosen = 1; chosen < std::uint64_t{1} << pairs.size(); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) > most) continue;
    TransferSet set{fmt::format("{} {}", name, sets.size()), {}};
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if ((chosen >> p & 1) != 0) set.transfers.push_back(pairs[p]);
    }
    if (is_new(set)) sets.push_back(std::move(set));
  }
  return sets;
}

std::optional<TransferSet> TransferSets::random(std::size_t most) {
  constexpr int kMostMisses = 2000;  // so many misses in a row mean that nearly all shapes are used up
  const auto n = static_cast<std::uint32_t>(places_.size());
  const std::size_t pairs = std::size_t{n} * (n - 1);
  for (int miss = 0; miss < kMostMisses; ++miss) {
    const std::size_t size = 1 + random_.below(static_cast<std::uint32_t>(std::min(most, pairs)));
    TransferSet set{fmt::format("random {}", random_sets_), {}};
    while (set.transfers.size() < size) {
      const std::uint32_t from = random_.below(n);
      const std::uint32_t to = (from + 1 + random_.below(n - 1)) % n;
      const std::pair transfer(places_[from], places_[to]);
      if (std::ranges::find(set.transfers, transfer) == set.transfers.end()) set.transfers.push_back(transfer);
    }
    if (!is_new(set)) continue;
    ++random_sets_;
    return set;
  }
  return std::nullopt;
}

}  // namespace topowise::benchmark
