// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/recording.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/base/life.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/without_cancellation.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/recording/end_report.hpp>
#include <topowise/interpose/recording/launched_world.hpp>
#include <topowise/interpose/recording/older_jobs.hpp>
#include <topowise/interpose/recording/own_file.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/recording_witness.hpp>

namespace topowise::interpose {
namespace {

/// Tells the witness of a recording (job/recording_witness.hpp) how far this process has come, if there is one. Waits a
/// tenth of a second for it at most.
void tell_witness(job::Told what) noexcept {
  const char* name = std::getenv(job::kWitnessVariable);
  sockaddr_un address{};
  const std::size_t length = name == nullptr ? 0 : std::strlen(name);
  if (length == 0 || length >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name, length);  // behind a zero: no name in a file system
  const int before = errno;
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket >= 0) {
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    const timeval timeout{0, 100'000};  // others may fill the queue of the socket, which the witness empties
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    ::sendto(socket, &what, 1, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
    ::close(socket);
  }
  errno = before;
}

struct Recording {
  std::recursive_mutex mutex;  // an error handler of the program may call MPI from inside our questions
  ProfileFile file;
  std::string directory;
  struct stat identity {};  ///< of the directory
  pid_t process = 0;  ///< the one that began recording; a forked child shares the file, but its end is not the job's
  bool with_mpi = false;  ///< it is MPI's ranks that are recorded, and MPI_Finalize that ends it
  bool refused = false;   ///< the file could not be opened: that was said
  bool tracing = false;
  std::uint64_t trace_origin = 0;
};
Recording& state() {
  static Recording& the_one = *new Recording;  // never destroyed: threads may outlive the program's static objects
  return the_one;
}

constinit pid_t loading_process = 0;  ///< the one that loaded this library; a child that it forks has another number

/// Whether this process is the one that 'run --profile' has become.
bool is_started() {
  const char* started = std::getenv("TOPOWISE_PROFILE_PROCESS");
  return started != nullptr && started == std::to_string(getpid());
}

/// What the witness is told once this process's file is open. Many processes may have the launcher's first rank: those
/// that a program starts for its GPUs, for instance, as forked children that end by _exit().
job::Told told_of_file(const profile::Header& header) {
  const bool is_first = is_started() || (header.rank == 0 && loading_process == getpid());
  return is_first ? job::Told::records : job::Told::child_records;
}

/// Opens the file of this process. False, and said on stderr, if that cannot be. `began_ns` as of create_own_file().
bool open_file(profile::Header header, const char* directory, std::uint64_t began_ns) {
  Recording& the = state();
  const char* trace = std::getenv("TOPOWISE_TRACE");
  the.tracing = trace != nullptr && *trace != '\0' && std::strcmp(trace, "0") != 0;
  the.trace_origin = clock_ns(CLOCK_MONOTONIC);
  the.process = getpid();
  header.start_ns = clock_ns(CLOCK_REALTIME);
  header.has_trace = the.tracing ? 1 : 0;
  const int error = create_own_file(the.file, directory, header, began_ns, the.directory, &the.identity);
  the.refused = error != 0;
  if (error != 0 && speaks_for_machine(header.rank))
    print_stderr(header.rank, "cannot record to '%s': %s; the program runs on without recording", directory,
                 std::strerror(error));
  else if (error == 0 && header.spawned == 0 && job::this_process().rank == 0)
    tell_witness(told_of_file(header));
  return error == 0;
}

bool open_with_mpi(const Mpi& m, const char* directory) {
  const std::optional<World> here = world();
  if (!here) {
    print_stderr(-1, "the MPI library does not give this process's rank; nothing is recorded");
    return false;
  }
  if (mpi_is_bystander(*here)) return false;
  profile::Header header = describe_process(*here, m.family.name);
  describe_mpi(m, header);
  // Processes begin sessions one by one, and do not leave MPI_Init together.
  const bool opened = open_file(header, directory, models().world_is_active() ? process_start_ns() : 0);
  state().with_mpi = opened;
  return opened;
}

/// Whether MPI's calls may count in a file that is open: that of an earlier session, or of a program that began without
/// MPI.
bool continues_file(const Mpi& m) {
  Recording& the = state();
  profile::Header& header = the.file.header();
  if (!the.with_mpi) {
    const std::optional<World> here = world();
    if (here && mpi_is_bystander(*here)) return false;
    if (!here || here->rank != header.rank || here->size != header.world_size) {
      print_stderr(header.rank,
                   "this process is another rank of MPI than it was before MPI began; MPI is not recorded");
      return false;
    }
    describe_mpi(m, header);
    the.with_mpi = true;
    if (models().world_is_active()) watch_finalize(m);
  }
  header.state = profile::State::recording;
  header.end_ns = 0;
  return true;
}

void begin(const Mpi& m, const char* directory) {
  if (state().file.is_open()) return mode().store(continues_file(m) ? Mode::recording : Mode::off);
  const bool opened = open_with_mpi(m, directory);
  if (opened && models().world_is_active()) watch_finalize(m);
  mode().store(opened ? Mode::recording : Mode::off);
}

/// Notes the end in the header. False if there is nothing to end.
bool mark(profile::State how) {
  Recording& the = state();
  if (!the.file.is_open() || the.process != getpid() || the.file.header().state != profile::State::recording)
    return false;
  the.file.header().end_ns = clock_ns(CLOCK_REALTIME);
  the.file.header().state = how;
  return true;
}

/// Rank 0, at the end of its run, removes the files of older jobs.
void clear_away_older_jobs() {
  const std::string& directory = state().directory;
  const profile::Header& header = state().file.header();
  const KeptJobs kept = remove_older_jobs(directory, header.job, header.start_ns, &state().identity);
  const std::size_t all = kept.alive + kept.unknown;
  if (all == 0) return;
  print_stderr(header.rank, "'%s' also has %zu %s that %s still recording (%s), kept%s", directory.c_str(), all,
               all == 1 ? "job" : "jobs",
               kept.unknown > 0 ? "may be"
               : all == 1       ? "is"
                                : "are",
               kept.files.c_str(),
               kept.unknown > 0 ? ": nothing here says whether it is over; remove it if it is" : "");
}

void end() {
  if (!mark(profile::State::finalized)) return;
  mode().store(Mode::unknown);
  const profile::Header& header = state().file.header();
  if (header.rank == 0 && header.spawned == 0) clear_away_older_jobs();
}

/// Runs `body` under the lock; what it throws is lack of memory, and the program goes on without recording.
template <class Body>
void locked(Body body) noexcept {
  const WithoutCancellation whole;
  try {
    const std::scoped_lock lock(state().mutex);
    body();
  } catch (...) {
    mode().store(Mode::off);
  }
}

/// What on_exit() calls. A program that ends with an error is no complete run.
void process_is_ending(int status, void*) noexcept {
  if (status == 0)
    locked([] {
      if (!state().with_mpi) end();
    });
}

/// At the end of a process that 'run --profile' has become and that recorded nothing itself. Forked children that end
/// by _exit() say nothing of what they recorded.
void say_what_others_recorded(const std::string& directory) {
  const std::optional<RecordedByOthers> others = recorded_by_others(directory, process_start_ns());
  if (!others) return print_stderr(-1, "nothing was recorded: %s", reason_for_nothing().c_str());
  if (others->told) return;
  tell_witness(job::Told::spoke_for_all);
  print_stderr(-1, "%s", summary_of_others(add_up(directory, others->first), directory, *others).c_str());
}

/// At the end of the job's first process, when MPI_Finalize has brought all processes to their end: one line of what
/// was recorded, or why nothing was. Only 'run --profile' asks for it.
void say_what_was_recorded() {
  const char* started = std::getenv("TOPOWISE_PROFILE_PROCESS");
  const job::Process process = job::this_process();
  if (started == nullptr || process.rank != 0) return;
  Recording& the = state();
  if (the.file.is_open()) {
    // The launcher's first process may have another rank in the program (--reorder=world).
    const profile::Header& own = the.file.header();
    const bool first = own.spawned == 0 && (own.rank == 0 || !process.launcher.empty());
    if (the.process != getpid() || !first) return;
    the.file.header().told = 1;
    print_stderr(-1, "%s", summary(add_up(the.directory, own), the.directory, own, process.size.value_or(0)).c_str());
    return;
  }
  // A process that the started one has started, such as a command in a script, need not record.
  const char* directory = std::getenv("TOPOWISE_PROFILE");
  if (the.refused || directory == nullptr || !is_started()) return;
  say_what_others_recorded(directory);
}

[[gnu::constructor]] void process_has_begun() noexcept {
  loading_process = getpid();
  try {
    if (std::getenv(job::kWitnessVariable) != nullptr && is_started()) tell_witness(job::Told::loaded);
  } catch (...) {  // no memory: then nothing is said if the process dies
  }
}

/// Never waits for the lock: a thread that holds it may have stopped for good.
[[gnu::destructor]] void process_has_ended() noexcept {
  try {
    const bool is_heard = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    if (is_started() || state().process == getpid()) tell_witness(is_heard ? job::Told::spoke : job::Told::mute);
    if (!is_heard) return;
    const std::unique_lock lock(state().mutex, std::try_to_lock);
    if (lock) say_what_was_recorded();
  } catch (...) {  // no memory for a line
  }
}

void mpi_has_begun() noexcept {
  static_cast<void>(begin_if_possible());
}

void mpi_is_ending() noexcept {
  locked(end);
}

void mpi_is_aborting() noexcept {
  locked([] { static_cast<void>(mark(profile::State::aborted)); });
}

/// MPI_Pcontrol: 0 pauses, all else goes on.
void pause_or_go_on(int level) noexcept {
  if (!recording_or_paused()) return;
  Mode expected = level == 0 ? Mode::recording : Mode::paused;
  mode().compare_exchange_strong(expected, level == 0 ? Mode::paused : Mode::recording);
}

/// This is written at once, so that a process that is killed has it, too.
void note_reordering() noexcept {
  if (!recording_or_paused()) return;
  locked([] {
    if (state().file.is_open()) state().file.header().reordered = 1;
  });
}

}  // namespace

constinit const Feature kRecording{.begun = mpi_has_begun,
                                   .ending = mpi_is_ending,
                                   .aborting = mpi_is_aborting,
                                   .controlled = pause_or_go_on,
                                   .reordered = note_reordering};

bool begin_if_possible() noexcept {
  if (mode().load() != Mode::unknown) return mode().load() == Mode::recording;
  const char* directory = std::getenv("TOPOWISE_PROFILE");
  if (directory == nullptr || *directory == '\0') {
    mode().store(Mode::off);
    return false;
  }
  locked([&] {
    const Mpi* m = mpi();
    if (m == nullptr) return mode().store(Mode::off);
    if (mode().load() == Mode::unknown && models().look(*m)) begin(*m, directory);
  });
  return mode().load() == Mode::recording;
}

bool begin_without_mpi(const World& here) noexcept {
  const char* directory = std::getenv("TOPOWISE_PROFILE");
  if (directory == nullptr || *directory == '\0') return false;
  bool ready = false;
  locked([&] {
    Recording& the = state();
    if (!the.file.is_open() && !the.refused && open_file(describe_process(here, "none"), directory, process_start_ns()))
      ::on_exit(process_is_ending, nullptr);
    ready = the.file.is_open() && the.process == getpid();
  });
  return ready;
}

ProfileFile& profile_file() {
  return state().file;
}
bool trace_wanted() {
  return state().tracing;
}
std::uint64_t trace_time() {
  return clock_ns(CLOCK_MONOTONIC) - state().trace_origin;
}

}  // namespace topowise::interpose
