// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <topowise/benchmark/exchange_memory.hpp>

namespace topowise::benchmark {
namespace {

class HostExchange final : public ExchangeMemory {
 public:
  HostExchange(const mpi::Messages& messages, MemorySizes sizes)
      : messages_(messages), out_(sizes.out), in_(sizes.in) {}

  void exchange(const RankMessages& own) override {
    outgoing_.clear();
    incoming_.clear();
    for (const Part& part : own.out) outgoing_.push_back({out_.data(), part.bytes, part.other});
    for (const Part& part : own.in) incoming_.push_back({in_.data() + part.offset, part.bytes, part.other});
    messages_.exchange(outgoing_, incoming_);
  }

  void mark(unsigned char value) override { std::ranges::fill(out_, value); }
  [[nodiscard]] unsigned char received(std::size_t offset) const override { return in_[offset]; }

 private:
  const mpi::Messages& messages_;
  std::vector<unsigned char> out_, in_;
  std::vector<mpi::OutgoingMessage> outgoing_;
  std::vector<mpi::IncomingMessage> incoming_;
};

}  // namespace

std::unique_ptr<ExchangeMemory> host_exchange_memory(const mpi::Messages& messages, MemorySizes sizes) {
  return std::make_unique<HostExchange>(messages, sizes);
}

}  // namespace topowise::benchmark
