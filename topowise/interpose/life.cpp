// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/life.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <topowise/interpose/communicator.hpp>
#include <topowise/interpose/complain.hpp>
#include <topowise/interpose/older_jobs.hpp>
#include <topowise/launch/job_name.hpp>

namespace topowise::interpose {
namespace {

struct Life {
  std::recursive_mutex mutex;  // an error handler of the program may call MPI from inside our questions
  ProfileFile file;
  std::string directory;
  std::vector<Word> sessions;
  bool world_active = false;
  bool world_ended = false;  ///< also while MPI_Finalize is running: its attribute callbacks may call MPI
  pid_t process = 0;         ///< that began recording; a forked child shares the file, but its end is not the job's
  bool tracing = false;
  std::uint64_t trace_origin = 0;
};
Life& life() {
  static Life& the_one = *new Life;  // never destroyed: threads may outlive the program's static objects
  return the_one;
}

std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The standard ABI numbers the levels 0, 1024, 2048, 4096; the others 0 to 3.
std::uint32_t thread_level(const Mpi& m) {
  int level = 0;
  if (m.Query_thread(&level) != 0) return 0;
  constexpr int kStep = 1024;
  return static_cast<std::uint32_t>(level < kStep ? level : std::min(level / kStep, 3));
}

bool is_spawned(const Mpi& m) {
  Word parent = 0;
  if (!life().world_active || m.Comm_get_parent(&parent) != 0) return false;
  return m.family.handle(parent) != m.family.comm_null;
}

template <std::size_t N>
void copy_text(char (&field)[N], const std::string& text) {
  std::memcpy(field, text.data(), std::min(text.size(), N - 1));  // the rest stays 0
}

profile::Header describe(const Mpi& m, const World& world, const std::string& job) {
  profile::Header header = profile::new_header(world.rank, world.size);
  header.job = job_key(job, world.size);
  header.spawned = is_spawned(m) ? 1 : 0;
  header.start_ns = clock_ns(CLOCK_REALTIME);
  header.has_trace = life().tracing ? 1 : 0;
  header.thread_level = thread_level(m);
  gethostname(header.host, sizeof(header.host) - 1);
  char program[sizeof(header.program)] = {};
  if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) copy_text(header.program, program);
  copy_text(header.mpi, m.family.name);
  copy_text(header.job_name, job);
  return header;
}

/// The file of this process in life().directory. An older file of the same job and rank is unlinked (its process may
/// still have it mapped). But jobs that one launcher spawns may have one name: the first world of them takes the name
/// as it is, the second the next, and so on.
int create_file(profile::Header& header) {
  Life& the = life();
  const std::string first_name = header.job_name;
  constexpr int kMostSpawned = 1000;
  for (int number = 0; number < kMostSpawned; ++number) {
    if (header.spawned != 0) {
      const std::string name = first_name + " spawned " + std::to_string(number);
      copy_text(header.job_name, name);
      header.job = job_key(name, header.world_size);
    }
    const std::string path = the.directory + "/" + profile::profile_file_name(header.job, header.rank);
    if (header.spawned == 0) ::unlink(path.c_str());
    const int error = the.file.create(path, header);
    if (error != EEXIST) return error;
  }
  return EEXIST;
}

/// Creates the file of this process. False, and said on stderr, if that cannot be.
bool open_file(const Mpi& m, const char* directory) {
  const std::optional<World> here = world();
  if (!here) {
    complain(-1, "the MPI library does not tell this process's rank; nothing is recorded");
    return false;
  }
  int error = ::mkdir(directory, 0755) == 0 || errno == EEXIST ? 0 : errno;
  if (error == 0) {
    char absolute[PATH_MAX];  // the program may change its directory
    if (::realpath(directory, absolute) != nullptr) {
      life().directory = absolute;
      profile::Header header = describe(m, *here, job_name_here(here->size));
      error = create_file(header);
    } else {
      error = errno;
    }
  }
  if (error != 0 && speaks_for_machine(here->rank))
    complain(here->rank, "cannot record to '%s': %s; the program runs on without recording", directory,
             std::strerror(error));
  return error == 0;
}

int keep_nothing(Word, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return 0;
}
int self_is_going(Word, int, void*, void*) {
  finalizing();
  return 0;
}

/// MPI_Finalize first deletes the attributes of MPI_COMM_SELF: it tells us even where no wrapper of ours is called.
void watch_finalize(const Mpi& m) {
  int key = 0;
  if (m.Comm_create_keyval(reinterpret_cast<void*>(keep_nothing), reinterpret_cast<void*>(self_is_going), &key,
                           nullptr) == 0)
    m.Comm_set_attr(m.family.comm_self, key, nullptr);
}

void begin(const Mpi& m, const char* directory) {
  Life& the = life();
  if (the.file.is_open()) {  // another session after the end of all before
    the.file.header().state = profile::State::recording;
    the.file.header().end_ns = 0;
    return mode().store(Mode::recording);
  }
  const char* trace = std::getenv("TOPOWISE_TRACE");
  the.tracing = trace != nullptr && *trace != '\0' && std::strcmp(trace, "0") != 0;
  the.trace_origin = clock_ns(CLOCK_MONOTONIC);
  the.process = getpid();
  const bool opened = open_file(m, directory);
  if (opened && the.world_active) watch_finalize(m);
  mode().store(opened ? Mode::recording : Mode::off);
}

/// Notes the end in the header. False if there is nothing to end.
bool mark(profile::State state) {
  Life& the = life();
  if (!the.file.is_open() || the.process != getpid() || the.file.header().state != profile::State::recording)
    return false;
  the.file.header().end_ns = clock_ns(CLOCK_REALTIME);
  the.file.header().state = state;
  return true;
}

void end() {
  if (!mark(profile::State::finalized)) return;
  mode().store(Mode::unknown);
  Life& the = life();
  const profile::Header& header = the.file.header();
  if (header.rank == 0 && header.spawned == 0) remove_older_jobs(the.directory, header.job, header.start_ns);
}

/// Runs `body` under the lock; what it throws is lack of memory, and the program goes on without recording.
template <class Body>
void locked(Body body) noexcept {
  try {
    const std::scoped_lock lock(life().mutex);
    body(life());
  } catch (...) {
    mode().store(Mode::off);
  }
}

}  // namespace

