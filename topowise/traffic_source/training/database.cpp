// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/database.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/base/text.hpp>

namespace topowise::training {
namespace {

// Numbers of sqlite3.h, which are the same in all versions 3.
constexpr int kOk = 0;
constexpr int kRow = 100;
constexpr int kDone = 101;
constexpr int kReadOnly = 1;
constexpr int kByUri = 0x40;
constexpr int kInteger = 1;
constexpr int kLimitLength = 0;
constexpr int kLongestValue = 1 << 26;

/// The functions of the library that are called.
struct Library {
  SharedLibrary library;
  int (*open)(const char*, void**, int, const char*) = nullptr;
  int (*close)(void*) = nullptr;
  int (*prepare)(void*, const char*, int, void**, const char**) = nullptr;
  int (*step)(void*) = nullptr;
  int (*finalize)(void*) = nullptr;
  int (*type)(void*, int) = nullptr;
  std::int64_t (*integer)(void*, int) = nullptr;
  const void* (*blob)(void*, int) = nullptr;
  const unsigned char* (*text)(void*, int) = nullptr;
  int (*bytes)(void*, int) = nullptr;
  const char* (*message)(void*) = nullptr;
  int (*limit)(void*, int, int) = nullptr;
  void (*progress)(void*, int, int (*)(void*), void*) = nullptr;
};

constexpr int kStepsOfTurn = 1'000'000;

/// How long a question may take: a damaged or hostile file can describe more rows than it has bytes.
struct WorkLimit {
  std::uint64_t turns = 0;
  std::uint64_t most = 0;

  /// What the library calls in each turn; not 0 ends its work.
  static int is_over(void* limit) {
    auto& self = *static_cast<WorkLimit*>(limit);
    return ++self.turns > self.most ? 1 : 0;
  }
};

/// The file as a name that the library opens without looking for journals beside it.
std::string as_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).lexically_normal().string())
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  return uri + "?immutable=1";
}

bool is_same_file(const Descriptor& file, const std::string& path) {
  struct stat a {};
  struct stat b {};
  return ::fstat(file.number(), &a) == 0 && ::stat(path.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

Error not_read(const std::string& where, std::string what, std::string hint = {}) {
  return {ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, std::move(hint)}}};
}

/// Throws for a file with fewer pages than its header says. The library only notices a page that it needs.
void check_size(const Descriptor& file, const std::string& path) {
  std::array<unsigned char, 32> head{};
  if (::pread(file.number(), head.data(), head.size(), 0) != static_cast<::ssize_t>(head.size()))
    throw not_read(path, "the database is cut short");
  if (std::memcmp(head.data(), "SQLite format 3", 15) != 0)
    throw not_read(path, "a compressed database, which SQLite cannot read", "unpack it first");
  const std::uint64_t stated = std::uint64_t{head[16]} << 8 | head[17];
  const std::uint64_t page = stated == 1 ? 65536 : stated;
  const std::uint64_t pages =
      std::uint64_t{head[28]} << 24 | std::uint64_t{head[29]} << 16 | std::uint64_t{head[30]} << 8 | head[31];
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < page * pages)
    throw not_read(path, "the database is cut short");
}

Library open_library(const std::string& where) {
  const std::array<std::string, 2> names{"libsqlite3.so.0", "libsqlite3.so"};
  std::string reason;
  std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (!library)
    throw not_read(where, "a database of SQLite, which SQLite's library must read; it is not here",
                   "install libsqlite3.so.0 (Debian: libsqlite3-0)");
  const auto set = [&]<class Function>(Function*& function, const char* name) {
    function = library->function<Function>(name);
    if (function == nullptr) throw not_read(where, fmt::format("{} has no {}", library->name(), name));
  };
  Library all{*library};
  set(all.open, "sqlite3_open_v2");
  set(all.close, "sqlite3_close");
  set(all.prepare, "sqlite3_prepare_v2");
  set(all.step, "sqlite3_step");
  set(all.finalize, "sqlite3_finalize");
  set(all.type, "sqlite3_column_type");
  set(all.integer, "sqlite3_column_int64");
  set(all.blob, "sqlite3_column_blob");
  set(all.text, "sqlite3_column_text");
  set(all.bytes, "sqlite3_column_bytes");
  set(all.message, "sqlite3_errmsg");
  set(all.limit, "sqlite3_limit");
  set(all.progress, "sqlite3_progress_handler");
  return all;
}

}  // namespace

