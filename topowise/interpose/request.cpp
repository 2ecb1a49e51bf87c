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
} catch (const std::bad_alloc&) {  // its starts are not counted
}

void Requests::count(Word request) noexcept {
  Thread* thread = this_thread();
  if (thread == nullptr) return;
  const std::scoped_lock lock(mutex_);
  const auto found = starts_.find(request);
  if (found == starts_.end()) return;
  const Start& start = found->second;
  if (start.message)
    thread->count_peer(start.message->peer, start.message->channel, start.message->memory, start.message->bytes);
  if (start.collective) count_call(*thread, *start.collective, start.bytes, start.partners);
}

void Requests::forget(Word request) noexcept {
  const std::scoped_lock lock(mutex_);
  starts_.erase(request);
  size_.store(starts_.size(), std::memory_order_relaxed);
}

void start(Word request) noexcept {
  if (recording() && !requests().empty()) requests().count(request);
}
void forget_request(Word request) noexcept {
  if (!requests().empty()) requests().forget(request);
}

}  // namespace topowise::interpose
