// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/database.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
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
constexpr int kError = 1;
constexpr int kNotFound = 12;
constexpr int kIoError = 10;
constexpr int kReadError = kIoError | 1 << 8;
constexpr int kShortRead = kIoError | 2 << 8;
constexpr int kOpenReadOnly = 0x1;
constexpr int kOpenMain = 0x100;
constexpr int kImmutable = 0x2000;
constexpr int kInteger = 1;
constexpr int kLimitLength = 0;
constexpr int kLongestValue = 1 << 26;

// The beginning of sqlite3_vfs, sqlite3_io_methods and sqlite3_file, as they are since version 3.0.
struct File;
struct Methods {
  int version;
  int (*close)(File*);
  int (*read)(File*, void*, int, std::int64_t);
  int (*write)(File*, const void*, int, std::int64_t);
  int (*truncate)(File*, std::int64_t);
  int (*sync)(File*, int);
  int (*size)(File*, std::int64_t*);
  int (*lock)(File*, int);
  int (*unlock)(File*, int);
  int (*is_reserved)(File*, int*);
  int (*control)(File*, int, void*);
  int (*sector)(File*);
  int (*device)(File*);
};
struct File {
  const Methods* methods;
  int descriptor;  ///< the library has more room than this
};
struct System {
  int version;
  int file_bytes;
  int longest_path;
  System* next;
  const char* name;
  void* own;
  int (*open)(System*, const char*, File*, int, int*);
  std::array<void (*)(), 11> others;
};

/// The library's way to the system, but for the database: that is a file which is open already, so that no other file
/// can take its place. It is said not to change, so the library looks for no journal beside it.
struct OpenFile {
  System system{};  ///< the library knows this object by its first member
  System* usual = nullptr;
  Descriptor file;
  std::string name;

  static int open(System* system, const char* path, File* file, int flags, int* flags_in_effect) {
    const auto& self = *reinterpret_cast<const OpenFile*>(system);
    if ((flags & kOpenMain) == 0) return self.usual->open(self.usual, path, file, flags, flags_in_effect);
    *file = {&kMethods, self.file.number()};
    if (flags_in_effect != nullptr) *flags_in_effect = kOpenReadOnly | kOpenMain;
    return kOk;
  }

  static int read(File* file, void* bytes, int count, std::int64_t from) {
    char* const begin = static_cast<char*>(bytes);
    int done = 0;
    while (done < count) {
      const ::ssize_t got =
          ::pread(file->descriptor, begin + done, static_cast<std::size_t>(count - done), from + done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return kReadError;
      if (got == 0) break;
      done += static_cast<int>(got);
    }
    std::memset(begin + done, 0, static_cast<std::size_t>(count - done));  // as the library asks for
    return done == count ? kOk : kShortRead;
  }

  static int size(File* file, std::int64_t* bytes) {
    struct stat status {};
    if (::fstat(file->descriptor, &status) != 0) return kError;
    *bytes = status.st_size;
    return kOk;
  }

  static const Methods kMethods;
};

const Methods OpenFile::kMethods{1,
                                 [](File*) { return kOk; },
                                 read,
                                 [](File*, const void*, int, std::int64_t) { return kIoError; },
                                 [](File*, std::int64_t) { return kIoError; },
                                 [](File*, int) { return kOk; },
                                 size,
                                 [](File*, int) { return kOk; },
                                 [](File*, int) { return kOk; },
                                 [](File*, int* reserved) { return *reserved = 0, kOk; },
                                 [](File*, int, void*) { return kNotFound; },
                                 [](File*) { return 0; },
                                 [](File*) { return kImmutable; }};

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
  System* (*system)(const char*) = nullptr;
  int (*add_system)(System*, int) = nullptr;
  int (*remove_system)(System*) = nullptr;
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
  set(all.system, "sqlite3_vfs_find");
  set(all.add_system, "sqlite3_vfs_register");
  set(all.remove_system, "sqlite3_vfs_unregister");
  return all;
}

}  // namespace

struct Database::State {
  std::string where;
  Library library;
  OpenFile file;
  void* database = nullptr;
  WorkLimit work;
  std::set<std::string, std::less<>> columns;  ///< "table.column" of tables, not of views

  State(std::string path, Library functions, Descriptor descriptor)
      : where(std::move(path)), library(std::move(functions)) {
    file.usual = library.system(nullptr);
    if (file.usual == nullptr) throw not_read(where, "SQLite's library does not know this system");
    file.system = *file.usual;
    file.name = fmt::format("topowise-{}", static_cast<const void*>(this));
    file.system.version = 1;
    file.system.name = file.name.c_str();
    file.system.open = OpenFile::open;
    file.file = std::move(descriptor);
    if (library.add_system(&file.system, 0) != kOk) throw not_read(where, "SQLite's library takes no way to read it");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (database != nullptr) library.close(database);
    library.remove_system(&file.system);
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

Database::Database(const Input& input) {
  Descriptor file = input.regular_file();
  if (!file) throw not_read(input.where(), "a database of SQLite, which can only be read as a file", "give its path");
  check_size(file, input.where());
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw not_read(input.where(), "its size is not known");
  state_ = std::make_shared<State>(input.where(), open_library(input.where()), std::move(file));
  if (state_->library.open("/database", &state_->database, kOpenReadOnly, state_->file.system.name) != kOk)
    state_->fail();
  constexpr std::uint64_t kStepsAByte = 20;
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
