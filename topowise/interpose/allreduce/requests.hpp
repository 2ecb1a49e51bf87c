// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives on vectors in GPU memory: the MPI library works on copies of them on the host,
// and where the program learns that a request has ended, the result is copied to where the program wants it.
//
// A request that does not persist has another handle when it has ended (and MPICH 4.0 gives wrong indices by mpi_f08).
// The end of a persistent request is reported only by the function that completes it: MPICH's MPI_Request_get_status
// makes it inactive, and other functions then pass it over.
#pragma once

#include <atomic>
#include <memory>

#include <topowise/interpose/allreduce/staged_vector.hpp>
#include <topowise/interpose/base/arguments.hpp>

namespace topowise::interpose::allreduce {

struct Request {
  StagedVectors staged;
  const char* function = "MPI_Allreduce";  ///< what it is reported as
  Word handle = 0;                         ///< C's handle
  bool persistent = false;
  bool active = false;  ///< its result is not yet where the program wants it
  bool failed = false;  ///< its vectors could not be read
  bool taken = false;   ///< by a Completion; its handle may already be another request's
  Request* next = nullptr;
  // The Completion's own:
  Request* next_taken = nullptr;
  int index = 0;
  Word named = 0;  ///< as the program names it, which is another number in Fortran
};

/// Keeps a request that has begun, or is prepared. Returns an error if it is complete already and has failed, else 0.
int track(std::unique_ptr<Request> request) noexcept;

namespace detail {
inline constinit std::atomic<int> known_requests{0};
void start_request(Word handle) noexcept;
void free_request(Word handle) noexcept;
}  // namespace detail

/// Whether there is anything to be done where requests end. The thread that completes a request has synchronised with
/// the one that began it.
[[nodiscard]] inline bool has_requests() noexcept {
  return detail::known_requests.load(std::memory_order_relaxed) != 0;
}

/// An array of requests: handles of C, or numbers of Fortran.
class Requests {
 public:
  Requests(const void* first, int count) : c_(first), count_(count) {}
  Requests(const int* first, int count) : fortran_(first), count_(count) {}
  [[nodiscard]] int count() const { return count_; }
  /// The request as the program names it.
  [[nodiscard]] Word named(int index) const noexcept {
    const auto at = static_cast<std::size_t>(index);
    return fortran_ != nullptr ? Word{fortran_[at]} : c::stored(c_, at);
  }
  /// The handle of C.
  [[nodiscard]] Word handle(int index) const noexcept {
    return fortran_ != nullptr ? fortran::request(fortran_ + index) : named(index);
  }

 private:
  const void* c_ = nullptr;
  const int* fortran_ = nullptr;
  int count_;
};

/// Where a function says which requests have ended. Null stands for what it does not say; where it says nothing, all
/// have ended.
struct Ended {
  const int* flag = nullptr;    ///< whether any has ended
  const int* number = nullptr;  ///< how many indices there are; null: one
  const int* indices = nullptr;
  int first = 0;       ///< the index of the first request
  bool keeps = false;  ///< requests that have ended stay what they were

  [[nodiscard]] bool has(int index) const noexcept;
};

/// Goes around a function of MPI's by which the program learns that requests have ended.
class Completion {
 public:
  template <class First>
  Completion(First* first, int count, const Ended& ended) noexcept
      : Completion(Requests(first, first == nullptr ? 0 : count), ended) {}
  Completion(const Requests& requests, const Ended& ended) noexcept;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  ~Completion() = default;

  /// `status`: what the function gave; the result is what the program gets.
  int end(int status) noexcept;
  void end_in_fortran(int* error) noexcept;

 private:
  [[nodiscard]] bool has_ended(const Request& request, int status) const noexcept;

  Requests requests_;
  Ended ended_;
  Request* taken_ = nullptr;
};

/// MPI_Start is about to be called.
template <class First>
void starting(First* first, int count) noexcept {
  if (!has_requests() || first == nullptr) return;
  const Requests requests(first, count);
  for (int i = 0; i < count; ++i) detail::start_request(requests.handle(i));
}
/// MPI_Request_free is about to be called.
template <class First>
void freeing(First* first) noexcept {
  if (has_requests() && first != nullptr) detail::free_request(Requests(first, 1).handle(0));
}

}  // namespace topowise::interpose::allreduce
