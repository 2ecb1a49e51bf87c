// SPDX-License-Identifier: BSD-3-Clause
// Ranks without MPI: processes that are forked from this one, for measurements on one node and for tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <topowise/collective/node/node_ranks.hpp>

namespace topowise::collective {

/// What a forked process does; the result is its exit status. It must not return to what the parent was doing.
using RankBody = std::function<int(int rank, const Exchange& exchange)>;

/// Forks `ranks` processes and waits for all. Returns their exit statuses, 128 + the signal for those that were killed.
/// If one fails, an exchange throws at the others; if this process goes, they go too. `most_bytes`: what one rank may
/// give to an exchange at most. Each rank prints what it throws on standard error, or with `why` nothing: then the
/// first text goes there, with the ranks that throw it. Those that only miss another one do not count.
[[nodiscard]] std::vector<int> run_forked(int ranks, const RankBody& body, std::size_t most_bytes = 4096,
                                          std::string* why = nullptr);

}  // namespace topowise::collective
