// SPDX-License-Identifier: BSD-3-Clause
// Whether the processes of a communicator agree on what they ask for, and whether that is worth a mapping. One process
// judges it from what each has told it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <topowise/interpose/reordering/settings.hpp>
#include <topowise/interpose/reordering/tally.hpp>
#include <topowise/reorder/node_part.hpp>

namespace topowise::interpose::reordering {

/// What each process tells the first one.
struct Participant {
  char host[66];  ///< a host name of Linux has 64 characters at most
  Mode mode;
  // 0 or 1:
  std::int8_t lacks;  ///< no memory is left for what the process would say
  std::int8_t asked;
  std::int8_t valid;
  std::int8_t permitted;
  std::int8_t threaded;  ///< several threads may call MPI at once
  std::int32_t vertices;
  std::int32_t edges;
  std::int32_t job_rank;  ///< as the launcher counts; below 0: not known
  std::int32_t recorded;  ///< the rank under which a recording knows it (recorded_ranks.hpp); below 0: not known
  NodePart part;          ///< where on its host it is bound
  std::uint64_t digest;
};
static_assert(sizeof(Participant) == 104);

enum class Next : std::int32_t {
  stay,    ///< MPI makes the communicator without reordering
  leave,   ///< MPI makes it as the program asks
  refuse,  ///< an error in every process: some would wait forever for the others
  map,
};

struct Agreement {
  Next next = Next::map;
  Outcome outcome = Outcome::moved;  ///< if it is not to be mapped
  std::string_view warning{};        ///< empty: nothing is wrong
};

/// `described`: somebody describes the machine, so that a job on one host may gain too. Without a description it may
/// gain only where its processes are bound to different parts of the host.
[[nodiscard]] Agreement agreement_of(std::span<const Participant> participants, Mode mode, bool described);

}  // namespace topowise::interpose::reordering
