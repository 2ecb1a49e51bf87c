// SPDX-License-Identifier: BSD-3-Clause
// The PCIe trees of a machine, as the congestion model walks them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace topowise {

/// One vertex of a PCIe tree with the two links to its parent. Capacities are in units of one reference bandwidth; in a
/// tree of equal links all are 1.
struct PcieVertex {
  static constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();

  std::string name;
  std::uint32_t parent = kNoParent;
  double up = 1.0;            ///< capacity towards the parent
  double down = 1.0;          ///< capacity from the parent
  bool root_complex = false;  ///< meaningful for a root: its ports follow the root-complex rule
  double tau = 0.0;           ///< the share of the bandwidth that crossing a root complex costs, in [0, 1/2)
};

/// The links that a message crosses inside one tree, in order, and what they mean to the model.
struct PciePath {
  std::vector<std::uint32_t> links;
  std::uint32_t arrival = 0;          ///< where the message comes from: one number per vertex, which is no link's
  bool through_root_complex = false;  ///< turns at a root complex, or enters the tree there
  double entry = 1.0;                 ///< what the source could send alone: the capacity of the first link
  double ceiling = 1.0;               ///< what the message gets alone
};

/// One or several trees. Immutable.
///
/// A link is one direction between a vertex and its parent. Links are numbered in the order in which the model visits
/// them: up-links, deepest first, then down-links from the roots to the leaves. So the numbers along a path always
/// ascend.
class PcieTree {
 public:
  /// Throws Error(bad_input) for a cycle, a parent that does not exist, a capacity that is not above 0, tau outside
  /// [0, 1/2), and tau or `root_complex` on a vertex with a parent.
  explicit PcieTree(std::vector<PcieVertex> vertices);

  [[nodiscard]] std::span<const PcieVertex> vertices() const { return vertices_; }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }
  [[nodiscard]] std::uint32_t up(std::uint32_t vertex) const { return up_[vertex]; }
  [[nodiscard]] std::uint32_t down(std::uint32_t vertex) const { return down_[vertex]; }

  struct Link {
    std::uint32_t child = 0;  ///< the lower end
    bool downward = false;
    bool leaves_root_complex = false;
    double capacity = 1.0;
    double tau = 0.0;  ///< of the root complex at the top of this tree, 0 below a plain switch
  };
  [[nodiscard]] const Link& link(std::uint32_t id) const { return links_[id]; }
  /// "K0 -> A": the end that sends, then the end that receives.
  [[nodiscard]] std::string name(std::uint32_t link) const;

  /// Throws Error(bad_input) if the vertices are of different trees, or the same.
  [[nodiscard]] PciePath path(std::uint32_t from, std::uint32_t to) const;

 private:
  void find_depths();
  void number_links();

  std::vector<PcieVertex> vertices_;
  std::vector<std::uint32_t> depth_;
  std::vector<std::uint32_t> root_;
  std::vector<std::uint32_t> up_, down_;
  std::vector<Link> links_;
};

}  // namespace topowise