bool begin_if_possible() noexcept {
  if (mode().load() != Mode::unknown) return mode().load() == Mode::recording;
  const char* directory = std::getenv("TOPOWISE_PROFILE");
  if (directory == nullptr || *directory == '\0') {
    mode().store(Mode::off);
    return false;
  }
  locked([&](Life& the) {
    const Mpi* m = mpi();
    if (m == nullptr) return mode().store(Mode::off);
    int initialized = 0;
    int finalized = 0;
    if (mode().load() != Mode::unknown || m->Initialized(&initialized) != 0 || m->Finalized(&finalized) != 0) return;
    the.world_active = initialized != 0 && finalized == 0 && !the.world_ended;
    if (the.world_active || !the.sessions.empty()) begin(*m, directory);
  });
  return mode().load() == Mode::recording;
}

ProfileFile& profile_file() {
  return life().file;
}
bool trace_wanted() {
  return life().tracing;
}
std::uint64_t trace_time() {
  return clock_ns(CLOCK_MONOTONIC) - life().trace_origin;
}
bool world_model_is_active() {
  return life().world_active;
}
std::optional<Word> live_session() {
  return life().sessions.empty() ? std::nullopt : std::optional(life().sessions.front());
}

void initialized() noexcept {
  if (begin_if_possible()) locked([](Life& the) { the.world_active = !the.world_ended; });
}

void session_opened(Word session) noexcept {
  locked([&](Life& the) {
    if (std::find(the.sessions.begin(), the.sessions.end(), session) == the.sessions.end())
      the.sessions.push_back(session);
  });
  static_cast<void>(begin_if_possible());
}

void session_closing(Word session) noexcept {
  locked([&](Life& the) {
    std::erase(the.sessions, session);
    communicators().forget_all();
    if (the.sessions.empty() && !the.world_active) end();
  });
}

void finalizing() noexcept {
  locked([](Life& the) {
    the.world_active = false;
    the.world_ended = true;
    communicators().forget_all();
    if (the.sessions.empty()) end();
  });
}

void aborting() noexcept {
  locked([](Life&) { static_cast<void>(mark(profile::State::aborted)); });
}

void profiling_control(int level) noexcept {
  if (!recording_or_paused()) return;
  Mode expected = level == 0 ? Mode::recording : Mode::paused;
  mode().compare_exchange_strong(expected, level == 0 ? Mode::paused : Mode::recording);
}

}  // namespace topowise::interpose
