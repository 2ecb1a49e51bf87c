// SPDX-License-Identifier: BSD-3-Clause
// The memory that a rank of a job sends from and receives into.
#pragma once

#include <memory>
#include <string>

#include <topowise/device/driver.hpp>
#include <topowise/mpi/messages.hpp>
#include <topowise/probe/line.hpp>

namespace topowise::probe {

// One end of a pair of ranks.

/// How a message gets from the memory of one rank into that of the other.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  virtual void send(std::size_t bytes) = 0;
  virtual void receive(std::size_t bytes) = 0;
  /// One message each way at the same time.
  virtual void exchange(std::size_t bytes) = 0;
};

/// MPI takes the messages from one buffer and puts them into the other, wherever these lie.
class MessageTransfer final : public Transfer {
 public:
  MessageTransfer(const mpi::Messages& messages, int other, const void* out, void* in)
      : messages_(messages), other_(other), out_(out), in_(in) {}

  void send(std::size_t bytes) override { messages_.send(out_, bytes, other_); }
  void receive(std::size_t bytes) override { messages_.receive(in_, bytes, other_); }
  void exchange(std::size_t bytes) override { messages_.send_and_receive(out_, in_, bytes, other_); }

 private:
  const mpi::Messages& messages_;
  int other_;
  const void* out_;
  void* in_;
};

/// Whose clock counts. Both ends do the same things in the same order.
enum class End : unsigned char { measures, answers };

/// The end that answers gives 0 for all times.
class RankLine final : public Line {
 public:
  /// Collective for the two ranks.
  RankLine(const mpi::Messages& messages, int other, End end, std::unique_ptr<Transfer> transfer);

  [[nodiscard]] double send(std::size_t bytes) override { return ping_pong(bytes).forth; }
  /// Both directions take half of the round trip: the clocks of two hosts do not agree well enough for more.
  [[nodiscard]] PingPong ping_pong(std::size_t bytes) override;
  [[nodiscard]] double both_ways(std::size_t bytes) override;

 private:
  void tell() const;
  void wait() const;

  const mpi::Messages& messages_;
  int other_;
  End end_;
  std::unique_ptr<Transfer> transfer_;
  double notice_ = 0.0;  ///< seconds of an empty message
};

/// How the bytes of a pair travel.
enum class Way : unsigned char {
  mpi,     ///< MPI takes them from host memory
  device,  ///< MPI takes them from GPU memory
  ipc,     ///< the sender copies them into memory that the receiver has exported to it; MPI only signals
  staged,  ///< through host memory on both sides
};
inline constexpr std::size_t kWays = 4;
[[nodiscard]] std::string_view to_string(Way way);

struct Connection {
  std::unique_ptr<RankLine> line;
  Way way = Way::mpi;
  std::string reason;  ///< why no better way was taken; may be empty
};

class RankMemory {
 public:
  RankMemory() = default;
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  virtual ~RankMemory() = default;

  /// Collective for the two ranks.
  [[nodiscard]] virtual Connection connect(int other, End end, bool same_host) = 0;
};

/// Host memory, `largest` bytes each way.
[[nodiscard]] std::unique_ptr<RankMemory> host_rank_memory(const mpi::Messages& messages, std::size_t largest);
/// Memory of the GPU `ordinal` of `driver`. Each rank finds out for itself whether MPI takes GPU memory; a pair takes
/// the best way that both can.
[[nodiscard]] std::unique_ptr<RankMemory> gpu_rank_memory(const mpi::Messages& messages, const device::Driver& driver,
                                                          int ordinal, std::size_t largest);

}  // namespace topowise::probe
