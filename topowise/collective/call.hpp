// SPDX-License-Identifier: BSD-3-Clause
// What a rank asks for, and what rank 0 answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topowise/collective/plan/plan.hpp>
#include <topowise/device/folds.hpp>

namespace topowise::collective {

/// A collective on vectors. Input and output may be the same; what a rank has not is null. For what is only moved,
/// operation and element are sum and u8. Of no elements, only whether the others have none either is looked at.
struct CollectiveCall {
  const void* input = nullptr;
  void* output = nullptr;
  std::uint64_t count = 0;  ///< of allgather and reduce_scatter: elements of a share
  device::FoldOperation operation = device::FoldOperation::sum;
  device::FoldElement element = device::FoldElement::i8;
  Collective collective = Collective::allreduce;
  int root = 0;

  [[nodiscard]] std::uint64_t bytes() const { return count * device::size_of(element); }
};

/// Rank 0 decides it, for one round of the agreement.
struct CallDecision {
  enum class Kind : std::uint8_t {
    through_mpi,
    mismatch,  ///< the ranks' calls differ: an error of all
    prepare,   ///< this algorithm, then agree again
    open,      ///< the buffers of this call for this algorithm, then agree again
    run,
  };
  Kind kind = Kind::through_mpi;
  std::size_t algorithm = 0;

  [[nodiscard]] std::uint64_t word(std::uint64_t round) const {
    return (round * kMostAlgorithms + algorithm) * kMostKinds + static_cast<std::uint64_t>(kind);
  }
  /// Of a word of another round: through_mpi.
  static CallDecision of(std::uint64_t word, std::uint64_t round) {
    if (word / (kMostAlgorithms * kMostKinds) != round) return {};
    return {static_cast<Kind>(word % kMostKinds), static_cast<std::size_t>(word / kMostKinds % kMostAlgorithms)};
  }

 private:
  static constexpr std::uint64_t kMostKinds = 8, kMostAlgorithms = 32;
};

}  // namespace topowise::collective
