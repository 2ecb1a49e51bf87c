// SPDX-License-Identifier: BSD-3-Clause
// Prints the predicted improvement of topology-aware GPU selection over rank i on GPU i: the table in
// docs/models/predicted-time.md, for the microbenchmarks of figures 3 and 4 of Faraji et al. (AsHES 2016).
#include <fmt/format.h>

#include <tests/published/gpu_selection.hpp>

using namespace topowise;
using namespace topowise::testing;

int main() {
  fmt::print("| microbenchmark | w | message | default |");
  for (const std::string_view selection : kSelections) fmt::print(" {} |", selection);
  fmt::print("\n| --- | --- | --- | --- |");
  for (std::size_t i = 0; i < kSelections.size(); ++i) fmt::print(" --- |");
  fmt::print("\n");
  for (const int weight : {1, 3}) {
    for (const Microbenchmark& benchmark : kMicrobenchmarks) {
      for (const int kib : {1, 16, 256, 4096, 16384}) {
        const SelectionRow row = select_gpus(benchmark, weight, 1024.0 * kib, 1);
        const std::string size = kib < 1024 ? fmt::format("{} KiB", kib) : fmt::format("{} MiB", kib / 1024);
        fmt::print("| {} | {} | {} | {} |", benchmark.name, weight, size, to_string(row.identity));
        for (const double improvement : row.improvement) fmt::print(" {:.1f} % |", 100 * improvement);
        fmt::print("\n");
      }
    }
  }
}
