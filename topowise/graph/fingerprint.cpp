// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/fingerprint.hpp>

#include <fmt/format.h>

#include <bit>
#include <set>
#include <tuple>

#include <topowise/base/hash.hpp>

namespace topowise {
namespace {

/// Adds the length first, so that "ab", "c" differs from "a", "bc".
void add_text(Fnv1a& hash, std::string_view text) {
  hash.add_number(text.size());
  hash.add(text);
}

void add_amount(Fnv1a& hash, double amount) {
  hash.add_number(std::bit_cast<std::uint64_t>(amount));
}

std::string digits(const Fnv1a& hash) {
  return fmt::format("{:016x}", hash.value());
}

}  // namespace

std::string fingerprint(const Traffic& traffic) {
  Fnv1a hash;
  hash.add_number(traffic.ranks());
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes == Bytes()) continue;
    hash.add_number(entry.source.index());
    hash.add_number(entry.destination.index());
    add_amount(hash, entry.bytes.value());
  }
  return digits(hash);
}

namespace {

bool is_one_node(const Topology& machine) {
  const std::string first = node_name(machine, machine.place(Place(0)).vertex);
  return std::ranges::all_of(machine.places(),
                             [&](const PlaceEntry& place) { return node_name(machine, place.vertex) == first; });
}

}  // namespace

std::string fingerprint(const Topology& machine) {
  Fnv1a hash;
  // One host has the same fingerprint whether or not a source states its name: nvidia-smi does not.
  const bool one = is_one_node(machine);
  const std::size_t count = machine.place_count();
  for (std::size_t p = 0; p < count; ++p) {
    const PlaceEntry& place = machine.place(Place(p));
    const Vertex& vertex = machine.vertex(place.vertex);
    add_text(hash, to_string(place.kind));
    add_text(hash, one ? std::string() : node_name(machine, place.vertex));
    add_text(hash, vertex.pci ? vertex.pci->to_string() : "");
    hash.add_number(static_cast<std::uint64_t>(place.capacity));
  }
  for (const PathClass level : machine.levels()) add_text(hash, to_string(level));  // NV12 differs from NV18 and XGMI
  // NVLink 4 differs from NVLink 5. Assumed rates are left out, because the next description may know the rate.
  std::set<std::tuple<LinkKind, int, double>> bonds;
  for (const Link& link : machine.links()) {
    if (is_bond(link.kind) && !link.source.is_assumed()) bonds.emplace(link.kind, link.width, link.bandwidth.value());
  }
  for (const auto& [kind, width, bandwidth] : bonds) {
    add_text(hash, to_string(kind));
    hash.add_number(static_cast<std::uint64_t>(width));
    add_amount(hash, bandwidth);
  }
  // Each place is compared with those at distances 1, 2, 4, ... in number, which finds every level of a hierarchy. In a
  // small machine it is compared with all places.
  constexpr std::size_t kSmall = 256;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t step = 1; a + step < count; step += count <= kSmall ? 1 : step)
      add_amount(hash, machine.distance(Place(a), Place(a + step)));
  }
  return digits(hash);
}

namespace {

/// Messages do not show ranks above the last one that sends or receives, so the traffic gets as many ranks as the
/// mapping was made for.
std::string fingerprint_of(const Traffic& traffic, std::size_t ranks) {
  if (traffic.ranks() == ranks) return fingerprint(traffic);
  std::vector<TrafficEntry> entries;
  for (const TrafficEntry& entry : traffic.entries()) entries.push_back(entry);
  return fingerprint(Traffic::from_entries(ranks, std::move(entries)));
}

}  // namespace

std::vector<std::string> signs_of_another_question(const std::string& name, const MappingResult& saved,
                                                   const Topology& machine, const Traffic& traffic) {
  std::vector<std::string> signs;
  const MadeFor& made_for = saved.made_for;
  if (!made_for.topology.empty() && made_for.topology != fingerprint(machine))
    signs.push_back(fmt::format("'{}' was made for another machine than '{}': places differ, or how far they are apart",
                                name, machine.name()));
  const std::size_t ranks = saved.mapping.ranks();
  if (!made_for.traffic.empty() && !traffic.entries().empty() && traffic.ranks() <= ranks &&
      made_for.traffic != fingerprint_of(traffic, ranks))
    signs.push_back(fmt::format("'{}' was made for other traffic than this", name));
  return signs;
}

}  // namespace topowise
