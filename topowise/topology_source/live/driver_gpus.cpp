// SPDX-License-Identifier: BSD-3-Clause
// A driver does not count links and does not know the PCI tree. It says which pairs wires of its own join (CUDA: native
// atomics; HIP: the type of the link). It also puts all pairs in an order of speed (the "performance rank": 0 for the
// fastest, equal for equal pairs). So a bond's width is its place in the order of the bonds, counted from the slowest.
// A pair without a bond whose GPUs are not on the bus that Linux lists gets a class of that order: M1, M2, ... No
// context is made, because all questions are answered after cuInit and hipInit.
#include <topowise/topology_source/live/driver_gpus.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/live/simulated.hpp>
#include <topowise/topology_source/node/device_topology.hpp>

namespace topowise {
namespace {

/// A driver that has to wake many GPUs takes seconds.
constexpr int kDriverSeconds = 60;

struct DriverGpu {
  device::Device device;
  std::optional<PciAddress> pci;
  const BusGpu* on_bus = nullptr;
};

std::vector<DriverGpu> gpus_of(const device::Driver& driver, const std::vector<BusGpu>& bus) {
  std::vector<DriverGpu> gpus;
  for (const device::Device& device : driver.devices()) {
    DriverGpu gpu{device, PciAddress::parse(device.pci)};
    const auto found =
        std::ranges::find_if(bus, [&](const BusGpu& candidate) { return gpu.pci && candidate.pci == *gpu.pci; });
    if (found != bus.end()) gpu.on_bus = &*found;
    gpus.push_back(std::move(gpu));
  }
  std::ranges::stable_sort(gpus, {}, &DriverGpu::pci);
  return gpus;
}

Device device_of(const DriverGpu& gpu, std::size_t number) {
  const std::string name = fmt::format("GPU{}", number);
  Device device = gpu.on_bus != nullptr ? device_of(*gpu.on_bus, name) : Device{.kind = VertexKind::gpu, .name = name};
  device.pci = gpu.pci;
  device.uuid = gpu.device.uuid;
  return device;
}

class Pairs {
 public:
  Pairs(const device::Driver& driver, const std::vector<DriverGpu>& gpus) : gpus_(gpus), links_(gpus.size()) {
    for (std::size_t a = 0; a < gpus.size(); ++a) {
      for (std::size_t b = 0; b < gpus.size(); ++b)
        links_[a].push_back(a == b ? device::PeerLink{} : ask(driver, gpus[a].device.ordinal, gpus[b].device.ordinal));
      for (std::size_t b = 0; b < a; ++b) ranks_of(links_[a][b].bonded).insert(links_[a][b].rank);
    }
  }

  void pass_to(DeviceMatrix& matrix, PathKind bond) const {
    for (std::size_t a = 0; a < gpus_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        DevicePair& pair = matrix.pair(a, b);
        const device::PeerLink& link = links_[a][b];
        if (gpus_[a].on_bus != nullptr && gpus_[b].on_bus != nullptr)
          pair.host = path_between(*gpus_[a].on_bus, *gpus_[b].on_bus);
        if (link.bonded)
          pair.path = PathClass{bond, static_cast<int>(std::distance(bonded_.find(link.rank), bonded_.end()))};
        else
          pair.path = pair.host.value_or(PathClass{PathKind::measured, place_of(link.rank)});
      }
    }
  }

  void warn(const std::string& source, const DeviceMatrix& matrix, PathKind bond, Warnings& warnings) const {
    if (!refusal_.empty()) warnings.add(fmt::format("{} does not say how the GPUs are joined: {}", source, refusal_));
    const std::string widest = to_string(PathClass{bond, static_cast<int>(bonded_.size())});
    if (bonded_.size() > 1)
      warnings.add(
          fmt::format("{} orders the bonds between GPUs and does not count their links: {} is only faster "
                      "than {}",
                      source, widest, to_string(PathClass{bond, static_cast<int>(bonded_.size()) - 1})));
    if (bonded_.size() == 1)
      warnings.add(
          fmt::format("{} does not count the links of a bond between GPUs: {} may be several", source, widest));
    const bool part = std::ranges::any_of(
        gpus_, [](const DriverGpu& gpu) { return gpu.device.name.find(" MIG") != std::string::npos; });
    if (part) warnings.add(fmt::format("{} shows a part of a GPU (MIG), and beside one it shows no other GPU", source));
    const bool placed = std::ranges::all_of(gpus_, [](const DriverGpu& gpu) { return gpu.on_bus != nullptr; });
    if (!placed && others_.size() == 1 && matrix.size() > 1) warnings.assume("all pairs without a bond are alike");
    if (!placed && !others_.empty() && matrix.size() > 1)
      warnings.add(fmt::format("where the GPUs meet on the PCI tree is not known; {}",
                               others_.size() > 1 ? fmt::format("{} orders the pairs: M1 is the fastest", source)
                                                  : "all pairs without a bond are taken to be alike"));
  }

