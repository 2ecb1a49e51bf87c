// SPDX-License-Identifier: BSD-3-Clause
// The tables of rocm-smi and amd-smi for pairs of GPUs. They have labels above and before, and one property of the link
// in each cell.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

struct AmdTable {
  std::string title;  ///< "Weight between two GPUs", "LINK TYPE TABLE"
  std::size_t header_line = 0;
  std::vector<std::string_view> columns;
  struct Row {
    std::size_t line = 0;
    std::string_view name;  ///< the cells are after it
  };
  std::vector<Row> rows;
};

/// Tables whose header and row names satisfy `is_label`, each with the title printed above it.
[[nodiscard]] std::vector<AmdTable> find_amd_tables(const TextLines& lines, bool (*is_label)(std::string_view));

/// A property of a pair of GPUs.
enum class AmdProperty : std::uint8_t { weight, hops, type, bandwidth, access };

/// What the tables say about each pair of GPUs, and what that means.
class AmdLinks {
 public:
  /// `labels` are the names that the tables use, in the order of the GPUs.
  AmdLinks(const TextLines& lines, std::vector<std::string_view> labels, Warnings& warnings);

  void read_types(const AmdTable& table);
  void read_weights(const AmdTable& table);
  void read_hops(const AmdTable& table);
  /// Reads cells "MIN-MAX" in MB/s. The kernel states one link's rate as the minimum, and the whole bond's rate as the
  /// maximum.
  void read_bandwidths(const AmdTable& table);
  /// Reads whether GPUs can read each other's memory: ENABLED and DISABLED, or True and False.
  void read_access(const AmdTable& table);
  /// Takes one cell of a table; false if it makes no sense there.
  [[nodiscard]] bool state(std::size_t a, std::size_t b, AmdProperty property, std::string_view cell);
  void set_xgmi(std::size_t a, std::size_t b, BytesPerSecond per_link);

  [[nodiscard]] const std::string& where() const { return lines_.where(); }
  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view label) const;
  /// Writes the classes and rates into `matrix`.
  void pass_to(DeviceMatrix& matrix);

 private:
  enum class Type : std::uint8_t { unknown, xgmi, pcie };
  struct Pair {
    Type type = Type::unknown;
    double weight = 0.0;  ///< 0 if not known
    double hops = 0.0;    ///< 0 if not known
    double min_mb_per_s = 0.0;
    double max_mb_per_s = 0.0;
    BytesPerSecond xgmi_link;  ///< rate of one link, from the xgmi report
    bool no_access = false;    ///< one of the two cannot read the other's memory
  };
  using ReadCell = std::function<bool(std::string_view cell, Pair& pair)>;

  Pair& pair(std::size_t a, std::size_t b);
  static bool read_type(std::string_view cell, Pair& pair);
  static bool read_bandwidth(std::string_view cell, Pair& pair);
  static bool read_access_cell(std::string_view cell, Pair& pair);
  /// Gives each cell that is not on the diagonal to `read`. Adds one warning if `read` refuses some of them.
  void visit(const AmdTable& table, const ReadCell& read);
  [[nodiscard]] double smallest_xgmi_weight() const;
  [[nodiscard]] std::optional<PathClass> path_of(const Pair& pair, double unit_weight) const;
  void tell_unknown(const std::vector<std::string>& pairs, std::string_view missing, std::string_view assumed,
                    std::string_view outcome);
  void pass_pair(const Pair& pair, double unit_weight, DevicePair& result);

  const TextLines& lines_;
  std::vector<std::string_view> labels_;
  std::map<std::string_view, std::size_t> index_;
  std::vector<Pair> pairs_;
  Warnings& warnings_;
};

}  // namespace topowise
