// SPDX-License-Identifier: BSD-3-Clause
// Warnings for sources that cannot see NVLink or xGMI: bonds that they do not show may exist.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/node/gpu_models.hpp>

namespace topowise {

/// A part of every such warning, by which it is found again, also in a saved file.
inline constexpr std::string_view kBondsNotShown = "does not show NVLink or xGMI";
/// The assumption of whoever uses such a machine alone.
inline constexpr std::string_view kNoOtherBonds = "no NVLink or xGMI beyond what the source shows";

/// The same for links of which only one end is shown.
inline constexpr std::string_view kFarEndNotShown = "the other end is not known";

/// True if the source warned so, and no other source that was joined to it knows a bond.
[[nodiscard]] bool bonds_are_hidden(const Topology& topology);

/// Collects the models of the GPUs of which a source shows no bond.
class UnbondedGpus {
 public:
  /// `sm`: ten times the compute capability, 0 if not known. A model that is not known counts if `unknown_counts`.
  void add(int vendor, int device, int sm, bool unknown_counts);
  /// Adds one warning if there are two or more GPUs that may well be joined. `why`: "it has only the PCI tree".
  void report(TopologyBuilder& builder, const std::string& where, std::string_view why) const;

 private:
  std::map<std::string, std::size_t> models_;
  std::size_t count_ = 0;
};

}  // namespace topowise
