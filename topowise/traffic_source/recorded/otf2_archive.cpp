// SPDX-License-Identifier: BSD-3-Clause
// The library calls a function for each definition and event. The child writes those of MPI as otf2-print does
// (otf2_print.cpp), with equal events on one line, and the parent reads these lines.
#include <topowise/traffic_source/recorded/otf2_print.hpp>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <topowise/base/child_process.hpp>
#include <topowise/base/descriptor.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/shared_library.hpp>

namespace topowise {
namespace {

constexpr std::string_view kPrintIt = "or print the archive where OTF2 is: otf2-print --show-all traces.otf2 > job.txt";
constexpr int kOneDay = 24 * 60 * 60;
/// The names of the collective operations by their numbers in OTF2_CollectiveOp.
constexpr std::array<std::string_view, 17> kOperations{"BARRIER",
                                                       "BCAST",
                                                       "GATHER",
                                                       "GATHERV",
                                                       "SCATTER",
                                                       "SCATTERV",
                                                       "ALLGATHER",
                                                       "ALLGATHERV",
                                                       "ALLTOALL",
                                                       "ALLTOALLV",
                                                       "ALLTOALLW",
                                                       "ALLREDUCE",
                                                       "REDUCE",
                                                       "REDUCE_SCATTER",
                                                       "SCAN",
                                                       "EXSCAN",
                                                       "REDUCE_SCATTER_BLOCK"};
constexpr std::uint8_t kParadigmMpi = 4;
constexpr std::uint8_t kCommLocations = 4;
constexpr std::uint8_t kCommGroup = 5;
constexpr std::uint8_t kCommSelf = 6;
constexpr std::uint8_t kPosix = 1;
constexpr std::uint8_t kNoCompression = 1;

enum class OneSidedKind : std::uint8_t { put, get, atomic };

/// What the child has heard. The members of a group of ranks are numbers of members of the group of all.
struct Heard {
  struct Location {
    std::uint64_t number;
    std::uint64_t events;
    std::uint32_t group;
  };
  struct Group {
    std::uint32_t number;
    std::uint8_t type;
    std::vector<std::uint64_t> members;
  };
  std::vector<Location> locations;
  std::vector<Group> groups;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> communicators;  ///< and the group of each
  std::vector<std::array<std::uint32_t, 3>> intercommunicators;        ///< and the two groups of each
  std::vector<std::pair<std::uint32_t, std::uint32_t>> windows;        ///< and the communicator of each
  /// (location, receiver, communicator, bytes) -> number of messages
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>, std::uint64_t> messages;
  /// (location, operation, communicator, root, bytes sent, bytes received) -> number of calls
  using Call = std::tuple<std::uint64_t, std::uint8_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;
  std::map<Call, std::uint64_t> calls;
  /// (location, window, remote, kind, bytes sent, bytes received) -> number of operations
  using OneSided = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, OneSidedKind, std::uint64_t, std::uint64_t>;
  std::map<OneSided, std::uint64_t> one_sided;
  bool of_score_p = false;
};

Heard& heard(void* user_data) {
  return *static_cast<Heard*>(user_data);
}

// The functions that the library calls. They return OTF2_CALLBACK_SUCCESS. OTF2 3 added arguments behind those that are
// named here; the caller of a C function may give more than it takes.

int on_location(void* user_data, std::uint64_t self, std::uint32_t /*name*/, std::uint8_t /*type*/,
                std::uint64_t events, std::uint32_t group) {
  heard(user_data).locations.push_back({self, events, group});
  return 0;
}

int on_group(void* user_data, std::uint32_t self, std::uint32_t /*name*/, std::uint8_t type, std::uint8_t paradigm,
             std::uint32_t /*flags*/, std::uint32_t count, const std::uint64_t* members) {
  if (paradigm == kParadigmMpi && type >= kCommLocations && type <= kCommSelf)
    heard(user_data).groups.push_back({self, type, {members, members + count}});
  return 0;
}

int on_communicator(void* user_data, std::uint32_t self, std::uint32_t /*name*/, std::uint32_t group) {
  heard(user_data).communicators.emplace_back(self, group);
  return 0;
}

int on_intercommunicator(void* user_data, std::uint32_t self, std::uint32_t /*name*/, std::uint32_t a,
                         std::uint32_t b) {
  heard(user_data).intercommunicators.push_back({self, a, b});
  return 0;
}

int on_window(void* user_data, std::uint32_t self, std::uint32_t /*name*/, std::uint32_t communicator) {
  heard(user_data).windows.emplace_back(self, communicator);
  return 0;
}

int on_message(std::uint64_t location, std::uint64_t /*time*/, std::uint64_t /*position*/, void* user_data,
               void* /*attributes*/, std::uint32_t receiver, std::uint32_t communicator, std::uint32_t /*tag*/,
               std::uint64_t bytes) {
  ++heard(user_data).messages[{location, receiver, communicator, bytes}];
  return 0;
}

int on_collective(std::uint64_t location, std::uint64_t /*time*/, std::uint64_t /*position*/, void* user_data,
                  void* /*attributes*/, std::uint8_t operation, std::uint32_t communicator, std::uint32_t root,
                  std::uint64_t sent, std::uint64_t received) {
  ++heard(user_data).calls[{location, operation, communicator, root, sent, received}];
  return 0;
}

/// Since OTF2 3.0.
int on_begun_collective(std::uint64_t location, std::uint64_t time, std::uint64_t position, void* user_data,
                        void* attributes, std::uint8_t operation, std::uint32_t communicator, std::uint32_t root,
                        std::uint64_t sent, std::uint64_t received, std::uint64_t /*request*/) {
  return on_collective(location, time, position, user_data, attributes, operation, communicator, root, sent, received);
}

template <OneSidedKind kind>
int on_one_sided(std::uint64_t location, std::uint64_t /*time*/, std::uint64_t /*position*/, void* user_data,
                 void* /*attributes*/, std::uint32_t window, std::uint32_t remote, std::uint64_t bytes) {
  ++heard(user_data).one_sided[{location, window, remote, kind, bytes, 0}];
  return 0;
}

int on_atomic(std::uint64_t location, std::uint64_t /*time*/, std::uint64_t /*position*/, void* user_data,
              void* /*attributes*/, std::uint32_t window, std::uint32_t remote, std::uint8_t /*type*/,
              std::uint64_t sent, std::uint64_t received) {
  ++heard(user_data).one_sided[{location, window, remote, OneSidedKind::atomic, sent, received}];
  return 0;
}

/// The library's functions, by their names in OTF2_Reader.h without the prefix.
class Archive {
 public:
  Archive(const SharedLibrary& library, const std::string& path) : library_(library), path_(path) {
    reader_ = function<void*(const char*)>("OTF2_Reader_Open")(path.c_str());
    if (reader_ == nullptr) throw std::runtime_error("it cannot be opened");
    check(function<int(void*)>("OTF2_Reader_SetSerialCollectiveCallbacks")(reader_), "its beginning");
  }

