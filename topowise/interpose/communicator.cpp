// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/communicator.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include <topowise/interpose/life.hpp>
#include <topowise/interpose/neighbors.hpp>

namespace topowise::interpose {
namespace {

/// An MPI group that is given back at the end of the scope.
class Group {
 public:
  explicit Group(const Mpi& m) : mpi_(m) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (valid_) mpi_.Group_free(&word_);
  }
  /// The place for MPI to write to; 32-bit handles fill half of it, so the rest must be 0.
  Word* out() { return &word_; }
  bool accept(int status) { return valid_ = status == 0; }
  [[nodiscard]] Word word() const { return word_; }

 private:
  const Mpi& mpi_;
  Word word_ = 0;
  bool valid_ = false;
};

bool get_world(const Mpi& m, Group& group) {
  if (world_model_is_active()) return group.accept(m.Comm_group(m.family.comm_world, group.out()));
  const std::optional<Word> session = live_session();
  if (!session || m.Group_from_session_pset == nullptr) return false;
  return group.accept(m.Group_from_session_pset(*session, "mpi://WORLD", group.out()));
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
  for (std::int32_t& rank : theirs) rank = rank < 0 ? profile::kOutside : rank;
  members = MemberList(std::move(theirs));
  return true;
}

// Null handles are not asked about: that would call the program's error handler once more than without us.

bool describe_window(const Mpi& m, Communicator& window) {
  if (window.handle == m.family.win_null) return false;
  Group group(m);
  return group.accept(m.Win_get_group(window.handle, group.out())) && translate(m, group, window.members);
}

bool describe_communicator(const Mpi& m, Communicator& communicator) {
  if (communicator.handle == m.family.comm_null) return false;
  int inter = 0;
  if (m.Comm_test_inter(communicator.handle, &inter) != 0 || m.Comm_rank(communicator.handle, &communicator.rank) != 0)
    return false;
  communicator.inter = inter != 0;
  if (communicator.handle == m.family.comm_world) {
    int size = 0;
    if (m.Comm_size(communicator.handle, &size) != 0) return false;
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

}  // namespace

std::optional<World> world() {
  const Mpi& m = *mpi();
  World world{};
  if (world_model_is_active()) {
    if (m.Comm_rank(m.family.comm_world, &world.rank) != 0 || m.Comm_size(m.family.comm_world, &world.size) != 0)
      return {};
    return world;
  }
  Group group(m);
  if (!get_world(m, group) || m.Group_rank(group.word(), &world.rank) != 0 ||
      m.Group_size(group.word(), &world.size) != 0)
    return {};
  return world;
}

Communicators& communicators() {
  static Communicators& all = *new Communicators;  // never destroyed: threads may outlive the program's static objects
  return all;
}

std::shared_ptr<Communicator> Communicators::find_locked(const GroupRef& ref) {
  const Mpi& m = *mpi();
  const Word named = ref.language == Language::c ? m.family.handle(ref.word) : ref.word;
  const Name name{named, ref.language, ref.kind};
  if (const auto found = known_.find(name); found != known_.end()) return found->second;
  if (ref.language == Language::fortran) {
    const Word handle = fortran::converted(ref);
    std::shared_ptr<Communicator> shared = find_locked({handle, Language::c, ref.kind});
    if (shared != nullptr) known_.emplace(name, shared);
    return shared;
  }
  auto fresh = std::make_shared<Communicator>();
  fresh->handle = named;
  const bool described =
      ref.kind == GroupRef::Kind::window ? describe_window(m, *fresh) : describe_communicator(m, *fresh);
  if (!described) return nullptr;
  known_.emplace(name, fresh);
  return fresh;
}

Communicator* Communicators::find(const GroupRef& ref) noexcept try {
  const std::scoped_lock lock(mutex_);
  return find_locked(ref).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool Communicators::complete(Communicator& communicator, bool with_neighbors) noexcept try {
  const std::scoped_lock lock(mutex_);
  if (communicator.group.load(std::memory_order_relaxed) == 0) write_group(communicator);
  if (with_neighbors && !communicator.neighbors_known.load(std::memory_order_relaxed)) {
    communicator.neighbors = neighbors_of(*mpi(), communicator);
    communicator.neighbors_known.store(true, std::memory_order_release);
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Communicators::write_group(Communicator& communicator) {
  const std::vector<std::int32_t> members = communicator.members.expanded();
  const std::vector<std::int32_t> remote = communicator.remote.expanded();
  const std::uint64_t key = profile::group_key(members, remote);
  communicator.group.store(key, std::memory_order_release);
  if (std::find(written_.begin(), written_.end(), key) != written_.end()) return;
  std::vector<profile::Run> runs = compress(members);
  const std::vector<profile::Run> remote_runs = compress(remote);
  constexpr std::size_t kShort = 4;  // such a list may stand in every member's file: it costs less than a row
  if (communicator.rank == 0 || runs.size() + remote_runs.size() <= kShort) {
    const profile::GroupRecord record{key, static_cast<std::uint32_t>(runs.size()),
                                      static_cast<std::uint32_t>(remote_runs.size()), members.size(), remote.size()};
    runs.insert(runs.end(), remote_runs.begin(), remote_runs.end());
    std::vector<std::byte> bytes(sizeof(record) + runs.size() * sizeof(profile::Run));
    std::memcpy(bytes.data(), &record, sizeof(record));
    std::memcpy(bytes.data() + sizeof(record), runs.data(), runs.size() * sizeof(profile::Run));
    if (profile_file().append_bytes(profile::SegmentKind::groups, 1, bytes) == nullptr) return;
  }
  written_.push_back(key);
}

void Communicators::forget(Word handle, GroupRef::Kind kind) noexcept {
  if (mpi() == nullptr) return;
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find({mpi()->family.handle(handle), Language::c, kind});
  if (found == known_.end()) return;
  const std::shared_ptr<Communicator> gone = found->second;
  std::erase_if(known_, [&](const auto& entry) { return entry.second == gone; });
  next_handle_generation();
}

void Communicators::forget_all() noexcept {
  const std::scoped_lock lock(mutex_);
  known_.clear();
  next_handle_generation();
}

}  // namespace topowise::interpose
