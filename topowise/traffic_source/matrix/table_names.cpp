// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/matrix/table_names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>

namespace topowise::matrix {
namespace {

constexpr std::array<std::string_view, 14> kSource{"source",      "src",       "sender",    "from",        "origin",
                                                   "source_rank", "src_rank",  "from_rank", "sender_rank", "rank_from",
                                                   "src_id",      "source_id", "from_id",   "sender_id"};
constexpr std::array<std::string_view, 20> kDestination{
    "destination", "dst",      "dest",      "target",           "to",          "receiver",      "recv",    "recipient",
    "dest_rank",   "dst_rank", "to_rank",   "destination_rank", "target_rank", "receiver_rank", "rank_to", "dst_id",
    "dest_id",     "to_id",    "target_id", "receiver_id"};
constexpr std::array<std::string_view, 11> kBytes{"bytes",      "weight",      "size",        "volume",
                                                  "bytes_sent", "nbytes",      "total_bytes", "size_bytes",
                                                  "data",       "bytes_total", "byte_count"};
constexpr std::array<std::string_view, 9> kMessages{"messages",   "message_count", "msgs",  "count",    "calls",
                                                    "n_messages", "num_messages",  "nmsgs", "msg_count"};
/// Names that mean these only where no other column has the meaning: entries of a sparse matrix.
constexpr std::array<std::string_view, 2> kLikeSource{"i", "row"};
constexpr std::array<std::string_view, 3> kLikeDestination{"j", "col", "column"};
constexpr std::array<std::string_view, 4> kLikeBytes{"value", "val", "amount", "traffic"};
constexpr std::array<std::string_view, 6> kSums{"total", "all", "sum", "totals", "grand_total", "gesamt"};
/// What pandas and R call the column that numbers the rows.
constexpr std::array<std::string_view, 5> kIndex{"", "index", "unnamed:_0", "id", "row"};
/// What comes before the number in the name of a rank.
constexpr std::array<std::string_view, 9> kRankWords{"", "r", "rank", "p", "proc", "process", "pe", "gpu", "task"};

/// "Source Rank" -> "source_rank"
std::string plain(std::string_view name) {
  std::string text = lower(trim(name));
  std::ranges::replace_if(
      text, [](char c) { return c == ' ' || c == '-'; }, '_');
  return text;
}

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

struct Numbered {
  std::string prefix;
  std::size_t number;
};

/// A word, perhaps empty, and the number behind it. Between them may be a blank, '_' or '-'.
std::optional<Numbered> numbered(std::string_view name) {
  std::string text = lower(trim(name));
  if (text.ends_with(".0")) text.resize(text.size() - 2);  // whole numbers in a column of floats
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const std::optional<std::int64_t> number = parse_integer(std::string_view(text).substr(digits));
  if (digits == text.size() || !number) return std::nullopt;
  const std::size_t word = text.substr(0, digits).find_last_not_of(" _-") + 1;
  if (digits > 0 && word == 0) return std::nullopt;  // "-1"
  return Numbered{text.substr(0, word), static_cast<std::size_t>(*number)};
}

/// The ranks that all names have; nothing if one has none.
std::optional<std::vector<std::size_t>> all_ranks(std::span<const std::string_view> names) {
  std::vector<std::size_t> ranks;
  for (const std::string_view name : names) {
    const std::optional<std::size_t> rank = rank_of_name(name);
    if (!rank) return std::nullopt;
    ranks.push_back(*rank);
  }
  return ranks;
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> ranks(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = i;
  return ranks;
}

/// R's own names of columns without names: V1, V2, ...
bool are_of_r(std::span<const std::string_view> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::optional<Numbered> name = numbered(columns[i]);
    if (!name || name->prefix != "v" || name->number != i + 1) return false;
  }
  return true;
}

std::optional<std::string> named_twice(std::span<const std::string_view> names) {
  std::vector<std::string> sorted;
  for (const std::string_view name : names) sorted.push_back(plain(name));
  std::ranges::sort(sorted);
  const auto found = std::ranges::adjacent_find(sorted);
  return found == sorted.end() ? std::nullopt : std::optional(*found);
}

/// True if the numbers are `first`, `first` + 1, ... in this order.
bool are_counted(std::span<const std::size_t> numbers, std::size_t first) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != first + i) return false;
  }
  return true;
}

/// For a matrix of which one side alone has names: they must not say another order than that of the other side.
std::optional<MatrixRanks> by_one_side(std::span<const std::string_view> names, std::string& why_not) {
  const std::optional<std::vector<std::size_t>> numbers = all_ranks(names);
  if (numbers && !are_counted(*numbers, 0) && !are_counted(*numbers, 1)) {
    why_not = "the names say another order than 0, 1, 2, ..., and only the rows or only the columns have names";
    return std::nullopt;
  }
  return MatrixRanks{in_order(names.size()), in_order(names.size()), names.size()};
}