  Heard read() {
    Heard all;
    std::uint8_t substrate = 0;
    std::uint8_t compression = 0;
    check(function<int(void*, std::uint8_t*)>("OTF2_Reader_GetFileSubstrate")(reader_, &substrate), "its beginning");
    check(function<int(void*, std::uint8_t*)>("OTF2_Reader_GetCompression")(reader_, &compression), "its beginning");
    plain_ = substrate == kPosix && compression == kNoCompression;
    char* creator = nullptr;
    check(function<int(void*, char**)>("OTF2_Reader_GetCreator")(reader_, &creator), "its beginning");
    all.of_score_p = creator != nullptr && std::string_view(creator).starts_with("Score-P");
    std::free(creator);  // NOLINT(cppcoreguidelines-no-malloc): the library's
    check_end(std::filesystem::path(path_).replace_extension(".def"));
    read_definitions(all);
    // One location at a time: the memory does not grow with their number.
    for (const Heard::Location& location : all.locations) {
      check(function<int(void*, std::uint64_t)>("OTF2_Reader_SelectLocation")(reader_, location.number), "a location");
    }
    check_definitions(all);
    const bool mapped = of_reader("OTF2_Reader_OpenDefFiles") == 0;
    check(of_reader("OTF2_Reader_OpenEvtFiles"), "its events");
    for (const Heard::Location& location : all.locations) read_events(location, mapped, all);
    return all;
  }

