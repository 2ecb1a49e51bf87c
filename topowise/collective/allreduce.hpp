// SPDX-License-Identifier: BSD-3-Clause
// Allreduce of vectors in GPU memory, among the ranks of one node.
//
// Each call begins with an agreement, which costs one flag there and one back: every rank says what it wants, rank 0
// decides for all. So ranks may disagree (one has its buffer on the host), and none is left waiting. Then a plan runs.
// Before an algorithm runs for the first time, its memory is made and proven to be within reach of all who use it; if
// it is not, another algorithm takes its place, at all ranks alike.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <topowise/collective/gpu/gpu.hpp>
#include <topowise/collective/gpu/scratch.hpp>
#include <topowise/collective/node/node_ranks.hpp>
#include <topowise/collective/plan/algorithms.hpp>

namespace topowise::collective {

/// A vector to be reduced; at least one element. Input and output may be the same.
struct ReduceCall {
  const void* input = nullptr;
  void* output = nullptr;
  std::uint64_t count = 0;
  device::FoldOperation operation = device::FoldOperation::sum;
  device::FoldElement element = device::FoldElement::i8;

  [[nodiscard]] std::uint64_t bytes() const { return count * device::size_of(element); }
};

enum class Outcome : std::uint8_t {
  done,
  through_mpi,  ///< at all ranks of this call: nothing was written, the MPI library is to reduce
  failed,       ///< the call cannot be saved; later ones go through MPI
};

struct ReduceOptions {
  std::optional<std::size_t> algorithm;              ///< position in algorithms(); nothing: the best
  std::size_t scratch_piece = std::size_t{4} << 20;  ///< bytes of a part
  std::size_t staging_piece = std::size_t{1} << 20;
};

class Allreduce {
 public:
  /// By all ranks together; throws what NodeRanks::meet() throws.
  Allreduce(int rank, int size, const ReduceOptions& options, const Exchange& exchange);
  Allreduce(const Allreduce&) = delete;
  Allreduce& operator=(const Allreduce&) = delete;
  ~Allreduce();

  /// By all ranks together, but for those that call pass(). Throws nothing. `message` says why a call failed, or why
  /// another algorithm is used from now on.
  Outcome reduce(const ReduceCall& call, std::string& message);
  /// This rank's vector lies on the host, or is nothing for this class: the MPI library is about to reduce it. Waits
  /// for nobody. The MPI library's reduction must follow, as it keeps the ranks within one call of each other.
  void pass() noexcept;

  /// Calls of this rank that ended, by algorithm.
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

  /// Frees memory that others had open, of objects that are gone. With `wait` it gives them some seconds to close it.
  static void sweep(bool wait);

 private:
  struct Prepared {
    Plan plan;
    std::vector<std::set<int>> reached;
    Scratch scratch;
    std::uint64_t last_repetition = 0;
    enum class State : std::uint8_t { untried, good, bad } state = State::untried;
  };
  struct Closing;
  static std::vector<std::unique_ptr<Closing>>& closing();

  Outcome try_reduce(const ReduceCall& call, std::string& message);
  [[nodiscard]] std::uint64_t agree(const CallRecord& record, std::string& message);
  [[nodiscard]] std::optional<CallRecord> record_of(const ReduceCall& call, std::string& message);
  [[nodiscard]] bool has_kernels(std::string& message);
  [[nodiscard]] std::size_t best_algorithm() const;
  [[nodiscard]] std::uint64_t decide(std::string& message);
  [[nodiscard]] bool is_usable(std::size_t algorithm, std::string& message);
  [[nodiscard]] bool can_open_all_buffers(std::string& message);

  [[nodiscard]] Prepared& prepared(std::size_t algorithm);
  [[nodiscard]] bool prepare(Prepared& prepared, std::string& message);

  void run(Prepared& prepared, const ReduceCall& call);
  void run_step(const Prepared& prepared, const Step& step, const ReduceCall& piece);
  void copy(const Prepared& prepared, const Region& to, const Region& from, std::size_t bytes);
  void reduce_on_gpu(const Prepared& prepared, const Step& step, const ReduceCall& piece);
  void reduce_on_host(const Step& step, const ReduceCall& piece) const;
  [[nodiscard]] device::Address address_of(const Prepared& prepared, const Region& region) const;
  [[nodiscard]] char* staging_part(int part) const;
  [[nodiscard]] device::Handle stream();

  ReduceOptions options_;
  std::unique_ptr<NodeRanks> ranks_;
  std::uint64_t call_ = 0;
  std::uint64_t repetition_ = 0;
  std::uint64_t preparations_ = 0;
  std::map<std::size_t, std::unique_ptr<Prepared>> prepared_;
  std::map<int, device::OwnedStream> streams_;
  std::vector<std::uint64_t> counts_;
  bool staging_is_pinned_ = false;
  // Of the call that runs:
  int device_ = 0;
  std::uint64_t offset_ = 0;                       ///< bytes before the piece
  std::vector<device::Address> inputs_, outputs_;  ///< by rank, where this one reaches them; 0 where it does not
  std::vector<Import> open_;
};

}  // namespace topowise::collective