std::optional<MatrixRanks> by_numbers(std::vector<std::size_t> rows, std::vector<std::size_t> columns,
                                      std::string& why_not) {
  std::vector<std::size_t> all = rows;
  all.insert(all.end(), columns.begin(), columns.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (are_counted(all, 1)) {
    why_not = fmt::format("the names 1 to {} can be ranks of a job of {}, or count ranks 0 to {} from 1", all.size(),
                          all.size() + 1, all.size() - 1);
    return std::nullopt;
  }
  if (all.back() >= kMostRanks) {
    why_not = fmt::format("{} is no rank from 0 to {}", all.back(), kMostRanks - 1);
    return std::nullopt;
  }
  return MatrixRanks{std::move(rows), std::move(columns), all.back() + 1};
}

/// By names that are no numbers of ranks: hosts, for example.
std::optional<MatrixRanks> by_equal_names(std::span<const std::string_view> rows,
                                          std::span<const std::string_view> columns, std::string& why_not) {
  std::map<std::string, std::size_t> rank_of;
  for (std::size_t i = 0; i < rows.size(); ++i) rank_of.emplace(plain(rows[i]), i);
  MatrixRanks ranks{in_order(rows.size()), {}, rows.size()};
  for (const std::string_view name : columns) {
    const auto found = rank_of.find(plain(name));
    if (found == rank_of.end()) {
      why_not = fmt::format("column '{}' has no row of that name, so nothing says which rank it is",
                            printable(name.substr(0, 80)));
      return std::nullopt;
    }
    ranks.columns.push_back(found->second);
  }
  if (columns.size() == rows.size()) return ranks;
  why_not = fmt::format("{} rows have names, and {} columns", rows.size(), columns.size());
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> rank_of_name(std::string_view name) {
  const std::optional<Numbered> found = numbered(name);
  return found && is_one_of(kRankWords, found->prefix) ? std::optional(found->number) : std::nullopt;
}

std::optional<ListColumns> list_columns(std::span<const std::string_view> names) {
  std::optional<std::size_t> source, destination, bytes, messages;
  ListColumns columns;
  const auto has = [&](const auto& meaning) {
    return std::ranges::any_of(names, [&](std::string_view name) { return is_one_of(meaning, plain(name)); });
  };
  const bool of_matrix = !has(kSource) && !has(kDestination);
  const bool as_bytes = !has(kBytes);
  const auto take = [&](std::optional<std::size_t>& column, std::size_t i) {
    if (column) columns.twice = std::string(names[i]);
    column = i;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = plain(names[i]);
    if (is_one_of(kSource, name) || (of_matrix && is_one_of(kLikeSource, name)))
      take(source, i);
    else if (is_one_of(kDestination, name) || (of_matrix && is_one_of(kLikeDestination, name)))
      take(destination, i);
    else if (is_one_of(kBytes, name) || (as_bytes && is_one_of(kLikeBytes, name)))
      take(bytes, i);
    else if (is_one_of(kMessages, name))
      take(messages, i);
    else if (name == "type" && !columns.type)
      columns.type = i;
    else if (!is_one_of(kIndex, name))
      columns.unused.emplace_back(names[i]);
  }
  if (!source || !destination || (of_matrix && !bytes)) return std::nullopt;
  columns.source = *source;
  columns.destination = *destination;
  columns.bytes = bytes;
  columns.messages = messages;
  return columns;
}

std::optional<MatrixRanks> ranks_of_names(std::span<const std::string_view> rows,
                                          std::span<const std::string_view> columns, std::string& why_not) {
  for (const auto& names : {rows, columns}) {
    for (const std::string_view name : names) {
      if (!is_one_of(kSums, plain(name))) continue;
      why_not = fmt::format("'{}' is called as if it summed up the others", printable(name));
      return std::nullopt;
    }
    if (const std::optional<std::string> twice = named_twice(names)) {
      why_not = fmt::format("two rows or two columns are called '{}'", printable(*twice));
      return std::nullopt;
    }
  }
  if (rows.empty() || columns.empty()) return by_one_side(rows.empty() ? columns : rows, why_not);
  std::optional<std::vector<std::size_t>> row_numbers = all_ranks(rows);
  if (are_of_r(columns) && rows.size() == columns.size() && row_numbers && are_counted(*row_numbers, 1))
    return MatrixRanks{in_order(rows.size()), in_order(rows.size()), rows.size()};
  std::optional<std::vector<std::size_t>> column_numbers = all_ranks(columns);
  if (row_numbers && column_numbers) return by_numbers(*std::move(row_numbers), *std::move(column_numbers), why_not);
  return by_equal_names(rows, columns, why_not);
}

bool are_rows_receivers(std::string_view corner) {
  const std::size_t between = corner.find_first_of("\\/|");
  const std::string rows = plain(corner.substr(0, between));
  const std::string columns = between == std::string_view::npos ? "" : plain(corner.substr(between + 1));
  return is_one_of(kDestination, rows) || (is_one_of(kSource, columns) && !is_one_of(kSource, rows));
}

}  // namespace topowise::matrix
