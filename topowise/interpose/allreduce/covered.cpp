// SPDX-License-Identifier: BSD-3-Clause
// No function of MPI's lists the bytes of any given type. But MPI_Unpack writes exactly those bytes: so ones are
// unpacked into zeros, and every byte that is no longer zero is the type's.
#include <topowise/interpose/allreduce/covered.hpp>

#include <algorithm>
#include <cstring>
#include <new>

#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/print_stderr.hpp>

namespace topowise::interpose::allreduce {
namespace {

constexpr int kOnes = 0xff;

/// Marks the bytes of one element.
bool mark_element(const Calls& mpi, const HostCopy& element, Word type, Word comm) {
  int most = 0;
  int size = 0;
  int position = 0;
  if (mpi.Pack_size(1, type, comm, &most) != 0) return false;
  std::vector<char> packed(static_cast<std::size_t>(std::max(most, 1)));
  std::memset(element.data(), kOnes, element.span().bytes);
  if (mpi.Pack(element.address(), 1, type, packed.data(), most, &size, comm) != 0) return false;
  std::memset(element.data(), 0, element.span().bytes);
  return mpi.Unpack(packed.data(), size, &position, element.address(), 1, type, comm) == 0;
}

std::vector<plugin_interface::Run> marked(const HostCopy& element) {
  std::vector<plugin_interface::Run> runs;
  const char* const begin = element.data();
  const char* const end = begin + element.span().bytes;
  const auto is_marked = [](char byte) { return byte != 0; };
  for (const char* at = std::find_if(begin, end, is_marked); at != end; at = std::find_if(at, end, is_marked)) {
    const char* const behind = std::find(at, end, '\0');
    runs.push_back({element.span().first + (at - begin), static_cast<std::size_t>(behind - at)});
    at = behind;
  }
  return runs;
}

/// Sorts and joins runs, because elements may lie in each other's gaps, and go backwards.
void join(std::vector<plugin_interface::Run>& runs) {
  const auto is_before = [](const plugin_interface::Run& a, const plugin_interface::Run& b) {
    return a.first < b.first;
  };
  if (!std::ranges::is_sorted(runs, is_before)) std::ranges::sort(runs, is_before);
  std::size_t last = 0;
  for (const plugin_interface::Run& run : runs) {
    plugin_interface::Run& before = runs[last];
    const Count end = before.first + static_cast<Count>(before.bytes);
    if (run.first > end)
      runs[++last] = run;
    else
      before.bytes = static_cast<std::size_t>(std::max(end, run.first + static_cast<Count>(run.bytes)) - before.first);
  }
  if (!runs.empty()) runs.resize(last + 1);
}

bool find(const Call& call, const Span& span, std::vector<plugin_interface::Run>& runs) {
  const Family& family = mpi()->family;
  Span one;
  HostCopy element;
  const Word type = family.handle(call.type);
  if (!span_of(*calls(), type, 1, 0, one) || !element.make(one, call.receive)) return false;
  if (!mark_element(*calls(), element, type, family.handle(call.comm))) return false;
  const std::vector<plugin_interface::Run> of_element = marked(element);
  runs.reserve(of_element.size() * static_cast<std::size_t>(call.count));
  for (Count i = 0; i < call.count; ++i)
    for (const plugin_interface::Run& run : of_element) runs.push_back({run.first + i * span.extent, run.bytes});
  join(runs);
  return !runs.empty();
}

}  // namespace

namespace {

bool find_in_parts(const Call& call, const Counts& counts, const Counts& begins, int number,
                   std::vector<plugin_interface::Run>& runs) {
  const auto size = static_cast<Count>(type_size(c::type(call.type)));
  for (int part = 0; part < number; ++part) {
    Call one = call;
    one.count = counts[part];
    if (one.count <= 0) continue;
    Span span;
    std::vector<plugin_interface::Run> found;
    if (!span_of(*calls(), mpi()->family.handle(call.type), one.count, size, span) || !covered_runs(one, span, found))
      return false;
    for (const plugin_interface::Run& run : found) runs.push_back({run.first + begins[part] * span.extent, run.bytes});
  }
  join(runs);
  return true;
}

/// Calls `body`; what it throws is said.
template <class Body>
bool with_memory(const Body& body) noexcept try {
  return body();
} catch (const std::bad_alloc&) {
  print_stderr(-1, "%s: no memory for the gaps of a derived type", answered);
  return false;
}

}  // namespace

bool covered_runs(const Call& call, const Span& span, std::vector<plugin_interface::Run>& runs) noexcept {
  return with_memory([&] {
    if (span.dense) {
      runs.assign(1, {span.first, span.bytes});
      return true;
    }
    if (find(call, span, runs)) return true;
    print_stderr(-1, "%s: MPI does not say which bytes of GPU memory belong to a derived type", answered);
    return false;
  });
}

bool covered_runs_of_parts(const Call& call, const Counts& counts, const Counts& begins, int number,
                           std::vector<plugin_interface::Run>& runs) noexcept {
  return with_memory([&] { return find_in_parts(call, counts, begins, number, runs); });
}

}  // namespace topowise::interpose::allreduce
