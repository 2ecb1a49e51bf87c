// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/congestion/transfer_sets.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include <tests/paper_machines.hpp>
#include <topowise/base/random.hpp>

using namespace topowise;
using namespace topowise::testing;
using namespace topowise::benchmark;

namespace {

using Permutation = std::vector<std::size_t>;

std::vector<Place> places(std::initializer_list<std::size_t> numbers) {
  std::vector<Place> found;
  for (const std::size_t number : numbers) found.emplace_back(number);
  return found;
}

std::vector<Place> all_places(const Topology& machine) {
  std::vector<Place> found;
  for (std::size_t p = 0; p < machine.place_count(); ++p) found.emplace_back(p);
  return found;
}

std::vector<TransferSet> random_sets(const Topology& machine, std::size_t count, std::uint64_t seed) {
  TransferSets maker(machine, all_places(machine), seed);
  std::vector<TransferSet> sets;
  while (sets.size() < count) sets.push_back(*maker.random(7));
  return sets;
}

/// All permutations of the places under which all pairs keep their class. The function tries every permutation.
std::vector<Permutation> symmetries(const Topology& machine, const std::vector<Place>& few) {
  Permutation image(few.size());
  std::iota(image.begin(), image.end(), std::size_t{0});
  std::vector<Permutation> found;
  do {
    bool keeps = true;
    for (std::size_t a = 0; a < few.size(); ++a) {
      for (std::size_t b = 0; b < few.size(); ++b)
        keeps = keeps && machine.path_class(few[a], few[b]) == machine.path_class(few[image[a]], few[image[b]]);
    }
    if (keeps) found.push_back(image);
  } while (std::ranges::next_permutation(image).found);
  return found;
}

TransferSet moved(const TransferSet& set, const std::vector<Place>& few, const Permutation& image) {
  const auto image_of = [&](Place place) {
    return few[image[static_cast<std::size_t>(std::ranges::find(few, place) - few.begin())]];
  };
  TransferSet result{set.name, {}};
  for (const auto& [from, to] : set.transfers) result.transfers.emplace_back(image_of(from), image_of(to));
  return result;
}

/// The number of sets of at most `most` pairs among four places, up to symmetry: counted the slow way (Burnside). The
/// transfers of a source are ordered as the places are. A symmetry can reverse this order, which adds shapes; they are
/// not counted here.
std::size_t orbits(const Topology& machine, const std::vector<Place>& few, std::size_t most) {
  const std::vector<Permutation> group = symmetries(machine, few);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < few.size(); ++a) {
    for (std::size_t b = 0; b < few.size(); ++b) {
      if (a != b) pairs.emplace_back(a, b);
    }
  }
  std::size_t fixed = 0;
  for (const Permutation& image : group) {
    for (std::uint32_t chosen = 1; chosen < 1U << pairs.size(); ++chosen) {
      std::uint32_t after = 0;
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        if ((chosen >> p & 1) == 0) continue;
        const std::pair to(image[pairs[p].first], image[pairs[p].second]);
        after |= 1U << (std::ranges::find(pairs, to) - pairs.begin());
      }
      fixed += after == chosen && static_cast<std::size_t>(std::popcount(chosen)) <= most;
    }
  }
  return fixed / group.size();
}

}  // namespace

TEST_CASE("sets that a symmetry of the machine makes equal have one shape") {
  for (const Topology& machine : {t1_machine(), t2_machine()}) {
    const std::vector<Place> all = all_places(machine);
    const std::vector<Permutation> group = symmetries(machine, all);
    CHECK(group.size() == (machine.name() == "T1" ? 384 : 128));
    Random random(7);
    for (const TransferSet& set : random_sets(machine, 40, 3)) {
      const std::uint64_t shape = shape_of(machine, set);
      for (int i = 0; i < 20; ++i) {
        const Permutation& image = group[random.below(static_cast<std::uint32_t>(group.size()))];
        CHECK(shape_of(machine, moved(set, all, image)) == shape);
      }
    }
  }
}

