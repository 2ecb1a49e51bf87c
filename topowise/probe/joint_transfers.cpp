// SPDX-License-Identifier: BSD-3-Clause
// A host queues copies one by one, so the first would be under way before the last is known to its GPU. Therefore all
// of them wait for a gate: an event behind work that keeps one GPU busy, filling its own memory, for as long as the
// host needs. If the gate has opened before everything is queued, the copies are repeated behind a gate of twice the
// work. A time is taken between two events of the source GPU, one behind the gate and one behind the copy: drivers do
// not compare events of different GPUs.
#include <topowise/probe/joint_transfers.hpp>

#include <fmt/format.h>

#include <topowise/base/plural.hpp>

namespace topowise::probe {
namespace {

constexpr std::size_t kGateBytes = std::size_t{16} << 20;
constexpr int kMostFills = 4096;  ///< beyond it the host, not the gate, is what is too slow

}  // namespace

/// The copies of one queue, with the stream and the events that they need.
struct GpuTransfers::Queue {
  struct Copy {
    std::size_t transfer = 0;  ///< its number in the list
    device::Address from{}, to{};
    int target = 0;
    device::OwnedEvent end;
  };
  int source = 0;
  device::OwnedStream stream;
  device::OwnedEvent start;
  std::vector<Copy> copies;
};

GpuTransfers::GpuTransfers(GpuMemory& memory, std::size_t largest)
    : memory_(memory),
      driver_(memory.driver()),
      largest_(largest),
      gate_gpu_(memory.ordinal(memory.places().front())),
      gate_stream_(device::make_stream(driver_, gate_gpu_)),
      gate_memory_(device::make_memory(driver_, gate_gpu_, kGateBytes)),
      gate_(device::make_event(driver_, gate_gpu_, device::Timing::no)) {}

device::Address GpuTransfers::arrival(int ordinal, std::size_t index) {
  std::vector<device::OwnedMemory>& in = buffers_[ordinal].in;
  while (in.size() <= index) in.push_back(device::make_memory(driver_, ordinal, largest_));
  return in[index].get();
}

std::vector<GpuTransfers::Queue> GpuTransfers::make_queues(std::span<const JointTransfer> transfers) {
  std::vector<Queue> queues;
  std::map<std::uint32_t, std::size_t> queue_of;
  std::map<int, std::size_t> arriving;
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    const JointTransfer& transfer = transfers[t];
    const int source = memory_.ordinal(transfer.from);
    const int target = memory_.ordinal(transfer.to);
    memory_.reach(source, target);
    const auto [entry, is_new] = queue_of.try_emplace(transfer.queue, queues.size());
    if (is_new)
      queues.push_back(
          {source, device::make_stream(driver_, source), device::make_event(driver_, source, device::Timing::yes), {}});
    device::OwnedMemory& out = buffers_[source].out;
    if (out.get() == device::Address{}) out = device::make_memory(driver_, source, largest_);
    queues[entry->second].copies.push_back({t, out.get(), arrival(target, arriving[target]++), target,
                                            device::make_event(driver_, source, device::Timing::yes)});
  }
  return queues;
}

void GpuTransfers::close_gate() const {
  driver_.select(gate_gpu_);
  for (int fill = 0; fill < fills_; ++fill) driver_.fill(gate_memory_.get(), 0, kGateBytes, gate_stream_.get());
  driver_.record(gate_.get(), gate_stream_.get());
}

TransferTimes GpuTransfers::run_once(std::span<const JointTransfer> transfers, std::vector<Queue>& queues) {
  ++runs_;
  while (true) {
    close_gate();
    for (const Queue& queue : queues) {
      driver_.select(queue.source);
      driver_.wait(queue.stream.get(), gate_.get());
      driver_.record(queue.start.get(), queue.stream.get());
      for (const Queue::Copy& copy : queue.copies) {
        driver_.copy_peer(copy.to, copy.target, copy.from, queue.source, transfers[copy.transfer].bytes,
                          queue.stream.get());
        driver_.record(copy.end.get(), queue.stream.get());
      }
    }
    driver_.select(gate_gpu_);
    const bool in_time = !driver_.event_has_happened(gate_.get());
    TransferTimes times(transfers.size());
    for (const Queue& queue : queues) {
      driver_.select(queue.source);
      driver_.synchronize_stream(queue.stream.get());
      for (const Queue::Copy& copy : queue.copies)
        times[copy.transfer] = driver_.seconds_between(queue.start.get(), copy.end.get());
    }
    if (in_time || fills_ >= kMostFills) {
      late_ += in_time ? 0 : 1;
      return times;
    }
    fills_ *= 2;
  }
}

std::vector<TransferTimes> GpuTransfers::run(std::span<const JointTransfer> transfers, int repetitions, int warm_up) {
  std::vector<Queue> queues = make_queues(transfers);
  for (int i = 0; i < warm_up; ++i) static_cast<void>(run_once(transfers, queues));
  std::vector<TransferTimes> times;
  for (int i = 0; i < repetitions; ++i) times.push_back(run_once(transfers, queues));
  return times;
}

std::vector<std::string> GpuTransfers::notes() const {
  if (late_ == 0) return {};
  return {
      fmt::format("the host was too slow to let all copies begin together in {} of {}", late_, counted(runs_, "run"))};
}

}  // namespace topowise::probe
