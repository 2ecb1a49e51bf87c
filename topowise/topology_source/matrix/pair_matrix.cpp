// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <optional>

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/reading/market.hpp>
#include <topowise/topology_source/matrix/numbers.hpp>
#include <topowise/topology_source/matrix/tables.hpp>
#include <topowise/topology_source/matrix/values.hpp>

namespace topowise {
namespace {

bool recognises(std::string_view head) {
  const std::string text = plain_text(head);
  return matrix::is_market(text) || looks_measured(text) || looks_like_numbers(TextLines({}, text));
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  const std::string_view text = plain_text(input, cleaned);
  const TextLines lines(where, text);
  Warnings warnings;
  if (matrix::is_market(text)) return build_topology(where, read_matrix_market(lines, text), warnings);
  std::optional<PairValues> measured = read_p2p_test(lines, warnings);
  if (!measured) measured = read_nvbandwidth(lines, warnings);
  if (!measured) measured = read_pair_list(lines);
  return build_topology(where, measured ? *measured : read_numbers(lines), warnings);
}

}  // namespace

const TopologyFormat kPairMatrixFormat{
    "matrix", "pair matrix: text, CSV, MatrixMarket, QAPLIB, p2pBandwidthLatencyTest, nvbandwidth", recognises, read,
    kLargestCluster};

}  // namespace topowise
