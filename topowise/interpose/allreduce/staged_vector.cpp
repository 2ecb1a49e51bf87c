// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/staged_vector.hpp>

#include <algorithm>

#include <topowise/interpose/allreduce/covered.hpp>
#include <topowise/interpose/base/datatype.hpp>

namespace topowise::interpose::allreduce {

namespace {

/// The span of all parts of a vector.
bool span_of_parts(const CallVector& vector, Count type_size, const Parts& parts, Span& span) noexcept {
  Count end = 0;
  bool found = false;
  for (int part = 0; part < parts.number; ++part) {
    if (parts.counts[part] <= 0) continue;
    Span one;
    if (!span_of(*calls(), mpi()->family.handle(vector.type), parts.counts[part], type_size, one)) return false;
    const Count first = parts.begins[part] * one.extent + one.first;
    const Count behind = first + static_cast<Count>(one.bytes);
    if (!found) span = one;
    span.first = found ? std::min(span.first, first) : first;
    end = found ? std::max(end, behind) : behind;
    found = true;
  }
  span.bytes = static_cast<std::size_t>(end - span.first);
  span.dense = end - span.first == vector.count * type_size;
  return true;
}

}  // namespace

bool StagedVector::make(const CallVector& vector, Word comm, bool receives, const Parts& parts) noexcept {
  vector_ = vector;
  receives_ = receives;
  // In place, the type of the vector that is not there may be any word.
  if (!vector.there || vector.count <= 0 || !on_gpu(vector, parts.offset)) return true;
  const auto size = static_cast<Count>(type_size(c::type(vector.type)));
  if (size == 0) return true;
  Span span;
  const bool known = parts.number > 0 ? span_of_parts(vector, size, parts, span)
                                      : span_of(*calls(), mpi()->family.handle(vector.type), vector.count, size, span);
  return known && copy_.make(span, vector.address) && (!receives || find_runs(comm, parts));
}

/// What is written back.
bool StagedVector::find_runs(Word comm, const Parts& parts) noexcept {
  Call call{vector_.address, const_cast<void*>(vector_.address), vector_.count, vector_.type, 0, comm};
  if (parts.number > 0 && !copy_.span().dense)
    return covered_runs_of_parts(call, parts.counts, parts.begins, parts.number, runs_);
  if (parts.written < 0) return covered_runs(call, copy_.span(), runs_);
  if (parts.written == 0) return true;
  call.count = parts.written;
  const auto size = static_cast<Count>(type_size(c::type(vector_.type)));
  Span span;
  return span_of(*calls(), mpi()->family.handle(vector_.type), call.count, size, span) &&
         covered_runs(call, span, runs_);
}

bool StagedVector::read(bool all) noexcept {
  const bool needed = copy_.is_made() && (all || !receives_ || !copy_.span().dense);
  return !needed || copy_.read(vector_.address);
}

bool StagedVector::write() const noexcept {
  return !copy_.is_made() || !receives_ || runs_.empty() || copy_.write(const_cast<void*>(vector_.address), runs_);
}

bool StagedVectors::make(const CallVector& send, const CallVector& receive, bool in_place, Word comm,
                         const Parts& parts) noexcept {
  in_place_ = in_place;
  comm_ = comm;
  return send_.make(send, comm, false) && receive_.make(receive, comm, true, parts);
}

bool StagedVectors::read() noexcept {
  const bool good = receive_.read(in_place_);
  return send_.read(true) && good;
}

bool StagedVectors::make(const Call& call) noexcept {
  const bool in_place = call.send == allreduce::in_place();
  return make({call.send, call.count, call.type, !in_place}, {call.receive, call.count, call.type}, in_place,
              call.comm);
}

Call StagedVectors::on_host(const Call& call) const noexcept {
  Call copies = call;
  if (!in_place_) copies.send = send();
  copies.receive = receive();
  return copies;
}

}  // namespace topowise::interpose::allreduce
