// SPDX-License-Identifier: BSD-3-Clause
// What a rank asks for, and what rank 0 answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topowise/collective/plan/plan.hpp>
#include <topowise/device/folds.hpp>

namespace topowise::collective {

/// A collective on vectors. Input and output may be the same; a vector that the rank does not have is null. A
/// collective that only moves vectors has the operation sum and the element u8. Of a call without elements, the ranks
/// only check whether the others have none either.
struct CollectiveCall {
  const void* input = nullptr;
  void* output = nullptr;
  std::uint64_t count = 0;  ///< for allgather and reduce_scatter: elements of a share
  device::FoldOperation operation = device::FoldOperation::sum;
  device::FoldElement element = device::FoldElement::i8;
  Collective collective = Collective::allreduce;
  int root = 0;

  [[nodiscard]] std::uint64_t bytes() const { return count * device::size_of(element); }
};

/// What rank 0 decides for one round of the agreement.
struct CallDecision {
  enum class Kind : std::uint8_t {
    through_mpi,
    mismatch,  ///< the ranks' calls differ: an error at all ranks
    prepare,   ///< this algorithm, then agree again
    open,      ///< the buffers of this call for this algorithm, then agree again
    run,
  };
  Kind kind = Kind::through_mpi;
  std::size_t algorithm = 0;

  [[nodiscard]] std::uint64_t word(std::uint64_t round) const {
    return (round * kMostAlgorithms + algorithm) * kMostKinds + static_cast<std::uint64_t>(kind);
  }
  /// The decision in a word; through_mpi if the word is of another round.
  static CallDecision of(std::uint64_t word, std::uint64_t round) {
    if (word / (kMostAlgorithms * kMostKinds) != round) return {};
    return {static_cast<Kind>(word % kMostKinds), static_cast<std::size_t>(word / kMostKinds % kMostAlgorithms)};
  }

 private:
  static constexpr std::uint64_t kMostKinds = 8, kMostAlgorithms = 32;
};

}  // namespace topowise::collective
