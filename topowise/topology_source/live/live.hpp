// SPDX-License-Identifier: BSD-3-Clause
// What this machine says about itself: hwloc, the GPUs' vendors and the kernel's list of devices. The vendors answer by
// their management libraries, else by their programs, else by their drivers. The table of formats reads the answers
// that are texts, and joins everything.
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

/// A GPU that may be used here. A container shows all buses of the machine, but may use only some of the GPUs.
struct LiveGpu {
  PciAddress pci;
  std::string uuid;
};

struct LiveMachine {
  std::string host;  ///< its name; empty if it has none
  std::optional<LiveReport> hwloc;
  std::optional<nvml::Report> nvml;    ///< what NVML answered
  std::vector<Topology> drivers;       ///< from NVML, else from a driver; one for each vendor that has GPUs here
  std::optional<Topology> bus;         ///< the GPUs that sysfs lists, whoever may use them
  std::vector<LiveReport> tools;       ///< one for each vendor whose library is missing; GPUs in the order of `gpus`
  std::vector<LiveGpu> gpus;           ///< empty if no library or tool lists them; with AMD's tools, those on the bus
  std::string limits;                  ///< what is not known because only a driver answered, or because all refused
  std::vector<PciAddress> integrated;  ///< graphics inside the processor; a driver may list it among its GPUs
  std::vector<std::string> missing;    ///< why something is not there
  std::vector<std::string> warnings;   ///< what this machine loses by it
};

/// Where Linux lists the devices of the PCI buses.
inline constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";

[[nodiscard]] LiveMachine look_around(const std::string& pci_devices = std::string(kPciDevices));

/// Reads the lines of `nvidia-smi --query-gpu=pci.bus_id,uuid,name --format=csv,noheader`.
[[nodiscard]] std::vector<LiveGpu> parse_gpu_list(std::string_view text);

}  // namespace topowise
