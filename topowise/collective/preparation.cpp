// SPDX-License-Identifier: BSD-3-Clause
// What all ranks do together before the first use of an algorithm, of a layout and of buffers.
#include <fmt/format.h>

#include <algorithm>

#include <topowise/collective/collectives.hpp>
#include <topowise/collective/gpu/islands.hpp>

namespace topowise::collective {
namespace {

/// The most sets of buffers that are remembered.
constexpr std::size_t kMostRemembered = 1024;

}  // namespace

bool Collectives::all_agree(bool good) {
  return ranks_->all_agree(kPrepared, ++preparations_, good, call_);
}

Collectives::Prepared& Collectives::prepared(std::size_t algorithm) {
  const int root = has_root(now_.collective) ? now_.root : 0;
  const auto key = std::tuple(layout_, algorithm, static_cast<int>(now_.collective), root);
  if (const auto known = prepared_.find(key); known != prepared_.end()) return *known->second;
  auto made = std::make_unique<Prepared>();
  made->plan = algorithms()[algorithm].plan(now_.collective, layouts_[layout_], root);
  made->reached = reached_ranks(made->plan);
  made->opened = ranks_with_opened_buffers(made->plan);
  made->several_work = working_ranks(made->plan) > 1;
  const auto needs = [](const std::set<int>& reached) { return !reached.empty(); };
  const auto has_parts = [](int parts) { return parts > 0; };
  const bool anything = algorithms()[algorithm].kernels || std::ranges::any_of(made->reached, needs) ||
                        std::ranges::any_of(made->plan.scratch_parts, has_parts);
  if (!anything) made->state = Prepared::State::good;
  return *prepared_.emplace(key, std::move(made)).first->second;
}

void Collectives::prepare(std::size_t algorithm, std::string& message) {
  read_layout();
  layout_is_news_ = false;
  Prepared& one = prepared(algorithm);
  if (one.state == Prepared::State::untried)
    one.state = make_ready(one, message) ? Prepared::State::good : Prepared::State::bad;
  else
    static_cast<void>(all_agree(true));  // so that all have read the layout
}

bool Collectives::make_ready(Prepared& one, std::string& message) {
  Gpu& all = gpu();
  // Only a rank that will reduce on its GPU lets the driver compile the kernels.
  const bool works = !reduces_on_gpu(one.plan, ranks_->rank()) ||
                     (all.folds && all.folds->work(now_.operation, now_.element, message));
  if (!all_agree(works)) return false;
  const int parts = one.plan.scratch_parts[static_cast<std::size_t>(ranks_->rank())];
  pin_staging(one.plan);
  const ScratchUse use{*ranks_, all, stream(), static_cast<std::size_t>(parts) * options_.scratch_piece, one.reached};
  return one.scratch.prepare(use, ++preparations_, call_, message);
}

void Collectives::pin_staging(const Plan& plan) {
  if (plan.staging_parts == 0 || staging_is_pinned_) return;
  staging_is_pinned_ = true;
  try {
    gpu().driver.register_host(ranks_->staging().data(), ranks_->staging().size());
  } catch (const Error&) {  // copies are slower then
  }
}

/// Rank 0 makes the layout from what all have written down.
void Collectives::publish_layout() {
  DirectoryHead& head = ranks_->head();
  const int size = ranks_->size();
  Layout layout = layout_in_turn(size);
  layout.nodes = across_.nodes;
  std::vector<std::uint64_t> names;
  std::vector<std::string> pci;
  if (static_cast<std::size_t>(size) <= DirectoryHead::kMostInLayout) {
    for (int rank = 0; rank < size; ++rank) {
      const CallRecord& call = ranks_->line(rank).call;
      const auto known = std::ranges::find(names, call.gpu);
      layout.gpu[static_cast<std::size_t>(rank)] = static_cast<int>(known - names.begin());
      if (known != names.end()) continue;
      names.push_back(call.gpu);
      pci.emplace_back(call.pci.data());
    }
  }
  if (names.size() > 1) {
    const Islands islands = find_islands(gpu().driver, pci);
    layout.island = islands.island;
    layout.bonded = islands.bonded;
  }
  if (layout == layouts_[layout_]) return;
  for (std::size_t rank = 0; rank < layout.gpu.size() && rank < head.gpu.size(); ++rank)
    head.gpu[rank] = static_cast<std::uint8_t>(layout.gpu[rank]);
  for (std::size_t gpu = 0; gpu < layout.island.size(); ++gpu)
    head.island[gpu] = static_cast<std::uint8_t>(layout.island[gpu]);
  head.gpus = layout.gpus();
  head.bonded = layout.bonded ? 1 : 0;
  layout_is_news_ = true;
  read_layout();
}

void Collectives::read_layout() {
  const DirectoryHead& head = ranks_->head();
  Layout layout{.bonded = head.bonded != 0, .nodes = across_.nodes};
  layout.gpu.assign(static_cast<std::size_t>(ranks_->size()), 0);
  for (std::size_t rank = 0; rank < layout.gpu.size() && rank < head.gpu.size(); ++rank)
    layout.gpu[rank] = head.gpu[rank];
  for (int gpu = 0; gpu < head.gpus; ++gpu) layout.island.push_back(head.island[static_cast<std::size_t>(gpu)]);
  const auto known = std::ranges::find(layouts_, layout);
  layout_ = static_cast<std::size_t>(known - layouts_.begin());
  if (known == layouts_.end()) layouts_.push_back(layout);
}

/// Opens the buffers of others that the plan uses, and notes where this rank reaches them.
void Collectives::open_buffers(const Prepared& one) {
  open_.clear();
  for (const int other : one.opened[static_cast<std::size_t>(ranks_->rank())]) {
    const RankLine& line = ranks_->line(other);
    const auto at = static_cast<std::size_t>(other);
    for (const auto& [memory, address] :
         {std::pair(&line.call.input, &inputs_[at]), std::pair(&line.call.output, &outputs_[at])}) {
      if (memory->buffer == 0) continue;
      open_.push_back(gpu().imports.open(line.process, *memory));
      *address = open_.back()->get() + memory->offset;
    }
  }
}

/// Tries to open the buffers: a driver may share the handle of memory, and yet not open it.
void Collectives::try_buffers(std::size_t algorithm, std::string& message) {
  bool good = true;
  const bool first = ranks_->rank() == 0;
  const std::uint64_t name = first ? name_of_buffers(algorithm) : 0;  // once all have agreed they write down their next
  try {
    open_buffers(prepared(algorithm));
  } catch (const Error& error) {
    message = fmt::format("rank {}: {}", ranks_->rank(), error.what());
    good = false;
  }
  good = all_agree(good);
  if (!first) return;
  // Buffers are good only after they were opened twice: the second time they stay open, which must not fail
  // unexpectedly.
  std::set<std::uint64_t>& known = !good ? bad_buffers_ : opened_once_.contains(name) ? good_buffers_ : opened_once_;
  if (known.size() >= kMostRemembered) known.clear();
  known.insert(name);
}

}  // namespace topowise::collective
