// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/request.hpp>

#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include <topowise/interpose/base/handle_table.hpp>
#include <topowise/interpose/recording/thread.hpp>

namespace topowise::interpose {
namespace {

struct Owned {
  std::mutex mutex;
  std::unordered_map<Word, Start> starts;  // its elements do not move
};
Owned& owned() {
  static Owned& all = *new Owned;  // never destroyed: threads may outlive the program's static objects
  return all;
}
constinit HandleTable<const Start*> known_starts;

}  // namespace

void remember_request(Word request, Start start) noexcept try {
  const std::scoped_lock lock(owned().mutex);
  const auto place = owned().starts.insert_or_assign(request, std::move(start)).first;
  known_starts.insert(static_cast<std::uint64_t>(request), &place->second);
} catch (const std::bad_alloc&) {  // its starts are not counted
}

void forget_request(Word request) noexcept {
  if (known_starts.find(static_cast<std::uint64_t>(request)) == nullptr) return;
  const std::scoped_lock lock(owned().mutex);
  known_starts.erase(static_cast<std::uint64_t>(request));
  owned().starts.erase(request);
}

void start(Word request) noexcept {
  if (!recording()) return;
  const Start* const* known = known_starts.find(static_cast<std::uint64_t>(request));
  Thread* thread = known != nullptr ? this_thread() : nullptr;
  if (thread == nullptr) return;
  const Start& start = **known;
  if (const std::optional<Message>& message = start.message)
    thread->count_peer(message->peer, message->channel, message->where, message->bytes);
  if (start.collective) thread->count_call(*start.collective, start.bytes, start.partners);
}

}  // namespace topowise::interpose
