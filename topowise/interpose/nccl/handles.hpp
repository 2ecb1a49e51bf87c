// SPDX-License-Identifier: BSD-3-Clause
// NCCL's communicators as the preloaded functions see them, where NCCL has no profiler interface or uses another
// plugin. The library states no name of a communicator that all its members share, so one is made of what they all gave
// it: the unique id, or the parent and the colour of a split.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topowise/interpose/nccl/rows.hpp>

namespace topowise::interpose::nccl {

/// ncclComm_t.
using Handle = void*;
/// What ncclCommSplit takes for "no new communicator here".
inline constexpr int kNoColor = -1;

struct UniqueId {
  char bytes[128];
};

/// What the library made. `made` is null where it makes the communicator later: at the end of a group, or in the
/// background. It is then known by its rank and size when it is first used.
void note_communicator(Handle made, const UniqueId& id, int rank, int size) noexcept;
/// The library made `count` communicators at once, whose only members are GPUs of this process.
void note_all(const Handle* made, int count) noexcept;
/// A call of ncclCommSplit on `parent`, all of whose members make it. `made` as above.
void note_split(Handle parent, int color, Handle made) noexcept;
void forget(Handle handle) noexcept;

void count_call(Handle handle, const Call& call) noexcept;
void count_message(Handle handle, int peer, std::uint64_t bytes) noexcept;

/// Whether these functions are to record the calls of this process: a profile is asked for, and the plugin does not
/// record.
[[nodiscard]] bool functions_are_watched() noexcept;

}  // namespace topowise::interpose::nccl
