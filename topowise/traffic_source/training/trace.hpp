// SPDX-License-Identifier: BSD-3-Clause
// What the trace of one process of a training job says of its communication. Equal calls are counted, not kept, so a
// trace of gigabytes takes a few kilobytes here.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/profile/format.hpp>

namespace topowise::training {

/// A trace with more ranks is damaged.
inline constexpr std::size_t kMostRanks = std::size_t{1} << 20;
/// A trace with more groups of one process is damaged.
inline constexpr std::size_t kMostGroups = std::size_t{1} << 16;
/// A trace with more members of all groups of one process is damaged.
inline constexpr std::size_t kMostListed = std::size_t{1} << 22;

/// A process group (PyTorch) or communicator (NCCL), as one process knows it.
struct Group {
  std::string name;
  std::vector<std::size_t> ranks;       ///< ranks of the job in the order of the group; empty: not known
  std::size_t size = 0;                 ///< 0: not known
  std::optional<std::size_t> position;  ///< position of the process itself, if it is stated and `ranks` is not
  bool whole_job = false;               ///< the group is said to be all ranks
  std::string told;                     ///< the text by which a call states its members; empty: no call does
  bool one_by_one = false;              ///< calls list the members, not only the first and a stride
  bool nccl = false;                    ///< NCCL's, in a trace whose other groups are MPI's

  friend bool operator==(const Group&, const Group&) = default;
};

/// A kind of calls that are counted together.
struct Call {
  std::size_t group = 0;  ///< index into Trace::groups
  profile::Operation operation = profile::Operation::barrier;
  std::size_t root = 0;  ///< position in the group; 0 without a root
  double bytes = 0;      ///< of one member's part, which profile::Share defines; 0 if the split is in Trace::parts
  bool whole = false;    ///< `bytes` are those of all members' blocks together; the number of members is not known

  friend auto operator<=>(const Call&, const Call&) = default;
};

struct Amount {
  double bytes = 0;
  double messages = 0;

  Amount& operator+=(const Amount& more) {
    bytes += more.bytes;
    messages += more.messages;
    return *this;
  }
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// The trace of one process, which may come from several files.
struct Trace {
  std::string where;
  std::optional<std::size_t> rank;  ///< rank in the job
  std::size_t world = 0;            ///< ranks of the job; 0: not known
  bool of_all = false;              ///< its file has the calls of all ranks: one without a trace made none
  std::string process;  ///< what distinguishes it from other runs' processes, such as its id; empty: not known
  std::vector<std::string> recordings;  ///< by which a recording differs from others of the process, if that is known
  std::vector<Group> groups;
  std::map<Call, double> calls;
  using ByPartner = std::map<std::pair<std::size_t, std::size_t>, Amount>;  ///< (group, position in it)
  ByPartner parts;                                                          ///< all-to-alls with uneven splits
  ByPartner sent;
  ByPartner received;
  std::map<std::string, std::size_t> left_out;  ///< the reason, and how many calls
  std::map<std::string, std::size_t> rootless;  ///< calls that do not say their root, by name: taken as the first rank
  std::map<std::string, double> unsettled;      ///< calls that TraceFormat::settle reads, and how often each was made
  std::size_t cut_splits = 0;                   ///< all-to-alls whose splits are cut short: taken as even
  std::set<std::string> doubts;                 ///< what contradicts itself, and how it was resolved
  std::size_t listed = 0;  ///< members of all groups, for a limit: a few bytes may announce millions

  /// The index of the group of that name, which is added if it is new. Throws Error(bad_input) beyond kMostGroups.
  std::size_t group_named(std::string_view name);
  void add(const Call& call, double times = 1) { calls[call] += times; }
  /// Adds an all-to-all that sends `split[i]` bytes to member i.
  void add_split(std::size_t group, const std::vector<double>& split, double times = 1);
  /// Adds the doubt that calls of one group list different members.
  void tell_different_members(std::string_view group, const std::vector<std::size_t>& first,
                              const std::vector<std::size_t>& other);

 private:
  std::map<std::string, std::size_t, std::less<>> named_;
};

/// A rank that stands twice in the list, if there is one.
[[nodiscard]] std::optional<std::size_t> listed_twice(std::vector<std::size_t> ranks);

/// The number after "rank" in a file's name, else the last number there: rank_3.json, et-12.json, trace.7.et.
[[nodiscard]] std::optional<std::size_t> rank_in_name(std::string_view path);

}  // namespace topowise::training