 private:
  template <class Function>
  Function* function(const char* name) {
    Function* found = library_.function<Function>(name);
    if (found == nullptr) throw std::runtime_error(fmt::format("{} has no {}", library_.name(), name));
    return found;
  }
  int of_reader(const char* name) { return function<int(void*)>(name)(reader_); }

  void check(int code, std::string_view what) {
    if (code == 0) return;
    const char* why = function<const char*(int)>("OTF2_Error_GetDescription")(code);
    throw std::runtime_error(fmt::format("{} cannot be read: {}", what, why != nullptr ? why : "no reason given"));
  }

  template <class Callback>
  void set(const char* name, void* callbacks, Callback* callback) {
    check(function<int(void*, Callback*)>(name)(callbacks, callback), name);
  }

  void read_definitions(Heard& all) {
    void* callbacks = function<void*()>("OTF2_GlobalDefReaderCallbacks_New")();
    set("OTF2_GlobalDefReaderCallbacks_SetLocationCallback", callbacks, on_location);
    set("OTF2_GlobalDefReaderCallbacks_SetGroupCallback", callbacks, on_group);
    set("OTF2_GlobalDefReaderCallbacks_SetCommCallback", callbacks, on_communicator);
    constexpr const char* kBetween = "OTF2_GlobalDefReaderCallbacks_SetInterCommCallback";  // since OTF2 3.0
    if (library_.symbol(kBetween) != nullptr) set(kBetween, callbacks, on_intercommunicator);
    set("OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback", callbacks, on_window);
    void* definitions = function<void*(void*)>("OTF2_Reader_GetGlobalDefReader")(reader_);
    if (definitions == nullptr) throw std::runtime_error("its definitions cannot be opened");
    check(function<int(void*, void*, void*, void*)>("OTF2_Reader_RegisterGlobalDefCallbacks")(reader_, definitions,
                                                                                              callbacks, &all),
          "its definitions");
    std::uint64_t count = 0;
    check(function<int(void*, void*, std::uint64_t*)>("OTF2_Reader_ReadAllGlobalDefinitions")(reader_, definitions,
                                                                                              &count),
          "its definitions");
    function<void(void*)>("OTF2_GlobalDefReaderCallbacks_Delete")(callbacks);
  }

