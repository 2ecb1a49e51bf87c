// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/nccl/handles.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>

#include <topowise/base/hash.hpp>
#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/base/symbols.hpp>
#include <topowise/interpose/nccl/plugin.hpp>

namespace topowise::interpose::nccl {
namespace {

/// What a handle stands for.
struct Known {
  std::uint64_t key = 0;
  int rank = 0;
  int size = 0;  ///< 0: to be asked
  std::uint64_t splits = 0;
  int member = kNoMember;
};

struct Handles {
  std::mutex mutex;
  std::unordered_map<Handle, Known> known;  ///< only looked up: no order of its own
  std::deque<Known> to_come;                ///< made, but the handle is not known yet
};
Handles& handles() {
  static Handles& all = *new Handles;  // never destroyed: threads may outlive the program's static objects
  return all;
}

bool ask(Handle handle, int& rank, int& size) noexcept {
  using Question = int(Handle, int*);
  static auto* const user_rank = reinterpret_cast<Question*>(next_symbol("ncclCommUserRank"));
  static auto* const count = reinterpret_cast<Question*>(next_symbol("ncclCommCount"));
  return user_rank != nullptr && count != nullptr && user_rank(handle, &rank) == 0 && count(handle, &size) == 0;
}

/// The number of the communicator's GPU in this process; below 0 if the library does not tell.
int gpu_of(Handle handle) noexcept {
  using Question = int(Handle, int*);
  static auto* const device = reinterpret_cast<Question*>(next_symbol("ncclCommCuDevice"));
  int gpu = -1;
  return device != nullptr && device(handle, &gpu) == 0 ? gpu : -1;
}

void note(Handles& all, Handle made, const Known& known) {
  if (made != nullptr)
    all.known[made] = known;
  else
    all.to_come.push_back(known);
}

/// The oldest communicator to come that this handle can be. Null if there is none.
Known* recognise(Handles& all, Handle handle) {
  int rank = 0;
  int size = 0;
  if (!ask(handle, rank, size)) return nullptr;
  const auto found = std::find_if(all.to_come.begin(), all.to_come.end(), [&](const Known& one) {
    return one.size == 0 || (one.rank == rank && one.size == size);
  });
  if (found == all.to_come.end()) return nullptr;
  Known& known = all.known[handle] = *found;
  all.to_come.erase(found);
  return &known;
}

Known* find(Handles& all, Handle handle) {
  const auto known = all.known.find(handle);
  return known != all.known.end() ? &known->second : recognise(all, handle);
}

/// The number by which the communicator's rows go.
int member_of(Handle handle) {
  Handles& all = handles();
  const std::scoped_lock lock(all.mutex);
  Known* known = find(all, handle);
  if (known == nullptr) return kNoMember;
  if (known->member != kNoMember) return known->member;
  if (known->size == 0 && !ask(handle, known->rank, known->size)) return kNoMember;
  const Communicator communicator{known->key, known->rank, known->size, 0, nullptr, gpu_of(handle)};
  if (begin(communicator)) known->member = member(communicator);
  return known->member;
}

/// Runs `body` unless the calls are recorded otherwise. What it throws is lack of memory: the call is not recorded.
template <class Body>
void watched(Body body) noexcept {
  if (!functions_are_watched()) return;
  try {
    body();
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

bool functions_are_watched() noexcept {
  static const bool wanted = [] {
    const char* directory = std::getenv("TOPOWISE_PROFILE");
    return directory != nullptr && *directory != '\0';
  }();
  return wanted && !plugin_is_used();
}

void note_communicator(Handle made, const UniqueId& id, int rank, int size) noexcept {
  watched([&] {
    Fnv1a hash;
    hash.add(std::string_view(id.bytes, sizeof(id.bytes)));
    const std::scoped_lock lock(handles().mutex);
    note(handles(), made, {hash.value(), rank, size, 0, kNoMember});
  });
}

void note_all(const Handle* made, int count) noexcept {
  watched([&] {
    Fnv1a hash;  // no other process is a member
    hash.add_number(static_cast<std::uint64_t>(::getpid()), sizeof(std::uint64_t));
    hash.add_number(clock_ns(CLOCK_REALTIME), sizeof(std::uint64_t));
    const std::scoped_lock lock(handles().mutex);
    for (int rank = 0; rank < count; ++rank) note(handles(), made[rank], {hash.value(), rank, count, 0, kNoMember});
  });
}

void note_split(Handle parent, int color, Handle made) noexcept {
  watched([&] {
    Handles& all = handles();
    const std::scoped_lock lock(all.mutex);
    Known* above = find(all, parent);
    if (above == nullptr) return;
    Fnv1a hash;
    hash.add_number(above->key, sizeof(std::uint64_t));
    hash.add_number(above->splits++, sizeof(std::uint64_t));
    hash.add_number(static_cast<std::uint64_t>(static_cast<std::int64_t>(color)), sizeof(std::uint64_t));
    if (color != kNoColor) note(all, made, {hash.value(), 0, 0, 0, kNoMember});
  });
}

void forget(Handle handle) noexcept {
  watched([&] {
    const std::scoped_lock lock(handles().mutex);
    handles().known.erase(handle);
  });
}

void count_call(Handle handle, const Call& call) noexcept {
  watched([&] { count_call(member_of(handle), call); });
}

void count_message(Handle handle, int peer, std::uint64_t bytes) noexcept {
  watched([&] { count_message(member_of(handle), peer, bytes); });
}

}  // namespace topowise::interpose::nccl
