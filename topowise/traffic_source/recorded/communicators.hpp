// SPDX-License-Identifier: BSD-3-Clause
// NCCL's and RCCL's communicators. The library told each process its own rank in them and nothing of the others; the
// files of a job together tell who is who.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/file.hpp>

namespace topowise::recorded {

class Communicators {
 public:
  /// What the process of this rank wrote.
  void add(std::int32_t world_rank, const std::vector<profile::CommunicatorRow>& rows);

  [[nodiscard]] bool has(std::uint64_t key) const { return all_.contains(key); }
  /// World ranks in the order of the communicator, kOutside for members that are in no file. Empty for an unknown key.
  [[nodiscard]] std::vector<std::int32_t> members(std::uint64_t key) const;
  /// Of a member; kOutside if it is in no file.
  [[nodiscard]] std::int32_t world_rank(std::uint64_t key, std::int32_t member) const;

  /// What does not fit together. `unknown_bytes` are those of CommunicatorTraffic.
  void warn(const std::string& where, double unknown_bytes, std::vector<Diagnostic>& warnings) const;

 private:
  struct Members {
    std::int32_t size = 0;
    std::map<std::int32_t, std::int32_t> known;  ///< member -> world rank
  };
  std::map<std::uint64_t, Members> all_;
  bool conflict_ = false;
};

/// The model of a call that NCCL did by `algorithm`, if its name is told. What models of MPI libraries say does not
/// hold for it; `chosen` counts if it is one of NCCL's, "linear" or "none".
[[nodiscard]] const collective::Model& model_of_nccl(const collective::Model& chosen, std::string_view algorithm);

/// Calls and messages of all processes on such communicators, as pairs.
class CommunicatorTraffic {
 public:
  /// `communicators` must know the files of all processes by the time of expand().
  CommunicatorTraffic(const Communicators& communicators, const collective::Model& chosen, Ends ends)
      : communicators_(communicators), chosen_(chosen), counts_(counts(ends, profile::Memory::device)) {}

  void add(const File& file);
  /// `unknown_bytes`: to or from members that are in no file.
  void expand(std::vector<TrafficEntry>& entries, double& unknown_bytes) const;

 private:
  struct Counted {
    double calls = 0;
    double bytes = 0;
  };
  /// (communicator, operation, root, size_bin, algorithm)
  using Key = std::tuple<std::uint64_t, profile::Operation, std::int32_t, std::uint8_t, std::string>;

  void expand_calls(const Key& key, const std::map<std::int32_t, Counted>& counted, std::vector<TrafficEntry>& entries,
                    double& unknown_bytes) const;

  const Communicators& communicators_;
  const collective::Model& chosen_;
  bool counts_;
  std::map<Key, std::map<std::int32_t, Counted>> calls_;  ///< by member
  std::map<std::tuple<std::uint64_t, std::int32_t, std::int32_t>, std::pair<double, std::uint64_t>> sends_;
};

}  // namespace topowise::recorded
