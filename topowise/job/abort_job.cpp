// SPDX-License-Identifier: BSD-3-Clause
// What PMI_Abort writes in version 1 of the protocol between hydra's proxy and its processes: one line on the socket
// whose number is in PMI_FD.
#include <topowise/job/abort_job.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace topowise::job {

void let_output_pass() noexcept {
  constexpr unsigned kMicroseconds = 200'000;
  ::usleep(kMicroseconds);
}

void let_first_rank_speak() noexcept {
  constexpr unsigned kSeconds = 3;  // the launcher ends this process before, as soon as the first rank ends
  ::sleep(kSeconds);
}

void abort_job(ExitStatus status) noexcept {
  const char* socket = std::getenv("PMI_FD");
  if (socket == nullptr) return;
  let_output_pass();
  char line[64];
  const int length = std::snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", static_cast<int>(status));
  // Another rank may have ended the job, and the proxy have closed its end: no signal must take this process's status.
  if (::send(std::atoi(socket), line, static_cast<std::size_t>(length), MSG_NOSIGNAL) < 0)
    return;  // no proxy listens: nothing to wait for
  constexpr unsigned kSeconds = 5;
  ::sleep(kSeconds);  // the proxy ends this process
}

}  // namespace topowise::job
