// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libnvidia-ml.so.1 that simulates the virtual node. TOPOWISE_FAKE_NVML_FAULT=CALL:WHEN:ERROR[,...]
// makes calls fail; it uses the names of nvml.h without _v2: nvmlDeviceGetHandleByIndex:2:NVML_ERROR_NO_PERMISSION.
// TOPOWISE_FAKE_BUSY=0,3: a process computes on these GPUs; TOPOWISE_FAKE_BUSY_PROCESS is its number.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/device/nvml_functions.hpp>

#include "environment.hpp"
#include "nvml_machine.hpp"

namespace topowise::fake {
namespace {

using nvml::kInsufficientSize;
using nvml::kNotSupported;
using nvml::kSuccess;
constexpr int kUninitialized = 1;
constexpr int kInvalidArgument = 2;
constexpr int kNotFound = 6;
constexpr int kUnknown = 999;

struct StatusName {
  int status;
  const char* name;
  const char* text;
};
constexpr std::array<StatusName, 11> kStatuses{
    {{0, "NVML_SUCCESS", "Success"},
     {1, "NVML_ERROR_UNINITIALIZED", "Uninitialized"},
     {2, "NVML_ERROR_INVALID_ARGUMENT", "Invalid Argument"},
     {3, "NVML_ERROR_NOT_SUPPORTED", "Not Supported"},
     {4, "NVML_ERROR_NO_PERMISSION", "Insufficient Permissions"},
     {6, "NVML_ERROR_NOT_FOUND", "Not Found"},
     {7, "NVML_ERROR_INSUFFICIENT_SIZE", "Insufficient Size"},
     {9, "NVML_ERROR_DRIVER_NOT_LOADED", "Driver Not Loaded"},
     {15, "NVML_ERROR_GPU_IS_LOST", "GPU is lost"},
     {18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", "RM has detected an NVML/RM version mismatch."},
     {999, "NVML_ERROR_UNKNOWN", "Unknown Error"}}};

/// The node while the library is started. A handle is the GPU index + 1, with the partition's number in the high bits.
std::optional<NvmlMachine> machine;
std::mutex machine_mutex;
constexpr std::uintptr_t kPartitionShift = 16;

/// Calls of each function since the library last ended.
std::map<std::string, std::int64_t, std::less<>> calls;
std::mutex calls_mutex;

/// "3" is the third call only, "3+" is the third and all later calls, "*" is all calls.
bool is_due(std::string_view when, std::int64_t call) {
  if (when == "*") return true;
  const bool later_too = when.ends_with('+');
  if (later_too) when.remove_suffix(1);
  const std::optional<std::int64_t> first = parse_integer(when);
  return first && (call == *first || (later_too && call > *first));
}

std::optional<int> fault(std::string_view function) {
  const std::lock_guard lock(calls_mutex);
  const std::string faults = text_variable("TOPOWISE_FAKE_NVML_FAULT");
  const std::int64_t call = ++calls[std::string(function)];
  const std::string_view plain = function.substr(0, function.find("_v"));
  for (const std::string_view entry : split(faults, ',')) {
    const std::vector<std::string_view> cells = split(entry, ':');
    if (cells.size() != 3 || cells[0] != plain || !is_due(cells[1], call)) continue;
    const auto found = std::ranges::find_if(kStatuses, [&](const StatusName& row) { return cells[2] == row.name; });
    return found != kStatuses.end() ? found->status : kUnknown;
  }
  return std::nullopt;
}

std::size_t index_of(nvml::Device device) {
  return (reinterpret_cast<std::uintptr_t>(device) & ((1U << kPartitionShift) - 1)) - 1;
}

std::size_t partition_of(nvml::Device device) {
  return reinterpret_cast<std::uintptr_t>(device) >> kPartitionShift;
}

/// Runs `answer` if the library is started, the GPUs exist, and no fault is due.
template <class Answer, class... Devices>
int respond(const char* function, Answer answer, Devices... devices) {
  if (const std::optional<int> status = fault(function)) return *status;
  if (!machine) return kUninitialized;
  if (((index_of(devices) >= machine->gpus.size()) || ...)) return kInvalidArgument;
  return answer();
}

int write_text(const std::string& text, char* buffer, unsigned length) {
  if (text.size() + 1 > length) return kInsufficientSize;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return kSuccess;
}

void write_pci(const PciAddress& pci, nvml::PciInfo& info) {
  info = {};
  info.domain = pci.domain;
  info.bus = pci.bus;
  info.device = pci.device;
  write_text(fmt::format("{:08X}:{:02X}:{:02X}.{}", pci.domain, pci.bus, pci.device, pci.function), info.bus_id,
             sizeof info.bus_id);
}

void set_bit(unsigned long* mask, unsigned words, std::int64_t bit) {
  constexpr std::int64_t kBits = 8 * sizeof(unsigned long);
  if (bit >= 0 && bit < kBits * words) mask[bit / kBits] |= 1UL << (bit % kBits);
}

const Gpu& gpu_of(nvml::Device device) {
  return machine->node.gpus[index_of(device)];
}

/// Whether TOPOWISE_FAKE_BUSY ("0,3") says that a process computes on the GPU.
bool is_busy(std::size_t gpu) {
  const std::string list = text_variable("TOPOWISE_FAKE_BUSY");
  const std::vector<std::string_view> numbers = split(list, ',');
  return std::ranges::any_of(numbers, [gpu](std::string_view number) { return number == std::to_string(gpu); });
}

/// Link `number` of a GPU; null if it has no such link.
const NvmlLink* link_of(nvml::Device device, unsigned number) {
  const std::vector<NvmlLink>& links = machine->gpus[index_of(device)].links;
  return number < links.size() ? &links[number] : nullptr;
}

}  // namespace
}  // namespace topowise::fake

using namespace topowise;
using namespace topowise::fake;
using Device = nvml::Device;

#pragma GCC visibility push(default)
extern "C" {

int nvmlInit_v2() {
  if (const std::optional<int> status = fault("nvmlInit_v2")) return *status;
  const std::lock_guard lock(machine_mutex);
  try {
    if (!machine) machine = make_nvml_machine();
    return kSuccess;
  } catch (const std::exception&) {  // without such a node there is no driver
    return 9;
  }
}

int nvmlShutdown() {
  const std::scoped_lock lock(machine_mutex, calls_mutex);
  machine.reset();
  calls.clear();
  return kSuccess;
}

const char* nvmlErrorString(int status) {
  const auto found = std::ranges::find(kStatuses, status, &StatusName::status);
  return found != kStatuses.end() ? found->text : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char* buffer, unsigned length) {
  return respond("nvmlSystemGetDriverVersion", [&] { return write_text("SIMULATED", buffer, length); });
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  return respond("nvmlDeviceGetCount_v2", [&] {
    *count = static_cast<unsigned>(machine->gpus.size());
    return kSuccess;
  });
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return respond("nvmlDeviceGetHandleByIndex_v2", [&]() -> int {
    if (index >= machine->gpus.size()) return kInvalidArgument;
    *device = reinterpret_cast<Device>(static_cast<std::uintptr_t>(index) + 1);
    return kSuccess;
  });
}

int nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* info) {
  return respond(
      "nvmlDeviceGetPciInfo_v3",
      [&] {
        write_pci(gpu_of(device).pci, *info);
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetUUID(Device device, char* buffer, unsigned length) {
  return respond(
      "nvmlDeviceGetUUID",
      [&] {
        const std::size_t partition = partition_of(device);
        const Gpu& gpu = gpu_of(device);
        return write_text(partition > 0 ? gpu.instances[partition - 1].uuid : gpu.uuid, buffer, length);
      },
      device);
}

int nvmlDeviceGetName(Device device, char* buffer, unsigned length) {
  return respond(
      "nvmlDeviceGetName", [&] { return write_text(gpu_of(device).name, buffer, length); }, device);
}

int nvmlDeviceGetTopologyCommonAncestor(Device a, Device b, int* level) {
  return respond(
      "nvmlDeviceGetTopologyCommonAncestor",
      [&] {
        *level = machine->ancestors[index_of(a) * machine->gpus.size() + index_of(b)];
        return kSuccess;
      },
      a, b);
}

int nvmlDeviceGetP2PStatus(Device a, Device b, unsigned /*capability*/, int* status) {
  constexpr int kChipsetNotSupported = 1;
  return respond(
      "nvmlDeviceGetP2PStatus",
      [&] {
        *status = machine->peer_reads[index_of(a) * machine->gpus.size() + index_of(b)] ? 0 : kChipsetNotSupported;
        return kSuccess;
      },
      a, b);
}

int nvmlDeviceGetNvLinkState(Device device, unsigned number, unsigned* active) {
  return respond(
      "nvmlDeviceGetNvLinkState",
      [&]() -> int {
        if (link_of(device, number) == nullptr) return number == 0 ? kNotSupported : kInvalidArgument;
        *active = 1;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetNvLinkVersion(Device device, unsigned number, unsigned* version) {
  return respond(
      "nvmlDeviceGetNvLinkVersion",
      [&]() -> int {
        const NvmlLink* link = link_of(device, number);
        if (link == nullptr) return kInvalidArgument;
        *version = link->version;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned number, nvml::PciInfo* info) {
  return respond(
      "nvmlDeviceGetNvLinkRemotePciInfo_v2",
      [&]() -> int {
        const NvmlLink* link = link_of(device, number);
        if (link == nullptr) return kInvalidArgument;
        write_pci(link->remote, *info);
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned number, unsigned* type) {
  return respond(
      "nvmlDeviceGetNvLinkRemoteDeviceType",
      [&]() -> int {
        const NvmlLink* link = link_of(device, number);
        if (link == nullptr) return kInvalidArgument;
        *type = link->remote_type;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  return respond(
      "nvmlDeviceGetMaxPcieLinkGeneration",
      [&] {
        *generation = machine->gpus[index_of(device)].pcie_generation;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* lanes) {
  return respond(
      "nvmlDeviceGetMaxPcieLinkWidth",
      [&] {
        *lanes = 16;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetCpuAffinity(Device device, unsigned words, unsigned long* mask) {
  return respond(
      "nvmlDeviceGetCpuAffinity",
      [&]() -> int {
        const std::string& cpus = gpu_of(device).cpus;
        if (cpus.empty()) return kNotSupported;
        std::fill_n(mask, words, 0UL);
        for (const std::string_view part : split(cpus, ',')) {
          const std::vector<std::string_view> ends = split(part, '-');
          const auto first = parse_integer(ends.front());
          const auto last = parse_integer(ends.back());
          for (std::int64_t cpu = first.value_or(0); first && last && cpu <= *last; ++cpu) set_bit(mask, words, cpu);
        }
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMemoryAffinity(Device device, unsigned words, unsigned long* mask, unsigned /*scope*/) {
  return respond(
      "nvmlDeviceGetMemoryAffinity",
      [&]() -> int {
        if (gpu_of(device).numa < 0) return kNotSupported;
        std::fill_n(mask, words, 0UL);
        set_bit(mask, words, gpu_of(device).numa);
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* pending) {
  return respond(
      "nvmlDeviceGetMigMode",
      [&]() -> int {
        *now = *pending = gpu_of(device).instances.empty() ? 0 : 1;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return respond(
      "nvmlDeviceGetMaxMigDeviceCount",
      [&]() -> int {
        *count = 7;
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device* partition) {
  return respond(
      "nvmlDeviceGetMigDeviceHandleByIndex",
      [&]() -> int {
        if (index >= gpu_of(device).instances.size()) return kNotFound;
        *partition = reinterpret_cast<Device>((std::uintptr_t{index} + 1) << kPartitionShift | (index_of(device) + 1));
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetMemoryInfo(Device device, nvml::Memory* memory) {
  return respond(
      "nvmlDeviceGetMemoryInfo",
      [&]() -> int {
        const auto total = static_cast<unsigned long long>(Environment().memory_mib * 1024 * 1024);
        *memory = {total, total, 0};
        return kSuccess;
      },
      device);
}

int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, nvml::ProcessInfo* list) {
  return respond(
      "nvmlDeviceGetComputeRunningProcesses_v3",
      [&]() -> int {
        const unsigned running = is_busy(index_of(device)) ? 1 : 0;
        const bool fits = *count >= running;
        *count = running;
        if (fits && running > 0 && list != nullptr)
          list[0] = {static_cast<unsigned>(number_variable("TOPOWISE_FAKE_BUSY_PROCESS", 1)), 0, 0, 0};
        return fits ? kSuccess : kInsufficientSize;
      },
      device);
}

}  // extern "C"
#pragma GCC visibility pop
