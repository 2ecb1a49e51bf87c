// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/communicator.hpp>

#include <cstdint>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <topowise/interpose/base/group.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/base/world_order.hpp>

namespace topowise::interpose {
namespace {

/// Whether all members are of this job and equally far apart.
bool is_progression(const std::vector<std::int32_t>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == kOutside || (i > 1 && ranks[i] - ranks[i - 1] != ranks[1] - ranks[0])) return false;
  }
  return true;
}

/// World ranks of the members of `group`; those of another job are kOutside.
bool translate(const Mpi& m, const Group& group, MemberList& members) {
  Group whole(m);
  int size = 0;
  if (!get_world(m, whole) || m.Group_size(group.word(), &size) != 0) return false;
  std::vector<int> mine(static_cast<std::size_t>(size));
  std::vector<std::int32_t> theirs(mine.size());
  std::iota(mine.begin(), mine.end(), 0);
  if (size > 0 && m.Group_translate_ranks(group.word(), size, mine.data(), whole.word(), theirs.data()) != 0)
    return false;
  for (std::int32_t& rank : theirs) rank = rank < 0 ? kOutside : rank;
  members = MemberList(std::move(theirs));
  return true;
}

// MPI is not asked about null handles: that would call the program's error handler once more than without us.

bool describe_window(const Mpi& m, Communicator& window) {
  if (window.handle == m.family.win_null) return false;
  Group group(m);
  return group.accept(m.Win_get_group(window.handle, group.out())) && translate(m, group, window.members);
}

bool describe_members(const Mpi& m, Communicator& communicator) {
  if (communicator.handle == m.family.comm_null) return false;
  int inter = 0;
  const Word asked = in_order(communicator.handle);
  if (m.Comm_test_inter(asked, &inter) != 0 || m.Comm_rank(asked, &communicator.rank) != 0) return false;
  communicator.inter = inter != 0;
  if (communicator.handle == m.family.comm_world) {
    int size = 0;
    if (m.Comm_size(asked, &size) != 0) return false;
    communicator.members = MemberList::identity(size);
    return true;
  }
  Group local(m);
  if (!local.accept(m.Comm_group(communicator.handle, local.out())) || !translate(m, local, communicator.members))
    return false;
  if (!communicator.inter) return true;
  Group remote(m);
  return remote.accept(m.Comm_remote_group(communicator.handle, remote.out())) &&
         translate(m, remote, communicator.remote);
}

/// What is behind detail::communicators.
struct Owned {
  std::recursive_mutex mutex;  // the program's error handler may call MPI from inside our questions
  std::unordered_map<std::uint64_t, std::unique_ptr<Communicator>> by_name;  // by the name of C's handle
};
Owned& owned() {
  static Owned& all = *new Owned;  // never destroyed: threads may outlive the program's static objects
  return all;
}

KnownCommunicator known(Communicator& communicator) {
  KnownCommunicator result;
  result.communicator = &communicator;
  if (const std::optional<MemberList::Progression> progression = communicator.destinations().progression()) {
    result.first = progression->first;
    result.stride = progression->stride;
    result.size = communicator.destinations().size();
  }
  return result;
}

const KnownCommunicator* find_or_describe(const GroupRef& ref) {
  const std::uint64_t name = detail::name_of(ref);
  if (const KnownCommunicator* found = detail::communicators.find(name)) return found;
  if (ref.language == Language::fortran) {
    const KnownCommunicator* shared = find_or_describe({fortran::converted(ref), Language::c, ref.kind});
    if (shared == nullptr) return nullptr;
    shared->communicator->fortran_names.push_back(name);
    detail::communicators.insert(name, KnownCommunicator(*shared));
    return detail::communicators.find(name);
  }
  auto fresh = std::make_unique<Communicator>();
  fresh->handle = defined_part(ref.word);
  const Mpi& m = *mpi();
  const bool described = ref.kind == GroupRef::Kind::window ? describe_window(m, *fresh) : describe_members(m, *fresh);
  if (!described) return nullptr;
  std::unique_ptr<Communicator>& place = owned().by_name[name];
  place = std::move(fresh);
  detail::communicators.insert(name, known(*place));
  return detail::communicators.find(name);
}

void forget(const GroupRef& ref) noexcept {
  if (mpi() == nullptr) return;
  const std::scoped_lock lock(owned().mutex);
  const std::uint64_t name = detail::name_of(ref);
  const auto found = owned().by_name.find(name);
  if (found == owned().by_name.end()) return;
  detail::communicators.erase(name);
  for (const std::uint64_t other : found->second->fortran_names) detail::communicators.erase(other);
  owned().by_name.erase(found);
}

}  // namespace

MemberList::MemberList(std::vector<std::int32_t> ranks) : size_(static_cast<std::int32_t>(ranks.size())) {
  if (!is_progression(ranks)) {
    ranks_ = std::move(ranks);
  } else if (!ranks.empty()) {
    first_ = ranks[0];
    stride_ = ranks.size() > 1 ? ranks[1] - ranks[0] : 0;
  }
}

MemberList MemberList::identity(std::int32_t size) {
  MemberList list;
  list.size_ = size;
  list.stride_ = 1;
  return list;
}

std::vector<std::int32_t> MemberList::expanded() const {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size_));
  for (std::int32_t i = 0; i < size_; ++i) ranks[static_cast<std::size_t>(i)] = (*this)[i];
  return ranks;
}

Communicator::~Communicator() {
  for (const std::atomic<Attachment*>& attachment : attachments) delete attachment.load(std::memory_order_acquire);
}

Attachment& Communicator::attach(AttachedBy feature, std::unique_ptr<Attachment> fresh) {
  Attachment* first = nullptr;
  if (!attachments[static_cast<std::size_t>(feature)].compare_exchange_strong(first, fresh.get())) return *first;
  return *fresh.release();
}

const KnownCommunicator* detail::describe_communicator(const GroupRef& ref) noexcept try {
  const std::scoped_lock lock(owned().mutex);
  return find_or_describe(ref);
} catch (const std::bad_alloc&) {
  return nullptr;
}

void forget_communicator(Word handle) noexcept {
  forget(c::comm(handle));
}

void forget_window(Word handle) noexcept {
  forget(c::win(handle));
}

void forget_communicators() noexcept {
  const std::scoped_lock lock(owned().mutex);
  detail::communicators.clear();
  owned().by_name.clear();
}

}  // namespace topowise::interpose
