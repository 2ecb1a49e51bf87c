// SPDX-License-Identifier: BSD-3-Clause
// GPU memory that the plan of an algorithm needs beside the program's own, and the proof that ranks can reach each
// other's: a driver may say that memory can be opened, open it, and yet not let it be read (containers, virtual
// machines). So each rank writes a pattern that its users read, and they write one that it reads.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <topowise/collective/gpu/gpu.hpp>
#include <topowise/collective/node/node_ranks.hpp>

namespace topowise::collective {

/// What a preparation is for; all ranks work on their selected devices.
struct ScratchUse {
  const NodeRanks& ranks;
  Gpu& gpu;
  device::Handle stream;
  std::size_t bytes;                          ///< what this rank offers
  const std::vector<std::set<int>>& reached;  ///< by rank: whose memory it will reach
};

class Scratch {
 public:
  /// Called by all ranks together; true at all of them, or false at all of them, with the reason at those who know it.
  /// `number` counts preparations, from 1. What was offered stays until this object goes, also if it was in vain.
  bool prepare(const ScratchUse& use, std::uint64_t number, std::uint64_t call, std::string& why);

  /// Where this rank reaches the memory of `owner`.
  [[nodiscard]] device::Address of(int owner) const;
  /// Whether others may have opened memory of this rank.
  [[nodiscard]] bool offers() const { return mine_.get() != 0; }
  void close_imports() { imports_.clear(); }

 private:
  bool offer(const ScratchUse& use, std::string& why);
  bool open(const ScratchUse& use, std::string& why);
  [[nodiscard]] bool was_written(const ScratchUse& use, std::string& why) const;

  int rank_ = 0;
  device::OwnedMemory mine_;
  std::map<int, device::OwnedImport> imports_;
};

}  // namespace topowise::collective
