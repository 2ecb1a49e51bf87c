// SPDX-License-Identifier: BSD-3-Clause
// Computes the factors of the cases on standard input, for comparison with another implementation (oracle_test.py). A
// case is "VERTICES MESSAGES", then a line "PARENT UP DOWN ROOT_COMPLEX TAU" for each vertex (parent -1: a root), then
// a line "FROM TO" for each message. The answer to a case is one line of factors.
#include <fmt/format.h>

#include <iostream>
#include <vector>

#include <topowise/predict/congestion/pcie_congestion.hpp>

int main() {
  std::size_t vertex_count = 0;
  std::size_t message_count = 0;
  while (std::cin >> vertex_count >> message_count) {
    std::vector<topowise::PcieVertex> vertices(vertex_count);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      long parent = 0;
      topowise::PcieVertex& vertex = vertices[v];
      vertex.name = fmt::format("v{}", v);
      std::cin >> parent >> vertex.up >> vertex.down >> vertex.root_complex >> vertex.tau;
      if (parent >= 0) vertex.parent = static_cast<std::uint32_t>(parent);
    }
    topowise::PcieCongestion model{topowise::PcieTree(std::move(vertices))};
    std::vector<std::uint32_t> paths(message_count);
    for (std::uint32_t& path : paths) {
      std::uint32_t from = 0;
      std::uint32_t to = 0;
      std::cin >> from >> to;
      path = model.add(from, to);
    }
    std::vector<double> factors(message_count);
    model.factors(paths, factors);
    for (const double factor : factors) fmt::print("{:.17g} ", factor);
    fmt::print("\n");
  }
}
