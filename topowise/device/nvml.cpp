// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/nvml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/device/nvml_functions.hpp>

namespace topowise::nvml {
namespace {

constexpr std::size_t kMaskWords = 64;  ///< 4096 processors
constexpr std::size_t kNewcomers = 8;   ///< processes that may begin between two questions

/// NVML from its start to its end, and the questions to it. What NVML does not support is left unknown without a word;
/// every other refusal is a problem, said once for a device and question.
class Session {
 public:
  Session(const Functions& functions, std::vector<std::string>& problems) : f_(functions), problems_(problems) {
    if (const int status = f_.init(); status != kSuccess)
      throw not_available(fmt::format("NVML does not start: {}", lower(text_of(status))),
                          "nvidia-smi says more; the driver's module and its library must be of one version");
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { f_.shutdown(); }

  [[nodiscard]] std::string text_of(int status) const {
    const char* text = f_.error_text(status);
    return text != nullptr ? printable(text) : fmt::format("status {}", status);
  }

  /// True if the answer is there. `what` is "GPU 3: its UUID".
  template <class... Parameters, class... Given>
  bool ask(std::string_view what, int (*function)(Parameters...), Given... given) {
    if (function == nullptr) return false;
    const int status = function(given...);
    if (status != kSuccess && status != kNotSupported) problem(what, status);
    return status == kSuccess;
  }

  void problem(std::string_view what, int status) {
    problems_.push_back(fmt::format("{}: NVML says '{}'", what, text_of(status)));
  }

  [[nodiscard]] const Functions& functions() const { return f_; }

 private:
  const Functions& f_;
  std::vector<std::string>& problems_;
};

template <class Function>
std::string text(Session& nvml, const std::string& what, Function* function, Device device) {
  std::array<char, kTextLength> buffer{};
  if (!nvml.ask(what, function, device, buffer.data(), kTextLength)) return {};
  buffer.back() = '\0';
  return buffer.data();
}

std::vector<std::size_t> members(const std::array<unsigned long, kMaskWords>& mask) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < kMaskWords * kBits; ++i) {
    if ((mask[i / kBits] >> (i % kBits) & 1UL) != 0) numbers.push_back(i);
  }
  return numbers;
}

void read_affinity(Session& nvml, const std::string& label, Device device, Gpu& gpu) {
  std::array<unsigned long, kMaskWords> mask{};
  if (nvml.ask(label + ": its processors", nvml.functions().cpus, device, static_cast<unsigned>(kMaskWords),
               mask.data()))
    gpu.cpus = members(mask);
  mask = {};
  if (!nvml.ask(label + ": its memory node", nvml.functions().memory_nodes, device, static_cast<unsigned>(kMaskWords),
                mask.data(), kNumaScope))
    return;
  const std::vector<std::size_t> nodes = members(mask);
  if (!nodes.empty()) gpu.numa = static_cast<int>(nodes.front());
}

Remote remote_of(unsigned type) {
  constexpr std::array kTypes{Remote::gpu, Remote::npu, Remote::nvswitch};
  return type < kTypes.size() ? kTypes[type] : Remote::unknown;
}

/// Reads a GPU's links. A link that is down or not there is no problem.
void read_links(Session& nvml, const std::string& label, Device device, Gpu& gpu) {
  const Functions& f = nvml.functions();
  if (f.link_state == nullptr) return;
  for (unsigned number = 0; number < kMostLinks; ++number) {
    unsigned active = 0;
    if (f.link_state(device, number, &active) != kSuccess || active == 0) continue;
    const std::string what = fmt::format("{}: its NVLink {}", label, number);
    NvLink link{.number = number};
    nvml.ask(what, f.link_version, device, number, &link.version);
    PciInfo remote{};
    if (nvml.ask(what, f.link_remote, device, number, &remote)) link.remote_bus_id = remote.bus_id;
    unsigned type = 0;
    if (nvml.ask(what, f.link_remote_type, device, number, &type)) link.remote = remote_of(type);
    gpu.links.push_back(std::move(link));
  }
}

void read_partitions(Session& nvml, const std::string& label, Device device, Gpu& gpu) {
  const Functions& f = nvml.functions();
  unsigned now = 0;
  unsigned pending = 0;
  if (!nvml.ask(label + ": its MIG mode", f.mig_mode, device, &now, &pending)) return;
  gpu.mig = now != 0;
  unsigned most = 0;
  if (now == 0 || f.mig_device == nullptr || !nvml.ask(label + ": its partitions", f.mig_most, device, &most)) return;
  for (unsigned i = 0; i < most; ++i) {
    Device partition = nullptr;
    if (f.mig_device(device, i, &partition) != kSuccess) continue;  // an empty slot
    gpu.mig_ids.push_back(text(nvml, label + ": a partition's UUID", f.uuid, partition));
  }
}

/// Whether a process is the server of MPS, which holds a context on every GPU from its first client on, whoever
/// computes. A container may not show its name, and then it counts.
bool is_mps_server(unsigned pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  return std::getline(file, name) && name == "nvidia-cuda-mps";  // the kernel keeps 15 letters of "...-server"
}

void read_use(Session& nvml, const std::string& label, Device device, Gpu& gpu) {
  Memory memory{};
  if (nvml.ask(label + ": its memory", nvml.functions().memory, device, &memory)) gpu.memory_used = memory.used;
  if (nvml.functions().processes == nullptr) return;
  // A count of 0 asks for the number only; a list that is not empty is then "too large".
  unsigned count = 0;
  const int status = nvml.functions().processes(device, &count, nullptr);
  if (status != kInsufficientSize) return;
  std::vector<ProcessInfo> list(count + kNewcomers);
  unsigned room = static_cast<unsigned>(list.size());
  gpu.processes = count;
  if (nvml.functions().processes(device, &room, list.data()) != kSuccess) return;
  list.resize(std::min<std::size_t>(room, list.size()));
  gpu.processes =
      static_cast<unsigned>(std::ranges::count_if(list, [](auto& each) { return !is_mps_server(each.pid); }));
}

Gpu read_gpu(Session& nvml, unsigned index, Device device) {
  const Functions& f = nvml.functions();
  const std::string label = fmt::format("GPU {}", index);
  Gpu gpu{.index = index};
  PciInfo pci{};
  if (nvml.ask(label + ": its bus id", f.pci, device, &pci)) gpu.bus_id = pci.bus_id;
  gpu.uuid = text(nvml, label + ": its UUID", f.uuid, device);
  gpu.name = text(nvml, label + ": its name", f.name, device);
  nvml.ask(label + ": its PCIe generation", f.pcie_generation, device, &gpu.pcie_generation);
  nvml.ask(label + ": its PCIe width", f.pcie_width, device, &gpu.pcie_lanes);
  read_affinity(nvml, label, device, gpu);
  read_links(nvml, label, device, gpu);
  read_partitions(nvml, label, device, gpu);
  read_use(nvml, label, device, gpu);
  return gpu;
}

Ancestor ancestor_of(int level) {
  switch (level) {
    case 0:
      return Ancestor::internal;
    case 10:
      return Ancestor::single_switch;
    case 20:
      return Ancestor::several_switches;
    case 30:
      return Ancestor::host_bridge;
    case 40:
      return Ancestor::node;
    case 50:
      return Ancestor::system;
    default:
      return Ancestor::unknown;
  }
}

void read_pairs(Session& nvml, const std::vector<Device>& devices, Report& report) {
  const std::size_t n = devices.size();
  report.ancestors.assign(n * n, Ancestor::unknown);
  report.peers.assign(n * n, PeerRead::unknown);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const std::string label = fmt::format("GPU {} and GPU {}", report.gpus[a].index, report.gpus[b].index);
      int level = -1;
      if (nvml.ask(label + ": their common ancestor", nvml.functions().ancestor, devices[a], devices[b], &level))
        report.ancestors[a * n + b] = ancestor_of(level);
      int status = -1;
      if (nvml.ask(label + ": peer access", nvml.functions().p2p, devices[a], devices[b], kReadCapability, &status))
        report.peers[a * n + b] = status == 0 ? PeerRead::possible : PeerRead::refused;
    }
  }
}

}  // namespace