TEST_CASE("sets that differ have different shapes") {
  const Topology machine = t2_machine();
  const auto shape = [&](std::vector<std::pair<std::size_t, std::size_t>> pairs) {
    TransferSet set;
    for (const auto& [from, to] : pairs) set.transfers.emplace_back(Place(from), Place(to));
    return shape_of(machine, set);
  };
  CHECK(shape({{0, 1}}) != shape({{0, 2}}));
  CHECK(shape({{0, 1}}) != shape({{0, 4}}));
  CHECK(shape({{0, 1}}) != shape({{0, 1}, {1, 0}}));
  CHECK(shape({{0, 1}, {2, 3}}) != shape({{0, 1}, {4, 5}}));
  CHECK(shape({{0, 4}, {1, 5}}) != shape({{0, 4}, {5, 1}}));
  CHECK(shape({{0, 1}, {0, 4}}) != shape({{0, 4}, {0, 1}}));  // the order of a source's transfers counts
  CHECK(shape({{0, 1}, {2, 3}}) == shape({{2, 3}, {0, 1}}));  // the order among different sources does not
}

TEST_CASE("all sets among four places are at least one for each orbit, and none twice") {
  const Topology machine = t2_machine();
  for (const std::vector<Place>& few : {places({0, 1, 2, 3}), places({0, 2, 4, 6})}) {
    TransferSets sets(machine, few, 1);
    const std::vector<TransferSet> found = sets.all_among(few, 7, "near");
    CHECK(found.size() >= orbits(machine, few, 7));
    CHECK(sets.all_among(few, 7, "again").empty());
  }
  // One or two transfers: a source's transfers are ordered as the places are. This makes a second shape only where its
  // two targets differ in class.
  TransferSets sets(machine, places({0, 1, 2, 3}), 1);
  CHECK(sets.all_among(places({0, 1, 2, 3}), 1, "one").size() == 2);
}

TEST_CASE("random sets: as many as asked for, the same for the same seed, no shape twice") {
  const Topology machine = t2_machine();
  const std::vector<TransferSet> sets = random_sets(machine, 300, 1);
  const std::vector<TransferSet> again = random_sets(machine, 300, 1);
  REQUIRE(sets.size() == 300);
  std::set<std::uint64_t> shapes;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    CHECK(sets[s].transfers == again[s].transfers);
    CHECK(shapes.insert(shape_of(machine, sets[s])).second);
    CHECK(sets[s].transfers.size() >= 1);
    CHECK(sets[s].transfers.size() <= 7);
    for (const auto& [from, to] : sets[s].transfers) CHECK(from != to);
  }
  CHECK(random_sets(machine, 300, 2)[0].transfers != sets[0].transfers);
}

TEST_CASE("a machine of two places has two shapes, and an end") {
  const Topology machine = t2_machine();
  TransferSets sets(machine, places({0, 1}), 1);
  CHECK(sets.random(7));
  CHECK(sets.random(7));
  CHECK_FALSE(sets.random(7));
  CHECK(sets.alone().transfers == std::vector<std::pair<Place, Place>>{{Place(0), Place(1)}});
  // For two places, ring and all-to-all are both transfers, scatter and gather are one of them: both sets were returned
  // above.
  CHECK(sets.collectives().empty());
}

TEST_CASE("collectives are among all places, the reference between the nearest two") {
  const Topology machine = t2_machine();
  TransferSets sets(machine, places({0, 4, 5, 2}), 1);
  CHECK(sets.alone().transfers == std::vector<std::pair<Place, Place>>{{Place(4), Place(5)}});
  std::vector<std::size_t> sizes;
  for (const TransferSet& set : sets.collectives()) sizes.push_back(set.transfers.size());
  CHECK(sizes == std::vector<std::size_t>{4, 3, 3, 12});
}
