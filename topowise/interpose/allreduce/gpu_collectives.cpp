// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/gpu_collectives.hpp>

#include <algorithm>
#include <memory>
#include <new>

#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/predefined.hpp>
#include <topowise/interpose/allreduce/requests.hpp>
#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::allreduce {
namespace {

using plugin_interface::Answer;

bool gathers(Answered function) noexcept {
  return function == Answered::allgather || function == Answered::allgatherv;
}
bool scatters(Answered function) noexcept {
  return function == Answered::reduce_scatter || function == Answered::reduce_scatter_block;
}
bool has_root(Answered function) noexcept {
  return function == Answered::bcast || function == Answered::reduce;
}

/// The vectors that this rank has, of those that it passes.
struct Own {
  CallVector send, receive;
  bool in_place = false;
  Parts parts;        ///< of the vector that it receives
  bool alike = true;  ///< all ranks' shares have one size, and lie in the order of the ranks without gaps
};

/// Of the first part that has elements, in elements. MPI ignores where empty parts would begin. O(leading empty parts)
Count displacement(const Collective& call, int ranks) noexcept {
  if (call.lists == nullptr || call.lists->begins.data == nullptr) return 0;
  for (int rank = 0; rank < ranks; ++rank)
    if (call.lists->counts[rank] > 0) return call.lists->begins[rank];
  return 0;
}

Own own_of(const Collective& call, const Communicator& communicator) noexcept {
  Own own{.send = call.send, .receive = call.receive};
  const Count size = communicator.members.size();
  const bool is_root = call.root == communicator.rank;
  own.in_place = call.function != Answered::bcast && call.send.address == in_place();
  if (call.function == Answered::bcast) (is_root ? own.receive : own.send).there = false;
  if (call.function == Answered::reduce && !is_root) own.receive.there = false;
  if (call.function == Answered::allgather) own.receive.count *= size;
  if (call.function == Answered::reduce_scatter_block) {
    own.send.count *= size;
    own.parts.written = own.receive.count;
    if (own.in_place) own.receive.count *= size;
  }
  if (own.in_place) own.send.there = false;
  if (const Count begin = displacement(call, communicator.members.size()); begin != 0) {
    Count lower = 0;
    Count extent = 0;
    const Word type = mpi()->family.handle(call.receive.type);
    const bool known = type != mpi()->family.type_null && calls()->Type_get_extent(type, &lower, &extent) == 0;
    own.parts.offset = known ? begin * extent : 0;
  }
  return own;
}

/// Adds what the counts of all ranks say; false if one is negative, which MPI says.
bool count_shares(const Collective& call, const Communicator& communicator, Own& own) noexcept {
  if (call.lists == nullptr) return true;
  const Counts& counts = call.lists->counts;
  const Counts& begins = call.lists->begins;
  Count all = 0;
  const bool gathered = call.function == Answered::allgatherv;
  for (int rank = 0; rank < communicator.members.size(); ++rank) {
    const Count count = counts[rank];
    if (count < 0) return false;
    own.alike = own.alike && count == counts[0] && (!gathered || begins[rank] == begins[0] + all);
    all += count;
  }
  if (gathered) {
    own.parts.counts = counts;
    own.parts.begins = begins;
    own.parts.number = communicator.members.size();
    own.receive.count = all;
    return true;
  }
  own.send.count = all;
  own.parts.written = counts[communicator.rank];
  own.receive.count = own.in_place ? all : own.parts.written;
  return true;
}

/// Calls the MPI library with the copies.
int on_host(const Collective& call, const Own& own, const StagedVectors& staged, const void* send, void* receive,
            const Underlying& underlying) {
  if (call.function == Answered::bcast && own.send.there) return underlying(send, staged.send());
  return underlying(own.send.there ? staged.send() : send, own.receive.there ? staged.receive() : receive);
}

/// Bytes of a vector of a predefined type without gaps; below 0 for others. A type that the program has made may have
/// its data in another order than they are sent in, without gaps all the same: columns of a matrix, for instance.
Count dense_bytes(const CallVector& vector) noexcept {
  const auto size = static_cast<Count>(type_size(c::type(vector.type)));
  Span span;
  if (vector.count == 0 || size == 0) return 0;
  const bool known = span_of(*calls(), mpi()->family.handle(vector.type), vector.count, size, span);
  return known && span.dense && span.first == 0 && is_predefined(vector.type) ? vector.count * size : -1;
}

/// One call, at a rank some of whose vectors may be in GPU memory.
class OneCall {
 public:
  OneCall(const Collective& call, const Communicator& communicator, const Team& team, const Own& own)
      : call_(call), communicator_(communicator), team_(team), own_(own) {}

