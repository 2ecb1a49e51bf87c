// SPDX-License-Identifier: BSD-3-Clause
// The end of a communicator. A rank must not free memory that others have open, and freeing a communicator must not
// wait. So each rank says when it has closed the memory of the others, and it frees its own memory as soon as it
// notices that all have said so.
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include <topowise/collective/collectives.hpp>

namespace topowise::collective {
namespace {

constexpr std::uint64_t kHasClosed = ~std::uint64_t{0} / 2;

std::mutex& closing_mutex() {
  static std::mutex& mutex = *new std::mutex;  // never destroyed, as MPI may end after this library's static objects
  return mutex;
}

FlagWord& closed_flag(const NodeRanks& ranks, int rank) {
  return ranks.line(rank).phases[kClosed];
}

}  // namespace

struct Collectives::Closing {
  std::unique_ptr<NodeRanks> ranks;
  std::vector<std::unique_ptr<Prepared>> offered;

  [[nodiscard]] bool is_over() const {
    for (int rank = 0; rank < ranks->size(); ++rank) {
      const bool closed = closed_flag(*ranks, rank).load(std::memory_order_acquire) == kHasClosed;
      if (!closed && ranks->is_alive(rank)) return false;
    }
    return true;
  }
};

std::vector<std::unique_ptr<Collectives::Closing>>& Collectives::closing() {
  static auto& all = *new std::vector<std::unique_ptr<Closing>>;
  return all;
}

Collectives::~Collectives() {
  for (auto& [key, one] : prepared_) one->scratch.close_imports();
  if (staging_is_pinned_) {
    try {
      gpu().driver.unregister_host(ranks_->staging().data());
    } catch (const std::exception&) {  // it was not pinned, or the driver is gone
    }
  }
  ranks_->set(closed_flag(*ranks_, ranks_->rank()), kHasClosed);
  keep_what_others_have_open();
  sweep(false);
}

void Collectives::keep_what_others_have_open() noexcept {
  const auto is_offered = [](const auto& entry) { return entry.second->scratch.offers(); };
  const auto offered = static_cast<std::size_t>(std::ranges::count_if(prepared_, is_offered));
  if (offered == 0) return;
  try {
    auto end = std::make_unique<Closing>();
    end->offered.reserve(offered);
    const std::lock_guard lock(closing_mutex());
    closing().reserve(closing().size() + 1);
    for (auto& [key, one] : prepared_)
      if (one->scratch.offers()) end->offered.push_back(std::move(one));
    end->ranks = std::move(ranks_);
    closing().push_back(std::move(end));
  } catch (const std::bad_alloc&) {  // then it stays for ever
    for (auto& [key, one] : prepared_)
      if (one->scratch.offers()) static_cast<void>(one.release());
  }
}

void Collectives::sweep(bool wait) {
  constexpr int kLooks = 5000;  // two milliseconds each
  const std::lock_guard lock(closing_mutex());
  for (int look = 0; !closing().empty(); ++look) {
    std::erase_if(closing(), [](const std::unique_ptr<Closing>& end) { return end->is_over(); });
    if (!wait || closing().empty()) return;
    if (look == kLooks) return closing().clear();
    ::usleep(2000);
  }
}

}  // namespace topowise::collective
