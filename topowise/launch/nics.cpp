// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/nics.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <topowise/base/text.hpp>
#include <topowise/graph/nearest_nics.hpp>

namespace topowise {
namespace {

constexpr const char* kNcclVariable = "NCCL_IB_HCA";

/// Assigns ranks to NICs, each of which serves a limited number of ranks, by augmenting paths.
class Assignment {
 public:
  Assignment(std::span<const std::vector<std::size_t>> near, std::vector<std::size_t> limits)
      : near_(near), served_(limits.size()), limits_(std::move(limits)) {}

  void raise_limits() {
    for (std::size_t& limit : limits_) ++limit;
  }

  /// False if all NICs that could serve the rank are full, and none of their ranks can move to another NIC.
  bool place(std::size_t rank) {
    std::vector<bool> seen(served_.size(), false);
    return place(rank, seen);
  }

  /// How many ranks each NIC serves.
  [[nodiscard]] std::vector<std::size_t> loads() const {
    std::vector<std::size_t> result;
    for (const std::vector<std::size_t>& ranks : served_) result.push_back(ranks.size());
    return result;
  }

  [[nodiscard]] std::vector<std::optional<std::size_t>> nic_of_rank() const {
    std::vector<std::optional<std::size_t>> result(near_.size());
    for (std::size_t nic = 0; nic < served_.size(); ++nic) {
      for (const std::size_t rank : served_[nic]) result[rank] = nic;
    }
    return result;
  }

 private:
  /// The depth of the recursion is at most the number of NICs.
  bool place(std::size_t rank, std::vector<bool>& seen) {
    for (const std::size_t nic : near_[rank]) {
      if (served_[nic].size() < limits_[nic]) {
        served_[nic].push_back(rank);
        return true;
      }
    }
    for (const std::size_t nic : near_[rank]) {
      if (seen[nic]) continue;
      seen[nic] = true;
      for (std::size_t i = 0; i < served_[nic].size(); ++i) {
        if (!place(served_[nic][i], seen)) continue;
        served_[nic][i] = rank;
        return true;
      }
    }
    return false;
  }

  std::span<const std::vector<std::size_t>> near_;
  std::vector<std::vector<std::size_t>> served_;  ///< ranks of each NIC
  std::vector<std::size_t> limits_;               ///< the most ranks that each NIC may serve
};

/// How many ranks each NIC serves if as many NICs as possible serve one rank, then as many as possible a second one,
/// and so on. An augmenting path adds a rank to one NIC and leaves the loads of the others unchanged.
std::vector<std::size_t> fair_loads(std::span<const std::vector<std::size_t>> near, std::size_t nics) {
  std::vector<std::size_t> waiting;
  for (std::size_t rank = 0; rank < near.size(); ++rank) {
    if (!near[rank].empty()) waiting.push_back(rank);
  }
  Assignment assignment(near, std::vector<std::size_t>(nics, 0));
  while (!waiting.empty()) {
    assignment.raise_limits();
    std::erase_if(waiting, [&](std::size_t rank) { return assignment.place(rank); });
  }
  return assignment.loads();
}

/// The 3 of "hsn3" or "cxi3"; nothing for other NICs.
std::optional<std::size_t> slingshot_number(const std::string& name) {
  for (const std::string_view prefix : {"hsn", "cxi"}) {
    if (!name.starts_with(prefix) || name.size() != prefix.size() + 1) continue;
    if (const char digit = name.back(); is_digit(digit)) return static_cast<std::size_t>(digit - '0');
  }
  return std::nullopt;
}

/// True for a device that UCX and NCCL know by this name. "ib0" is only the network interface of such a device.
bool is_rdma_device(const std::string& name) {
  constexpr std::array<std::string_view, 8> kDrivers{"mlx4_", "mlx5_", "bnxt_re", "irdma",
                                                     "hfi1_", "hns_",  "ib",      "roce"};
  if (name.starts_with("ib") && std::ranges::all_of(name.substr(2), is_digit)) return false;
  return std::ranges::any_of(kDrivers, [&](std::string_view driver) { return name.starts_with(driver); }) &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; });
}

