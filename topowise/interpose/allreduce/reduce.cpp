// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/reduce.hpp>

#include <atomic>
#include <cstring>
#include <optional>

#include <topowise/interpose/allreduce/allreduce_settings.hpp>
#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/node_team.hpp>
#include <topowise/interpose/allreduce/predefined.hpp>
#include <topowise/interpose/allreduce/staged_vector.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/base/world_order.hpp>
#include <topowise/job/process.hpp>

namespace topowise::interpose::allreduce {
namespace {

/// What is so at every rank is said by one.
bool is_first_of_job() noexcept {
  return job::this_process().rank == 0;
}

/// One call of MPI_Allreduce.
class Reduction {
 public:
  Reduction(const Mpi& m, const Call& call, Next next, void* function)
      : m_(m), call_(call), next_(next), function_(function), on_gpu_(on_gpu(call)) {}

  int run(Communicator& communicator) {
    Team* team = node_team(communicator);
    if (team == nullptr || team->alone) return error();
    const bool typed = !has_no_type(call_);
    if (team->ranks != nullptr) {
      // The others are told of a call without elements as well: a rank that has some must learn that the counts differ.
      const bool possible = call_.count == 0 || (typed && on_gpu_.receive && on_gpu_.send && find_numbers());
      if (!possible)
        reducer()->pass(team->ranks);
      else if (const plugin_interface::Answer answer = reduce_on_gpu(*team);
               answer != plugin_interface::Answer::through_mpi)
        return answer == plugin_interface::Answer::done ? 0 : error();
    }
    const bool staged = typed && call_.count > 0 && on_gpu_.any() && type_size(c::type(call_.type)) > 0;
    const int status = staged ? reduce_on_host(team) : next_(function_, call_);
    return status == 0 && is_spoiled(team) ? error() : status;
  }

 private:
  bool find_numbers() {
    const Element element = element_of(call_.type);
    operation_ = operation_number(m_, call_.operation);
    element_ = element.number;
    return can_reduce(operation_, element);
  }

  plugin_interface::Answer reduce_on_gpu(Team& team) const {
    team.type = m_.family.handle(call_.type);
    team.operation = m_.family.handle(call_.operation);
    return answer_on_gpu(team, {.input = call_.send == in_place() ? call_.receive : call_.send,
                                .output = call_.receive,
                                .count = static_cast<std::uint64_t>(call_.count),
                                .operation = operation_,
                                .element = element_,
                                .function = number_of(Answered::allreduce)});
  }

  int error() const { return raise_error(m_.family.handle(call_.comm)); }

  int reduce_on_host(const Team* team) const {
    StagedVectors staged;
    if (!staged.make(call_)) return error();
    const bool good = staged.read();
    if (!good && team != nullptr && team->ranks != nullptr) reducer()->spoil(team->ranks);
    const int status = next_(function_, staged.on_host(call_));
    return status == 0 && (!good || !staged.write()) ? error() : status;
  }

  const Mpi& m_;
  const Call& call_;
  Next next_;
  void* function_;
  OnGpu on_gpu_;
  std::int32_t operation_ = kUnknown;
  std::int32_t element_ = kUnknown;
};

std::atomic<int> world_rank{-1};

void report_at_end() noexcept {
  if (opened_reducer() == nullptr) return;
  opened_reducer()->end();
  static std::atomic<bool> told{false};  // Fortran's MPI_Finalize calls C's
  if (!settings().report || world_rank.load() != 0 || told.exchange(true)) return;
  for (const AnsweredName& known : kAnswered) {
    if (!wanted(known.function)) continue;
    plugin_interface::Message text{};
    opened_reducer()->report(number_of(known.function), &text);
    print_stderr(-1, "%s in GPU memory: %s", known.mpi, text[0] == '\0' ? "none" : text.data());
  }
}

/// The ranks of MPI_COMM_WORLD meet before the program does anything. A session has no MPI_COMM_WORLD.
void meet_at_start() noexcept {
  if (!settings().meet_at_start || settings().functions == 0 || !models().world_is_active()) return;
  if (mpi() == nullptr || calls() == nullptr || reducer() == nullptr) return;
  const KnownCommunicator* world = find_communicator(c::comm(in_order(mpi()->family.comm_world)));
  if (world != nullptr) static_cast<void>(node_team(*world->communicator));
  if (settings().report) learn_world_rank();  // calls with a team that are plainly MPI's do not ask
}

}  // namespace

constinit const Feature kAllreduce{.begun = meet_at_start, .ending = report_at_end};

bool wanted_in_fortran(Answered function) noexcept {
  static const bool answers = mpi() != nullptr && std::strcmp(mpi()->family.name, "openmpi") == 0;
  return answers && wanted(function);
}

unsigned detail::look() noexcept {
  const bool can = settings().functions != 0 && mpi() != nullptr && calls() != nullptr && reducer() != nullptr;
  const unsigned found = can ? settings().functions : 0;
  functions.store(found, std::memory_order_release);
  return found;
}

bool is_spoiled(const Team* team) noexcept {
  return team != nullptr && team->pass != nullptr && reducer()->is_spoiled(team->ranks);
}

void learn_world_rank() noexcept {
  const std::optional<World> found = world_rank.load() < 0 ? world() : std::nullopt;
  if (found) world_rank.store(found->rank);
}

plugin_interface::Answer answer_on_gpu(const Team& team, const plugin_interface::Vector& vector) noexcept {
  plugin_interface::Message message{};
  const plugin_interface::Answer answer = reducer()->reduce(team.ranks, &vector, &message);
  const bool failed = answer == plugin_interface::Answer::failed;
  if (message[0] != '\0' && (failed || settings().report)) print_stderr(-1, "%s: %s", answered, message.data());
  if (reducer()->notice(team.ranks, &message) && is_first_of_job())
    print_stderr(-1, "%s: %s", answered, message.data());
  return answer;
}

namespace {

[[gnu::noinline]] int reduce_with_team(const Call& call, Next next, void* function, Communicator& communicator) {
  if (settings().report) learn_world_rank();
  return Reduction(*mpi(), call, next, function).run(communicator);
}

/// Whether only the MPI library can be meant; then the other ranks have been told. The cheapest question comes first.
bool is_plainly_hosts(const Call& call, const Team* team) noexcept {
  if (team == nullptr || team->alone || on_gpu(call).any()) return false;
  if (team->pass != nullptr) team->pass(team->ranks);
  return true;
}

}  // namespace

int reduce(const Call& call, Next next, void* function) noexcept {
  // MPI says what is wrong with a count or a communicator.
  const KnownCommunicator* known = call.count >= 0 ? find_communicator(c::comm(call.comm)) : nullptr;
  if (known == nullptr) return next(function, call);
  const auto* team = static_cast<const Team*>(known->communicator->attached(AttachedBy::allreduce));
  if (call.count > 0 && is_plainly_hosts(call, team)) {
    const int status = next(function, call);
    return status == 0 && is_spoiled(team) ? raise_error(mpi()->family.handle(call.comm)) : status;
  }
  return reduce_with_team(call, next, function, *known->communicator);
}

void reduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, Word comm,
                       void* error) noexcept {
  const int status = reduce<int>(calls()->Allreduce, send, const_cast<void*>(receive), count, type, operation, comm);
  if (error != nullptr) *static_cast<int*>(error) = status;
}

}  // namespace topowise::interpose::allreduce
