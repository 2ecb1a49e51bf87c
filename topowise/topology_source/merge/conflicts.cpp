// SPDX-License-Identifier: BSD-3-Clause
// Two statements contradict each other if they give different classes, or the same class with rates that cannot both be
// true. A measurement lies below the link's peak, because of the protocol and of what else was running: between 60 and
// 105 % of the peak is agreement. Two peaks must be equal. Rates that a source does not know of this machine say
// nothing: "(assumed)" of bonds, "nominal" and "nccl" of PCIe.
#include <topowise/topology_source/merge/conflicts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace topowise {
namespace {

constexpr double kLowestAgreement = 0.6;
constexpr double kHighestAgreement = 1.05;

/// True for a class that only says "there is a number" or "these are levels".
bool is_vague(PathClass path) {
  return path.kind == PathKind::measured || path.kind == PathKind::tree || path.kind == PathKind::unconnected;
}

/// "a measurement"
std::string_view reason_for(Trust trust) {
  switch (trust) {
    case Trust::placeholder:
      return "nothing better is known";
    case Trust::wiring:
      return "it comes from this machine";
    case Trust::preset:
      return "it knows the width of each bond of this model";
    case Trust::stated:
      return "its description states the bond";
    case Trust::backend:
      return "it counts the links of each bond";
    case Trust::tool:
      return "the vendor's tool counts the links of each bond";
    case Trust::measured:
      return "it is a measurement";
  }
  return {};
}

bool is_measured(const PairStatement& statement) {
  return statement.provenance.trust() == Trust::measured;
}

/// True for a rate of the kind of link rather than of this machine's link.
bool is_nominal(const PairStatement& statement) {
  const Basis basis = statement.provenance.basis();
  return !is_bond(statement.path) && (basis == Basis::nominal || basis == Basis::nccl);
}

bool rates_agree(const PairStatement& a, const PairStatement& b) {
  const double x = a.bandwidth.value();
  const double y = b.bandwidth.value();
  if (x <= 0 || y <= 0) return true;
  if (a.provenance.is_assumed() || b.provenance.is_assumed()) return true;
  if (is_nominal(a) || is_nominal(b)) return true;
  if (is_measured(a) && is_measured(b)) return std::min(x, y) >= kLowestAgreement * std::max(x, y);
  if (is_measured(a)) return x >= kLowestAgreement * y && x <= kHighestAgreement * y;
  if (is_measured(b)) return y >= kLowestAgreement * x && y <= kHighestAgreement * x;
  return std::min(x, y) >= 0.99 * std::max(x, y);
}

bool agree(const PairStatement& a, const PairStatement& b) {
  const bool same_class = a.path == b.path || is_vague(a.path) || is_vague(b.path);
  return same_class && rates_agree(a, b);
}

std::string describe(const PairStatement& statement) {
  std::string text = is_vague(statement.path) ? "" : to_string(statement.path);
  if (statement.bandwidth.value() > 0)
    text += fmt::format("{}{}", text.empty() ? "" : " at ", to_string(statement.bandwidth));
  return text;
}

/// The provenance of the statement that is kept, and why it is kept: it is a measurement, else it is the source chosen
/// for the bond's kind, else it is the source of the PCI tree.
std::pair<std::string_view, std::string_view> kept_of(const PairStatement& first, const PairStatement& other,
                                                      const std::set<LinkKind>& from_other) {
  for (const PairStatement* statement : {&first, &other}) {
    if (is_measured(*statement)) return {statement->source, reason_for(Trust::measured)};
  }
  if (!is_bond(first.path) && !is_bond(other.path)) return {first.source, "the PCI tree is its own"};
  const LinkKind kind = bond_kind(is_bond(other.path) ? other.path : first.path);
  const PairStatement& kept = from_other.contains(kind) ? other : first;
  return {kept.source, reason_for(kept.provenance.trust())};
}

/// The bandwidth to group warnings by. Measurements differ from pair to pair, so one warning is enough for all that are
/// close.
double rounded(const PairStatement& statement) {
  const double value = statement.bandwidth.value();
  return is_measured(statement) ? std::round(value / 10e9) * 10e9 : value;
}

/// Who states it, and in which file: "amd-smi (as printed) in topo.txt". What a live machine says is in no file: its
/// parts have the names of who says it.
std::string source_of(const Topology& machine, const Provenance& provenance) {
  if (provenance.origin().empty()) return machine.name();
  const std::string text = to_string(provenance);
  return text.starts_with(machine.name()) ? text : fmt::format("{} in {}", text, machine.name());
}

}  // namespace

PairStatement statement_of(const Topology& machine, Place a, Place b) {
  PairStatement statement{machine.path_class(a, b), machine.bandwidth(a, b), machine.name(), {}};
  if (machine.has_pair_matrix(Metric::bandwidth)) {
    statement.provenance = machine.pair_matrix_source(Metric::bandwidth);
    statement.source = source_of(machine, statement.provenance);
    return statement;
  }
  double narrowest = std::numeric_limits<double>::infinity();
  for (const LinkId id : machine.route(a, b)) {
    const Link& link = machine.link(id);
    if (link.bandwidth.value() >= narrowest) continue;
    narrowest = link.bandwidth.value();
    statement.provenance = link.source;
    statement.source = source_of(machine, link.source);
  }
  return statement;
}

LinkKind bond_kind(PathClass bond) {
  if (bond.kind == PathKind::nvlink) return LinkKind::nvlink;
  if (bond.kind == PathKind::vendor_link) return LinkKind::vendor_link;
  return bond.kind == PathKind::c2c ? LinkKind::c2c : LinkKind::xgmi;
}

std::vector<std::string> contradictions(const Topology& first, const Topology& other, const PlaceMatch& match,
                                        const std::set<LinkKind>& from_other) {
  using Key = std::pair<std::pair<std::string, std::string>, std::tuple<PathClass, PathClass, double, double>>;
  struct Group {
    PairStatement first, other;
    std::string example;
    int pairs = 0;
  };
  std::map<Key, Group> groups;
  for (std::size_t a = 0; a < first.place_count(); ++a) {
    for (std::size_t b = a + 1; b < first.place_count(); ++b) {
      if (!match.other_of[a] || !match.other_of[b]) continue;
      if (first.without_peer_access().contains({Place(a), Place(b)}) ||
          other.without_peer_access().contains(std::minmax(*match.other_of[a], *match.other_of[b])))
        continue;  // a class by way of the host, and one by a link that only the other takes to be used
      const PairStatement x = statement_of(first, Place(a), Place(b));
      const PairStatement y = statement_of(other, *match.other_of[a], *match.other_of[b]);
      if (agree(x, y)) continue;
      Group& group = groups[{{x.source, y.source}, {x.path, y.path, rounded(x), rounded(y)}}];
      if (++group.pairs == 1) {
        group.first = x;
        group.other = y;
        group.example = fmt::format("{}-{}", first.vertex_of(Place(a)).name, first.vertex_of(Place(b)).name);
      }
    }
  }
  std::vector<std::string> warnings;
  for (const auto& [key, group] : groups) {
    const auto& [kept, reason] = kept_of(group.first, group.other, from_other);
    warnings.push_back(fmt::format("{}{}: {} says {}, {} says {}; kept {}: {}", group.example,
                                   group.pairs > 1 ? fmt::format(" and {} more", group.pairs - 1) : "",
                                   group.first.source, describe(group.first), group.other.source, describe(group.other),
                                   kept, reason));
  }
  return warnings;
}

}  // namespace topowise