/// The local ranks by the number of their NIC; empty if a rank has another kind of NIC or none.
std::map<std::size_t, std::vector<std::size_t>> slingshot_ranks(std::span<const std::optional<std::string>> nics) {
  std::map<std::size_t, std::vector<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < nics.size(); ++rank) {
    const std::optional<std::size_t> number = nics[rank] ? slingshot_number(*nics[rank]) : std::nullopt;
    if (!number) return {};
    ranks[*number].push_back(rank);
  }
  return ranks;
}

/// The NICs of a node, sorted by name, and for each rank of the node the indices of the NICs that are nearest to its
/// place.
struct NodeNics {
  std::vector<VertexId> nics;
  std::vector<std::vector<std::size_t>> near;
};

NodeNics node_nics(const Placement& placement, std::size_t node, const Mapping& mapping, const Topology& topology) {
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    if (placement.ranks[rank].node == node) places.push_back(mapping.places()[rank]);
  }
  NodeNics found;
  found.nics = nics_without_network(topology, places);
  std::erase_if(found.nics, [&](VertexId nic) { return node_name(topology, nic) != placement.nodes[node].name; });
  std::ranges::stable_sort(found.nics, {}, [&](VertexId nic) { return topology.vertex(nic).name; });
  for (NearestNics& nearest : nearest_nics(topology, places, found.nics)) found.near.push_back(std::move(nearest.nics));
  return found;
}

}  // namespace

std::vector<std::optional<std::size_t>> share_nics(std::span<const std::vector<std::size_t>> near) {
  std::size_t nics = 0;
  for (const std::vector<std::size_t>& each : near) {
    for (const std::size_t nic : each) nics = std::max(nics, nic + 1);
  }
  Assignment assignment(near, fair_loads(near, nics));
  for (std::size_t rank = 0; rank < near.size(); ++rank) {
    if (!near[rank].empty()) assignment.place(rank);
  }
  return assignment.nic_of_rank();
}

std::vector<std::optional<std::string>> nics_of_node(const Placement& placement, std::size_t node,
                                                     const Mapping& mapping, const Topology& topology) {
  const NodeNics all = node_nics(placement, node, mapping, topology);
  std::vector<std::optional<std::string>> names;
  for (const std::optional<std::size_t> nic : share_nics(all.near))
    names.push_back(nic ? std::optional(name_in_node(topology, all.nics[*nic])) : std::nullopt);
  return names;
}

std::vector<std::string> nics_near_node(const Placement& placement, std::size_t node, const Mapping& mapping,
                                        const Topology& topology) {
  const NodeNics all = node_nics(placement, node, mapping, topology);
  std::set<std::size_t> numbers;
  for (const std::vector<std::size_t>& near : all.near) {
    if (near.empty()) return {};
    numbers.insert(near.begin(), near.end());
  }
  std::vector<std::string> names;
  for (const std::size_t nic : numbers) names.push_back(name_in_node(topology, all.nics[nic]));
  return names;
}

Variables nic_environment(std::span<const std::optional<std::string>> nics, std::span<const std::string> near,
                          std::size_t local_rank, const Inherited& inherited) {
  if (local_rank >= nics.size() || !nics[local_rank]) return {};
  Variables variables;
  if (is_rdma_device(*nics[local_rank])) {
    if (!inherited("UCX_NET_DEVICES")) variables.emplace_back("UCX_NET_DEVICES", *nics[local_rank] + ":1");
    if (!near.empty() && std::ranges::all_of(near, is_rdma_device) && !inherited(kNcclVariable))
      variables.emplace_back(kNcclVariable, fmt::format("={}", fmt::join(near, ",")));
    return variables;
  }
  std::vector<std::string> entries;
  for (const auto& [number, ranks] : slingshot_ranks(nics))
    entries.push_back(fmt::format("{}:{}", number, fmt::join(ranks, ",")));
  if (entries.empty() || inherited("MPICH_OFI_NIC_POLICY") || inherited("MPICH_OFI_NIC_MAPPING")) return {};
  return {{"MPICH_OFI_NIC_POLICY", "USER"}, {"MPICH_OFI_NIC_MAPPING", fmt::format("{}", fmt::join(entries, ";"))}};
}

std::vector<std::string> nics_in_use(const Variables& variables, const std::string& own,
                                     std::span<const std::string> near) {
  std::set<std::string> names;
  for (const auto& [variable, value] : variables) {
    if (variable == kNcclVariable)
      names.insert(near.begin(), near.end());
    else
      names.insert(own);
  }
  return {names.begin(), names.end()};
}

}  // namespace topowise
