// SPDX-License-Identifier: BSD-3-Clause
// What PMI_Abort writes in version 1 of the protocol between hydra's proxy and its processes: one line on the socket
// whose number is in PMI_FD.
#include <topowise/cli/abort_job.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace topowise::cli {

void abort_job() noexcept {
  const char* socket = std::getenv("PMI_FD");
  if (socket == nullptr) return;
  constexpr unsigned kMicroseconds = 200'000;
  ::usleep(kMicroseconds);  // a proxy drops what it has not passed on of our output by then
  constexpr std::string_view kAbort = "cmd=abort exitcode=1\n";
  if (::write(std::atoi(socket), kAbort.data(), kAbort.size()) < 0) return;  // no proxy listens: nothing to wait for
  constexpr unsigned kSeconds = 5;
  ::sleep(kSeconds);  // the proxy ends this process
}

}  // namespace topowise::cli
