// SPDX-License-Identifier: BSD-3-Clause
// The common form of what the vendors' tools print about one machine: devices, and the class of each pair of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

/// True for "GPU0", as the tools number GPUs.
[[nodiscard]] bool is_gpu_name(std::string_view word);

struct Device {
  VertexKind kind = VertexKind::gpu;  ///< gpu or nic
  std::string name;
  std::optional<PciAddress> pci;
  int numa = -1;
  std::string cpus;  ///< Linux cpulist
  std::string uuid;
  BytesPerSecond pcie;  ///< rate of its slot; 0: not stated
  int capacity = 1;     ///< ranks that a GPU can hold: one for each of its partitions
  int number = -1;      ///< by which the tool knows a GPU; -1 if it states none
  GpuVendor vendor{};   ///< of a GPU, if it is neither NVIDIA's nor AMD's
};

struct DevicePair {
  std::optional<PathClass> path;  ///< nothing if the source does not say
  BytesPerSecond bandwidth;       ///< of a direct bond, as the source states it; 0: take the nominal rate of its kind
  bool unknown_rate = false;      ///< of a bond: neither the source nor its kind states the rate
  bool refuses_peers = false;     ///< the two GPUs cannot read each other's memory
  std::optional<PathClass> host;  ///< where the two meet on the PCI tree, if the source states that beside a bond

  /// The class on the PCI tree. It is the bond's class if the bond hides where the two meet.
  [[nodiscard]] const std::optional<PathClass>& on_host() const { return host ? host : path; }
};

/// The rate of a link of some kind in one direction where the source prints none, and how that number is known.
struct KindRate {
  BytesPerSecond per_link;
  Basis basis{};  ///< nominal: by the model of the GPUs; or assumed
};

/// The number of pairs of `n` things, with the pairs of a thing and itself. number_of_pair() says where a pair stands
/// among them, in whichever order it is named.
[[nodiscard]] constexpr std::size_t unordered_pairs(std::size_t n) {
  return n * (n + 1) / 2;
}
[[nodiscard]] constexpr std::size_t number_of_pair(std::size_t a, std::size_t b) {
  return a < b ? unordered_pairs(b) + a : unordered_pairs(a) + b;
}

/// A symmetric matrix. Its diagonal is not used.
class DeviceMatrix {
 public:
  /// Most devices of one machine. More are a mistake, and pairs are kept densely.
  static constexpr std::size_t kMost = 1024;

  explicit DeviceMatrix(std::vector<Device> devices);

  [[nodiscard]] std::size_t size() const { return devices_.size(); }
  [[nodiscard]] const Device& device(std::size_t index) const { return devices_[index]; }
  [[nodiscard]] DevicePair& pair(std::size_t a, std::size_t b);
  [[nodiscard]] const DevicePair& pair(std::size_t a, std::size_t b) const;
  /// States the vendor of all GPUs.
  void set_vendor(GpuVendor vendor);
  void set_nvlink(KindRate rate) { nvlink_ = rate; }
  [[nodiscard]] const KindRate& nvlink() const { return nvlink_; }
  void set_slot(KindRate rate) { slot_ = rate; }
  [[nodiscard]] const KindRate& slot() const { return slot_; }

 private:
  std::vector<Device> devices_;
  std::vector<DevicePair> pairs_;
  KindRate nvlink_{gigabytes_per_second(25), Basis::nominal};    ///< NVLink 2 to 4
  KindRate slot_{gigabytes_per_second(15.754), Basis::assumed};  ///< PCIe 3 x16, the least that GPUs of servers have
};

/// The warning of pairs of GPUs ("GPU0-GPU1") that cannot read each other's memory, of so many pairs. `what_follows`
/// ends it.
[[nodiscard]] std::string without_peer_access(
    const std::vector<std::string>& pairs, std::size_t of,
    std::string_view what_follows = "so their class and route are those by way of the host");
/// Notes the pairs of GPUs for which `reads(a, b)` is false in one of the two directions. Adds that warning, behind
/// `where`, if there are some.
void read_peers(DeviceMatrix& matrix, const std::function<bool(std::size_t, std::size_t)>& reads, Warnings& warnings,
                const std::string& where = {});

}  // namespace topowise
