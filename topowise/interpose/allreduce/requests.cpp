// SPDX-License-Identifier: BSD-3-Clause
// Requests are kept in chains by handle, without a table that grows: a request is known before it can end, and when it
// ends nothing here may run out of memory.
#include <topowise/interpose/allreduce/requests.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::allreduce {
namespace {

constexpr int kHashBits = 8;

struct Known {
  std::mutex mutex;
  std::array<Request*, std::size_t{1} << kHashBits> first{};

  Request*& chain(Word handle) {
    return first[(static_cast<std::uint64_t>(handle) * 0x9e3779b97f4a7c15ULL) >> (64 - kHashBits)];
  }
  /// The request of a handle. Null if there is none, or a Completion has it.
  Request* find(Word handle) {
    Request* at = chain(handle);
    while (at != nullptr && (at->taken || at->handle != handle)) at = at->next;
    return at;
  }
  std::unique_ptr<Request> remove(Request* request) {
    Request** at = &chain(request->handle);
    while (*at != request) at = &(*at)->next;
    *at = request->next;
    detail::known_requests.fetch_sub(1, std::memory_order_relaxed);
    return std::unique_ptr<Request>(request);
  }
};
Known& known() {
  static Known& all = *new Known;  // never destroyed: what a program leaves unfinished, MPI may still write to
  return all;
}

/// Asks MPI whether a request has ended: for requests that do not persist, and where nothing else says so.
bool ask_whether_ended(Word handle) {
  int flag = 0;
  return calls()->Request_get_status(handle, &flag, mpi()->family.status_ignore) == 0 && flag != 0;
}

/// Raises an error on the request's communicator, or on MPI_COMM_WORLD if the program has freed that one.
int error_of(const Request& request) {
  const GroupRef comm = c::comm(request.staged.comm());
  const bool lives = interpose::detail::communicators.find(interpose::detail::name_of(comm)) != nullptr;
  const Family& family = mpi()->family;
  return raise_error(lives ? family.handle(comm.word) : family.comm_world);
}

}  // namespace

int track(std::unique_ptr<Request> request) noexcept {
  // MPI libraries have one handle for all requests that are complete as soon as they begin.
  if (!request->persistent && ask_whether_ended(request->handle)) {
    const Answering as(request->function);
    return request->failed || !request->staged.write() ? error_of(*request) : 0;
  }
  const std::scoped_lock lock(known().mutex);
  Request*& first = known().chain(request->handle);
  request->next = first;
  first = request.release();
  detail::known_requests.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

void detail::start_request(Word handle) noexcept {
  Request* found = nullptr;
  {
    const std::scoped_lock lock(known().mutex);
    found = known().find(handle);
  }
  if (found == nullptr || !found->persistent) return;
  const Answering as(found->function);
  found->failed = !found->staged.read();
  found->active = true;
}

void detail::free_request(Word handle) noexcept {
  const std::scoped_lock lock(known().mutex);
  Request* found = known().find(handle);
  if (found == nullptr) return;
  std::unique_ptr<Request> freed = known().remove(found);
  if (!freed->active) return;
  print_stderr(-1, "%s: a request was freed before it had ended: its result stays in host memory", freed->function);
  static_cast<void>(freed.release());  // MPI goes on writing there
}

bool Ended::has(int index) const noexcept {
  if (flag != nullptr && *flag == 0) return false;
  if (indices == nullptr) return true;
  const int most = number == nullptr ? 1 : *number;  // negative for MPI_UNDEFINED
  return std::any_of(indices, indices + std::max(most, 0), [&](int told) { return told - first == index; });
}

Completion::Completion(const Requests& requests, const Ended& ended) noexcept : requests_(requests), ended_(ended) {
  const std::scoped_lock lock(known().mutex);
  for (int i = 0; i < requests_.count(); ++i) {
    Request* found = known().find(requests_.handle(i));
    if (found == nullptr) continue;
    found->taken = true;
    found->index = i;
    found->named = requests_.named(i);
    found->next_taken = taken_;
    taken_ = found;
  }
}

/// Whether a request has ended, asked after the call.
bool Completion::has_ended(const Request& request, int status) const noexcept {
  if (requests_.named(request.index) != request.named) return true;
  if (!request.persistent && !ended_.keeps) return false;
  return status == 0 ? ended_.has(request.index) : ask_whether_ended(request.handle);
}

int Completion::end(int status) noexcept {
  const int call_status = status;
  while (taken_ != nullptr) {
    Request& request = *taken_;
    taken_ = request.next_taken;
    const bool gone = requests_.named(request.index) != request.named;
    int error = 0;
    if (request.active && has_ended(request, call_status)) {
      request.active = false;
      const Answering as(request.function);
      if (request.failed || !request.staged.write()) error = error_of(request);
    }
    if (status == 0) status = error;
    const std::scoped_lock lock(known().mutex);
    request.taken = false;
    if (gone) known().remove(&request);
  }
  return status;
}

void Completion::end_in_fortran(int* error) noexcept {
  const int status = end(error == nullptr ? 0 : *error);
  if (error != nullptr) *error = status;
}

}  // namespace topowise::interpose::allreduce
