// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/message.hpp>

namespace topowise::interpose {
namespace {

bool is_no_op(Word op) {
  return mpi() != nullptr && op == mpi()->family.op_no_op;
}

void remember(profile::Channel channel, const void* buffer, Count count, const TypeRef& type, int peer,
              const GroupRef& comm, Word request) noexcept {
  if (!recording_or_paused()) return;  // what is remembered now may be started later
  Thread* thread = this_thread();
  if (thread == nullptr) return;
  if (const auto message = message_of(*thread, channel, buffer, count, type, peer, comm))
    remember_request(request, {*message, {}, 0, {}});
}

}  // namespace

void get_accumulate(const void* origin, Count origin_count, const TypeRef& origin_type, const void* result,
                    Count result_count, const TypeRef& result_type, int target, Word op, const GroupRef& win) noexcept {
  if (!is_no_op(op)) put(origin, origin_count, origin_type, target, win);
  get(result, result_count, result_type, target, win);
}

void fetch_and_op(const void* origin, const void* result, const TypeRef& type, int target, Word op,
                  const GroupRef& win) noexcept {
  get_accumulate(origin, 1, type, result, 1, type, target, op, win);
}

void compare_and_swap(const void* origin, const void* result, const TypeRef& type, int target,
                      const GroupRef& win) noexcept {
  put(origin, 1, type, target, win);
  get(result, 1, type, target, win);
}

void send_init(const void* buffer, Count count, const TypeRef& type, int destination, const GroupRef& comm,
               Word request) noexcept {
  remember(profile::Channel::send, buffer, count, type, destination, comm, request);
}

void psend_init(const void* buffer, int partitions, Count count, const TypeRef& type, int destination,
                const GroupRef& comm, Word request) noexcept {
  if (partitions >= 0) send_init(buffer, partitions * count, type, destination, comm, request);
}

void receive_init(const void* buffer, Count count, const TypeRef& type, int source, const GroupRef& comm,
                  Word request) noexcept {
  remember(profile::Channel::receive, buffer, count, type, source, comm, request);
}

void preceive_init(const void* buffer, int partitions, Count count, const TypeRef& type, int source,
                   const GroupRef& comm, Word request) noexcept {
  if (partitions >= 0) receive_init(buffer, partitions * count, type, source, comm, request);
}

}  // namespace topowise::interpose
