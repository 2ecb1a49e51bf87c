// SPDX-License-Identifier: BSD-3-Clause
// The two testbeds of Martinasso et al. (SC'16, Fig. 1): eight GPUs on four K80 boards, and random trees.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/predict/congestion/link_model.hpp>
#include <topowise/predict/congestion/pcie_tree.hpp>

namespace topowise::testing {

inline constexpr double kTableTau = 1.0 / 5.0;  ///< section VI

/// Vertices 0..7 are the GPUs.
inline std::vector<PcieVertex> boards() {
  std::vector<PcieVertex> vertices;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) vertices.push_back({"GPU" + std::to_string(gpu), 8 + gpu / 2});
  return vertices;
}

inline PcieTree paper_t1() {
  std::vector<PcieVertex> vertices = boards();
  for (int board = 0; board < 4; ++board) vertices.push_back({"K" + std::to_string(board), 12});
  vertices.push_back({"S", 13});
  vertices.push_back({.name = "RC", .root_complex = true, .tau = kPaperTau});
  return PcieTree(std::move(vertices));
}

inline PcieTree paper_t2(double tau = kPaperTau) {
  std::vector<PcieVertex> vertices = boards();
  for (std::uint32_t board = 0; board < 4; ++board) vertices.push_back({"K" + std::to_string(board), 12 + board / 2});
  for (const char* name : {"A", "B"}) vertices.push_back({name, 14});
  vertices.push_back({.name = "RC", .root_complex = true, .tau = tau});
  return PcieTree(std::move(vertices));
}

/// A random tree of up to `most` vertices; in half of the cases its root is a root complex.
inline PcieTree random_tree(Random& random, std::uint32_t most, bool equal_links = true) {
  std::vector<PcieVertex> vertices(1);
  vertices[0].name = "root";
  vertices[0].root_complex = random.below(2) == 0;
  if (vertices[0].root_complex) vertices[0].tau = 0.45 * random.unit();
  const std::uint32_t count = 4 + random.below(most - 3);
  for (std::uint32_t v = 1; v < count; ++v) {
    vertices.push_back({"v" + std::to_string(v), random.below(v)});
    if (equal_links) continue;
    vertices.back().up = 0.25 * (1 + random.below(8));
    vertices.back().down = 0.25 * (1 + random.below(8));
  }
  return PcieTree(std::move(vertices));
}

inline std::vector<std::uint32_t> leaves(const PcieTree& tree) {
  std::vector<bool> has_child(tree.vertices().size(), false);
  for (const PcieVertex& vertex : tree.vertices()) {
    if (vertex.parent != PcieVertex::kNoParent) has_child[vertex.parent] = true;
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < has_child.size(); ++v) {
    if (!has_child[v]) found.push_back(v);
  }
  return found;
}

/// Each leaf sends to another random leaf with probability 3/4.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> random_messages(Random& random, const PcieTree& tree) {
  const std::vector<std::uint32_t> devices = leaves(tree);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> messages;
  for (const std::uint32_t source : devices) {
    const std::uint32_t destination = devices[random.below(static_cast<std::uint32_t>(devices.size()))];
    if (destination != source && random.below(4) != 0) messages.emplace_back(source, destination);
  }
  return messages;
}

}  // namespace topowise::testing
