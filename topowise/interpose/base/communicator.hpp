// SPDX-License-Identifier: BSD-3-Clause
// Communicators and windows that the program uses: who their members are in the world, and what features keep with
// them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <optional>
#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/base/feature.hpp>
#include <topowise/interpose/base/handle_table.hpp>

namespace topowise::interpose {

// Member lists of communicators. Rows, columns and blocks of a process grid are arithmetic progressions of world ranks
// and take no array.

/// A member of another job: it has no rank in this world.
inline constexpr std::int32_t kOutside = -1;

/// Rank in a communicator -> rank in the world.
class MemberList {
 public:
  MemberList() = default;
  explicit MemberList(std::vector<std::int32_t> ranks);
  /// 0, 1, ... size-1
  [[nodiscard]] static MemberList identity(std::int32_t size);

  [[nodiscard]] std::int32_t size() const { return size_; }
  /// World rank (or kOutside) of member `index`, 0 <= index < size().
  [[nodiscard]] std::int32_t operator[](std::int32_t index) const {
    return ranks_.empty() ? first_ + index * stride_ : ranks_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::vector<std::int32_t> expanded() const;

  struct Progression {
    std::int32_t first, stride;
  };
  /// The progression, if the list is one.
  [[nodiscard]] std::optional<Progression> progression() const {
    return ranks_.empty() ? std::optional(Progression{first_, stride_}) : std::nullopt;
  }

 private:
  std::int32_t size_ = 0;
  std::int32_t first_ = 0;
  std::int32_t stride_ = 0;
  std::vector<std::int32_t> ranks_;
};

struct Communicator {
  Word handle = 0;  ///< C's handle
  bool inter = false;
  int rank = 0;                                                      ///< of this process, in the local group
  MemberList members;                                                ///< the local group
  MemberList remote;                                                 ///< the other group of an intercommunicator
  std::array<std::atomic<Attachment*>, kAttachments> attachments{};  ///< owned, set once
  std::vector<std::uint64_t> fortran_names;                          ///< names under which Fortran has used it

  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  /// The members among whom a destination or target rank counts.
  [[nodiscard]] const MemberList& destinations() const { return inter ? remote : members; }

  /// Null until it is attached.
  [[nodiscard]] Attachment* attached(AttachedBy feature) const {
    return attachments[static_cast<std::size_t>(feature)].load(std::memory_order_acquire);
  }
  /// Keeps what the first of several threads attaches; all of them get that.
  Attachment& attach(AttachedBy feature, std::unique_ptr<Attachment> fresh);
};

/// A communicator as its handle finds it. Most have members that are equally far apart in the world; then all that a
/// message asks for is here, next to the handle, and programs with hundreds of communicators touch one cache line
/// a message.
struct KnownCommunicator {
  Communicator* communicator = nullptr;
  std::int32_t first = 0;  ///< world rank of destination 0
  std::int32_t stride = 0;
  std::int32_t size = -1;  ///< of the destinations; below 0 if they are no progression

  [[nodiscard]] std::int32_t destinations() const { return size >= 0 ? size : communicator->destinations().size(); }
  /// World rank (or kOutside) of a destination or target, 0 <= rank < destinations().
  [[nodiscard]] std::int32_t world_rank(std::int32_t rank) const {
    return size >= 0 ? first + rank * stride : communicator->destinations()[rank];
  }
};

namespace detail {
inline constinit HandleTable<KnownCommunicator> communicators;
[[nodiscard]] const KnownCommunicator* describe_communicator(const GroupRef& ref) noexcept;

[[nodiscard]] inline std::uint64_t name_of(const GroupRef& ref) noexcept {
  return static_cast<std::uint64_t>(defined_part(ref.word)) * 4 + static_cast<std::uint64_t>(ref.language) * 2 +
         static_cast<std::uint64_t>(ref.kind);
}
}  // namespace detail

/// Null if MPI does not give the members (an invalid handle: the call itself will say so).
[[nodiscard]] inline const KnownCommunicator* find_communicator(const GroupRef& ref) noexcept {
  const KnownCommunicator* known = detail::communicators.find(detail::name_of(ref));
  return known != nullptr ? known : detail::describe_communicator(ref);
}

// Called before an object is freed or disconnected, because MPI gives its handle to another object. Handles are those
// of C.
void forget_communicator(Word handle) noexcept;
void forget_window(Word handle) noexcept;
void forget_communicators() noexcept;

}  // namespace topowise::interpose
