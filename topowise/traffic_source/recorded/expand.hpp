// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of all processes, as pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/profile_file.hpp>

namespace topowise::recorded {

[[nodiscard]] profile::Share share_of(profile::Operation operation);
/// True if members may contribute different amounts, each of which only the member's own row states.
[[nodiscard]] bool parts_differ(profile::Operation operation);
/// The most pairs of a call under a model: all of them, or a few for each member.
[[nodiscard]] double most_pairs(const collective::Model& model, profile::Operation operation, double members);

/// A call of the mean size of those that `counted` holds by member, and the number of those calls. If there are none,
/// or no members, the number is 0. `root` is a member's position; a value that is no position counts as 0.
struct MeanCall {
  collective::Call call;
  double calls = 0;
};
template <class Counted>
[[nodiscard]] MeanCall mean_call(profile::Operation operation, std::int32_t root, std::size_t members,
                                 const std::map<std::int32_t, Counted>& counted) {
  MeanCall mean;
  mean.call.operation = operation;
  mean.call.members = members;
  mean.call.root = root >= 0 && static_cast<std::size_t>(root) < members ? static_cast<std::size_t>(root) : 0;
  if (members == 0) return mean;
  for (const auto& [member, row] : counted) {
    mean.calls += row.calls;
    mean.call.bytes += row.bytes;
  }
  if (mean.calls > 0) mean.call.bytes /= mean.calls;
  return mean;
}

/// Adds a pair of world ranks. If one of them is kOutside, its bytes go to `outside_bytes` instead.
void append_pair(std::int32_t source, std::int32_t destination, double bytes, double messages,
                 std::vector<TrafficEntry>& entries, double& outside_bytes);
/// Adds what one call sends under the model. What the member at a position sends counts `times_of` that position.
/// `members` are world ranks or kOutside. Throws Error(bad_input) if there are too many pairs.
void expand_call(const collective::Model& model, const collective::Call& call, const std::vector<std::int32_t>& members,
                 const std::function<double(std::size_t)>& times_of, std::vector<TrafficEntry>& entries,
                 double& outside_bytes);

/// Adds a group with what its calls have put at the end of `entries`, behind the first `before`. Nothing if a member is
/// of another job.
void add_group(const std::vector<std::int32_t>& members, const std::vector<TrafficEntry>& entries, std::size_t before,
               RankGroupsByShape& groups);

/// Traffic that cannot be shown in the matrix.
struct LeftOut {
  double outside_bytes = 0;          ///< to or from processes of other jobs
  double unknown_bytes = 0;          ///< to or from members of NCCL communicators that are in no file
  double calls_without_members = 0;  ///< on communicators whose members no file names
};

/// Puts the rows of all processes together, call by call, and expands them.
class CollectiveRows {
 public:
  CollectiveRows(std::size_t ranks, const collective::Model& model, Ends ends)
      : ranks_(ranks), model_(model), ends_(ends) {}

  void add(const File& file);
  /// `groups` gets the communicators with the bytes of their calls.
  void expand(std::vector<TrafficEntry>& entries, LeftOut& left_out, RankGroupsByShape& groups);

 private:
  struct Counted {
    double calls = 0;  ///< calls with buffers in any memory
    double bytes = 0;
    double calls_counted = 0;  ///< calls with buffers in the chosen memory
  };
  /// (group, operation, root, size_bin); the bin is 0 where the members' parts differ.
  using Key = std::tuple<std::uint64_t, profile::Operation, std::int32_t, std::uint8_t>;
  using Members = std::map<std::int32_t, Counted>;  ///< by world rank

  void expand_inside(const Key& key, const Members& counted, const std::vector<std::int32_t>& members,
                     std::vector<TrafficEntry>& entries, LeftOut& left_out, RankGroupsByShape& groups);
  void expand_between(const Key& key, const Members& counted, const Group& group, std::vector<TrafficEntry>& entries,
                      LeftOut& left_out);

  std::size_t ranks_;
  const collective::Model& model_;
  Ends ends_;
  std::map<Key, Members> rows_;
  std::map<std::uint64_t, Group> groups_;
  /// (group, world rank) -> bytes of the block that the member ends up with, over all calls of one process
  std::map<std::uint64_t, std::map<std::int32_t, double>> scattered_;
};

}  // namespace topowise::recorded
