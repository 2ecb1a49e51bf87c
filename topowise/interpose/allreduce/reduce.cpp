// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/reduce.hpp>

#include <atomic>
#include <cstring>
#include <optional>

#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/node_team.hpp>
#include <topowise/interpose/allreduce/predefined.hpp>
#include <topowise/interpose/allreduce/settings.hpp>
#include <topowise/interpose/allreduce/staging.hpp>
#include <topowise/interpose/base/complain.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/memory_kind.hpp>
#include <topowise/interpose/base/world.hpp>

namespace topowise::interpose::allreduce {
namespace {

constexpr int kErrorOther = 16;  ///< MPI_ERR_OTHER; of MPICH MPI_ERR_INTERN

// initial-exec: one instruction instead of a call; a preloaded library is there when the program's TLS is laid out.
[[gnu::tls_model("initial-exec")]] thread_local constinit MemoryKinds<LoadedDriver> kinds;
[[gnu::tls_model("initial-exec")]] thread_local constinit bool begun = false;

/// MPI_IN_PLACE, once MPI is found.
const void* in_place() noexcept {
  static const void* const address = mpi()->family.in_place;
  return address;
}

bool on_gpu(const void* buffer) noexcept {
  if (!begun) [[unlikely]]
    kinds.set_stack_end(end_of_stack());
  begun = true;
  return kinds.find(buffer).memory == profile::Memory::device;
}

/// One call, of a vector that is not empty.
class Reduction {
 public:
  Reduction(const Mpi& m, const Call& call, Next next, void* function)
      : m_(m),
        call_(call),
        next_(next),
        function_(function),
        in_place_(call.send == m.family.in_place),
        receive_on_gpu_(on_gpu(call.receive)),
        send_on_gpu_(in_place_ ? receive_on_gpu_ : on_gpu(call.send)) {}

  int run(Communicator& communicator) {
    Team* team = node_team(communicator);
    const bool on_host = !receive_on_gpu_ && !send_on_gpu_;
    if (team != nullptr && team->ranks != nullptr) {
      const bool possible = receive_on_gpu_ && send_on_gpu_ && find_numbers();
      if (!possible)
        reducer()->pass(team->ranks);
      else if (const door::Answer answer = reduce_on_gpu(*team); answer != door::Answer::through_mpi)
        return answer == door::Answer::done ? 0 : error();
    }
    return on_host ? next_(function_, call_) : reduce_on_host();
  }

 private:
  bool find_numbers() {
    const Element element = element_of(call_.type);
    operation_ = operation_number(m_, call_.operation);
    element_ = element.number;
    return can_reduce(operation_, element);
  }

  door::Answer reduce_on_gpu(Team& team) const {
    team.type = m_.family.handle(call_.type);
    team.operation = m_.family.handle(call_.operation);
    const door::Vector vector{.input = in_place_ ? call_.receive : call_.send,
                              .output = call_.receive,
                              .count = static_cast<std::uint64_t>(call_.count),
                              .operation = operation_,
                              .element = element_};
    door::Message message{};
    const door::Answer answer = reducer()->reduce(team.ranks, &vector, &message);
    const bool failed = answer == door::Answer::failed;
    if (message[0] != '\0' && (failed || settings().report)) complain(-1, "MPI_Allreduce: %s", message.data());
    if (reducer()->notice(team.ranks, &message)) complain(-1, "MPI_Allreduce: %s", message.data());
    return answer;
  }

  /// As the communicator's error handler has it.
  int error() const {
    calls()->Comm_call_errhandler(m_.family.handle(call_.comm), kErrorOther);
    return kErrorOther;
  }

  int reduce_on_host() const {
    Span span;
    const auto size = static_cast<Count>(type_size(c::type(call_.type)));
    if (!span_of(*calls(), m_.family.handle(call_.type), call_.count, size, span)) return error();
    HostCopy send;
    HostCopy receive;
    Call staged = call_;
    if (receive_on_gpu_) {
      // What stands in gaps between elements stays as it is.
      const bool read = in_place_ || !span.dense;
      if (!receive.make(span) || (read && !receive.read(call_.receive))) return error();
      staged.receive = receive.address();
    }
    if (!in_place_ && send_on_gpu_) {
      if (!send.make(span) || !send.read(call_.send)) return error();
      staged.send = send.address();
    }
    const int status = next_(function_, staged);
    if (status == 0 && receive.is_made() && !receive.write(call_.receive)) return error();
    return status;
  }

  const Mpi& m_;
  const Call& call_;
  Next next_;
  void* function_;
  bool in_place_, receive_on_gpu_, send_on_gpu_;
  std::int32_t operation_ = kUnknown;
  std::int32_t element_ = kUnknown;
};

std::atomic<int> world_rank{-1};

void learn_world_rank() noexcept {
  const std::optional<World> found = world_rank.load() < 0 ? world() : std::nullopt;
  if (found) world_rank.store(found->rank);
}

void report_at_end() noexcept {
  if (opened_reducer() == nullptr) return;
  door::Message text{};
  opened_reducer()->end(&text);
  static std::atomic<bool> told{false};  // Fortran's MPI_Finalize calls C's
  if (!settings().report || world_rank.load() != 0 || told.exchange(true)) return;
  complain(-1, "MPI_Allreduce in GPU memory: %s", text[0] == '\0' ? "none" : text.data());
}

}  // namespace

constinit const Feature kAllreduce{.ending = report_at_end};

bool wanted_in_fortran() noexcept {
  static const bool yes = wanted() && std::strcmp(mpi()->family.name, "openmpi") == 0;
  return yes;
}

detail::Wanted detail::look() noexcept {
  const bool yes = settings().algorithm != nullptr && mpi() != nullptr && calls() != nullptr && reducer() != nullptr;
  const Wanted found = yes ? Wanted::yes : Wanted::no;
  state.store(found, std::memory_order_release);
  return found;
}

namespace {

[[gnu::noinline]] int reduce_with_team(const Call& call, Next next, void* function, Communicator& communicator) {
  const bool empty = call.count <= 0 || type_size(c::type(call.type)) == 0;
  if (empty) return next(function, call);  // nothing to reduce
  if (settings().report) learn_world_rank();
  return Reduction(*mpi(), call, next, function).run(communicator);
}

/// Whether only the MPI library can be meant, and no other rank waits to hear so. In the order of what it costs to ask.
bool is_plainly_hosts(const Call& call, const Communicator& communicator) noexcept {
  const auto* team = static_cast<const Team*>(communicator.attached(AttachedBy::allreduce));
  if (team == nullptr || (team->ranks != nullptr && !team->alone)) return false;
  return !on_gpu(call.receive) && (call.send == in_place() || !on_gpu(call.send));
}

}  // namespace

int reduce(const Call& call, Next next, void* function) noexcept {
  const KnownCommunicator* known = find_communicator(c::comm(call.comm));
  if (known == nullptr) return next(function, call);  // MPI says what is wrong
  if (is_plainly_hosts(call, *known->communicator)) return next(function, call);
  return reduce_with_team(call, next, function, *known->communicator);
}

void reduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                       void* error) noexcept {
  const int status = reduce<int>(calls()->Allreduce, send, const_cast<void*>(receive), count, type, operation, comm);
  if (error != nullptr) *static_cast<int*>(error) = status;
}

}  // namespace topowise::interpose::allreduce