  void read_events(const Heard::Location& location, bool mapped, Heard& all) {
    check_end(file_of(location.number, "def"));
    check_end(file_of(location.number, "evt"));
    std::uint64_t count = 0;
    using ReadAll = int(void*, void*, std::uint64_t*);
    using OfLocation = void*(void*, std::uint64_t);
    using Close = int(void*, void*);
    // What this location calls its communicators is in a file of its own; there is none where all use the same numbers.
    void* names = mapped ? function<OfLocation>("OTF2_Reader_GetDefReader")(reader_, location.number) : nullptr;
    std::error_code failure;
    if (names == nullptr && std::filesystem::exists(file_of(location.number, "def"), failure))
      throw std::runtime_error(fmt::format("the definitions of location {} cannot be opened", location.number));
    if (names != nullptr) {
      check(function<ReadAll>("OTF2_Reader_ReadAllLocalDefinitions")(reader_, names, &count),
            fmt::format("the definitions of location {}", location.number));
      check(function<Close>("OTF2_Reader_CloseDefReader")(reader_, names), "a location");
    }
    const std::string what = fmt::format("the events of location {}", location.number);
    void* events = function<OfLocation>("OTF2_Reader_GetEvtReader")(reader_, location.number);
    if (events == nullptr) throw std::runtime_error(what + " cannot be opened");
    check(function<int(void*, bool)>("OTF2_EvtReader_ApplyMappingTables")(events, true), what);
    void* callbacks = function<void*()>("OTF2_EvtReaderCallbacks_New")();
    set("OTF2_EvtReaderCallbacks_SetMpiSendCallback", callbacks, on_message);
    set("OTF2_EvtReaderCallbacks_SetMpiIsendCallback", callbacks, on_message);
    set("OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback", callbacks, on_collective);
    constexpr const char* kBegun = "OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback";
    if (library_.symbol(kBegun) != nullptr) set(kBegun, callbacks, on_begun_collective);
    set("OTF2_EvtReaderCallbacks_SetRmaPutCallback", callbacks, on_one_sided<OneSidedKind::put>);
    set("OTF2_EvtReaderCallbacks_SetRmaGetCallback", callbacks, on_one_sided<OneSidedKind::get>);
    set("OTF2_EvtReaderCallbacks_SetRmaAtomicCallback", callbacks, on_atomic);
    check(
        function<int(void*, void*, void*, void*)>("OTF2_Reader_RegisterEvtCallbacks")(reader_, events, callbacks, &all),
        what);
    check(function<ReadAll>("OTF2_Reader_ReadAllLocalEvents")(reader_, events, &count), what);
    function<void(void*)>("OTF2_EvtReaderCallbacks_Delete")(callbacks);
    check(function<Close>("OTF2_Reader_CloseEvtReader")(reader_, events), what);
    if (count != location.events)
      throw std::runtime_error(fmt::format("location {} has {} of {} events", location.number, count, location.events));
  }

  /// A location's own file: traces/7.def beside traces.otf2.
  [[nodiscard]] std::filesystem::path file_of(std::uint64_t location, std::string_view kind) const {
    return std::filesystem::path(path_).replace_extension() / fmt::format("{}.{}", location, kind);
  }

  /// The library says nothing where the definitions of some locations are missing, and reads wrong numbers.
  void check_definitions(const Heard& all) const {
    std::error_code failure;
    const auto has_file = [&](const Heard::Location& location) {
      return std::filesystem::exists(file_of(location.number, "def"), failure);
    };
    if (std::ranges::none_of(all.locations, has_file)) return;
    for (const Heard::Location& location : all.locations)
      if (!has_file(location))
        throw std::runtime_error(fmt::format("'{}' is missing", file_of(location.number, "def").string()));
  }

  /// The library takes what is missing at the end of a file that was cut for zeros. A whole file ends with a mark.
  void check_end(const std::filesystem::path& path) const {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (!std::filesystem::exists(status)) return;
    if (!std::filesystem::is_regular_file(status))
      throw std::runtime_error(fmt::format("'{}' is no regular file", path.string()));
    if (!plain_) return;
    std::array<char, 2> end{};
    const Descriptor file = open_input(path);
    const auto at = static_cast<::off_t>(std::filesystem::file_size(path)) - 2;
    if (at < 0 || ::pread(file.number(), end.data(), end.size(), at) != 2 || end[0] != '\x02' || end[1] != '\x01')
      throw std::runtime_error(fmt::format("'{}' is cut short", path.string()));
  }