struct Database::State {
  std::string where;
  Library library;
  void* database = nullptr;
  WorkLimit work;
  std::set<std::string, std::less<>> columns;  ///< "table.column" of tables, not of views

  State(std::string path, Library functions) : where(std::move(path)), library(std::move(functions)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (database != nullptr) library.close(database);
  }

  [[noreturn]] void fail() const {
    throw not_read(where, fmt::format("the database cannot be read: {}", printable(library.message(database))),
                   "it may be damaged: sqlite3 FILE .recover");
  }
};

struct Query::State {
  std::shared_ptr<Database::State> owner;
  void* statement = nullptr;

  explicit State(std::shared_ptr<Database::State> database) : owner(std::move(database)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (statement != nullptr) owner->library.finalize(statement);
  }
};

bool Query::next() {
  const int code = state_->owner->library.step(state_->statement);
  if (code != kRow && code != kDone) state_->owner->fail();
  return code == kRow;
}

std::optional<std::int64_t> Query::integer(int column) const {
  const Library& library = state_->owner->library;
  if (library.type(state_->statement, column) != kInteger) return std::nullopt;
  return library.integer(state_->statement, column);
}

std::string_view Query::text(int column) const {
  const unsigned char* text = state_->owner->library.text(state_->statement, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(state_->owner->library.bytes(state_->statement, column))};
}

std::string_view Query::bytes(int column) const {
  const void* blob = state_->owner->library.blob(state_->statement, column);
  if (blob == nullptr) return {};
  return {static_cast<const char*>(blob),
          static_cast<std::size_t>(state_->owner->library.bytes(state_->statement, column))};
}

Database::Database(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    throw not_read(path, "a database of SQLite, which can only be read as a file", "give its path");
  const Descriptor file = open_input(path);
  check_size(file, path);
  state_ = std::make_shared<State>(path, open_library(path));
  // Without locks: the file may be on a file system that has none, and nobody writes to an export.
  if (state_->library.open(as_uri(path).c_str(), &state_->database, kReadOnly | kByUri, "unix-none") != kOk)
    state_->fail();
  if (!is_same_file(file, path)) throw not_read(path, "another file took its place while it was opened");
  constexpr std::uint64_t kStepsAByte = 20;
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) state_->fail();
  state_->work.most = 20 + static_cast<std::uint64_t>(status.st_size) * kStepsAByte / kStepsOfTurn;
  state_->library.progress(state_->database, kStepsOfTurn, WorkLimit::is_over, &state_->work);
  state_->library.limit(state_->database, kLimitLength, kLongestValue);
  Query rows = query(
      "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND "
      "m.rootpage > 0");
  while (rows.next()) {
    constexpr std::size_t kMost = 65536;
    if (state_->columns.size() >= kMost) break;
    state_->columns.insert(fmt::format("{}.{}", rows.text(0), rows.text(1)));
  }
}

bool Database::has(std::string_view table, std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns)
    if (!state_->columns.contains(fmt::format("{}.{}", table, column))) return false;
  return true;
}

Query Database::query(const std::string& statement) {
  auto state = std::make_shared<Query::State>(state_);
  if (state_->library.prepare(state_->database, statement.c_str(), -1, &state->statement, nullptr) != kOk)
    state_->fail();
  return Query(std::move(state));
}

}  // namespace topowise::training
