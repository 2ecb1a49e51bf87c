// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/rank_memory.hpp>

#include <array>

namespace topowise::probe {
namespace {

/// Buffers of a whole rank; every page is touched, so that it lies near the rank's processor.
struct HostBuffers {
  explicit HostBuffers(std::size_t largest) : out(largest, 'o'), in(largest, 'i') {}
  std::vector<char> out, in;
};

class HostRankMemory final : public RankMemory {
 public:
  HostRankMemory(const mpi::Messages& messages, std::size_t largest) : messages_(messages), buffers_(largest) {}

  Connection connect(int other, End end, bool /*same_host*/) override {
    auto transfer = std::make_unique<MessageTransfer>(messages_, other, buffers_.out.data(), buffers_.in.data());
    auto line = std::make_unique<RankLine>(messages_, other, end, std::move(transfer));
    return {std::move(line), Way::mpi, {}};
  }

 private:
  const mpi::Messages& messages_;
  HostBuffers buffers_;
};

}  // namespace

std::string_view to_string(Way way) {
  constexpr std::array<std::string_view, kWays> kNames{"MPI from host memory", "MPI from GPU memory",
                                                       "copies into memory shared by IPC", "through host memory"};
  return kNames[static_cast<std::size_t>(way)];
}

std::unique_ptr<RankMemory> host_rank_memory(const mpi::Messages& messages, std::size_t largest) {
  return std::make_unique<HostRankMemory>(messages, largest);
}

}  // namespace topowise::probe