 private:
  device::PeerLink ask(const device::Driver& driver, int from, int to) {
    try {
      return driver.peer_link(from, to);
    } catch (const Error& error) {
      if (refusal_.empty()) refusal_ = error.diagnostics().front().what;
      return {};
    }
  }
  std::set<int>& ranks_of(bool bonded) { return bonded ? bonded_ : others_; }
  [[nodiscard]] int place_of(int rank) const {
    return static_cast<int>(std::distance(others_.begin(), others_.find(rank))) + 1;
  }

  const std::vector<DriverGpu>& gpus_;
  std::vector<std::vector<device::PeerLink>> links_;
  std::set<int> bonded_;  ///< ranks of the pairs with a bond
  std::set<int> others_;
  std::string refusal_;  ///< the first refusal
};

bool can_read(const device::Driver& driver, int from, int to) {
  try {
    return driver.can_access_peer(from, to);
  } catch (const Error&) {
    return true;  // it is not known, so there is nothing to warn of
  }
}

// The child writes a letter, and then the machine or the reason why there is none.
constexpr char kMachine = 'm';
constexpr char kReason = 'r';
constexpr char kRefusal = 'n';

std::string ask_here(const device::Backend& backend, const std::vector<BusGpu>& bus) try {
  for (const char* list : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) ::unsetenv(list);
  const device::Driver driver = device::open_driver(backend);
  if (driver.devices().empty()) return fmt::format("{}the {} driver has no GPU", kReason, backend.names.backend);
  return kMachine + to_json(topology_of(driver, bus));
} catch (const device::DriverError& error) {
  constexpr int kNoDevice = 100;  // the code of both vendors: the library is there, but no GPU
  return (error.code() == kNoDevice ? kReason : kRefusal) + std::string(error.what());
} catch (const Error& error) {
  return kReason + std::string(error.what());
}

}  // namespace

Topology topology_of(const device::Driver& driver, const std::vector<BusGpu>& bus) {
  const std::vector<DriverGpu> gpus = gpus_of(driver, bus);
  std::vector<Device> devices;
  for (const DriverGpu& gpu : gpus) {
    devices.push_back(device_of(gpu, devices.size()));
    // CUDA's numbers depend on CUDA_DEVICE_ORDER, which topowise sets to the order of the bus.
    if (driver.backend() == "hip") devices.back().number = gpu.device.ordinal;
  }
  DeviceMatrix matrix(std::move(devices));
  const Provenance source = provenance(driver.backend(), gpus, [](const DriverGpu& gpu) { return gpu.device.name; });
  const PathKind bond = driver.backend() == "hip" ? PathKind::xgmi : PathKind::nvlink;
  Warnings warnings;
  const Pairs pairs(driver, gpus);
  pairs.pass_to(matrix, bond);
  pairs.warn(source.origin(), matrix, bond, warnings);
  read_peers(
      matrix,
      [&](std::size_t a, std::size_t b) { return can_read(driver, gpus[a].device.ordinal, gpus[b].device.ordinal); },
      warnings);
  return build_topology(source.origin(), matrix, source, warnings);
}

DriverAnswer ask_driver(const device::Backend& backend, const std::vector<BusGpu>& bus) {
  const std::optional<std::string> answer = answer_of_child([&] { return ask_here(backend, bus); }, kDriverSeconds);
  if (!answer || answer->empty())
    return {{}, fmt::format("the {} driver gives no answer", backend.names.backend), true};
  const std::string rest = answer->substr(1);
  if (answer->front() != kMachine) return {{}, rest, answer->front() == kRefusal};
  return {topology_from_json(backend.names.backend, rest), {}, false};
}

}  // namespace topowise
