// SPDX-License-Identifier: BSD-3-Clause
// Goes through the host, as MPI libraries do it, but with one copy each way: all copy into memory of the host that
// they share, each reduces its share of the elements there, all copy the result back. It needs neither kernels nor
// access of one process to another's GPU memory.
#include <topowise/collective/plan/algorithms.hpp>

namespace topowise::collective {
namespace {

Region part(int number) {
  return {Store::staging, 0, number};
}

/// The steps of one rank, as they are written down.
class Writer {
 public:
  Writer(Plan& plan, int rank) : plan_(plan), rank_(rank), steps_(plan.steps[static_cast<std::size_t>(rank)]) {}

  void reduction() {
    const bool scattered = plan_.collective == Collective::reduce_scatter;
    const bool takes = has_output(plan_.collective, plan_.root, rank_);
    // A rank that waits for all shares of the result knows that all have read; a rank that does not asks before it
    // overwrites.
    const bool waits_later = plan_.nodes > 1 || (takes && !scattered);
    if (!waits_later) all_others(Flag::reduced, 1);
    for (int share = 0; share < (scattered ? plan_.ranks : 1); ++share)
      add(copy_step(part(rank_), {Store::input, rank_}, scattered ? Slice{share, plan_.ranks} : Slice{}));
    add(synchronize_step());
    tell(Flag::copied);
    all_others(Flag::copied);
    std::vector<Region> parts;
    for (int rank = 0; rank < plan_.ranks; ++rank) parts.push_back(part(rank));
    add(reduce_step({result()}, parts, {rank_, plan_.ranks}));
    tell(Flag::reduced);
    if (plan_.nodes > 1)
      across();
    else if (waits_later)
      all_others(Flag::reduced);
    if (!takes) return;
    add(copy_step({Store::output, rank_}, result(), scattered ? Slice{rank_, plan_.ranks} : Slice{}));
    add(synchronize_step());
  }

  void broadcast() {
    if (plan_.ranks == 1) return add(synchronize_step());
    if (rank_ == plan_.root) {
      all_others(Flag::taken, 1);
      add(copy_step(part(0), {Store::input, rank_}));
      add(synchronize_step());
      return tell(Flag::copied);
    }
    add(wait_step(plan_.root, Flag::copied));
    add(copy_step({Store::output, rank_}, part(0)));
    add(synchronize_step());
    tell(Flag::taken);
  }

  void allgather() {
    all_others(Flag::taken, 1);
    add(copy_step(part(0), {Store::input, rank_}, {rank_, plan_.ranks}));
    add(synchronize_step());
    tell(Flag::copied);
    all_others(Flag::copied);
    for (int share = 0; share < plan_.ranks; ++share)
      add(copy_step({Store::output, rank_}, part(0), {share, plan_.ranks}));
    add(synchronize_step());
    tell(Flag::taken);
  }

 private:
  [[nodiscard]] Region result() const { return part(plan_.ranks); }
  void add(Step step) { steps_.push_back(std::move(step)); }
  void tell(Flag flag) {
    if (plan_.ranks > 1) add(signal_step(flag));
  }
  void all_others(Flag flag, int age = 0) {
    for (int other = 0; other < plan_.ranks; ++other)
      if (other != rank_) add(wait_step(other, flag, 0, age));
  }
  void across() {
    if (rank_ > 0) return add(wait_step(0, Flag::complete));
    all_others(Flag::reduced);
    add(across_step(result()));
    tell(Flag::complete);
  }

  Plan& plan_;
  int rank_;
  std::vector<Step>& steps_;
};

}  // namespace

Plan staged_host(Collective collective, const Layout& layout, int root) {
  Plan plan = plan_with_agreement("staged-host", layout.ranks());
  plan.collective = collective;
  plan.root = root;
  plan.nodes = layout.nodes;
  plan.staging_parts = combines(collective) ? plan.ranks + 1 : 1;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    Writer writer(plan, rank);
    if (collective == Collective::broadcast)
      writer.broadcast();
    else if (collective == Collective::allgather)
      writer.allgather();
    else
      writer.reduction();
  }
  return plan;
}

}  // namespace topowise::collective
