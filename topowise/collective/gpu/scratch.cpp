// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/gpu/scratch.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace topowise::collective {
namespace {

using Word = std::uint64_t;

/// What `owner` writes for all, and what `user` writes into its memory.
Word pattern(const NodeRanks& ranks, int owner, int user) {
  return ranks.head().nonce + static_cast<Word>(owner) * 1000003 + static_cast<Word>(user) * 7919 + 1;
}
/// The place of `user` in the memory of an owner; the owner's own word comes first.
std::size_t place_of(int user) {
  return (static_cast<std::size_t>(user) + 1) * sizeof(Word);
}

/// Waits for a copy, even where that fails: the copy may still be under way, to or from a word that is about to go.
void finish(const device::Driver& driver, device::Handle stream) {
  try {
    driver.synchronize_stream(stream);
  } catch (const Error&) {
    device::settle(driver, stream);
    throw;
  }
}

Word read_word(const device::Driver& driver, device::Address from, device::Handle stream) {
  Word word = 0;
  driver.copy_to_host(&word, from, sizeof word, stream);
  finish(driver, stream);
  return word;
}

void write_word(const device::Driver& driver, device::Address to, Word word, device::Handle stream) {
  driver.copy_to_device(to, &word, sizeof word, stream);
  finish(driver, stream);
}

std::string told_by(int rank, const Error& error) {
  return fmt::format("rank {}: {}", rank, error.what());
}

}  // namespace

bool Scratch::offer(const ScratchUse& use, std::string& why) try {
  ScratchRecord& record = use.ranks.mine().scratch;
  const device::Driver& driver = use.gpu.driver;
  const int device = driver.selected();
  mine_ = device::make_memory(driver, device, std::max(use.bytes, place_of(use.ranks.size())));
  write_word(driver, mine_.get(), pattern(use.ranks, use.ranks.rank(), -1), use.stream);
  record = {.handle = driver.export_memory(mine_.get()), .address = mine_.get()};
  return true;
} catch (const Error& error) {
  why = told_by(use.ranks.rank(), error);
  return false;
}

bool Scratch::open(const ScratchUse& use, std::string& why) try {
  const int rank = use.ranks.rank();
  const device::Driver& driver = use.gpu.driver;
  for (const int owner : use.reached[static_cast<std::size_t>(rank)]) {
    const RankLine& line = use.ranks.line(owner);
    imports_[owner] = open_memory(driver, line.process, line.scratch.handle, line.scratch.address);
    const device::Address memory = imports_[owner].get();
    if (read_word(driver, memory, use.stream) != pattern(use.ranks, owner, -1)) {
      why =
          fmt::format("rank {} opens GPU memory of rank {}, but does not find there what that rank wrote", rank, owner);
      return false;
    }
    write_word(driver, memory + place_of(rank), pattern(use.ranks, owner, rank), use.stream);
  }
  return true;
} catch (const Error& error) {
  why = told_by(use.ranks.rank(), error);
  return false;
}

bool Scratch::was_written(const ScratchUse& use, std::string& why) const try {
  const int rank = use.ranks.rank();
  for (int user = 0; user < use.ranks.size(); ++user) {
    if (!use.reached[static_cast<std::size_t>(user)].contains(rank)) continue;
    const device::Address word = mine_.get() + place_of(user);
    if (read_word(use.gpu.driver, word, use.stream) == pattern(use.ranks, rank, user)) continue;
    why = fmt::format("rank {} does not find in its GPU memory what rank {} wrote there", rank, user);
    return false;
  }
  return true;
} catch (const Error& error) {
  why = told_by(use.ranks.rank(), error);
  return false;
}

bool Scratch::prepare(const ScratchUse& use, std::uint64_t number, std::uint64_t call, std::string& why) {
  rank_ = use.ranks.rank();
  if (!use.ranks.all_agree(0, number, offer(use, why), call)) return false;
  if (!use.ranks.all_agree(1, number, open(use, why), call)) return false;
  return use.ranks.all_agree(2, number, was_written(use, why), call);
}

device::Address Scratch::of(int owner) const {
  return owner == rank_ ? mine_.get() : imports_.at(owner).get();
}

}  // namespace topowise::collective
