// SPDX-License-Identifier: BSD-3-Clause
// What amd-smi and rocm-smi write for programs, JSON and CSV: one property of a pair of GPUs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>
#include <topowise/graph/json/value.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/amd_links.hpp>

namespace topowise {

/// GPUs by the tool's number, which may have gaps.
class AmdRecords {
 public:
  struct Gpu {
    std::string bus_id;
    std::optional<int> numa_node, numa_affinity;  ///< of rocm-smi
  };
  struct Statement {
    std::int64_t from = 0, to = 0;
    AmdProperty property = AmdProperty::type;
    std::string cell;
  };

  static constexpr std::size_t kMostStatements = std::size_t{1} << 19;

  /// Throws Error(bad_input) beyond DeviceMatrix::kMost.
  Gpu& gpu(const std::string& where, std::int64_t number);
  /// Throws Error(bad_input) beyond kMostStatements.
  void state(const std::string& where, Statement statement);

  [[nodiscard]] const std::map<std::int64_t, Gpu>& gpus() const { return gpus_; }
  [[nodiscard]] const std::deque<Statement>& statements() const { return statements_; }
  /// Tells `links` all that was stated; one warning for each property of which cells make no sense.
  void pass_to(AmdLinks& links, Warnings& warnings) const;

 private:
  std::map<std::int64_t, Gpu> gpus_;
  std::deque<Statement> statements_;
};

/// Where the JSON begins before which the tools may print warnings: a line that begins a list of objects, if `open` is
/// '[', else an object. npos if there is none.
[[nodiscard]] std::size_t amd_json_begin(std::string_view text, char open);
/// The same text with blanks in the place of those warnings, kept in `blanked` if there are any.
[[nodiscard]] std::string_view without_banner(std::string_view text, std::size_t begin, std::string& blanked);

/// `amd-smi topology --json`: a list of GPUs, each with its "links" (since ROCm 6.2) or with one object a property.
[[nodiscard]] AmdRecords read_amd_json(const JsonNode& root);
/// `amd-smi topology --csv`: a row a GPU, columns such as "link_type_gpu_3".
[[nodiscard]] AmdRecords read_amd_csv(const TextLines& lines);
[[nodiscard]] bool looks_like_amd_csv(std::string_view head);
/// `rocm-smi --showtopo --json`: "(Topology) Hops between DRM devices 0 and 1" in "system", NUMA domains in "card0".
[[nodiscard]] AmdRecords read_rocm_json(const JsonNode& root);

}  // namespace topowise
