// SPDX-License-Identifier: BSD-3-Clause
// Runs a plan, step by step, on a GPU's driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <topowise/collective/collectives.hpp>

namespace topowise::collective {
namespace {

/// How many operands the GPU or the processor folds at once; the rest is folded into the result.
constexpr std::size_t kAtOnce = device::kernel::kMostOperands;

/// Calls `fold(from)` for groups of operands. After the first group, `result` is the first operand.
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

/// Elements that a plan takes at once; where there are shares, elements of each share.
std::uint64_t Collectives::piece_of(const Plan& plan, const CollectiveCall& call) const {
  const bool shares = shares_inputs(plan.collective) || shares_outputs(plan.collective);
  const std::uint64_t size = device::size_of(call.element) * static_cast<std::uint64_t>(shares ? plan.ranks : 1);
  std::uint64_t piece = call.count;
  if (plan.staging_parts > 0) piece = std::min<std::uint64_t>(piece, options_.staging_piece / size);
  const auto has_parts = [](int parts) { return parts > 0; };
  if (std::ranges::any_of(plan.scratch_parts, has_parts))
    piece = std::min<std::uint64_t>(piece, options_.scratch_piece / size);
  return piece;
}

void Collectives::run(Prepared& one, const CollectiveCall& call) {
  pin_staging(one.plan);
  open_buffers(one);
  const std::uint64_t most = piece_of(one.plan, call);
  whole_ = call.count;
  for (done_ = 0; done_ < call.count; done_ += most) {
    CollectiveCall piece = call;
    piece.count = std::min(most, call.count - done_);
    ++repetition_;
    for (const Step& step : one.plan.steps[static_cast<std::size_t>(ranks_->rank())]) run_step(one, step, piece);
    one.last_repetition = repetition_;
  }
}

void Collectives::run_step(const Prepared& one, const Step& step, const CollectiveCall& piece) {
  const auto flag = static_cast<std::size_t>(step.flag);
  const std::uint64_t repetition = step.age > 0 ? one.last_repetition : repetition_;
  const std::uint64_t value = repetition * kFlagLevels + static_cast<std::uint64_t>(step.level);
  switch (step.action) {
    case Action::copy:
      return copy(one, step, piece);
    case Action::reduce:
      if (step.to.front().store == Store::staging) return reduce_on_host(one, step, piece);
      return step.from.size() == 1 && step.to.size() == 1 ? copy(one, step, piece) : reduce_on_gpu(one, step, piece);
    case Action::across:
      across_.reduce(staging_part(step.to.front().part), piece);
      ++across_pieces_;
      return;
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

device::Handle Collectives::stream() {
  const auto known = streams_.find(device_);
  if (known != streams_.end()) return known->second.get();
  return (streams_[device_] = device::make_stream(gpu().driver, device_)).get();
}

char* Collectives::staging_part(int part) const {
  return ranks_->staging().data() + static_cast<std::size_t>(part) * options_.staging_piece;
}

Collectives::Part Collectives::part_of(const Plan& plan, const Slice& slice, const CollectiveCall& piece) const {
  const auto index = static_cast<std::uint64_t>(slice.index);
  const auto of = static_cast<std::uint64_t>(slice.of);
  if (shares_inputs(plan.collective) || shares_outputs(plan.collective)) return {index * piece.count, piece.count};
  const std::uint64_t begin = piece.count * index / of;
  return {begin, piece.count * (index + 1) / of - begin};
}

device::Address Collectives::address_of(const Prepared& one, const Region& region, const Slice& slice,
                                        const CollectiveCall& piece) const {
  const Collective collective = one.plan.collective;
  const auto owner = static_cast<std::size_t>(region.owner);
  const std::uint64_t size = device::size_of(piece.element);
  const std::uint64_t begin = part_of(one.plan, slice, piece).begin;
  if (region.store == Store::scratch)
    return one.scratch.of(region.owner) + static_cast<std::size_t>(region.part) * options_.scratch_piece + begin * size;
  const bool input = region.store == Store::input;
  const device::Address address = input ? inputs_[owner] : outputs_[owner];
  const bool is_share = input ? shares_inputs(collective) : shares_outputs(collective);
  if (is_share) return address + done_ * size;
  if (shares_inputs(collective) || shares_outputs(collective))
    return address + (static_cast<std::uint64_t>(slice.index) * whole_ + done_) * size;
  return address + (done_ + begin) * size;
}

void Collectives::copy(const Prepared& one, const Step& step, const CollectiveCall& piece) {
  const device::Driver& driver = gpu().driver;
  const Region& to = step.to.front();
  const Region& from = step.from.front();
  const Part part = part_of(one.plan, step.slice, piece);
  const std::uint64_t size = device::size_of(piece.element);
  const std::uint64_t bytes = part.count * size;
  if (bytes == 0) return;
  const auto staged = [&](const Region& region) { return staging_part(region.part) + part.begin * size; };
  if (to.store == Store::staging)
    return driver.copy_to_host(staged(to), address_of(one, from, step.slice, piece), bytes, stream());
  const device::Address target = address_of(one, to, step.slice, piece);
  if (from.store == Store::staging) return driver.copy_to_device(target, staged(from), bytes, stream());
  const device::Address source = address_of(one, from, step.slice, piece);
  if (source != target) driver.copy(target, source, bytes, stream());
}

void Collectives::reduce_on_gpu(const Prepared& one, const Step& step, const CollectiveCall& piece) {
  const Part part = part_of(one.plan, step.slice, piece);
  if (part.count == 0) return;
  std::vector<device::Address> from;
  std::vector<device::Address> to;
  for (const Region& region : step.from) from.push_back(address_of(one, region, step.slice, piece));
  for (const Region& region : step.to) to.push_back(address_of(one, region, step.slice, piece));
  if (!combines(one.plan.collective)) return move_on_gpu(from.front(), to, part.count * device::size_of(piece.element));
  in_groups(from, to.front(), [&](const std::vector<device::Address>& group) {
    gpu().folds->fold(piece.operation, piece.element, group, to, part.count, stream());
  });
}

/// Copies one vector into many, by one kernel.
void Collectives::move_on_gpu(device::Address from, const std::vector<device::Address>& to, std::uint64_t bytes) {
  std::vector<device::Address> all = to;
  all.push_back(from);
  device::FoldElement element = device::widest_element(all, bytes);
  std::string why;
  if (!gpu().folds->work(device::FoldOperation::sum, element, why)) element = device::FoldElement::u8;
  const std::array<device::Address, 1> one{from};
  gpu().folds->fold(device::FoldOperation::sum, element, one, to, bytes / device::size_of(element), stream());
}

void Collectives::reduce_on_host(const Prepared& one, const Step& step, const CollectiveCall& piece) const {
  const Part part = part_of(one.plan, step.slice, piece);
  std::vector<char*> from;
  for (const Region& region : step.from) from.push_back(staging_part(region.part));
  char* result = staging_part(step.to.front().part);
  const device::HostFold fold = device::host_fold(piece.operation, piece.element);
  in_groups(from, result, [&](const std::vector<char*>& group) {
    device::kernel::FoldOperands operands{};
    std::ranges::transform(group, operands.from, [](char* p) { return reinterpret_cast<unsigned long long>(p); });
    operands.to[0] = reinterpret_cast<unsigned long long>(result);
    fold(operands, static_cast<unsigned>(group.size()), 1, part.begin, part.begin + part.count);
  });
}

}  // namespace topowise::collective
