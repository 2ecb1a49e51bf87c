// SPDX-License-Identifier: BSD-3-Clause
// A call of a back-end of torch.distributed, as its profilers describe it. A Kineto trace and an execution trace have
// the same facts, which the back-ends give to RECORD_PARAM_COMMS_DATA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/reading/json_events.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// A count as a trace has it.
struct Count {
  std::optional<std::uint64_t> value;
  std::string instead;  ///< the text that is there if it is no such number; empty: none

  Count() = default;
  explicit Count(const JsonScalar& scalar) : value(scalar.count()) {
    if (!value) instead = scalar.shown();
  }
};

/// One recorded call. Texts are as they are in the file; an empty text is not there.
struct TorchCall {
  std::string collective;  ///< "allreduce", "_allgather_base", "send", ...
  std::string group;
  std::string group_ranks;  ///< "[0, 1, 2]"; cut ("[0, 1, ..., 7]") if there are many
  std::string type;         ///< "Float"; gloo writes "float"
  std::string in_split;
  Count in_elements;
  Count out_elements;
  std::optional<std::uint64_t> group_size;
  std::optional<std::uint64_t> rank;  ///< in the group: the process, a root, or the partner of send and recv
  std::optional<std::uint64_t> start;
  std::optional<std::uint64_t> stride;
};

/// Bytes of one number of a type; nothing for an unknown type.
[[nodiscard]] std::optional<double> bytes_of_type(std::string_view type);

/// The numbers of "[1, 2, 3]"; nothing if the list is cut or is none.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view list);

/// Adds the call to the trace. Returns what is wrong with it, empty if nothing is.
[[nodiscard]] std::string add_call(const TorchCall& call, Trace& trace);

/// True if `call.rank` is the process's own position in the group.
[[nodiscard]] bool rank_is_own(const TorchCall& call);

/// Sets the members of a group as PyTorch lists its process groups. It lists none for the group of all ranks. Members
/// that calls have listed stay, because a call knows its own group. Members that calls state by a first rank and a
/// stride are replaced, because PyTorch writes 0 and 1 for a group whose ranks it does not know.
void set_group(Trace& trace, std::string_view name, std::vector<std::size_t> ranks, std::size_t size);

}  // namespace topowise::training
