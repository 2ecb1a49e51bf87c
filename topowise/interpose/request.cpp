// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/request.hpp>

#include <new>
#include <utility>

#include <topowise/interpose/collective.hpp>
#include <topowise/interpose/thread.hpp>

namespace topowise::interpose {

Requests& requests() {
  static Requests& all = *new Requests;  // never destroyed: threads may outlive the program's static objects
  return all;
}

void Requests::remember(Word request, Start start) noexcept try {
  const std::scoped_lock lock(mutex_);
  starts_.insert_or_assign(request, std::move(start));
  size_.store(starts_.size(), std::memory_order_relaxed);
  next_handle_generation();
} catch (const std::bad_alloc&) {  // its starts are not counted
}

const Start* Requests::find(Word request) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = starts_.find(request);
  return found != starts_.end() ? &found->second : nullptr;
}

void Requests::forget(Word request) noexcept {
  const std::scoped_lock lock(mutex_);
  if (starts_.erase(request) == 0) return;
  size_.store(starts_.size(), std::memory_order_relaxed);
  next_handle_generation();
}

void start(Word request) noexcept {
  if (!recording() || requests().empty()) return;
  Thread* thread = this_thread();
  const Start* start = thread != nullptr ? thread->start_of(request) : nullptr;
  if (start == nullptr) return;
  if (const std::optional<Message>& message = start->message)
    thread->count_peer(message->peer, message->channel, message->place, message->bytes);
  if (start->collective) count_call(*thread, *start->collective, start->bytes, start->partners);
}
void forget_request(Word request) noexcept {
  if (!requests().empty()) requests().forget(request);
}

}  // namespace topowise::interpose
