// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/print_stderr.hpp>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <topowise/interpose/base/without_cancellation.hpp>

namespace topowise::interpose {
namespace {

/// Holds back the signals that a write can raise in its own thread, and takes away what came of it. A signal that was
/// pending before is the program's own and stays.
class WithoutSignals {
 public:
  WithoutSignals() noexcept {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&ours_);
    for (const int signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, signal) == 0) sigaddset(&ours_, signal);
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() {
    const timespec at_once{};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t ours_;
  sigset_t before_;
};

}  // namespace

void print_stderr(int rank, const char* format, ...) noexcept {
  char line[1024];
  int begin = rank < 0 ? std::snprintf(line, sizeof(line), "topowise: ")
                       : std::snprintf(line, sizeof(line), "topowise: rank %d: ", rank);
  begin = std::max(begin, 0);
  const std::size_t left = sizeof(line) - static_cast<std::size_t>(begin) - 1;  // one byte for the newline
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line + begin, left, format, arguments);
  va_end(arguments);
  const std::size_t text = std::min(static_cast<std::size_t>(std::max(length, 0)), left - 1);
  const std::size_t end = static_cast<std::size_t>(begin) + text;
  std::replace_if(
      line, line + end, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  line[end] = '\n';
  const WithoutCancellation whole;
  const WithoutSignals blocked;
  if (::write(STDERR_FILENO, line, end + 1) < 0) return;  // stderr is closed: nobody to report to
}

bool speaks_for_machine(int rank) noexcept {
  if (rank == 0) return true;
  for (const char* variable :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
        "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID", "PMIX_LOCAL_RANK", "LOCAL_RANK"})
    if (const char* value = std::getenv(variable)) return std::strcmp(value, "0") == 0;
  return false;
}

}  // namespace topowise::interpose
