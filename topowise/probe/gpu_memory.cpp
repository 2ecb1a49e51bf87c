// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/gpu_memory.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <thread>

#include <topowise/base/error.hpp>
#include <topowise/device/owned.hpp>

namespace topowise::probe {
namespace {

using device::Driver;
using device::Timing;

/// Both GPUs have memory to send from and memory to receive into, so that messages each way never share any.
class GpuLine final : public Line {
 public:
  GpuLine(const Driver& driver, int first, int second, std::size_t largest)
      : driver_(driver), ends_{End(driver, first, largest), End(driver, second, largest)} {}

  double send(std::size_t bytes) override { return send(ends_[0], ends_[1], bytes); }
  PingPong ping_pong(std::size_t bytes) override {
    return {send(ends_[0], ends_[1], bytes), send(ends_[1], ends_[0], bytes)};
  }

  double both_ways(std::size_t bytes) override {
    const End& a = ends_[0];
    const End& b = ends_[1];
    driver_.select(a.ordinal);
    driver_.record(a.start.get(), a.stream.get());
    copy(a, b, bytes);
    driver_.select(b.ordinal);
    driver_.wait(b.stream.get(), a.start.get());
    copy(b, a, bytes);
    driver_.record(b.end.get(), b.stream.get());
    driver_.select(a.ordinal);
    driver_.wait(a.stream.get(), b.end.get());
    driver_.record(a.end.get(), a.stream.get());
    driver_.synchronize_event(a.end.get());
    return driver_.seconds_between(a.start.get(), a.end.get());
  }

 private:
  struct End {
    End(const Driver& driver, int which, std::size_t largest)
        : ordinal(which),
          out(device::make_memory(driver, which, largest)),
          in(device::make_memory(driver, which, largest)),
          stream(device::make_stream(driver, which)),
          start(device::make_event(driver, which, Timing::yes)),
          end(device::make_event(driver, which, Timing::yes)) {}
    int ordinal;
    device::OwnedMemory out, in;
    device::OwnedStream stream;
    device::OwnedEvent start, end;
  };

  void copy(const End& from, const End& to, std::size_t bytes) const {
    driver_.copy_peer(to.in.get(), to.ordinal, from.out.get(), from.ordinal, bytes, from.stream.get());
  }

  double send(const End& from, const End& to, std::size_t bytes) const {
    driver_.select(from.ordinal);
    driver_.record(from.start.get(), from.stream.get());
    copy(from, to, bytes);
    driver_.record(from.end.get(), from.stream.get());
    driver_.synchronize_event(from.end.get());
    return driver_.seconds_between(from.start.get(), from.end.get());
  }

  Driver driver_;
  End ends_[2];
};

/// The driver's GPU that is on a place; nothing if the driver does not show it.
std::optional<int> ordinal_of(const Driver& driver, const Vertex& vertex) {
  for (const device::Device& device : driver.devices()) {
    const std::optional<PciAddress> pci = PciAddress::parse(device.pci);
    const bool same = vertex.pci && pci ? *pci == *vertex.pci : !vertex.uuid.empty() && device.uuid == vertex.uuid;
    if (same) return device.ordinal;
  }
  return std::nullopt;
}

}  // namespace

bool is_simulated(const device::Driver& driver) {
  return std::ranges::any_of(driver.devices(), [](const device::Device& device) {
    return device.name.find("SIMULATED") != std::string::npos;
  });
}

GpuMemory::GpuMemory(Driver driver, const Topology& machine, std::size_t most) : driver_(std::move(driver)) {
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    if (machine.place(Place(p)).kind != PlaceKind::gpu) continue;
    if (const std::optional<int> ordinal = ordinal_of(driver_, machine.vertex_of(Place(p))))
      ordinals_.emplace(Place(p), *ordinal);
    else
      unreachable_.push_back(machine.vertex_of(Place(p)).name);
  }
  while (ordinals_.size() > most) ordinals_.erase(std::prev(ordinals_.end()));
  if (ordinals_.size() >= 2) return;
  throw not_available(fmt::format("a pair needs two GPUs; '{}' has {} that {} shows to this process ({} in all)",
                                  machine.name(), ordinals_.size(), driver_.backend(), driver_.devices().size()),
                      "--device host measures host memory; see CUDA_VISIBLE_DEVICES and 'topowise doctor'");
}

std::string GpuMemory::description() const {
  return fmt::format("{}GPU memory by {}", is_simulated(driver_) ? "SIMULATED " : "", driver_.backend());
}

std::vector<std::string> GpuMemory::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  if (!unreachable_.empty())
    notes.push_back(
        fmt::format("the driver does not show {} to this process: not measured", fmt::join(unreachable_, ", ")));
  if (!staged_.empty())
    notes.push_back(fmt::format("{} directions have no peer access and went through host memory; {}", staged_.size(),
                                staged_example_));
  return notes;
}

std::vector<Place> GpuMemory::places() const {
  std::vector<Place> places;
  for (const auto& [place, ordinal] : ordinals_) places.push_back(place);
  return places;
}

/// Each pair has a thread that starts copies and waits for them.
std::size_t GpuMemory::most_at_once() const {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency() / 2);
}

void GpuMemory::reach(int from, int to) {
  std::string reason = "the driver says that this pair cannot";
  try {
    if (driver_.can_access_peer(from, to)) {
      driver_.select(from);
      driver_.enable_peer_access(to);
      return;
    }
  } catch (const device::DriverError& error) {  // a copy without it is slower, not impossible
    reason = error.what();
  }
  const std::lock_guard lock(mutex_);
  if (staged_.empty()) staged_example_ = fmt::format("GPU {} to GPU {}: {}", from, to, reason);
  staged_.emplace(from, to);
}

std::unique_ptr<Line> GpuMemory::connect(Place first, Place second, std::size_t largest) {
  const int a = ordinals_.at(first);
  const int b = ordinals_.at(second);
  reach(a, b);
  reach(b, a);
  return std::make_unique<GpuLine>(driver_, a, b, largest);
}

}  // namespace topowise::probe