  int run(const void* send, void* receive, Underlying underlying) {
    const bool counts = team_.ranks != nullptr && team_.leaders == 0;
    if (counts) {
      plugin_interface::Vector vector;
      if (!describe(vector))
        reducer()->pass(team_.ranks);
      else if (const Answer answer = answer_on_gpu(team_, vector); answer != Answer::through_mpi)
        return answer == Answer::done ? 0 : error();
    }
    const bool staged = on_gpu(own_.send) || on_gpu(own_.receive, own_.parts.offset);
    const int status = staged ? stage(counts, send, receive, underlying) : underlying(send, receive);
    return status == 0 && counts && is_spoiled(&team_) ? error() : status;
  }

 private:
  /// What the ranks of a node are told of a call that they may do on GPUs; false if this one is MPI's.
  bool describe(plugin_interface::Vector& vector) const {
    const Count size = communicator_.members.size();
    const bool combines = call_.function == Answered::reduce || scatters(call_.function);
    const CallVector& any = own_.send.there ? own_.send : own_.receive;
    if (!own_.alike || mpi()->family.handle(any.type) == mpi()->family.type_null) return false;
    Element element{reducer()->element("u8"), Only::anything};
    std::int32_t operation = reducer()->operation("sum");
    if (combines) {
      element = element_of(any.type);
      operation = operation_number(*mpi(), call_.operation);
    }
    Count count = combines ? any.count : dense_bytes(any);
    const bool is_share = !scatters(call_.function) && (own_.send.there || !gathers(call_.function));
    if (count > 0 && !is_share) count /= size;
    const bool there =
        (!own_.send.there || on_gpu(own_.send)) && (!own_.receive.there || on_gpu(own_.receive, own_.parts.offset));
    if (count < 0 || (count > 0 && (!there || !can_reduce(operation, element)))) return false;
    // MPI says what is wrong with vectors that do not fit.
    if (gathers(call_.function) && dense_bytes(own_.receive) != count * size) return false;
    if (!combines && own_.receive.there && dense_bytes(own_.receive) < 0) return false;
    const void* result = data_at(own_.receive.address, own_.parts.offset);
    vector = {.input = own_.send.there ? own_.send.address : nullptr,
              .output = own_.receive.there ? const_cast<void*>(result) : nullptr,
              .count = static_cast<std::uint64_t>(count),
              .operation = operation,
              .element = element.number,
              .collective = reducer()->collective(name_of(call_.function).collective),
              .root = call_.root,
              .function = number_of(call_.function)};
    if (own_.in_place) vector.input = data_at(result, gathers(call_.function) ? communicator_.rank * count : 0);
    return true;
  }

  [[nodiscard]] int error() const { return raise_error(mpi()->family.handle(call_.comm)); }

  int stage(bool counts, const void* send, void* receive, Underlying underlying) const {
    StagedVectors staged;
    if (!staged.make(own_.send, own_.receive, own_.in_place, call_.comm, own_.parts)) return error();
    const bool good = staged.read();
    if (!good && counts) reducer()->spoil(team_.ranks);
    const int status = on_host(call_, own_, staged, send, receive, underlying);
    return status == 0 && (!good || !staged.write()) ? error() : status;
  }

  const Collective& call_;
  const Communicator& communicator_;
  const Team& team_;
  const Own& own_;
};

/// Whether counts and the root are what MPI allows; it says so if they are not. Those of all ranks are looked at later.
bool is_sound(const Collective& call, const Communicator& communicator) noexcept {
  const bool counted = call.receive.count >= 0 && (call.send.count >= 0 || call.send.address == in_place());
  const bool listed =
      call.lists == nullptr || (call.lists->counts.data != nullptr &&
                                (call.function != Answered::allgatherv || call.lists->begins.data != nullptr));
  return counted && listed && (!has_root(call.function) || (call.root >= 0 && call.root < communicator.members.size()));
}

/// Whether this rank's vectors have elements and lie on the host. It may say no where that is not so; the cheapest
/// questions come first.
bool is_plainly_hosts(const Collective& call, const Communicator& communicator) noexcept {
  const bool has_elements = call.send.count > 0 || call.receive.count > 0 || call.lists != nullptr;
  if (!has_elements || displacement(call, communicator.members.size()) != 0) return false;
  const bool is_root = call.root == communicator.rank;
  if (call.function == Answered::bcast) return !on_gpu(call.receive);
  const bool is_input_there = call.send.address != in_place();
  const bool is_output_there = call.function != Answered::reduce || is_root;
  return !(is_input_there && on_gpu(call.send)) && !(is_output_there && on_gpu(call.receive));
}

[[gnu::noinline]] int answer_with_team(const Collective& call, Communicator& communicator, const void* send,
                                       void* receive, Underlying underlying) {
  Own own = own_of(call, communicator);
  if (!count_shares(call, communicator, own)) return underlying(send, receive);
  const Answering as(name_of(call.function).mpi);
  if (settings().report) learn_world_rank();
  const Team* team = node_team(communicator);
  if (team == nullptr || team->alone) return raise_error(mpi()->family.handle(call.comm));
  return OneCall(call, communicator, *team, own).run(send, receive, underlying);
}

}  // namespace

