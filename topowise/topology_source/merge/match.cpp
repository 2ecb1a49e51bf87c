// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/match.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/merge/vendors.hpp>

namespace topowise {
namespace {

/// A bus id, with the node's name in a machine of several nodes, because each node has bus ids of its own.
using Address = std::pair<std::string, PciAddress>;

std::string node_of(const Topology& machine, std::size_t place) {
  return node_name(machine, machine.place(Place(place)).vertex);
}

std::set<std::string> nodes_of(const Topology& machine) {
  std::set<std::string> names;
  for (std::size_t p = 0; p < machine.place_count(); ++p) names.insert(node_of(machine, p));
  return names;
}

std::map<Address, Place> by_address(const Topology& machine) {
  const bool several = nodes_of(machine).size() > 1;
  std::map<Address, Place> places;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    if (const auto& pci = machine.vertex_of(Place(p)).pci)
      places.try_emplace({several ? node_of(machine, p) : std::string(), *pci}, Place(p));
  }
  return places;
}

/// Warns if two descriptions of single nodes name different nodes. A name with a domain equals the name without it.
void tell_other_node(const Topology& first, const Topology& other, PlaceMatch& match) {
  const std::set<std::string> ours = nodes_of(first);
  const std::set<std::string> theirs = nodes_of(other);
  if (ours.size() != 1 || theirs.size() != 1 || ours.begin()->empty() || theirs.begin()->empty()) return;
  const auto host = [](const std::string& name) { return name.substr(0, name.find('.')); };
  if (host(*ours.begin()) == host(*theirs.begin())) return;
  match.warnings.push_back(fmt::format("'{}' describes the node {}, '{}' the node {}: they are taken to be alike",
                                       first.name(), *ours.begin(), other.name(), *theirs.begin()));
}

/// Matches by order only the GPUs of the other's vendor, where the first has GPUs of several vendors.
std::optional<PlaceMatch> by_vendor(const Topology& first, const Topology& other, const std::string& why) {
  const GpuVendor vendor = vendor_of_machine(other);
  if (vendor == GpuVendor::unknown) return std::nullopt;
  const std::vector<Place> own = places_of_vendor(first, vendor);
  if (own.size() != other.place_count() || own.size() == first.place_count()) return std::nullopt;
  PlaceMatch match;
  match.other_of.resize(first.place_count());
  for (std::size_t i = 0; i < own.size(); ++i) match.other_of[own[i].index()] = Place(i);
  match.warnings.push_back(fmt::format("the {} GPUs of '{}' and '{}' are joined by their order, not by bus id: {}",
                                       to_string(vendor), first.name(), other.name(), why));
  return match;
}

bool has_links(const Topology& machine, LinkKind kind) {
  return std::ranges::any_of(machine.links(), [&](const Link& link) { return link.kind == kind; });
}

/// Throws if one machine has NVLink and the other has xGMI: then one has NVIDIA's GPUs and the other has AMD's.
void check_bonds(const Topology& first, const Topology& other) {
  const bool nvlink = has_links(first, LinkKind::nvlink);
  const bool xgmi = has_links(first, LinkKind::xgmi);
  if (nvlink == xgmi || nvlink != has_links(other, LinkKind::xgmi) || xgmi != has_links(other, LinkKind::nvlink))
    return;
  throw bad_input(fmt::format("'{}' has {}, '{}' has {}: these are two machines", first.name(),
                              nvlink ? "NVLink" : "xGMI", other.name(), nvlink ? "xGMI" : "NVLink"),
                  "join descriptions of one machine");
}

PlaceMatch by_order(const Topology& first, const Topology& other, std::string why) {
  if (std::optional<PlaceMatch> match = by_vendor(first, other, why)) return *std::move(match);
  if (first.place_count() != other.place_count())
    throw bad_input(fmt::format("'{}' has {} places, '{}' has {}, and {}", first.name(), first.place_count(),
                                other.name(), other.place_count(), why),
                    "join descriptions of one machine");
  check_bonds(first, other);
  PlaceMatch match;
  for (std::size_t p = 0; p < first.place_count(); ++p) match.other_of.emplace_back(Place(p));
  match.warnings.push_back(fmt::format("'{}' and '{}' are joined by the order of their places, not by bus id: {}",
                                       first.name(), other.name(), why));
  return match;
}

/// Lists what is missing: "GPU2 (0000:c1:00.0), GPU3 (...)", three at most.
std::string missing(const Topology& of, const std::map<Address, Place>& in) {
  std::string text;
  int count = 0;
  for (const auto& [address, place] : by_address(of)) {
    if (in.contains(address)) continue;
    if (++count <= 3)
      text += fmt::format("{}{} ({})", count > 1 ? ", " : "", of.vertex_of(place).name, address.second.to_string());
  }
  if (count > 3) text += fmt::format(" and {} more", count - 3);
  return text;
}

PlaceMatch match_by_address(const Topology& first, const Topology& other) {
  const std::map<Address, Place> ours = by_address(first);
  const std::map<Address, Place> theirs = by_address(other);
  if (ours.size() < first.place_count())
    return by_order(first, other, fmt::format("'{}' does not give the bus ids of its places", first.name()));
  if (theirs.size() < other.place_count())
    return by_order(first, other, fmt::format("'{}' does not give the bus ids of its places", other.name()));
  PlaceMatch match;
  match.other_of.resize(first.place_count());
  for (const auto& [address, place] : ours) {
    if (const auto found = theirs.find(address); found != theirs.end()) match.other_of[place.index()] = found->second;
  }
  const std::size_t common = match.count();
  // Virtual machines and containers renumber buses, but a part of a machine keeps its numbers.
  if (common < std::min(ours.size(), theirs.size()))
    return by_order(first, other, fmt::format("only {} of their bus ids agree", common));
  // The other source cannot know another vendor's GPUs.
  const std::vector<Place> own = places_of_vendor(first, vendor_of_machine(other));
  if (common < ours.size() && (own.empty() || common < own.size()))
    match.warnings.push_back(fmt::format("'{}' does not know {}", other.name(), missing(first, theirs)));
  if (common < theirs.size())
    match.warnings.push_back(
        fmt::format("'{}' does not know {}, which are left out", first.name(), missing(other, ours)));
  return match;
}

}  // namespace

std::size_t PlaceMatch::count() const {
  return static_cast<std::size_t>(std::ranges::count_if(other_of, [](const auto& place) { return place.has_value(); }));
}

PlaceMatch match_places(const Topology& first, const Topology& other) {
  PlaceMatch match = match_by_address(first, other);
  tell_other_node(first, other, match);
  return match;
}

}  // namespace topowise
