// SPDX-License-Identifier: BSD-3-Clause
// The agreement: what all ranks do, decided by rank 0 from what each wants.
#include <topowise/collective/allreduce.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/device/scope.hpp>

namespace topowise::collective {
namespace {

// Verdicts; from kFirstAlgorithm on, a position in algorithms().
constexpr std::uint64_t kThroughMpi = 0;
constexpr std::uint64_t kMismatch = 1;
constexpr std::uint64_t kFirstAlgorithm = 2;

std::size_t staging_parts(int ranks) {
  return static_cast<std::size_t>(ranks) + 1;
}

bool overlap_in_part(const ReduceCall& call) {
  const auto input = reinterpret_cast<std::uintptr_t>(call.input);
  const auto output = reinterpret_cast<std::uintptr_t>(call.output);
  return input != output && input < output + call.bytes() && output < input + call.bytes();
}

bool reads_buffers_of_others(const Plan& plan) {
  for (const Step& step : plan.steps[0]) {
    for (const Region& region : step.from)
      if (region.store == Store::input && region.owner != 0) return true;
  }
  return false;
}

bool reduces_on_gpu(const std::vector<Step>& steps) {
  return std::ranges::any_of(
      steps, [](const Step& step) { return step.action == Action::reduce && step.to.front().store != Store::staging; });
}

}  // namespace

Allreduce::Allreduce(int rank, int size, const ReduceOptions& options, const Exchange& exchange)
    : options_(options),
      ranks_(NodeRanks::meet(rank, size, staging_parts(size) * options.staging_piece, exchange)),
      counts_(algorithms().size(), 0) {}

void Allreduce::pass() noexcept {
  ++call_;
  RankLine& mine = ranks_->mine();
  if (ranks_->rank() == 0) {
    ranks_->head().verdicts[call_ % 2].store(kThroughMpi, std::memory_order_relaxed);
    ranks_->set_quickly(mine.flags[static_cast<std::size_t>(Flag::agreed)], call_);
  } else {
    mine.call.wish = Wish::through_mpi;
    ranks_->set_quickly(mine.flags[static_cast<std::size_t>(Flag::arrived)], call_);
  }
}

Outcome Allreduce::reduce(const ReduceCall& call, std::string& message) {
  try {
    const Outcome outcome = try_reduce(call, message);
    open_.clear();
    return outcome;
  } catch (const PeerFailure& failure) {
    message = failure.what();
    // What failed in an earlier call is known to all ranks of this one, or will be before it is decided.
    return ranks_->head().failure.call < call_ ? Outcome::through_mpi : Outcome::failed;
  } catch (const std::exception& error) {
    message = fmt::format("rank {} cannot go on in allreduce {}: {}", ranks_->rank(), call_, error.what());
    ranks_->fail(ranks_->rank(), call_, message);
    return Outcome::failed;
  }
}

Outcome Allreduce::try_reduce(const ReduceCall& call, std::string& message) {
  if (ranks_->failed()) {
    ++call_;  // all ranks count alike
    return Outcome::through_mpi;
  }
  std::optional<device::DeviceScope> scope;
  std::optional<Gpu*> found;
  try {
    found = &gpu();
    device_ = (*found)->driver.attributes(call.input).device;
    if (device_ >= 0) scope.emplace((*found)->driver, device_);
  } catch (const Error& error) {
    message = error.what();
    found.reset();
  }
  const std::optional<CallRecord> record = scope ? record_of(call, message) : std::nullopt;
  if (!record) {
    pass();
    return Outcome::through_mpi;
  }
  for (;;) {
    const std::uint64_t verdict = agree(*record, message);
    if (verdict == kThroughMpi) return Outcome::through_mpi;
    if (verdict == kMismatch) {
      message = "the ranks call MPI_Allreduce with different counts, types or operations";
      return Outcome::failed;
    }
    Prepared& chosen = prepared(verdict - kFirstAlgorithm);
    if (!prepare(chosen, message)) continue;
    run(chosen, call);
    ++counts_[verdict - kFirstAlgorithm];
    return Outcome::done;
  }
}

/// Nothing if the GPU cannot reduce it.
std::optional<CallRecord> Allreduce::record_of(const ReduceCall& call, std::string& message) try {
  Gpu& all = gpu();
  if (overlap_in_part(call)) return std::nullopt;
  const device::PointerAttributes input = all.driver.attributes(call.input);
  const device::PointerAttributes output = all.driver.attributes(call.output);
  const bool on_gpu = input.kind == device::MemoryKind::device && output.kind == device::MemoryKind::device;
  if (!on_gpu || input.device != output.device) return std::nullopt;
  const auto address = [](const void* pointer) { return reinterpret_cast<device::Address>(pointer); };
  const auto size = static_cast<std::size_t>(ranks_->size());
  inputs_.assign(size, 0);
  outputs_.assign(size, 0);
  inputs_[static_cast<std::size_t>(ranks_->rank())] = address(call.input);
  outputs_[static_cast<std::size_t>(ranks_->rank())] = address(call.output);
  return CallRecord{.wish = Wish::on_gpu,
                    .operation = static_cast<std::uint32_t>(call.operation),
                    .element = static_cast<std::uint32_t>(call.element),
                    .kernels = has_kernels(message) ? 1U : 0U,
                    .count = call.count,
                    .input = all.exports.find(address(call.input), input),
                    .output = all.exports.find(address(call.output), output)};
} catch (const Error& error) {
  message = error.what();
  return std::nullopt;
}

/// Only who will reduce on its GPU has the driver compile the kernels.
bool Allreduce::has_kernels(std::string& message) {
  if (!gpu().folds) return false;
  const Prepared& best = prepared(best_algorithm());
  return !reduces_on_gpu(best.plan.steps[static_cast<std::size_t>(ranks_->rank())]) || gpu().folds->work(message);
}

std::size_t Allreduce::best_algorithm() const {
  return options_.algorithm.value_or(find_algorithm("leader-fused"));
}

std::uint64_t Allreduce::agree(const CallRecord& record, std::string& message) {
  ++call_;
  RankLine& mine = ranks_->mine();
  mine.call = record;
  std::atomic<std::uint64_t>& verdict = ranks_->head().verdicts[call_ % 2];
  constexpr auto kAgreed = static_cast<std::size_t>(Flag::agreed);
  if (ranks_->rank() == 0) {
    verdict.store(decide(message), std::memory_order_relaxed);
    ranks_->set(mine.flags[kAgreed], call_);
  } else {
    ranks_->set(mine.flags[static_cast<std::size_t>(Flag::arrived)], call_);
    ranks_->wait(0, ranks_->line(0).flags[kAgreed], call_, "agreed", call_);
  }
  return verdict.load(std::memory_order_relaxed);
}

std::uint64_t Allreduce::decide(std::string& message) {
  const CallRecord& first = ranks_->mine().call;
  bool on_gpu = true;
  bool alike = true;
  for (int rank = 1; rank < ranks_->size(); ++rank) {
    const FlagWord& arrived = ranks_->line(rank).flags[static_cast<std::size_t>(Flag::arrived)];
    ranks_->wait(rank, arrived, call_, "arrived", call_);
    const CallRecord& other = ranks_->line(rank).call;
    on_gpu = on_gpu && other.wish == Wish::on_gpu;
    alike = alike && other.count == first.count && other.element == first.element && other.operation == first.operation;
  }
  if (!on_gpu) return kThroughMpi;
  if (!alike) return kMismatch;
  for (const std::size_t algorithm : {best_algorithm(), find_algorithm("staged-host")})
    if (is_usable(algorithm, message)) return kFirstAlgorithm + algorithm;
  return kThroughMpi;
}

bool Allreduce::is_usable(std::size_t algorithm, std::string& message) {
  Prepared& one = prepared(algorithm);
  if (one.state == Prepared::State::bad) return false;
  bool kernels = true;
  for (int rank = 0; rank < ranks_->size(); ++rank) {
    const bool needed = reduces_on_gpu(one.plan.steps[static_cast<std::size_t>(rank)]);
    kernels = kernels && (!needed || ranks_->line(rank).call.kernels != 0);
  }
  if (!kernels) return false;
  if (!reads_buffers_of_others(one.plan)) return true;
  if (static_cast<unsigned>(ranks_->size()) > device::kernel::kMostOperands) return false;
  return can_open_all_buffers(message);
}

/// Also puts them down for the plan. A driver that does not open these buffers may open the next ones.
bool Allreduce::can_open_all_buffers(std::string& message) try {
  Gpu& all = gpu();
  open_.clear();
  for (int rank = 1; rank < ranks_->size(); ++rank) {
    const RankLine& line = ranks_->line(rank);
    const auto at = static_cast<std::size_t>(rank);
    for (const auto& [memory, address] :
         {std::pair(&line.call.input, &inputs_[at]), std::pair(&line.call.output, &outputs_[at])}) {
      if (memory->buffer == 0) return false;
      open_.push_back(all.imports.open(line.process, *memory));
      *address = open_.back()->get() + memory->offset;
    }
  }
  return true;
} catch (const Error& error) {
  message = fmt::format("rank {}: {}", ranks_->rank(), error.what());
  return false;
}

Allreduce::Prepared& Allreduce::prepared(std::size_t algorithm) {
  std::unique_ptr<Prepared>& place = prepared_[algorithm];
  if (!place) {
    place = std::make_unique<Prepared>();
    place->plan = algorithms()[algorithm].plan(ranks_->size());
    place->reached = reached_ranks(place->plan);
  }
  return *place;
}

bool Allreduce::prepare(Prepared& one, std::string& message) {
  if (one.state != Prepared::State::untried) return one.state == Prepared::State::good;
  Gpu& all = gpu();
  one.state = Prepared::State::good;
  if (one.plan.staging_parts > 0 && !staging_is_pinned_) {
    staging_is_pinned_ = true;
    try {
      all.driver.register_host(ranks_->staging().data(), ranks_->staging().size());
    } catch (const Error&) {  // copies are slower then
    }
  }
  const auto needs = [](const std::set<int>& reached) { return !reached.empty(); };
  const int parts = one.plan.scratch_parts[static_cast<std::size_t>(ranks_->rank())];
  const bool anybody = std::ranges::any_of(one.reached, needs) ||
                       std::ranges::any_of(one.plan.scratch_parts, [](int count) { return count > 0; });
  if (!anybody) return true;
  const ScratchUse use{*ranks_, all, stream(), static_cast<std::size_t>(parts) * options_.scratch_piece, one.reached};
  if (!one.scratch.prepare(use, ++preparations_, call_, message)) one.state = Prepared::State::bad;
  return one.state == Prepared::State::good;
}

}  // namespace topowise::collective
