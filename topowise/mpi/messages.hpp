// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processes of a job, as its MPI sends them. Nothing is copied or checked on the way, so their
// time is the time of MPI.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace topowise::mpi {

/// The largest message in bytes, because MPI counts in int.
inline constexpr std::size_t kLargestMessage = 0x7fffffff;

/// One of several messages that are under way at the same time.
struct OutgoingMessage {
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  int to = 0;
};
struct IncomingMessage {
  void* buffer = nullptr;
  std::size_t bytes = 0;
  int from = 0;
};

class Messages {
 public:
  Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  virtual ~Messages() = default;

  virtual void send(const void* buffer, std::size_t bytes, int to) const = 0;
  virtual void receive(void* buffer, std::size_t bytes, int from) const = 0;
  /// Sends and receives at the same time.
  virtual void send_and_receive(const void* out, void* in, std::size_t bytes, int other) const = 0;
  /// Starts all messages at once; returns when the incoming ones have arrived and the outgoing ones have left. Messages
  /// of one pair arrive in their order. A process that waits long yields its processor to others now and then.
  virtual void exchange(std::span<const OutgoingMessage> outgoing, std::span<const IncomingMessage> incoming) const = 0;
  /// Returns when all processes have called it. A process that waits leaves its processor to others.
  virtual void wait_for_all() const = 0;
  /// True if MPI can send from, and receive into, addresses of that driver's memory ("cuda", "hip").
  [[nodiscard]] virtual bool takes_device_memory(std::string_view driver) const = 0;
};

}  // namespace topowise::mpi
