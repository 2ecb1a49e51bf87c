// SPDX-License-Identifier: BSD-3-Clause
// Benchmarks that print what they measured between GPUs.
#pragma once

#include <optional>

#include <topowise/base/text_lines.hpp>
#include <topowise/topology_source/matrix/values.hpp>

namespace topowise {

/// Reads cuda-samples' p2pBandwidthLatencyTest. Nothing if the text holds no such tables.
[[nodiscard]] std::optional<PairValues> read_p2p_test(const TextLines& lines, Warnings& warnings);
/// Reads the text output of NVIDIA's nvbandwidth.
[[nodiscard]] std::optional<PairValues> read_nvbandwidth(const TextLines& lines, Warnings& warnings);
/// Reads lines "GPU 0 -> GPU 1: Bandwidth = 158.52 GB/s" or "... Latency = 2.1 us".
[[nodiscard]] std::optional<PairValues> read_pair_list(const TextLines& lines);

[[nodiscard]] bool looks_measured(std::string_view head);

}  // namespace topowise
