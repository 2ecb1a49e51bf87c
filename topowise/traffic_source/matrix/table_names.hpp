// SPDX-License-Identifier: BSD-3-Clause
// What the names in a table mean: which column of a list is which, and which ranks the rows and columns of a matrix
// are. Where there are names, they decide. What can be read in two ways is refused.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topowise::matrix {

/// The columns of a list of pairs, by their positions from 0.
struct ListColumns {
  std::size_t source = 0;
  std::size_t destination = 1;
  std::optional<std::size_t> bytes = 2;
  std::optional<std::size_t> messages;
  std::optional<std::size_t> type;   ///< whether an edge is directed, as Gephi says it
  std::vector<std::string> unused;   ///< names of columns that say nothing about bytes; those of an index left out
  std::optional<std::string> twice;  ///< a name whose meaning another column has already
};

/// The rank of each row and of each column of a matrix, and how many ranks there are.
struct MatrixRanks {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::size_t ranks = 0;
};

/// The columns by their names, in any order; nothing if they do not name a source and a destination.
[[nodiscard]] std::optional<ListColumns> list_columns(std::span<const std::string_view> names);
/// The number in "3", "3.0", "r3" or "rank 3"; nothing for another text.
[[nodiscard]] std::optional<std::size_t> rank_of_name(std::string_view name);
/// By names such as "r3", "rank 3" or "3" the ranks are those numbers; by other names, which must be the same for rows
/// and columns, the order of the rows counts. `rows` or `columns` may be empty: then they are in order. Nothing, with
/// `why_not`, if the names can be understood in two ways, or not at all.
[[nodiscard]] std::optional<MatrixRanks> ranks_of_names(std::span<const std::string_view> rows,
                                                        std::span<const std::string_view> columns,
                                                        std::string& why_not);
/// Which side of a matrix the cell above the names of the rows calls which: "to\\from" and "receiver" make the rows
/// those that receive. Two words name the rows and the columns.
[[nodiscard]] bool are_rows_receivers(std::string_view corner);

}  // namespace topowise::matrix
