// SPDX-License-Identifier: BSD-3-Clause
// What kind of device a PCI function is, and which functions are the GPUs of a node. All readers of PCI devices decide
// by this file: hwloc and NCCL XML, lstopo and lspci as text, sysfs.
//
// A GPU that ranks run on has memory and a driver for programs that compute: cards and modules of NVIDIA, AMD and
// Intel, also where it shares a package with processors (GH200, MI300A). The display chip of a board's management
// controller (ASPEED, Matrox, ATI ES1000) is none. Graphics inside a client's processor is one only if the node has no
// other GPU and CUDA, ROCm or Level Zero lists it; OpenCL lists what programs of MPI do not use.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/pci_address.hpp>

namespace topowise {

struct PciClass {
  static constexpr int kNetworkBase = 0x02;
  static constexpr int kBridge = 0x0604;  ///< PCI to PCI: a port of a switch, or a root port
  static constexpr int kVga = 0x0300;
  static constexpr int k3d = 0x0302;
  static constexpr int kDisplay = 0x0380;
  static constexpr int kAccelerator = 0x1200;

  int code = 0;    ///< base class and subclass, such as 0x0302; 0 if not known
  int vendor = 0;  ///< 0 if not known

  [[nodiscard]] int base() const { return code >> 8; }
};

/// Reads "0x030200" (with programming interface) or "0302", and "0x10de" or "10de". What cannot be read is 0.
[[nodiscard]] PciClass parse_pci_class(std::string_view code, std::string_view vendor);
/// Reads "0x164e" or "164e"; 0 for anything else.
[[nodiscard]] int parse_pci_id(std::string_view text);

enum class GpuKind : unsigned char {
  none,        ///< no GPU, or the display chip of a management controller
  unsure,      ///< a display of unknown vendor: a graphics card, or the chip of a management controller
  integrated,  ///< graphics inside a client's processor
  discrete,    ///< a GPU that ranks run on
};

/// What a source says about a PCI function.
struct PciFunction {
  PciClass type{};
  int device = 0;                   ///< id of the device; 0 if not known
  std::optional<PciAddress> pci{};  ///< if known
  std::string_view name{};          ///< as the PCI ID repository gives it; empty if not known
  bool computes = false;            ///< CUDA, NVML, ROCm, Level Zero or OpenCL lists it
};
[[nodiscard]] GpuKind gpu_kind(const PciFunction& function);
/// A function as lspci prints it: its class ("3D controller"; empty if not printed) and its name with the vendor's. The
/// class of a function that is no GPU is 0. `name` must live as long as the result.
[[nodiscard]] PciFunction printed_function(std::string_view kind, std::string_view name);
/// The vendor of a GPU by its name, "AMD"; empty if it names none.
[[nodiscard]] std::string_view vendor_named(std::string_view name);

/// A function that may be a GPU. `label` names it in messages: "0000:04:00.0 (Raphael)".
struct GpuCandidate {
  std::string label;
  GpuKind kind = GpuKind::none;
  bool computes = false;  ///< a runtime lists it, and not OpenCL alone
};
struct GpuChoice {
  std::vector<bool> is_place;        ///< by candidate
  std::vector<std::string> notices;  ///< lines about those that are left out, or that could not be decided
};
/// Which candidates of a node are its places. `has_cores` says that the source knows processors, which are the places
/// of a node without GPUs.
[[nodiscard]] GpuChoice choose_gpus(std::span<const GpuCandidate> candidates, bool has_cores);

/// The number that software gives a GPU, which is the order of its GPUs: 3 of "nvml3", "rsmi3", "cuda3", "opencl0d3".
/// `library` orders the libraries: management libraries first, because CUDA's order depends on the environment.
struct SoftwareNumber {
  int library = 0;
  int number = 0;
  /// True for OpenCL, which is of no use to programs of MPI.
  [[nodiscard]] bool is_opencl() const { return library == kOpenCl; }
  auto operator<=>(const SoftwareNumber&) const = default;

  static constexpr int kCuda = 3;  ///< the libraries before it manage devices
  static constexpr int kOpenCl = 5;
};
[[nodiscard]] std::optional<SoftwareNumber> software_number(std::string_view device);
/// True if a library other than OpenCL lists the GPU. `best` is the least of its numbers.
[[nodiscard]] inline bool is_for_programs(const std::optional<SoftwareNumber>& best) {
  return best && !best->is_opencl();
}

struct NumberedGpu {
  std::optional<SoftwareNumber> number{};
  std::optional<PciAddress> pci{};
};
/// The order of a node's GPUs, as indices: by the software's numbers. GPUs without a number fill, in the order of their
/// bus ids, what the others leave free.
[[nodiscard]] std::vector<std::size_t> order_of_gpus(std::span<const NumberedGpu> gpus);
/// For each GPU the number by which programs may name it, -1 if that is not known: the number of a management library,
/// or that of CUDA or Level Zero if it has the order of the bus ids, in which programs should count.
[[nodiscard]] std::vector<int> numbers_for_programs(std::span<const NumberedGpu> gpus);

}  // namespace topowise