  const SharedLibrary& library_;
  std::string path_;
  bool plain_ = false;  ///< the files of the archive are files of the system, not compressed
  void* reader_ = nullptr;
};

void print_definitions(const Heard& all, std::string& text) {
  const auto out = std::back_inserter(text);
  for (const Heard::Location& location : all.locations)
    fmt::format_to(out, "LOCATION {} Group: <{}>\n", location.number, location.group);
  const std::vector<std::uint64_t>* everybody = nullptr;
  for (const Heard::Group& group : all.groups)
    if (group.type == kCommLocations) everybody = &group.members;
  for (const Heard::Group& group : all.groups) {
    constexpr std::array kTypes{"COMM_LOCATIONS", "COMM_GROUP", "COMM_SELF"};
    fmt::format_to(out, "GROUP {} Type: {}, Paradigm: MPI, {} Members:", group.number,
                   kTypes.at(group.type - kCommLocations), group.members.size());
    for (const std::uint64_t member : group.members) {
      if (group.type != kCommGroup)
        fmt::format_to(out, " <{}>", member);
      else if (everybody != nullptr && member < everybody->size())
        fmt::format_to(out, " <{}>", (*everybody)[member]);
      else
        throw std::runtime_error(fmt::format("group {} has a member {}, which is no rank", group.number, member));
    }
    text += '\n';
  }
  for (const auto& [communicator, group] : all.communicators)
    fmt::format_to(out, "COMM {} Name: <0>, Group: <{}>, Parent: UNDEFINED\n", communicator, group);
  for (const auto& [communicator, a, b] : all.intercommunicators)
    fmt::format_to(out, "INTER_COMM {} name: <0>, Group A: <{}>, Group B: <{}>, Common Communicator: UNDEFINED\n",
                   communicator, a, b);
  for (const auto& [window, communicator] : all.windows)
    fmt::format_to(out, "RMA_WIN {} Name: <0>, Communicator: <{}>, Flags: NONE\n", window, communicator);
}

std::string printed(const Heard& all) {
  std::string text = "=== OTF2-PRINT ===\n";
  if (all.of_score_p) text += "Creator Score-P\n";
  print_definitions(all, text);
  const auto out = std::back_inserter(text);
  for (const auto& [message, times] : all.messages) {
    const auto& [location, receiver, communicator, bytes] = message;
    fmt::format_to(out, "MPI_SEND {} 0 Receiver: {}, Communicator: <{}>, Tag: 0, Length: {}, Times: {}\n", location,
                   receiver, communicator, bytes, times);
  }
  for (const auto& [call, times] : all.calls) {
    const auto& [location, operation, communicator, root, sent, received] = call;
    if (operation >= kOperations.size()) continue;  // windows are made and freed
    fmt::format_to(out,
                   "MPI_COLLECTIVE_END {} 0 Operation: {}, Communicator: <{}>, Root: {}, Sent: {}, Received: {}, "
                   "Times: {}\n",
                   location, kOperations[operation], communicator, root, sent, received, times);
  }
  for (const auto& [operation, times] : all.one_sided) {
    const auto& [location, window, remote, kind, sent, received] = operation;
    if (kind == OneSidedKind::atomic)
      fmt::format_to(out, "RMA_ATOMIC {} 0 Window: <{}>, Remote: {}, Sent: {}, Received: {}, Times: {}\n", location,
                     window, remote, sent, received, times);
    else
      fmt::format_to(out, "{} {} 0 Window: <{}>, Remote: {}, Bytes: {}, Times: {}\n",
                     kind == OneSidedKind::put ? "RMA_PUT" : "RMA_GET", location, window, remote, sent, times);
  }
  return text;
}

constexpr char kFailed = '!';

/// All files in the folder beside the anchor.
std::uint64_t bytes_of_archive(const std::string& anchor) {
  std::uint64_t sum = 0;
  std::error_code failure;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(anchor).replace_extension(), failure)) {
    const std::uint64_t bytes = entry.is_regular_file(failure) ? entry.file_size(failure) : 0;
    sum += failure ? 0 : bytes;
  }
  return sum;
}

