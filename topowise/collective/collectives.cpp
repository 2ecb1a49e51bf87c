// SPDX-License-Identifier: BSD-3-Clause
// The agreement: what all ranks do, decided by rank 0 from what each wants.
#include <topowise/collective/collectives.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/hash.hpp>
#include <topowise/device/scope.hpp>

namespace topowise::collective {
namespace {

std::size_t staging_parts(int ranks) {
  return static_cast<std::size_t>(ranks) + 1;
}

constexpr auto kArrived = static_cast<std::size_t>(Flag::arrived);
constexpr auto kAgreed = static_cast<std::size_t>(Flag::agreed);

/// Elements of the input or of the output; `share`: this vector is the share of one rank.
std::uint64_t elements(const CollectiveCall& call, bool share, int ranks) {
  const bool has_shares = shares_inputs(call.collective) || shares_outputs(call.collective);
  return has_shares && !share ? call.count * static_cast<std::uint64_t>(ranks) : call.count;
}

/// Whether input and output overlap so that a plan would read input that it has already overwritten. An input that is a
/// share may lie at its own place in the output.
bool overlap_in_part(const CollectiveCall& call, int rank, int ranks) {
  if (call.input == nullptr || call.output == nullptr) return false;
  const std::uint64_t size = device::size_of(call.element);
  const auto input = reinterpret_cast<std::uintptr_t>(call.input);
  const auto output = reinterpret_cast<std::uintptr_t>(call.output);
  const std::uint64_t share = static_cast<std::uint64_t>(rank) * call.bytes();
  // In place. Where outputs are shares, each lies in the first share of its input, which rank 0's result has used up.
  if (input == output + (shares_inputs(call.collective) ? share : 0)) return false;
  return input < output + elements(call, shares_outputs(call.collective), ranks) * size &&
         output < input + elements(call, shares_inputs(call.collective), ranks) * size;
}

}  // namespace

Collectives::Collectives(int rank, int size, const CollectiveOptions& options, const Exchange& exchange, Across across)
    : options_(options),
      across_(std::move(across)),
      layouts_{layout_in_turn(size)},
      counts_(algorithms().size(), 0),
      ranks_(NodeRanks::meet(rank, size, staging_parts(size) * options.staging_piece, exchange)) {
  layouts_[0].nodes = across_.nodes;
  ranks_->progress_by(std::move(options_.progress));
}

void Collectives::pass() noexcept {
  ++call_;
  if (across_.nodes > 1 && ranks_->rank() == 0 && !ranks_->failed()) give_way();
  ++round_;
  RankLine& mine = ranks_->mine();
  if (ranks_->rank() == 0) {
    ranks_->set_quickly(mine.flags[kAgreed], round_);
  } else {
    // Rank 0 may still read what this rank has written for a call before, which can only be the same.
    if (mine.call.proposal != Proposal::through_mpi) mine.call.proposal = Proposal::through_mpi;
    ranks_->set_quickly(mine.flags[kArrived], round_);
  }
}

/// MPI's broadcast lets its root get any number of calls ahead. A rank behind it finds a later call here, which may
/// have taken the place of its own: it takes its own for spoiled, too. So it may return an error for a vector that is
/// right, but no success for one that is not.
void Collectives::spoil() noexcept {
  std::atomic<std::uint64_t>& last = ranks_->head().spoiled.at(call_ % 2);
  std::uint64_t before = last.load(std::memory_order_relaxed);
  while (before < call_ && !last.compare_exchange_weak(before, call_, std::memory_order_acq_rel)) {
  }
}

bool Collectives::is_spoiled() const noexcept {
  return ranks_->head().spoiled.at(call_ % 2).load(std::memory_order_acquire) >= call_;
}

/// Selects the device on which the vectors of a call lie. `scope` stays empty if there is none or the driver does not
/// tell.
void Collectives::enter_device(const CollectiveCall& call, std::optional<device::DeviceScope>& scope,
                               std::string& message) try {
  const device::Driver& driver = gpu().driver;
  device_ = driver.attributes(call.input != nullptr ? call.input : call.output).device;
  if (device_ >= 0) scope.emplace(driver, device_);
} catch (const std::exception& error) {
  message = error.what();
}

Outcome Collectives::try_perform(const CollectiveCall& call, std::string& message) {
  if (ranks_->failed_by(call_)) {
    ++call_;  // all ranks count alike
    ++round_;
    return Outcome::through_mpi;
  }
  now_ = call;
  std::optional<device::DeviceScope> scope;
  std::optional<CallRecord> record;
  if (call.count == 0) {
    record = {.proposal = Proposal::on_gpu};
  } else {
    enter_device(call, scope, message);
    if (scope) record = record_of(call, message);
  }
  if (!record) {
    pass();
    return Outcome::through_mpi;
  }
  ++call_;
  for (;;) {
    const CallDecision decision = agree(*record, message);
    switch (decision.kind) {
      case CallDecision::Kind::through_mpi:
        return Outcome::through_mpi;
      case CallDecision::Kind::mismatch:
        message = fmt::format("the ranks call {} with different counts, types or operations, or another function",
                              to_string(call.collective));
        return Outcome::failed;
      case CallDecision::Kind::prepare:
        prepare(decision.algorithm, message);
        continue;
      case CallDecision::Kind::open:
        tries_ = true;
        try_buffers(decision.algorithm, message);
        continue;
      case CallDecision::Kind::run:
        break;
    }
    runs_ = true;
    Prepared& chosen = prepared(decision.algorithm);
    if (across_.nodes > 1)
      run_across(chosen, call);
    else
      run(chosen, call);
    close_opened();
    needs_others_ = across_.nodes == 1 && chosen.several_work;
    ++counts_[decision.algorithm];
    return Outcome::done;
  }
}

/// What this rank says to the others of a call; nothing if the GPU cannot do it, or this rank has no memory to look. A
/// rank must not fail here, because others may have passed the call on to MPI already.
std::optional<CallRecord> Collectives::record_of(const CollectiveCall& call, std::string& message) try {
  Gpu& all = gpu();
  if (overlap_in_part(call, ranks_->rank(), ranks_->size())) return std::nullopt;
  const auto size = static_cast<std::size_t>(ranks_->size());
  inputs_.assign(size, 0);
  outputs_.assign(size, 0);
  const device::Device& here = all.driver.devices().at(static_cast<std::size_t>(device_));
  CallRecord record{.proposal = Proposal::on_gpu,
                    .operation = static_cast<std::uint32_t>(call.operation),
                    .element = static_cast<std::uint32_t>(call.element),
                    .kernels = all.folds ? 1U : 0U,
                    .collective = static_cast<std::uint32_t>(call.collective),
                    .root = call.root,
                    .count = call.count,
                    .gpu = name_of_gpu(here)};
  here.pci.copy(record.pci.data(), record.pci.size() - 1);
  const auto find = [&](const void* buffer, SharedMemory& memory, std::vector<device::Address>& addresses) {
    if (buffer == nullptr) return true;
    const device::PointerAttributes attributes = all.driver.attributes(buffer);
    const auto address = reinterpret_cast<device::Address>(buffer);
    addresses[static_cast<std::size_t>(ranks_->rank())] = address;
    if (address % device::alignment_of(call.element) != 0) return false;
    memory = all.exports.find(address, attributes);
    return attributes.kind == device::MemoryKind::device && attributes.device == device_;
  };
  if (!find(call.input, record.input, inputs_) || !find(call.output, record.output, outputs_)) return std::nullopt;
  return record;
} catch (const std::exception& error) {
  message = error.what();
  return std::nullopt;
}

CallDecision Collectives::agree(const CallRecord& record, std::string& message) {
  ++round_;
  RankLine& mine = ranks_->mine();
  // A rank that has sent a call through MPI may have left it, and may be here, before rank 0 has come to it: MPI's
  // broadcast and reduce do not keep ranks together.
  if (ranks_->rank() != 0) ranks_->wait(0, ranks_->line(0).flags[kAgreed], round_ - 1, "agreed", call_);
  mine.call = record;
  std::atomic<std::uint64_t>& decision = ranks_->head().decision;
  if (ranks_->rank() == 0) {
    const CallDecision decided = decide(message);
    if (decided.kind != CallDecision::Kind::through_mpi)
      decision.store(decided.word(round_), std::memory_order_relaxed);
    ranks_->set(mine.flags[kAgreed], round_);
    return decided;
  }
  ranks_->set(mine.flags[kArrived], round_);
  ranks_->wait(0, ranks_->line(0).flags[kAgreed], round_, "agreed", call_);
  return CallDecision::of(decision.load(std::memory_order_relaxed), round_);
}

CallDecision Collectives::decide(std::string& message) {
  if (across_.nodes == 1) return decide_on_node(message);
  if (!takes_part(true)) return {};
  CallDecision mine;
  bool failed = false;
  try {
    mine = decide_on_node(message);
  } catch (const PeerFailure& failure) {  // the other nodes must learn of it
    message = failure.what();
    failed = true;
  }
  const bool first_here = mine.kind == CallDecision::Kind::prepare || mine.kind == CallDecision::Kind::open;
  return first_here ? mine : decide_across(mine, failed);
}

/// Decides for the ranks of this node, once all have arrived. Nothing has been done yet: a rank 0 that has no memory to
/// choose leaves the call to MPI.
CallDecision Collectives::decide_on_node(std::string& message) {
  const CallRecord& first = ranks_->mine().call;
  bool on_gpu = true;
  bool alike = true;
  for (int rank = 1; rank < ranks_->size(); ++rank) {
    ranks_->wait(rank, ranks_->line(rank).flags[kArrived], round_, "arrived", call_);
    const CallRecord& other = ranks_->line(rank).call;
    on_gpu = on_gpu && other.proposal == Proposal::on_gpu;
    alike = alike && other.count == first.count && other.element == first.element &&
            other.operation == first.operation && other.collective == first.collective && other.root == first.root;
  }
  if (!on_gpu) return {};
  if (!alike) return {CallDecision::Kind::mismatch};
  if (first.count == 0) return {};
  try {
    publish_layout();
    if (across_.nodes > 1) static_cast<void>(prepared(find_algorithm("staged-host")));  // what the nodes may agree on
    return pick();
  } catch (const std::exception& error) {
    message = error.what();
    return {};
  }
}

std::vector<std::size_t> Collectives::order_of_preference() {
  const Layout& layout = layouts_[layout_];
  if (!options_.algorithm) {
    static const std::optional<Tuning> nothing;
    const std::optional<Tuning>& tuning = options_.tuning == nullptr ? nothing : options_.tuning(notice_);
    return preferred_algorithms(now_.collective, layout, now_.bytes(), tuning);
  }
  const bool can = algorithms()[*options_.algorithm].does(now_.collective, layout);
  return {can ? *options_.algorithm : find_algorithm("leader-fused"), find_algorithm("staged-host")};
}

CallDecision Collectives::pick() {
  for (const std::size_t algorithm : order_of_preference()) {
    const Prepared& one = prepared(algorithm);
    notice_lack_of_kernels(algorithm, one);
    if (one.state == Prepared::State::bad || !kernels_and_handles(one)) continue;
    if (one.state == Prepared::State::untried || layout_is_news_) return {CallDecision::Kind::prepare, algorithm};
    const bool opens = std::ranges::any_of(one.opened, [](const std::set<int>& others) { return !others.empty(); });
    if (!opens) return {CallDecision::Kind::run, algorithm};
    const std::uint64_t buffers = name_of_buffers(algorithm);
    if (good_buffers_.contains(buffers)) return {CallDecision::Kind::run, algorithm};
    if (!bad_buffers_.contains(buffers)) return {CallDecision::Kind::open, algorithm};
  }
  return {};
}

/// Without kernels every call goes another way than the user expects; nothing else says so.
void Collectives::notice_lack_of_kernels(std::size_t algorithm, const Prepared& one) {
  static std::atomic<bool> told{false};
  if (told.load(std::memory_order_relaxed)) return;
  for (int rank = 0; rank < ranks_->size(); ++rank) {
    if (!reduces_on_gpu(one.plan, rank) || ranks_->line(rank).call.kernels != 0) continue;
    if (told.exchange(true)) return;
    const std::string& own = gpu().lack_of_kernels;
    notice_ += fmt::format("{}{} is not used: {}", notice_.empty() ? "" : "; ", algorithms()[algorithm].name,
                           own.empty() ? fmt::format("rank {} has no GPU kernels", rank) : own);
    return;
  }
}

/// Whether the ranks have the kernels and the handles that a plan needs, as far as rank 0 sees from their records.
bool Collectives::kernels_and_handles(const Prepared& one) const {
  const int ranks = ranks_->size();
  bool good = true;
  for (int rank = 0; rank < ranks; ++rank) {
    good = good && (!reduces_on_gpu(one.plan, rank) || ranks_->line(rank).call.kernels != 0);
    const std::set<int>& others = one.opened[static_cast<std::size_t>(rank)];
    good = good && others.size() < device::kernel::kMostOperands;
    for (const int other : others) {
      const CallRecord& call = ranks_->line(other).call;
      good = good && (!has_input(now_.collective, now_.root, other) || call.input.buffer != 0) &&
             (!has_output(now_.collective, now_.root, other) || call.output.buffer != 0);
    }
  }
  return good;
}

/// The name of a set of buffers: a driver that does not open these buffers may open others; what it has opened it will
/// open again.
std::uint64_t Collectives::name_of_buffers(std::size_t algorithm) const {
  Fnv1a name;
  name.add_word(algorithm);
  name.add_word(layout_);
  for (int rank = 0; rank < ranks_->size(); ++rank) {
    name.add_word(ranks_->line(rank).call.input.buffer);
    name.add_word(ranks_->line(rank).call.output.buffer);
  }
  return name.value();
}

}  // namespace topowise::collective
