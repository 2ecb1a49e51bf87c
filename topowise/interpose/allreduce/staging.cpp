// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/allreduce/staging.hpp>

#include <topowise/interpose/allreduce/covered.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::allreduce {

bool StagedCall::make(const Call& call, const OnGpu& on_gpu) noexcept {
  call_ = on_host_ = call;
  Span span;
  const auto size = static_cast<Count>(type_size(c::type(call.type)));
  if (!span_of(*calls(), mpi()->family.handle(call.type), call.count, size, span)) return false;
  const bool is_in_place = call.send == in_place();
  if (on_gpu.receive) {
    if (!receive_.make(span, call.receive)) return false;
    on_host_.receive = receive_.address();
    if (!covered_runs(call, span, written_)) return false;
    reads_receive_ = is_in_place || !span.dense;  // Intel's library leaves elements of some derived types as they were
  }
  if (on_gpu.send && !is_in_place) {
    if (!send_.make(span, call.send)) return false;
    on_host_.send = send_.address();
  }
  return true;
}

bool StagedCall::read() noexcept {
  const bool good = !reads_receive_ || receive_.read(call_.receive);
  return (!send_.is_made() || send_.read(call_.send)) && good;
}

bool StagedCall::write() const noexcept {
  return !receive_.is_made() || receive_.write(call_.receive, written_);
}

}  // namespace topowise::interpose::allreduce
