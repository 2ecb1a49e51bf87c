// SPDX-License-Identifier: BSD-3-Clause
// Congestion factors of messages that share a PCIe tree at one moment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/predict/congestion/pcie_tree.hpp>

namespace topowise {

/// What happens to the bandwidth that head-of-line blocking leaves unused.
enum class FreedBandwidth : unsigned char {
  paper,   ///< equation 9: those who met the blocked message at a port share it
  filled,  ///< ours: all messages that are not blocked grow alike until a link of theirs is full
};

/// Registered paths and reusable scratch of the algorithm. Not to be shared between threads.
class PcieCongestion {
 public:
  explicit PcieCongestion(PcieTree tree, FreedBandwidth freed = FreedBandwidth::paper);

  [[nodiscard]] const PcieTree& tree() const { return tree_; }
  /// Remembers a path and gives its number, which factors() takes.
  std::uint32_t add(const PciePath& path);
  std::uint32_t add(std::uint32_t from, std::uint32_t to) { return add(tree_.path(from, to)); }
  [[nodiscard]] std::span<const std::uint32_t> links(std::uint32_t path) const;

  /// Factors of the messages that are active together, in the order of `paths`, in units of the reference bandwidth.
  /// `paths` may name a path more than once. O(sum of the path lengths).
  void factors(std::span<const std::uint32_t> paths, std::span<double> result);

  /// How the factors of the last call came about: the columns of Table I of the paper.
  struct Stages {
    std::span<const std::uint32_t> first;  ///< message c is hops [first[c] + 1, first[c + 1]), one a link of its path
    std::span<const double> rho;           ///< by hop, after that link and steps B and C; hop first[c]: before it
    std::span<const double> blocked;       ///< by message, after equation 8
    std::span<const double> final;         ///< by message
    std::span<const std::uint32_t> conflict;  ///< by hop: the port of that link is in conflict
  };
  [[nodiscard]] Stages stages() const;

 private:
  struct Path {
    std::uint32_t begin = 0, end = 0;              ///< indices in path_links_
    std::uint32_t first_touch = 0, end_touch = 0;  ///< indices in touches_
    std::uint32_t arrival = 0;
    bool through_root_complex = false;
    double entry = 1.0, ceiling = 1.0;
  };
  /// Those links of a path that share one word of `touched_`.
  struct Touch {
    std::uint32_t word = 0;
    std::uint64_t bits = 0;
  };
  /// A link with several users.
  struct Shared {
    std::uint32_t link = 0;
    std::uint32_t begin = 0, end = 0;  ///< indices in users_
  };
  struct Group {
    std::uint32_t arrival = 0;
    bool behind_root_complex = false;
    double in = 0.0;
    double scale = 1.0;
  };

  [[nodiscard]] std::span<const std::uint32_t> users(const Shared& shared) const {
    return {users_.data() + shared.begin, users_.data() + shared.end};
  }
  // The inline functions are defined in the one file that uses them.
  inline void place(std::span<const std::uint32_t> paths);
  inline std::span<const std::uint32_t> share(std::uint32_t id);
  void arbitrate();
  inline void arbitrate_alone(const PcieTree::Link& link, std::uint32_t hop);
  inline void arbitrate_up(const PcieTree::Link& link, std::span<const std::uint32_t> users);
  inline void arbitrate_down(const PcieTree::Link& link, std::span<const std::uint32_t> users);
  inline void collect_groups(std::span<const std::uint32_t> users);
  inline void limit_groups(const PcieTree::Link& link);
  bool block_heads();
  void share_freed();
  void guard_capacity();
  void fill();

  PcieTree tree_;
  FreedBandwidth freed_;
  std::vector<Path> paths_;
  std::vector<std::uint32_t> path_links_;
  std::vector<Touch> touches_;

  // These vectors are by link. Between calls `head_` and `group_of_` are -1 and `touched_` is 0.
  std::vector<std::int32_t> head_;      ///< the first hop in the list of the link's users
  std::vector<std::int32_t> group_of_;  ///< by the link of arrival
  std::vector<double> extra_;
  std::vector<std::uint64_t> touched_;  ///< one bit a link
  std::vector<Shared> shared_;
  std::vector<std::uint32_t> users_;  ///< the users of the shared links, as hops
  std::vector<Group> groups_;

  // These vectors are by hop: one hop a message for its entry, then one for each link of its path.
  std::vector<double> rho_, tail_;
  std::vector<std::uint32_t> link_, message_;
  std::vector<std::int32_t> next_;
  std::vector<std::uint32_t> conflict_;  ///< 1 or 0; not of a character type, whose stores would alias everything

  // These vectors are by message.
  std::vector<std::uint32_t> first_;
  std::vector<const Path*> path_;
  std::vector<double> blocked_, final_, scale_;
  std::vector<int> held_;  ///< 1 if equation 8 holds it back, else 0
  std::size_t count_ = 0;
  bool any_conflict_ = false;
};

}  // namespace topowise
