// SPDX-License-Identifier: BSD-3-Clause
// One process's file of a recorded profile, as profile/format.hpp lays it out. Whatever the bytes are, reading them
// ends in rows or in an error.
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
  std::vector<profile::Run> remote;  ///< of an intercommunicator
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

/// Whether its process communicated by NCCL alone.
[[nodiscard]] bool is_without_mpi(const profile::Header& header);
/// The header, if `text` begins with one that can be read here; else why not.
[[nodiscard]] std::optional<profile::Header> read_header(std::string_view text, std::string& why_not);

/// The trace may be a thousand times as large as all the rest.
enum class WithTrace : bool { no, yes };

/// `text` must begin with a header. Damage becomes a warning, and what stands before it is kept.
[[nodiscard]] File read_file(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings,
                             WithTrace with_trace = WithTrace::no);

/// The communicators alone, without diagnostics: read_file() makes them.
[[nodiscard]] std::vector<profile::CommunicatorRow> communicators_in(std::string_view text);

/// World ranks one by one. Throws Error(bad_input) if they are more than `most` or name ranks from `most` on.
[[nodiscard]] std::vector<std::int32_t> members_of(const std::vector<profile::Run>& runs, std::size_t most);

}  // namespace topowise::recorded
