// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: what each start of them sends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/base/memory_kind.hpp>
#include <topowise/profile/format.hpp>

namespace topowise::interpose {

struct Message {
  std::int32_t peer;  ///< world rank
  profile::Channel channel;
  BufferMemory where;
  std::uint64_t bytes;
};

/// One start of a persistent request.
struct Start {
  std::optional<Message> message;                    ///< of a point-to-point request
  std::optional<profile::CollectiveRow> collective;  ///< of a collective one: the key part of its row,
  std::uint64_t bytes = 0;                           ///< its bytes,
  std::vector<profile::VectorRow> partners;          ///< and its VectorRows, each with the bytes of one call
};

// Called by the wrappers. Requests are handles of C.
void remember_request(Word request, Start start) noexcept;
/// MPI_Request_free: the handle may be recycled.
void forget_request(Word request) noexcept;
void start(Word request) noexcept;

}  // namespace topowise::interpose
