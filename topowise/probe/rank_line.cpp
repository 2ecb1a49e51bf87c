// SPDX-License-Identifier: BSD-3-Clause
// The end that measures cannot see when its message has arrived at the other one, so that one sends a notice, and the
// time of a notice is taken off: the shortest of some round trips of empty messages, halved.
#include <topowise/probe/rank_line.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace topowise::probe {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

}  // namespace topowise::probe
