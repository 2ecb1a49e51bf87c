// SPDX-License-Identifier: BSD-3-Clause
// One process's file of a recorded profile, in the layout of profile/format.hpp. Any bytes give rows or an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/profile/format.hpp>

namespace topowise::recorded {

/// The members of a communicator in the order of their ranks: world ranks, or profile::kOutside.
struct Group {
  std::vector<profile::Run> local;
  std::vector<profile::Run> remote;  ///< the other group of an intercommunicator
};

struct File {
  profile::Header header{};
  std::vector<profile::PeerRow> peers;
  std::vector<profile::CollectiveRow> collectives;
  std::vector<profile::VectorRow> vectors;
  std::map<std::uint64_t, Group> groups;
  std::vector<profile::CommunicatorRow> communicators;
  std::vector<profile::CommunicatorCallRow> communicator_calls;
  std::vector<profile::CommunicatorSendRow> communicator_sends;
  std::vector<profile::TraceRow> trace;  ///< if asked for
};

/// True if the process communicated only by NCCL.
[[nodiscard]] bool is_without_mpi(const profile::Header& header);
/// The header, if `text` begins with one that can be read here; else `why_not` says the reason.
[[nodiscard]] std::optional<profile::Header> read_header(std::string_view text, std::string& why_not);

/// Says whether to read the trace, which may be a thousand times as large as all the rest.
enum class WithTrace : bool { no, yes };

/// Reads a text that begins with a header. Damage becomes a warning, and what is before it is kept.
[[nodiscard]] File read_file(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings,
                             WithTrace with_trace = WithTrace::no);

/// Only the communicators, without diagnostics, which read_file() makes.
[[nodiscard]] std::vector<profile::CommunicatorRow> communicators_in(std::string_view text);

/// The world ranks one by one. Throws Error(bad_input) if there are more than `most`, or if a rank is `most` or larger.
[[nodiscard]] std::vector<std::int32_t> members_of(const std::vector<profile::Run>& runs, std::size_t most);

}  // namespace topowise::recorded
