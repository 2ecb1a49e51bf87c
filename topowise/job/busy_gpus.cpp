// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/busy_gpus.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/graph/pci_address.hpp>

namespace topowise::job {
namespace {

/// Drivers of idle GPUs keep some hundred MiB for themselves.
constexpr std::uint64_t kIdleMemory = std::uint64_t{1} << 30;

std::string why_busy(const nvml::Gpu& gpu) {
  const std::string memory = fmt::format("{:.1f} GiB in use", static_cast<double>(gpu.memory_used) / (1 << 30));
  if (gpu.processes > 0) return fmt::format("{} process{}, {}", gpu.processes, gpu.processes == 1 ? "" : "es", memory);
  return gpu.memory_used > kIdleMemory ? memory : std::string();
}

}  // namespace

BusyGpus busy_gpus(const nvml::Report& report) {
  BusyGpus busy;
  for (const nvml::Gpu& gpu : report.gpus) {
    const std::string why = why_busy(gpu);
    const std::optional<PciAddress> address = PciAddress::parse(gpu.bus_id);
    if (!why.empty()) busy.gpus.push_back({address ? address->to_string() : gpu.bus_id, why});
  }
  return busy;
}

BusyGpus busy_gpus() try { return busy_gpus(nvml::ask()); } catch (const Error& error) {
  return {{}, error.diagnostics().front().what};
}

}  // namespace topowise::job
