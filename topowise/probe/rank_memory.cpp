// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/rank_memory.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace topowise::probe {
namespace {

// The end that measures cannot see when its message has arrived at the other one, so that one sends a notice, and the
// time of a notice is taken off: the shortest of some round trips of empty messages, halved.

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Buffers of a whole rank; every page is touched, so that it lies near the rank's processor.
struct HostBuffers {
  explicit HostBuffers(std::size_t largest) : out(largest, 'o'), in(largest, 'i') {}
  std::vector<char> out, in;
};

class HostRankMemory final : public RankMemory {
 public:
  HostRankMemory(const mpi::Messages& messages, std::size_t largest) : messages_(messages), buffers_(largest) {}

  Connection connect(int other, End end, bool /*same_host*/) override {
    auto transfer = std::make_unique<MessageTransfer>(messages_, other, buffers_.out.data(), buffers_.in.data());
    auto line = std::make_unique<RankLine>(messages_, other, end, std::move(transfer));
    return {std::move(line), Way::mpi, {}};
  }

 private:
  const mpi::Messages& messages_;
  HostBuffers buffers_;
};

}  // namespace

RankLine::RankLine(const mpi::Messages& messages, int other, End end, std::unique_ptr<Transfer> transfer)
    : messages_(messages), other_(other), end_(end), transfer_(std::move(transfer)) {
  constexpr int kNotices = 20;
  notice_ = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kNotices; ++i) {
    const Clock::time_point start = Clock::now();
    end_ == End::measures ? tell() : wait();
    end_ == End::measures ? wait() : tell();
    notice_ = std::min(notice_, seconds_since(start) / 2);
  }
}

void RankLine::tell() const {
  messages_.send(nullptr, 0, other_);
}

void RankLine::wait() const {
  messages_.receive(nullptr, 0, other_);
}

Line::PingPong RankLine::ping_pong(std::size_t bytes) {
  if (end_ == End::answers) {
    transfer_->receive(bytes);
    transfer_->send(bytes);
    return {};
  }
  const Clock::time_point start = Clock::now();
  transfer_->send(bytes);
  transfer_->receive(bytes);
  const double round_trip = seconds_since(start);
  return {round_trip / 2, round_trip / 2};
}

double RankLine::both_ways(std::size_t bytes) {
  if (end_ == End::answers) {
    transfer_->exchange(bytes);
    tell();
    return 0.0;
  }
  const Clock::time_point start = Clock::now();
  transfer_->exchange(bytes);
  wait();
  return seconds_since(start) - notice_;
}

std::string_view to_string(Way way) {
  constexpr std::array<std::string_view, kWays> kNames{"MPI from host memory", "MPI from GPU memory",
                                                       "copies into memory shared by IPC", "through host memory"};
  return kNames[static_cast<std::size_t>(way)];
}

std::unique_ptr<RankMemory> host_rank_memory(const mpi::Messages& messages, std::size_t largest) {
  return std::make_unique<HostRankMemory>(messages, largest);
}

}  // namespace topowise::probe
