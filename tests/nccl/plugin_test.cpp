// SPDX-License-Identifier: BSD-3-Clause
// The profiler plugin under a library that keeps no order: it ends before it begins, ends twice, or tells of no event.
// The job goes on, and properly reported events are recorded.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <topowise/traffic_source/source.hpp>

#include "profiler_versions.hpp"

using namespace topowise;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kHash = 7;

/// One version of the plugin, called as the library calls it.
template <class Described>
struct Library {
  Plugin* plugin;
  int version;

  void* begin(int rank) const {
    void* context = nullptr;
    int mask = 0;
    void (*log)(int, unsigned long, const char*, int, const char*, ...) = nullptr;
    if (version < 4) {
      reinterpret_cast<int (*)(void**, int*)>(plugin->init)(&context, &mask);
    } else if (version == 4) {
      reinterpret_cast<int (*)(void**, int*, const char*, std::uint64_t, int, int, int, decltype(log))>(plugin->init)(
          &context, &mask, nullptr, kHash, 1, 2, rank, log);
    } else {
      reinterpret_cast<int (*)(void**, std::uint64_t, int*, const char*, int, int, int, decltype(log))>(plugin->init)(
          &context, kHash, &mask, nullptr, 1, 2, rank, log);
    }
    return context;
  }
  void start(void* context, Described& event) const {
    void* handle = &event;
    plugin->startEvent(context, &handle, &event);
    plugin->recordEventState(handle, 99, nullptr);
    plugin->stopEvent(handle);
  }
};

template <class Described>
Described send(int rank, std::size_t floats, int peer) {
  Described event{};
  event.type = 4;
  event.rank = rank;
  event.p2p.count = floats;
  event.p2p.peer = peer;
  if constexpr (requires { event.p2p.commHash; }) event.p2p.commHash = kHash;
  if constexpr (std::is_same_v<Described, Described1>) {
    event.p2p.func = 6;
    event.p2p.datatype = 7;
  } else {
    event.p2p.func = "Send";
    event.p2p.datatype = "ncclFloat32";
  }
  return event;
}

/// Reports unknown names and unknown types of events.
template <class Described>
void say_nothing(const Library<Described>& library, void* context) {
  for (const unsigned type : {0U, 1U, 2U, 3U, 4U, 8U, 32U, 255U}) {
    Described event{};
    event.type = static_cast<decltype(event.type)>(type);
    if constexpr (std::is_same_v<Described, Described1>) event.coll.func = 250;
    if constexpr (std::is_same_v<Described, Described1>) event.coll.datatype = 250;
    library.start(context, event);
  }
  void* handle = nullptr;
  library.plugin->startEvent(context, &handle, nullptr);
  Described event{};
  library.plugin->startEvent(context, nullptr, &event);
  library.plugin->startEvent(nullptr, &handle, &event);
}

template <class Described>
void disorder(const Library<Described>& library) {
  for (int time = 0; time < 2; ++time) {
    library.plugin->stopEvent(nullptr);
    library.plugin->finalize(nullptr);
  }
  void* first = library.begin(0);
  void* second = library.begin(1);
  say_nothing(library, first);
  for (const int peer : {-1, -2147483647 - 1}) {
    Described event = send<Described>(0, 10, peer);
    library.start(first, event);
  }
  Described there = send<Described>(0, 10, 1);
  library.start(first, there);
  library.plugin->finalize(first);
  library.plugin->finalize(first);
  void* again = library.begin(0);
  library.plugin->finalize(again);
  library.start(first, there);  // this start comes late
  Described back = send<Described>(1, 1, 0);
  library.start(second, back);
  library.plugin->finalize(second);
}

[[noreturn]] void run(int version, const fs::path& profile) {
  setenv("TOPOWISE_PROFILE", profile.c_str(), 1);
  setenv("RANK", "0", 1);
  setenv("WORLD_SIZE", "1", 1);
  void* library = dlopen(TOPOWISE_RECORDER, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) _exit(3);
  auto* plugin = static_cast<Plugin*>(dlsym(library, ("ncclProfiler_v" + std::to_string(version)).c_str()));
  if (plugin == nullptr) _exit(4);
  if (version == 1) disorder(Library<Described1>{plugin, version});
  if (version == 2) disorder(Library<Described2>{plugin, version});
  if (version == 3) disorder(Library<Described3>{plugin, version});
  if (version == 4) disorder(Library<Described4>{plugin, version});
  if (version >= 5) disorder(Library<Described5>{plugin, version});
  std::exit(0);
}

}  // namespace

TEST_CASE("a library that keeps no order does not end the job, and what it says properly counts") {
  for (int version = 1; version <= 7; ++version) {
    CAPTURE(version);
    const fs::path profile = fs::temp_directory_path() /
                             ("topowise-nccl-plugin-test-" + std::to_string(getpid()) + "-" + std::to_string(version));
    fs::create_directories(profile);
    const pid_t child = fork();
    if (child == 0) run(version, profile);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    TrafficOptions options;
    options.collectives = "none";
    const TrafficReading read = read_traffic_with_warnings(profile.string(), options);
    std::map<std::pair<std::size_t, std::size_t>, double> sent;
    for (const TrafficEntry& entry : read.traffic.entries())
      sent[{entry.source.index(), entry.destination.index()}] = entry.bytes.value();
    CHECK(sent == std::map<std::pair<std::size_t, std::size_t>, double>{{{0, 1}, 80}, {{1, 0}, 4}});
    CHECK(std::ranges::none_of(read.warnings,
                               [](const Diagnostic& w) { return w.what.find("damaged") != std::string::npos; }));
    fs::remove_all(profile);
  }
}
