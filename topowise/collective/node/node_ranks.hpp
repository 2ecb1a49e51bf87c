// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a communicator, all on one node, and how they wait for each other.
//
// The shared memory has no name in any file system: rank 0 makes it (memfd), the others open it by way of /proc, and it
// goes with the last process that has it, however that ends.
//
// A wait looks at the flag for a while, then sleeps until it is woken, and looks every now and then whether the rank
// that it waits for still lives. It never gives up on a process that lives: MPI lets a rank be late by hours.
//
// Under MPI a rank that waits lets the MPI library go on meanwhile: the rank that it waits for may itself wait for a
// message, a nonblocking collective or a window of the waiting rank, and come only then.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>
#include <topowise/collective/node/directory.hpp>
#include <topowise/collective/node/waiting.hpp>

namespace topowise::collective {

/// Every rank gives `bytes` and gets those of all, in the order of ranks. Throws, no Error, if that fails.
using Exchange = std::function<void(const void* mine, void* all, std::size_t bytes)>;

/// A rank ended or had an error, and no rank can go on. The message names it.
class PeerFailure : public Error {
 public:
  explicit PeerFailure(const std::string& what) : Error(ExitStatus::not_available, what) {}
};

class NodeRanks {
 public:
  /// Called by all ranks together. Throws Error(not_available), at all of them, if they are not on one node or cannot
  /// share memory; anything else at one of them. `staging` is the size of the shared memory behind the directory.
  static std::unique_ptr<NodeRanks> meet(int rank, int size, std::size_t staging, const Exchange& exchange);
  NodeRanks(const NodeRanks&) = delete;
  NodeRanks& operator=(const NodeRanks&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] DirectoryHead& head() const { return *head_; }
  [[nodiscard]] RankLine& line(int rank) const { return lines_[rank]; }
  [[nodiscard]] RankLine& mine() const { return lines_[rank_]; }
  [[nodiscard]] std::span<char> staging() const { return staging_; }
  /// Called from now on while this rank waits.
  void progress_by(Progress progress) { progress_ = std::move(progress); }

  /// Sets a flag of this rank, and wakes those that wait for it.
  void set(FlagWord& flag, std::uint64_t value) const;
  /// The same without looking closely for sleepers: they look again by themselves after 50 ms at most.
  void set_quickly(FlagWord& flag, std::uint64_t value) const noexcept;
  /// Waits until a flag of `peer` has this value. Throws PeerFailure if the peer has ended or any rank has failed in
  /// this call or an earlier one; `stage` says in the message what was waited for.
  void wait(int peer, const FlagWord& flag, std::uint64_t value, const char* stage, std::uint64_t call) const;
  /// Waits until a flag of `peer` has this value or the peer has ended, even if a rank has failed.
  void outlast(int peer, const FlagWord& flag, std::uint64_t value) const noexcept;

  /// All ranks say whether a phase went well for them: false at all of them if it did not for one. `number` grows with
  /// each use of the phase, which begins when no rank is in the one before any more.
  [[nodiscard]] bool all_agree(std::size_t phase, std::uint64_t number, bool good, std::uint64_t call) const;

  /// Tells all that rank `whose` cannot go on; the first report counts.
  void fail(int whose, std::uint64_t call, const std::string& what) const;
  [[nodiscard]] bool failed() const;
  /// Whether that was in this call or an earlier one: ranks that have left a call may fail in the next one while others
  /// are still in it.
  [[nodiscard]] bool failed_by(std::uint64_t call) const;
  [[nodiscard]] std::string failure_text() const;
  [[nodiscard]] bool is_alive(int peer) const { return !has_ended(line(peer).process); }

 private:
  struct Handshake;
  static std::unique_ptr<NodeRanks> make(int size, std::size_t staging, const Descriptor& file, std::size_t bytes,
                                         std::uint64_t nonce);
  static std::unique_ptr<NodeRanks> join(int rank, int size, std::size_t staging, const Handshake& first,
                                         std::size_t bytes, std::string& why);
  NodeRanks(int rank, int size, std::shared_ptr<void> memory, std::size_t bytes, std::size_t staging);

  int rank_, size_;
  std::shared_ptr<void> memory_;
  DirectoryHead* head_;
  RankLine* lines_;
  std::span<char> staging_;
  bool has_own_processor_;
  Progress progress_;
};

}  // namespace topowise::collective
