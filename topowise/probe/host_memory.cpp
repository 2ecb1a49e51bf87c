// SPDX-License-Identifier: BSD-3-Clause
// One thread on each processor. A message is one copy: the sender writes it into a buffer that the receiver has touched
// first, so that it lies in the receiver's memory, and then raises a flag; the receiver reads it into its own. Turns
// are counted, so a flag is never taken for an older one. Half of a round trip is one message.
#include <topowise/probe/host_memory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include <topowise/base/error.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise::probe {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kSpins = 2000;  ///< before a waiting thread lets others run

/// Binds the calling thread; false if the processor is not allowed.
bool bind_thread(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

void wait_for(const std::atomic<std::uint64_t>& flag, std::uint64_t turn) {
  for (int spins = 0; flag.load(std::memory_order_acquire) < turn; ++spins) {
    if (spins >= kSpins) std::this_thread::yield();
  }
}

class HostLine final : public Line {
 public:
  HostLine(int first, int second, std::size_t largest) : second_(second) {
    if (first >= 0) bind_thread(first);
    ends_[0].prepare(largest);
    partner_ = std::jthread([this, largest] { answer(largest); });
    wait_for(ends_[1].sent, 1);
  }
  HostLine(const HostLine&) = delete;
  HostLine& operator=(const HostLine&) = delete;
  ~HostLine() override { command(Order::stop, 0); }

  double send(std::size_t bytes) override { return ping_pong(bytes).forth; }
  PingPong ping_pong(std::size_t bytes) override {
    command(Order::ping_pong, bytes);
    const Clock::time_point start = Clock::now();
    send(ends_[0], ends_[1], bytes);
    receive(ends_[0], ends_[1], bytes);
    const double round_trip = std::chrono::duration<double>(Clock::now() - start).count();
    return {round_trip / 2, round_trip / 2};
  }

  double both_ways(std::size_t bytes) override {
    command(Order::both, bytes);
    const Clock::time_point start = Clock::now();
    send(ends_[0], ends_[1], bytes);
    receive(ends_[0], ends_[1], bytes);
    wait_for(done_, turn_);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 private:
  enum class Order : std::uint8_t { ping_pong, both, stop };
  struct alignas(64) End {
    std::vector<char> own;
    std::vector<char> inbox;                         ///< the other end writes here
    alignas(64) std::atomic<std::uint64_t> sent{0};  ///< the turn whose message this end has sent
    std::uint64_t turn = 1;

    void prepare(std::size_t largest) {
      own.assign(largest, 'o');
      inbox.assign(largest, 'i');
    }
  };

  static void send(End& from, End& to, std::size_t bytes) {
    std::memcpy(to.inbox.data(), from.own.data(), bytes);
    from.sent.store(++from.turn, std::memory_order_release);
  }
  static void receive(End& at, End& from, std::size_t bytes) {
    wait_for(from.sent, at.turn);
    std::memcpy(at.own.data(), at.inbox.data(), bytes);
  }

  /// The partner is ready for it when this returns.
  void command(Order order, std::size_t bytes) {
    order_ = order;
    bytes_ = bytes;
    ordered_.store(++turn_, std::memory_order_release);
    if (order != Order::stop) wait_for(accepted_, turn_);
  }

  void answer(std::size_t largest) {
    if (second_ >= 0) bind_thread(second_);
    ends_[1].prepare(largest);
    ends_[1].sent.store(1, std::memory_order_release);
    for (std::uint64_t turn = 1;; ++turn) {
      wait_for(ordered_, turn);
      if (order_ == Order::stop) return;
      const std::size_t bytes = bytes_;
      const Order order = order_;
      accepted_.store(turn, std::memory_order_release);
      if (order == Order::both) {
        send(ends_[1], ends_[0], bytes);
        receive(ends_[1], ends_[0], bytes);
        done_.store(turn, std::memory_order_release);
      } else {
        wait_for(ends_[0].sent, ends_[1].turn + 1);
        std::memcpy(ends_[1].own.data(), ends_[1].inbox.data(), bytes);
        send(ends_[1], ends_[0], bytes);
      }
    }
  }

  std::array<End, 2> ends_;
  int second_;
  std::uint64_t turn_ = 0;
  Order order_ = Order::ping_pong;
  std::size_t bytes_ = 0;
  std::atomic<std::uint64_t> ordered_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> done_{0};
  std::jthread partner_;
};

/// The processors of a list that a process can be bound to; none if the list cannot be read.
std::vector<int> processors_of(const std::string& cpus) {
  std::vector<int> numbers;
  for (const auto& [first, last] : parse_cpu_list(cpus).value_or(CpuRanges{}))
    for (int cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) numbers.push_back(cpu);
  return numbers;
}

bool is_allowed(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(static_cast<std::size_t>(processor), &set) != 0;
}

}  // namespace

HostMemory::HostMemory(const Topology& machine) {
  std::map<std::string, std::size_t> taken;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    const Vertex& vertex = machine.vertex_of(Place(p));
    std::vector<int> near = processors_of(vertex.cpus);
    std::erase_if(near, [](int processor) { return !is_allowed(processor); });
    processors_.push_back(near.empty() ? -1 : near[taken[vertex.cpus]++ % near.size()]);
    if (near.empty()) unbound_.push_back(vertex.name);
  }
  if (machine.place_count() < 2)
    throw not_available(fmt::format("a pair needs two places; '{}' has {}", machine.name(), machine.place_count()),
                        "--topology SOURCE names another machine description");
}

std::vector<std::string> HostMemory::notes() const {
  if (unbound_.empty()) return {};
  return {fmt::format("no processor near {} is known and allowed here: the system chose where those threads ran",
                      fmt::join(unbound_, ", "))};
}

std::vector<Place> HostMemory::places() const {
  std::vector<Place> places;
  for (std::size_t p = 0; p < processors_.size(); ++p) places.emplace_back(p);
  return places;
}

std::unique_ptr<Line> HostMemory::connect(Place first, Place second, std::size_t largest) {
  return std::make_unique<HostLine>(processors_[first.index()], processors_[second.index()], largest);
}

}  // namespace topowise::probe