Report ask(const SharedLibrary& library) {
  const Functions functions = functions_of(library);
  if (!functions.usable())
    throw not_available(fmt::format("{} is not NVML, or too old", library.name()), "driver 450 and later have all");
  Report report;
  report.library = library.name();
  Session nvml(functions, report.problems);
  if (functions.driver_version != nullptr) {
    std::array<char, kTextLength> version{};
    if (nvml.ask("the driver's version", functions.driver_version, version.data(), kTextLength))
      report.driver = version.data();
  }
  unsigned count = 0;
  if (const int status = functions.count(&count); status != kSuccess)
    throw not_available(fmt::format("NVML does not give the number of GPUs: {}", lower(nvml.text_of(status))),
                        "nvidia-smi says more");
  std::vector<Device> devices;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    if (const int status = functions.device(index, &device); status != kSuccess) {
      nvml.problem(fmt::format("GPU {} is left out", index), status);
      continue;
    }
    Gpu gpu = read_gpu(nvml, index, device);
    if (gpu.bus_id.empty()) {
      report.problems.push_back(fmt::format("GPU {} is left out: it has no bus id", index));
      continue;
    }
    report.gpus.push_back(std::move(gpu));
    devices.push_back(device);
  }
  read_pairs(nvml, devices, report);
  return report;
}

Report ask() {
  return ask(open_library());
}

}  // namespace topowise::nvml
