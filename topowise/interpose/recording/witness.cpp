// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/witness.hpp>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace topowise::interpose {

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

}  // namespace topowise::interpose
