// SPDX-License-Identifier: BSD-3-Clause
// A plan, step by step, on a GPU's driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <topowise/collective/allreduce.hpp>

namespace topowise::collective {
namespace {

constexpr std::uint64_t kLevels = 64;  ///< of a flag, within a repetition

/// What the GPU or the processor folds at once; the rest is folded into the result.
constexpr std::size_t kAtOnce = device::kernel::kMostOperands;

/// Calls `fold(from)` for groups of operands. Behind the first group, `result` is the first operand.
template <class Operand, class Fold>
void in_groups(const std::vector<Operand>& operands, Operand result, Fold fold) {
  std::vector<Operand> group;
  for (std::size_t next = 0; next < operands.size();) {
    group.clear();
    if (next > 0) group.push_back(result);
    while (group.size() < kAtOnce && next < operands.size()) group.push_back(operands[next++]);
    fold(group);
  }
}

}  // namespace

void Allreduce::run(Prepared& one, const ReduceCall& call) {
  const std::uint64_t size = device::size_of(call.element);
  std::uint64_t piece = call.count;
  if (one.plan.staging_parts > 0) piece = std::min<std::uint64_t>(piece, options_.staging_piece / size);
  const auto has_parts = [](int parts) { return parts > 0; };
  if (std::ranges::any_of(one.plan.scratch_parts, has_parts))
    piece = std::min<std::uint64_t>(piece, options_.scratch_piece / size);
  for (std::uint64_t begin = 0; begin < call.count; begin += piece) {
    ReduceCall part = call;
    part.count = std::min(piece, call.count - begin);
    offset_ = begin * size;
    ++repetition_;
    for (const Step& step : one.plan.steps[static_cast<std::size_t>(ranks_->rank())]) run_step(one, step, part);
    one.last_repetition = repetition_;
  }
}

void Allreduce::run_step(const Prepared& one, const Step& step, const ReduceCall& piece) {
  const auto flag = static_cast<std::size_t>(step.flag);
  const std::uint64_t repetition = step.age > 0 ? one.last_repetition : repetition_;
  const std::uint64_t value = repetition * kLevels + static_cast<std::uint64_t>(step.level);
  switch (step.action) {
    case Action::copy:
      return copy(one, step.to.front(), step.from.front(), piece.bytes());
    case Action::reduce:
      return step.to.front().store == Store::staging ? reduce_on_host(step, piece) : reduce_on_gpu(one, step, piece);
    case Action::synchronize:
      return gpu().driver.synchronize_stream(stream());
    case Action::signal:
      return ranks_->set(ranks_->mine().flags[flag], value);
    case Action::wait:
      return ranks_->wait(step.peer, ranks_->line(step.peer).flags[flag], value, to_string(step.flag).data(), call_);
    case Action::record:
    case Action::await:
      break;
  }
  throw Error(ExitStatus::internal, "no plan that runs uses events");
}

device::Handle Allreduce::stream() {
  const auto known = streams_.find(device_);
  if (known != streams_.end()) return known->second.get();
  return (streams_[device_] = device::make_stream(gpu().driver, device_)).get();
}

char* Allreduce::staging_part(int part) const {
  return ranks_->staging().data() + static_cast<std::size_t>(part) * options_.staging_piece;
}

device::Address Allreduce::address_of(const Prepared& one, const Region& region) const {
  const auto owner = static_cast<std::size_t>(region.owner);
  if (region.store == Store::input) return inputs_[owner] + offset_;
  if (region.store == Store::output) return outputs_[owner] + offset_;
  return one.scratch.of(region.owner) + static_cast<std::size_t>(region.part) * options_.scratch_piece;
}

void Allreduce::copy(const Prepared& one, const Region& to, const Region& from, std::size_t bytes) {
  const device::Driver& driver = gpu().driver;
  if (to.store == Store::staging)
    return driver.copy_to_host(staging_part(to.part), address_of(one, from), bytes, stream());
  const device::Address target = address_of(one, to);
  if (from.store == Store::staging) return driver.copy_to_device(target, staging_part(from.part), bytes, stream());
  const device::Address source = address_of(one, from);
  if (source != target) driver.copy(target, source, bytes, stream());
}

void Allreduce::reduce_on_gpu(const Prepared& one, const Step& step, const ReduceCall& piece) {
  std::vector<device::Address> from;
  std::vector<device::Address> to;
  for (const Region& region : step.from) from.push_back(address_of(one, region));
  for (const Region& region : step.to) to.push_back(address_of(one, region));
  in_groups(from, to.front(), [&](const std::vector<device::Address>& group) {
    gpu().folds->fold(piece.operation, piece.element, group, to, piece.count, stream());
  });
}

void Allreduce::reduce_on_host(const Step& step, const ReduceCall& piece) const {
  const auto share = [&](int index) {
    return piece.count * static_cast<std::uint64_t>(index) / static_cast<std::uint64_t>(step.slice.of);
  };
  std::vector<char*> from;
  for (const Region& region : step.from) from.push_back(staging_part(region.part));
  char* result = staging_part(step.to.front().part);
  const device::HostFold fold = device::host_fold(piece.operation, piece.element);
  in_groups(from, result, [&](const std::vector<char*>& group) {
    device::kernel::FoldOperands operands{};
    std::ranges::transform(group, operands.from, [](char* p) { return reinterpret_cast<unsigned long long>(p); });
    operands.to[0] = reinterpret_cast<unsigned long long>(result);
    fold(operands, static_cast<unsigned>(group.size()), 1, share(step.slice.index), share(step.slice.index + 1));
  });
}

}  // namespace topowise::collective
