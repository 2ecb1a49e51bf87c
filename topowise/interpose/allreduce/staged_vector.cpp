// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/staged_vector.hpp>

#include <topowise/interpose/allreduce/covered.hpp>
#include <topowise/interpose/base/datatype.hpp>

namespace topowise::interpose::allreduce {

bool StagedVector::make(const CallVector& vector, Word comm, bool receives) noexcept {
  vector_ = vector;
  receives_ = receives;
  const auto size = static_cast<Count>(type_size(c::type(vector.type)));
  if (!on_gpu(vector) || vector.count <= 0 || size == 0) return true;
  Span span;
  if (!span_of(*calls(), mpi()->family.handle(vector.type), vector.count, size, span)) return false;
  if (!copy_.make(span, vector.address)) return false;
  const Call call{vector.address, const_cast<void*>(vector.address), vector.count, vector.type, 0, comm};
  return !receives || covered_runs(call, span, runs_);
}

bool StagedVector::read(bool all) noexcept {
  const bool needed = copy_.is_made() && (all || !receives_ || !copy_.span().dense);
  return !needed || copy_.read(vector_.address);
}

bool StagedVector::write() const noexcept {
  return !copy_.is_made() || !receives_ || copy_.write(const_cast<void*>(vector_.address), runs_);
}

bool StagedVectors::make(const CallVector& send, const CallVector& receive, bool in_place, Word comm) noexcept {
  in_place_ = in_place;
  comm_ = comm;
  return send_.make(send, comm, false) && receive_.make(receive, comm, true);
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
