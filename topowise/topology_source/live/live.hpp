// SPDX-License-Identifier: BSD-3-Clause
// What this machine says about itself: hwloc, the GPUs' vendors by their management libraries, else their programs,
// else their drivers, and the kernel's list of devices. What is a text is read by the table of formats, which also
// joins all of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/device/nvml.hpp>
#include <topowise/graph/pci_address.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

struct LiveReport {
  std::string where;        ///< "hwloc", "nvidia-smi topo -m"
  std::string_view format;  ///< the name of the format that reads it
  std::string text;
};

/// A GPU that may be used here: a container shows all buses of the machine and only some of the GPUs.
struct LiveGpu {
  PciAddress pci;
  std::string uuid;
};

struct LiveMachine {
  std::optional<LiveReport> hwloc;
  std::optional<nvml::Report> nvml;   ///< what NVML answered
  std::vector<Topology> drivers;      ///< as NVML, else a driver tells it; one for each vendor that has GPUs here
  std::optional<Topology> bus;        ///< the GPUs that sysfs lists, whoever may use them
  std::vector<LiveReport> tools;      ///< one for each vendor whose library is not there; GPUs in the order of `gpus`
  std::vector<LiveGpu> gpus;          ///< empty if no library or tool lists them; of a tool of AMD those on the bus
  std::string limits;                 ///< what is not known because a driver alone answered, or because all refused
  std::vector<std::string> missing;   ///< why something is not there
  std::vector<std::string> warnings;  ///< what is lost by it on this machine
};

/// Where Linux lists the devices of the PCI buses.
inline constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";

[[nodiscard]] LiveMachine look_around(const std::string& pci_devices = std::string(kPciDevices));

/// The lines of `nvidia-smi --query-gpu=pci.bus_id,uuid,name --format=csv,noheader`.
[[nodiscard]] std::vector<LiveGpu> parse_gpu_list(std::string_view text);

}  // namespace topowise
