// SPDX-License-Identifier: BSD-3-Clause
// Reads what amd-smi and rocm-smi write for programs, as JSON and CSV: one property of a pair of GPUs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/text_lines.hpp>
#include <topowise/graph/json/value.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/amd_links.hpp>

namespace topowise {

/// What is stated of GPUs, by the tool's numbers, which may have gaps.
class AmdRecords {
 public:
  struct Gpu {
    std::string bus_id;
    std::optional<int> numa_node, numa_affinity;  ///< only of rocm-smi
  };
  struct Statement {
    std::int64_t from = 0, to = 0;
    AmdProperty property = AmdProperty::type;
    std::string cell;
  };

  static constexpr std::size_t kMostStatements = std::size_t{1} << 19;

  /// The GPU of that number, added if it is new. Throws Error(bad_input) beyond DeviceMatrix::kMost.
  Gpu& gpu(const std::string& where, std::int64_t number);
  /// Keeps a statement. Throws Error(bad_input) beyond kMostStatements.
  void state(const std::string& where, Statement statement);

  [[nodiscard]] const std::map<std::int64_t, Gpu>& gpus() const { return gpus_; }
  [[nodiscard]] const std::deque<Statement>& statements() const { return statements_; }
  /// Gives everything that was stated to `links`. Adds one warning for each property with cells that make no sense.
  void pass_to(AmdLinks& links, Warnings& warnings) const;

 private:
  std::map<std::int64_t, Gpu> gpus_;
  std::deque<Statement> statements_;
};

/// The position where the JSON begins, because the tools may print warnings before it: the first line that begins a
/// list of objects if `open` is '[', else an object. npos if there is none.
[[nodiscard]] std::size_t amd_json_begin(std::string_view text, char open);
/// The same text with blanks in place of those warnings. It is kept in `blanked` if there are any.
[[nodiscard]] std::string_view without_banner(std::string_view text, std::size_t begin, std::string& blanked);

/// Reads `amd-smi topology --json`: a list of GPUs, each with its "links" (since ROCm 6.2) or with one object a
/// property.
[[nodiscard]] AmdRecords read_amd_json(const JsonNode& root);
/// Reads `amd-smi topology --csv`: one row per GPU, with columns such as "link_type_gpu_3".
[[nodiscard]] AmdRecords read_amd_csv(const TextLines& lines);
[[nodiscard]] bool looks_like_amd_csv(std::string_view head);
/// Reads `rocm-smi --showtopo --json`: "(Topology) Hops between DRM devices 0 and 1" in "system", NUMA domains in
/// "card0".
[[nodiscard]] AmdRecords read_rocm_json(const JsonNode& root);

}  // namespace topowise
