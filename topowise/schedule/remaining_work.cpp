// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/remaining_work.hpp>

#include <algorithm>
#include <map>

namespace topowise {

RemainingWork::RemainingWork(const OrderProblem& problem) {
  const CongestionModel& model = problem.model();
  std::map<std::uint32_t, std::uint32_t> number;
  for (const OrderQueue& queue : problem.queues()) {
    work_.emplace_back();
    queue_seconds_.push_back(0.0);
    for (const OrderItem& item : queue.items) {
      ItemWork work{item.bytes / model.rate_alone(item.flow), {}};
      for (const std::uint32_t link : model.links(item.flow)) {
        const auto entry = number.try_emplace(link, static_cast<std::uint32_t>(number.size())).first;
        work.uses.push_back({entry->second, item.bytes / model.link_limit(link)});
      }
      work_.back().push_back(std::move(work));
    }
  }
  link_seconds_.assign(number.size(), 0.0);
  sum_ = link_seconds_;
  for (std::size_t q = 0; q < problem.queues().size(); ++q) {
    for (std::size_t i = 0; i < problem.queues()[q].items.size(); ++i)
      add(q, static_cast<ItemNumber>(i), static_cast<double>(problem.queues()[q].items[i].messages.size()));
  }
}

void RemainingWork::add(std::size_t queue, ItemNumber item, double sign) {
  const ItemWork& work = work_[queue][item];
  queue_seconds_[queue] += sign * work.alone;
  for (const Use& use : work.uses) link_seconds_[use.link] += sign * use.seconds;
}

double RemainingWork::bound(const OrderProblem::ActiveItems& active, const double* left) {
  std::ranges::copy(link_seconds_, sum_.begin());
  double longest = 0;
  for (std::size_t q = 0; q < work_.size(); ++q) {
    if (active.items[q] == work_[q].size()) {
      longest = std::max(longest, queue_seconds_[q]);
      continue;
    }
    const ItemWork& work = work_[q][active.items[q]];
    longest = std::max(longest, queue_seconds_[q] + left[q] * work.alone);
    for (const Use& use : work.uses) sum_[use.link] += left[q] * use.seconds;
  }
  for (const double seconds : sum_) longest = std::max(longest, seconds);
  return longest;
}

Seconds bound_of_all_orders(const OrderProblem& problem) {
  const std::vector<double> whole(problem.stride(), 1.0);
  return Seconds(RemainingWork(problem).bound(problem.nothing_active(), whole.data()));
}

}  // namespace topowise
