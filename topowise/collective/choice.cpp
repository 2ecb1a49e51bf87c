// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/choice.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace topowise::collective {
namespace {

/// Algorithms, the best first, by what is known of others' kernels (docs/models/allreduce.md). With one GPU nothing
/// moves less than leader-fused.
std::vector<std::string_view> rule(const Layout& layout, std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024;
  if (layout.gpus() == 1) return {"leader-fused"};
  if (layout.bonded || layout.gpus() == 2) {  // every two GPUs have wires of their own
    const std::uint64_t longest = (layout.gpus() <= 4 ? 512 : 256) * kKiB;
    if (bytes <= longest) return {"one-shot", "leader-fused"};
    return {"two-shot", "leader-fused"};
  }
  if (bytes <= 32 * kKiB) return {"one-shot", "leader-fused"};
  return {"ring", "leader-fused"};
}

}  // namespace

std::optional<std::size_t> tuned_algorithm(const Tuning& tuning, const Layout& layout, std::uint64_t bytes) {
  const auto row = std::ranges::find_if(tuning.rows, [&](const Tuning::Row& one) {
    return one.ranks == layout.ranks() && one.gpus == layout.gpus() && !one.sizes.empty();
  });
  if (row == tuning.rows.end()) return std::nullopt;
  const auto distance = [&](const Tuning::Size& size) {
    return std::abs(std::log2(static_cast<double>(size.bytes)) - std::log2(static_cast<double>(bytes)));
  };
  return std::ranges::min_element(row->sizes, {}, distance)->algorithm;
}

std::vector<std::size_t> preferred_algorithms(Collective collective, const Layout& layout, std::uint64_t bytes,
                                              const std::optional<Tuning>& tuning) {
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t algorithm) {
    const bool known = std::ranges::find(order, algorithm) != order.end();
    if (!known && algorithms()[algorithm].does(collective, layout)) order.push_back(algorithm);
  };
  const std::optional<std::size_t> tuned = tuning && layout.nodes == 1 && collective == Collective::allreduce
                                               ? tuned_algorithm(*tuning, layout, bytes)
                                               : std::nullopt;
  if (tuned) add(*tuned);
  for (const std::string_view name : rule(layout, bytes)) add(find_algorithm(name));
  add(find_algorithm("leader-fused"));
  add(find_algorithm("staged-host"));
  return order;
}

}  // namespace topowise::collective
