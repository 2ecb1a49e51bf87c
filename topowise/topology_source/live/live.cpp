// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/live.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/base/text.hpp>
#include <topowise/device/cuda.hpp>
#include <topowise/device/hip.hpp>
#include <topowise/device/library_names.hpp>
#include <topowise/device/nvml.hpp>
#include <topowise/topology_source/live/driver_gpus.hpp>
#include <topowise/topology_source/live/nvml_gpus.hpp>
#include <topowise/topology_source/live/sysfs.hpp>
#include <topowise/topology_source/node/on_node.hpp>

namespace topowise {
namespace {

/// A driver that has to wake many GPUs takes seconds.
constexpr int kToolSeconds = 60;

/// hwloc's functions as its version 2 declares them; the handle is opaque.
struct Hwloc {
  using Handle = void*;
  int (*init)(Handle*);
  int (*filter_io)(Handle, int);
  int (*load)(Handle);
  int (*export_xml)(Handle, char**, int*, unsigned long);
  void (*free_xml)(Handle, char*);
  void (*destroy)(Handle);
};
constexpr int kKeepImportant = 3;  // HWLOC_TYPE_FILTER_KEEP_IMPORTANT: bridges, GPUs, NICs

std::optional<Hwloc> find_hwloc(const SharedLibrary& library) {
  const Hwloc hwloc{
      library.function<int(Hwloc::Handle*)>("hwloc_topology_init"),
      library.function<int(Hwloc::Handle, int)>("hwloc_topology_set_io_types_filter"),
      library.function<int(Hwloc::Handle)>("hwloc_topology_load"),
      library.function<int(Hwloc::Handle, char**, int*, unsigned long)>("hwloc_topology_export_xmlbuffer"),
      library.function<void(Hwloc::Handle, char*)>("hwloc_free_xmlbuffer"),
      library.function<void(Hwloc::Handle)>("hwloc_topology_destroy")};
  const bool complete = hwloc.init != nullptr && hwloc.filter_io != nullptr && hwloc.load != nullptr &&
                        hwloc.export_xml != nullptr && hwloc.free_xml != nullptr && hwloc.destroy != nullptr;
  return complete ? std::optional(hwloc) : std::nullopt;
}

std::optional<std::string> export_machine(const Hwloc& hwloc) {
  Hwloc::Handle machine = nullptr;
  if (hwloc.init(&machine) != 0) return std::nullopt;
  std::optional<std::string> text;
  char* buffer = nullptr;
  int length = 0;
  if (hwloc.filter_io(machine, kKeepImportant) == 0 && hwloc.load(machine) == 0 &&
      hwloc.export_xml(machine, &buffer, &length, 0) == 0) {
    text.emplace(buffer, static_cast<std::size_t>(length));
    while (text->ends_with('\0')) text->pop_back();  // the length counts the final zero
    hwloc.free_xml(machine, buffer);
  }
  hwloc.destroy(machine);
  return text;
}

void ask_hwloc(LiveMachine& found) {
  const std::array<std::string, 2> names{"libhwloc.so.15", "libhwloc.so"};
  std::string reason;
  const std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (!library) return found.missing.push_back(fmt::format("hwloc: {}", reason));
  const std::optional<Hwloc> hwloc = find_hwloc(*library);
  if (!hwloc) return found.missing.push_back(fmt::format("hwloc: {} is not version 2", library->name()));
  if (std::optional<std::string> text = export_machine(*hwloc))
    found.hwloc = {"live", "hwloc-xml", std::move(*text)};
  else
    found.missing.emplace_back("hwloc: it cannot describe this machine");
}

/// Asks NVML. Returns why it lists no GPU; empty if it does. Also adds a warning if the library is there but does not
/// answer.
std::string ask_nvml(LiveMachine& found) {
  std::optional<SharedLibrary> library;
  try {
    library = nvml::open_library();
    const nvml::Report& report = found.nvml.emplace(nvml::ask(*library));
    for (const nvml::Gpu& gpu : report.gpus) {
      if (const std::optional<PciAddress> pci = PciAddress::parse(gpu.bus_id)) found.gpus.push_back({*pci, gpu.uuid});
    }
    if (!report.gpus.empty()) {
      found.drivers.push_back(topology_of(report));
      return {};
    }
    found.warnings.insert(found.warnings.end(), report.problems.begin(), report.problems.end());
    found.nvml.reset();
    return "NVML lists no GPU that may be used here";
  } catch (const Error& error) {
    if (library) found.warnings.emplace_back(error.what());
    return error.what();
  }
}

/// Asks nvidia-smi, which asks the same library. So it adds nothing where that answers, but some systems have only the
/// program.
bool ask_nvidia_smi(LiveMachine& found) {
  const ProgramResult list =
      run_program({"nvidia-smi", "--query-gpu=pci.bus_id,uuid,name", "--format=csv,noheader"}, kToolSeconds);
  if (list.failure) {
    found.missing.push_back(fmt::format("nvidia-smi: {}", why_no_output(list, kToolSeconds)));
    return false;
  }
  found.gpus = parse_gpu_list(list.output);
  if (std::optional<std::string> matrix = program_output({"nvidia-smi", "topo", "-m"}, kToolSeconds))
    found.tools.push_back(
        {"nvidia-smi topo -m", "nvidia-smi", list.output + "\n" + *matrix});  // names state NVLink's rate
  return true;
}

bool ask_amd(LiveMachine& found, const std::vector<BusGpu>& bus) {
  const std::size_t before = found.tools.size();
  for (const auto& [program, option] : {std::pair("amd-smi", "topology"), std::pair("rocm-smi", "--showtopo")}) {
    ProgramResult tables = run_program({program, option}, kToolSeconds);
    if (tables.failure) {
      found.missing.push_back(fmt::format("{}: {}", program, why_no_output(tables, kToolSeconds)));
      continue;
    }
    found.tools.push_back({fmt::format("{} {}", program, option), program, std::move(tables.output)});
    break;
  }
  if (found.tools.size() == before) return false;
  // If another vendor's GPUs are in the list, AMD's GPUs must be added to it, too.
  for (const BusGpu& gpu : bus) {
    if (gpu.vendor == kAmdVendor && !found.gpus.empty()) found.gpus.push_back({gpu.pci, {}});
  }
  return true;
}

/// Asks the driver, where the management library is missing, as in containers that hold only what a program needs.
void ask_driver_of(const device::Backend& backend, const std::string& missing, const std::vector<BusGpu>& bus,
                   LiveMachine& found) {
  DriverAnswer answer = ask_driver(backend, bus);
  if (!answer.topology) {
    if (answer.refused) found.warnings.push_back(answer.reason);
    return found.missing.push_back(std::move(answer.reason));
  }
  const Topology& driver = found.drivers.emplace_back(*std::move(answer.topology));
  for (std::size_t p = 0; p < driver.place_count(); ++p) {
    const Vertex& gpu = driver.vertex_of(Place(p));
    if (gpu.pci) found.gpus.push_back({*gpu.pci, gpu.uuid});
  }
  const std::string limits = fmt::format(
      "{}: the GPUs are known by the {} driver alone, which neither counts links nor says who is using a GPU", missing,
      backend.names.backend);
  std::erase(found.warnings, missing);
  found.limits.append(found.limits.empty() ? "" : "; ").append(limits);
  found.warnings.push_back(limits);
}

/// Warns of GPUs on the bus that the vendors' software does not list: the driver is missing, or a container hides them.
void warn_of_hidden(const std::vector<BusGpu>& gpus, int vendor, std::string_view name, std::string_view software,
                    LiveMachine& found) {
  const auto on_bus = std::ranges::count(gpus, vendor, &BusGpu::vendor);
  const auto listed = std::ranges::count_if(gpus, [&](const BusGpu& gpu) {
    return gpu.vendor == vendor && std::ranges::find(found.gpus, gpu.pci, &LiveGpu::pci) != found.gpus.end();
  });
  if (on_bus == listed) return;
  if (listed > 0) {
    found.warnings.push_back(
        fmt::format("{} {} GPUs are on the bus, {} may be used here: a container, a control group or "
                    "the driver keeps the others back",
                    on_bus, name, listed));
  } else if (found.tools.empty()) {
    found.warnings.push_back(
        fmt::format("{} {} GPUs are on the bus, but {} knows anything of them: their direct links "
                    "and UUIDs are not known",
                    on_bus, name, software));
  }
}

/// Warns of libraries that the user has named and that cannot be opened. Those of a vendor whose GPUs are not missed
/// matter to nobody.
void warn_of_named(LiveMachine& found) {
  for (const device::LibraryNames* names : {&device::kNvmlLibrary, &device::kCudaLibrary, &device::kHipLibrary}) {
    const bool has_gpus = !found.gpus.empty() || !found.drivers.empty();
    if (!device::is_named_by_user(*names) || (has_gpus && names != &device::kNvmlLibrary)) continue;
    for (const std::string& text : found.missing) {
      const auto has_text = [&](const std::string& warning) { return warning.find(text) != std::string::npos; };
      if (text.find(device::names_to_try(*names).front()) == std::string::npos ||
          std::ranges::any_of(found.warnings, has_text))
        continue;
      found.warnings.push_back(text);
    }
  }
}

void compare_with_bus(LiveMachine& found, const std::vector<BusGpu>& gpus) {
  if (gpus.empty()) return;
  found.bus = topology_of(gpus);
  warn_of_hidden(gpus, kNvidiaVendor, "NVIDIA", "neither NVML nor nvidia-smi nor the driver", found);
  warn_of_hidden(gpus, kAmdVendor, "AMD", "neither amd-smi nor rocm-smi nor the driver", found);
}

}  // namespace

std::vector<LiveGpu> parse_gpu_list(std::string_view text) {
  std::vector<LiveGpu> gpus;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() < 2) continue;
    if (const std::optional<PciAddress> pci = PciAddress::parse(cells[0]))
      gpus.push_back({*pci, std::string(trim(cells[1]))});
  }
  return gpus;
}

LiveMachine look_around(const std::string& pci_devices) {
  LiveMachine found;
  found.host = host_or_empty(host_name());
  const std::vector<BusGpu> bus = gpus_on_bus(pci_devices);
  found.integrated = integrated_on_bus(pci_devices);
  ask_hwloc(found);
  const std::string no_nvml = ask_nvml(found);
  if (!no_nvml.empty()) found.missing.push_back(no_nvml);
  if (!no_nvml.empty() && !ask_nvidia_smi(found)) ask_driver_of(device::cuda_backend(), no_nvml, bus, found);
  // A node may have GPUs of both vendors. Where Linux shows no bus, only asking helps.
  const bool may_have_amd =
      found.gpus.empty() || bus.empty() || std::ranges::find(bus, kAmdVendor, &BusGpu::vendor) != bus.end();
  if (may_have_amd && !ask_amd(found, bus))
    ask_driver_of(device::hip_backend(), "AMD's programs do not answer", bus, found);
  if (found.gpus.empty() && found.tools.empty()) found.limits = fmt::format("{}", fmt::join(found.warnings, "; "));
  warn_of_named(found);
  compare_with_bus(found, bus);
  return found;
}

}  // namespace topowise
