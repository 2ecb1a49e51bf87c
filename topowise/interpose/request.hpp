// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: what each start of them sends.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include <topowise/interpose/abi.hpp>
#include <topowise/interpose/memory_kind.hpp>
#include <topowise/profile/format.hpp>

namespace topowise::interpose {

struct Message {
  std::int32_t peer;  ///< world rank
  profile::Channel channel;
  Whereabouts place;
  std::uint64_t bytes;
};

/// One start of a persistent request.
struct Start {
  std::optional<Message> message;                    ///< of a point-to-point request
  std::optional<profile::CollectiveRow> collective;  ///< of a collective one: the key part of its row,
  std::uint64_t bytes = 0;                           ///< its bytes,
  std::vector<profile::VectorRow> partners;          ///< and its VectorRows, each with the bytes of one call
};

class Requests {
 public:
  void remember(Word request, Start start) noexcept;
  /// What was remembered, or null. Valid until the request is forgotten.
  [[nodiscard]] const Start* find(Word request) noexcept;
  /// MPI_Request_free: the handle may be recycled.
  void forget(Word request) noexcept;
  [[nodiscard]] bool empty() const { return size_.load(std::memory_order_relaxed) == 0; }

 private:
  std::mutex mutex_;
  std::unordered_map<Word, Start> starts_;  // its elements do not move
  std::atomic<std::size_t> size_{0};        ///< spares programs without persistent requests the lock
};
[[nodiscard]] Requests& requests();

// From the wrappers.
void start(Word request) noexcept;
void forget_request(Word request) noexcept;

}  // namespace topowise::interpose
