// SPDX-License-Identifier: BSD-3-Clause
// A call of a back-end of torch.distributed, as its profilers describe it: the same facts in a Kineto trace and in an
// execution trace. They are what its back-ends give to RECORD_PARAM_COMMS_DATA.
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

/// A number of things as a trace has it.
struct Count {
  std::optional<std::uint64_t> value;
  std::string instead;  ///< what stands there if it is no such number; empty: nothing

  Count() = default;
  explicit Count(const JsonScalar& scalar) : value(scalar.count()) {
    if (!value) instead = scalar.shown();
  }
};

/// One recorded call. Texts are as they stand in the file; empty: not there.
struct TorchCall {
  std::string collective;  ///< "allreduce", "_allgather_base", "send", ...
  std::string group;
  std::string group_ranks;  ///< "[0, 1, 2]"; cut ("[0, 1, ..., 7]") if there are many
  std::string type;         ///< "Float", or of gloo "float"
  std::string in_split;
  std::string out_split;
  Count in_elements;
  Count out_elements;
  std::optional<std::uint64_t> group_size;
  std::optional<std::uint64_t> rank;  ///< in the group: of the process, of a root, or the partner of send and recv
  std::optional<std::uint64_t> start;
  std::optional<std::uint64_t> stride;
};

/// Bytes of a number; nothing for an unknown type.
[[nodiscard]] std::optional<double> bytes_of_type(std::string_view type);

/// Numbers of "[1, 2, 3]"; nothing if it is cut or is none.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view list);

/// Adds the call to the trace. Returns what is wrong with it, empty if nothing is.
[[nodiscard]] std::string add_call(const TorchCall& call, Trace& trace);

/// Whether `call.rank` is the process's own position in the group.
[[nodiscard]] bool rank_is_own(const TorchCall& call);

/// The members of a group as PyTorch lists its process groups. None are listed for the group of all ranks. What calls
/// have listed stays: a call knows its own group. A first rank and a stride give way to a list: of a group whose ranks
/// it was not told, PyTorch writes 0 and 1.
void set_group(Trace& trace, std::string_view name, std::vector<std::size_t> ranks, std::size_t size);

}  // namespace topowise::training