int answer(const Collective& call, const void* send, void* receive, Underlying underlying) noexcept {
  const KnownCommunicator* known = find_communicator(c::comm(call.comm));
  if (known == nullptr || known->communicator->inter || !is_sound(call, *known->communicator))
    return underlying(send, receive);
  Communicator& communicator = *known->communicator;
  const auto* team = static_cast<const Team*>(communicator.attached(AttachedBy::allreduce));
  if (team == nullptr || team->alone || !is_plainly_hosts(call, communicator))
    return answer_with_team(call, communicator, send, receive, underlying);
  if (team->leaders != 0 || team->pass == nullptr) return underlying(send, receive);
  team->pass(team->ranks);
  const int status = underlying(send, receive);
  return status == 0 && is_spoiled(team) ? raise_error(mpi()->family.handle(call.comm)) : status;
}

int begin(const Collective& call, const void* send, void* receive, bool persistent, void* made,
          Underlying underlying) noexcept {
  const KnownCommunicator* known = find_communicator(c::comm(call.comm));
  if (known == nullptr || known->communicator->inter || !is_sound(call, *known->communicator))
    return underlying(send, receive);
  Own own = own_of(call, *known->communicator);
  if (!count_shares(call, *known->communicator, own)) return underlying(send, receive);
  const auto is_staged = [](const CallVector& vector, Count offset) {
    return vector.there && vector.count > 0 && mpi()->family.handle(vector.type) != mpi()->family.type_null &&
           on_gpu(vector, offset);
  };
  if (!is_staged(own.send, 0) && !is_staged(own.receive, own.parts.offset)) return underlying(send, receive);
  const Answering as(name_of(call.function).mpi);
  if (settings().report) learn_world_rank();
  std::unique_ptr<Request> request(new (std::nothrow) Request);
  if (request == nullptr) print_stderr(-1, "%s: no memory for a request", answered);
  if (request == nullptr || !request->staged.make(own.send, own.receive, own.in_place, call.comm, own.parts))
    return raise_error(mpi()->family.handle(call.comm));
  request->function = answered;
  request->persistent = persistent;
  request->active = !persistent;
  request->failed = request->active && !request->staged.read();
  const int status = on_host(call, own, request->staged, send, receive, underlying);
  if (status != 0) return status;
  request->handle = c::stored(made);
  return track(std::move(request));
}

namespace {

void give(void* error, int status) noexcept {
  if (error != nullptr) *static_cast<int*>(error) = status;
}

}  // namespace

void bcast_in_fortran(const void* buffer, int count, Word type, int root, Word comm, void* error) noexcept {
  const auto function = reinterpret_cast<int (*)(const void*, int, Word, int, Word)>(calls()->Bcast);
  give(error, bcast<int>(function, buffer, count, type, root, comm));
}

void reduce_in_fortran(const void* send, const void* receive, int count, Word type, Word operation, int root, Word comm,
                       void* error) noexcept {
  give(error, reduce<int>(calls()->Reduce, send, receive, count, type, operation, root, comm));
}

void allgather_in_fortran(const void* send, int count, Word type, const void* receive, int receive_count,
                          Word receive_type, Word comm, void* error) noexcept {
  const auto function =
      reinterpret_cast<int (*)(const void*, int, Word, const void*, int, Word, Word)>(calls()->Allgather);
  give(error, allgather<int>(function, send, count, type, receive, receive_count, receive_type, comm));
}

void allgatherv_in_fortran(const void* send, int count, Word type, const void* receive, Counts counts, Counts begins,
                           Word receive_type, Word comm, void* error) noexcept {
  const auto function = reinterpret_cast<int (*)(const void*, int, Word, const void*, const void*, void*, Word, Word)>(
      calls()->Allgatherv);
  give(error, allgatherv<int>(function, send, count, type, receive, counts, begins, receive_type, comm));
}

void reduce_scatter_in_fortran(const void* send, const void* receive, Counts counts, Word type, Word operation,
                               Word comm, void* error) noexcept {
  give(error, reduce_scatter(calls()->Reduce_scatter, send, receive, counts, type, operation, comm));
}

void reduce_scatter_block_in_fortran(const void* send, const void* receive, int count, Word type, Word operation,
                                     Word comm, void* error) noexcept {
  give(error, reduce_scatter_block<int>(calls()->Reduce_scatter_block, send, receive, count, type, operation, comm));
}

}  // namespace topowise::interpose::allreduce
