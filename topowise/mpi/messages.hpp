// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processes of a job, as its MPI sends them. Nothing is copied or checked on the way, so that what
// they take is what MPI takes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace topowise::mpi {

/// MPI counts in int.
inline constexpr std::size_t kLargestMessage = 0x7fffffff;

/// One message of several that are under way at once.
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
  /// Both directions at once.
  virtual void send_and_receive(const void* out, void* in, std::size_t bytes, int other) const = 0;
  /// All of them at once; returns when the incoming ones are here and the outgoing ones have left. Messages of one pair
  /// arrive in their order. Who waits long lets others have its processor now and then.
  virtual void exchange(std::span<const OutgoingMessage> outgoing, std::span<const IncomingMessage> incoming) const = 0;
  /// Returns when all processes have called it. Who waits long leaves its processor to others.
  virtual void wait_for_all() const = 0;
  /// Whether addresses of that driver's memory ("cuda", "hip") may be sent from and received into.
  [[nodiscard]] virtual bool takes_device_memory(std::string_view driver) const = 0;
};

}  // namespace topowise::mpi
