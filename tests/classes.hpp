// SPDX-License-Identifier: BSD-3-Clause
// The classes of a machine's pairs, in a form that a table of expectations can hold.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise::test {

/// The number of unordered pairs of each class, nearest class first: "PIX 8, PXB 16".
inline std::string census(const Topology& machine) {
  std::map<PathClass, int> pairs;
  for (std::size_t a = 0; a < machine.place_count(); ++a) {
    for (std::size_t b = a + 1; b < machine.place_count(); ++b) ++pairs[machine.path_class(Place(a), Place(b))];
  }
  std::string text;
  for (const auto& [path, count] : pairs)
    text += (text.empty() ? "" : ", ") + to_string(path) + " " + std::to_string(count);
  return text;
}

/// True if some renumbering of the places of one machine gives the classes of the other.
class Isomorphism {
 public:
  Isomorphism(const Topology& a, const Topology& b) : a_(a), b_(b) {}
  [[nodiscard]] bool exists() { return a_.place_count() == b_.place_count() && extend(); }

 private:
  bool extend() {
    const std::size_t next = image_.size();
    if (next == a_.place_count()) return true;
    for (std::size_t candidate = 0; candidate < b_.place_count(); ++candidate) {
      if (!fits(next, candidate)) continue;
      image_.push_back(candidate);
      if (extend()) return true;
      image_.pop_back();
    }
    return false;
  }
  [[nodiscard]] bool fits(std::size_t next, std::size_t candidate) const {
    for (std::size_t i = 0; i < next; ++i) {
      if (image_[i] == candidate ||
          a_.path_class(Place(i), Place(next)) != b_.path_class(Place(image_[i]), Place(candidate)))
        return false;
    }
    return true;
  }

  const Topology& a_;
  const Topology& b_;
  std::vector<std::size_t> image_;
};

}  // namespace topowise::test