/// In the child: the lines, or why there are none, after a mark.
std::string lines_of(const SharedLibrary& library, const std::string& path) {
  // The library prints what it finds wrong, in words that name its own sources. A descriptor to read swallows that.
  ::dup2(open_input("/dev/null").number(), STDERR_FILENO);
  try {
    return printed(Archive(library, path).read());
  } catch (const std::exception& error) {
    return kFailed + std::string(error.what());
  }
}

std::optional<SharedLibrary> open_library(std::string& reason) {
  std::vector<std::string> names;
  for (const std::string_view name : {"libotf2.so", "libopen-trace-format2.so"})  // the second is Debian's name
    for (const std::string_view version : {"", ".10", ".12", ".11", ".9", ".8", ".7"})
      names.push_back(fmt::format("{}{}", name, version));
  return SharedLibrary::open(names, reason);
}

Error not_read(const std::string& where, const std::string& why, std::string_view hint) {
  return {ExitStatus::bad_input, {Diagnostic{where, {}, why, {}, std::string(hint)}}};
}

}  // namespace

bool looks_like_otf2_archive(std::string_view head) {
  // A byte that ends the chunk before, the order of bytes, the mark.
  return head.size() >= 6 && head[0] == '\x03' && (head[1] == 'B' || head[1] == '#') && head.substr(2, 4) == "OTF2";
}

Traffic read_otf2_archive(const std::string& where, std::string_view /*anchor*/, const collective::Model& model,
                          std::vector<Diagnostic>& warnings) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(where, failure))
    throw not_read(where, "the anchor of an OTF2 archive, whose events are in files beside it",
                   "give the path of traces.otf2, or of the folder that it lies in");
  std::string reason;
  const std::optional<SharedLibrary> library = open_library(reason);
  if (!library)
    throw not_read(
        where, "an OTF2 archive, which only OTF2's library can read; it is not here",
        fmt::format(
            "install it (Debian: libotf2-trace-dev; it comes with Score-P, in a folder for LD_LIBRARY_PATH), {}",
            kPrintIt));
  const rlim_t seconds = 60 + bytes_of_archive(where) / (std::uint64_t{1} << 20);
  const std::function<std::string()> read = [&] {
    // Of processor time: damaged archives can make the library turn in circles. Beyond the first limit it is ended by a
    // signal of its own, beyond the second one by that which also ends it where memory is short.
    constexpr rlim_t kMore = 10;
    const rlimit limit{seconds, seconds + kMore};
    ::setrlimit(RLIMIT_CPU, &limit);
    return lines_of(*library, where);
  };
  const ProgramResult result = result_of_child(read, kOneDay, kLargestInput);
  if (result.failure == NoOutput::too_long) throw not_read(where, "its events are too many", kPrintIt);
  const bool is_late = result.failure == NoOutput::late;
  if (is_late || result.ending == fmt::format("signal {}", SIGXCPU))
    throw not_read(where,
                   fmt::format("OTF2's library has not read the archive in {}: it may be damaged",
                               is_late ? "a day" : fmt::format("{} s of processor time", seconds)),
                   "otf2-print traces.otf2 prints what can be read");
  if (result.failure)
    throw not_read(where,
                   fmt::format("OTF2's library ended with {} while it read the archive, which may be damaged",
                               result.ending.empty() ? "no answer" : result.ending),
                   "otf2-print traces.otf2 prints what can be read");
  if (result.output.starts_with(kFailed))
    throw not_read(where, fmt::format("the archive is damaged or not complete: {}", result.output.substr(1)),
                   "otf2-print traces.otf2 prints what can be read");
  try {
    return read_otf2_print(where, result.output, model, warnings);
  } catch (const Error& error) {
    // The lines are not the user's, so their numbers would mislead.
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& diagnostic : diagnostics) diagnostic = {where, {}, diagnostic.what, {}, {}};
    throw Error(ExitStatus::bad_input, std::move(diagnostics));
  }
}

}  // namespace topowise
