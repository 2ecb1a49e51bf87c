// SPDX-License-Identifier: BSD-3-Clause
// NCCL's and RCCL's communicators. The library gave each process only its own rank in them. The files of a job together
// say which process is which rank. Where processes drive several GPUs, a rank of the traffic is a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/profile_file.hpp>

namespace topowise::recorded {

class Communicators {
 public:
  /// Adds what the process of this rank wrote.
  void add(std::int32_t process, const std::vector<profile::CommunicatorRow>& rows);
  /// Numbers the ranks, once all files of a job of so many processes are added. A process has one rank for each GPU
  /// that it drives, in the order of the processes, then of the GPUs. If the GPUs are not known, the first member that
  /// a process is in any communicator is its first GPU, and so on, as ncclCommInitAll() makes them. `without_mpi` are
  /// the processes that left a file, if none of them called MPI. If they are all members of all communicators, a
  /// launcher gave no process its rank, and the first communicator had to give it, which counts GPUs. Then a process
  /// without a file does not exist.
  void number(std::size_t processes, const std::set<std::int32_t>& without_mpi = {});

  [[nodiscard]] std::size_t ranks() const;
  /// True if processes were numbered like GPUs, so that a process without a file is none.
  [[nodiscard]] bool counted_in_gpus() const { return counted_in_gpus_; }
  /// True if a process has several ranks.
  [[nodiscard]] bool several() const { return !after_.empty(); }
  /// The first rank of a process. Numbers that are no process, such as kOutside, stay as they are.
  [[nodiscard]] std::int32_t rank_of(std::int32_t process) const;

  [[nodiscard]] bool has(std::uint64_t key) const { return all_.contains(key); }
  /// The ranks of the members in the order of the communicator, kOutside for a member that is in no file. Empty for an
  /// unknown key.
  [[nodiscard]] std::vector<std::int32_t> members(std::uint64_t key) const;
  /// The ranks of those members that belong to a process, in the order of the communicator.
  [[nodiscard]] std::vector<std::int32_t> members_of(std::uint64_t key, std::int32_t process) const;
  /// The rank of a member; kOutside if it is in no file.
  [[nodiscard]] std::int32_t rank_of(std::uint64_t key, std::int32_t member) const;

  /// Warns of what does not fit together. `unknown_bytes` are those of CommunicatorTraffic.
  void warn(const std::string& where, double unknown_bytes, std::vector<Diagnostic>& warnings) const;

 private:
  struct Member {
    std::int32_t process = 0;
    std::uint32_t gpu = 0;   ///< as CommunicatorRow::gpu
    std::int32_t index = 0;  ///< index of its GPU among those of the process
  };
  struct Members {
    std::int32_t size = 0;
    std::map<std::int32_t, Member> known;  ///< by rank in the communicator
  };
  [[nodiscard]] std::int32_t rank_of(const Member& member) const;
  /// Number of communicators with members that are in no file.
  [[nodiscard]] std::size_t incomplete() const;

  std::map<std::uint64_t, Members> all_;
  std::size_t processes_ = 0;
  bool counted_in_gpus_ = false;
  /// The rank after the last one of a process: for processes with several GPUs, or for all processes if
  /// counted_in_gpus_.
  std::map<std::int32_t, std::int32_t> after_;
  bool conflict_ = false;
};

/// The model of a call that NCCL did by `algorithm`, if the algorithm's name is known. Models of MPI libraries do not
/// hold for NCCL, so `chosen` counts only if it is one of NCCL's, "linear" or "none".
[[nodiscard]] const collective::Model& model_of_nccl(const collective::Model& chosen, std::string_view algorithm);

/// Calls and messages of all processes on NCCL's communicators, as pairs.
class CommunicatorTraffic {
 public:
  /// `communicators` must know the files of all processes before expand() is called.
  CommunicatorTraffic(const Communicators& communicators, const collective::Model& chosen, Ends ends)
      : communicators_(communicators), chosen_(chosen), counts_(counts(ends, profile::Memory::device)) {}

  void add(const File& file);
  /// `unknown_bytes` gets the bytes to or from members that are in no file.
  /// `groups` gets the communicators with the bytes of their calls.
  void expand(std::vector<TrafficEntry>& entries, double& unknown_bytes, RankGroupsByShape& groups) const;

 private:
  struct Counted {
    double calls = 0;
    double bytes = 0;
  };
  /// (communicator, operation, root, size_bin, algorithm)
  using Key = std::tuple<std::uint64_t, profile::Operation, std::int32_t, std::uint8_t, std::string>;

  void expand_calls(const Key& key, const std::map<std::int32_t, Counted>& counted, std::vector<TrafficEntry>& entries,
                    double& unknown_bytes, RankGroupsByShape& groups) const;

  const Communicators& communicators_;
  const collective::Model& chosen_;
  bool counts_;
  std::map<Key, std::map<std::int32_t, Counted>> calls_;  ///< by member
  std::map<std::tuple<std::uint64_t, std::int32_t, std::int32_t>, std::pair<double, std::uint64_t>> sends_;
};

}  // namespace topowise::recorded
