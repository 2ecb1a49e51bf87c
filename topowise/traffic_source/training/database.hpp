// SPDX-License-Identifier: BSD-3-Clause
// Databases of SQLite, read by its own library, which is opened at run time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/input.hpp>

namespace topowise::training {

/// The rows that a question has.
class Query {
 public:
  /// Goes to the next row; false at the end. Throws Error(bad_input) for a damaged database.
  [[nodiscard]] bool next();
  /// The value of a column of this row; nothing if it has none, or one of another type.
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
  /// Empty if it has none. Stays valid until the next row.
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  friend class Database;
  struct State;
  explicit Query(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// A database that is only read. Nothing is written beside it. Only its tables are asked: views and virtual tables,
/// which may take any time, do not count.
class Database {
 public:
  /// The file of the input, which is not opened once more. Throws Error(bad_input), also without the library.
  explicit Database(const Input& input);

  /// True if it has a table with all these columns.
  [[nodiscard]] bool has(std::string_view table, std::initializer_list<std::string_view> columns);
  /// The rows of a statement. Throws Error(bad_input) for a damaged database.
  [[nodiscard]] Query query(const std::string& statement);

 private:
  friend class Query;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace topowise::training
