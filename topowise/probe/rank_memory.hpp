// SPDX-License-Identifier: BSD-3-Clause
// The memory that a rank of a job sends from and receives into.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <topowise/device/driver.hpp>
#include <topowise/probe/rank_line.hpp>

namespace topowise::probe {

/// How the bytes of a pair travel.
enum class Way : unsigned char {
  mpi,     ///< MPI takes them from host memory
  device,  ///< MPI takes them from GPU memory
  ipc,     ///< the sender copies them into memory that the receiver has exported to it; MPI only tells
  staged,  ///< through host memory on both sides
};
inline constexpr std::size_t kWays = 4;
[[nodiscard]] std::string_view to_string(Way way);

struct Connection {
  std::unique_ptr<RankLine> line;
  Way way = Way::mpi;
  std::string reason;  ///< why no better way was taken; may be empty
};

class RankMemory {
 public:
  RankMemory() = default;
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  virtual ~RankMemory() = default;

  /// Collective for the two ranks.
  [[nodiscard]] virtual Connection connect(int other, End end, bool same_host) = 0;
};

/// Host memory, `largest` bytes each way.
[[nodiscard]] std::unique_ptr<RankMemory> host_rank_memory(const mpi::Messages& messages, std::size_t largest);
/// Memory of the GPU `ordinal` of `driver`. Each rank finds out for itself whether MPI takes GPU memory; a pair takes
/// the best way that both can.
[[nodiscard]] std::unique_ptr<RankMemory> gpu_rank_memory(const mpi::Messages& messages, const device::Driver& driver,
                                                          int ordinal, std::size_t largest);

}  // namespace topowise::probe
