// SPDX-License-Identifier: BSD-3-Clause
// Ids and names: the PCI ID repository, pci-ids.ucw.cz.
#include <topowise/topology_source/node/pci_class.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr int kNvidia = 0x10de;
constexpr int kAmd = 0x1002;
constexpr int kIntel = 0x8086;

using IdRange = std::pair<int, int>;  ///< first and last

/// Graphics of AMD's processors.
constexpr std::array<IdRange, 30> kAmdIntegrated{{
    {0x1114, 0x1114},                                                        // Krackan
    {0x1304, 0x131d},                                                        // Kaveri
    {0x13c0, 0x13c0},                                                        // Granite Ridge
    {0x1506, 0x1506}, {0x150e, 0x150e}, {0x1586, 0x1586},                    // Mendocino, Strix, Strix Halo
    {0x15bf, 0x15bf}, {0x15c8, 0x15c8}, {0x15d8, 0x15d8}, {0x15dd, 0x15dd},  // Phoenix, Phoenix2, Picasso, Raven
    {0x15e7, 0x15e7}, {0x1636, 0x1636}, {0x1638, 0x1638}, {0x163f, 0x163f},  // Barcelo, Renoir, Cezanne, VanGogh
    {0x164c, 0x164f}, {0x1681, 0x1681}, {0x1900, 0x1903},  // Lucienne to Phoenix, Rembrandt, HawkPoint
    {0x9610, 0x9616}, {0x9640, 0x964f}, {0x9710, 0x9715},  // RS780, Sumo, RS880
    {0x9802, 0x980a}, {0x9830, 0x983f}, {0x9850, 0x985f},  // Wrestler, Kabini, Mullins
    {0x9870, 0x9877}, {0x98e4, 0x98e4}, {0x9900, 0x991f},  // Carrizo, Stoney, Trinity and Richland
    {0x9990, 0x99a4}, {0x791e, 0x791f}, {0x793f, 0x793f}, {0x7941, 0x7942},  // Trinity 2, RS690, RS600
}};

/// Chips of ATI that boards of servers have for their management.
constexpr std::array<IdRange, 6> kAtiManagement{{
    {0x4742, 0x4742},
    {0x474d, 0x4757},  // Rage XL, Rage XC
    {0x5159, 0x5159},  // RV100
    {0x515e, 0x515f},  // ES1000
    {0x5245, 0x524c},  // Rage 128
    {0x5446, 0x5452},  // Rage 128 PRO
}};

/// Intel's graphics cards and data centre GPUs.
constexpr std::array<IdRange, 6> kIntelDiscrete{{
    {0x0bd0, 0x0bef},  // Data Center GPU Max
    {0x4905, 0x4909},  // DG1
    {0x4f80, 0x4f8f},  // DG2
    {0x5690, 0x56bf},  // Arc A
    {0x56c0, 0x56df},  // Data Center GPU Flex
    {0xe200, 0xe2ff},  // Arc B, Arc Pro B
}};

template <std::size_t N>
bool contains(const std::array<IdRange, N>& ranges, int id) {
  return std::ranges::any_of(ranges, [&](IdRange range) { return id >= range.first && id <= range.second; });
}

bool has_word_of(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

bool is_display(int code) {
  return code == PciClass::kVga || code == PciClass::k3d || code == PciClass::kDisplay;
}

GpuKind amd_kind(const PciFunction& function) {
  const std::string_view name = function.name;
  if (contains(kAtiManagement, function.device) || has_word_of(name, {"ES1000", "Rage ", "RV100"}))
    return GpuKind::none;
  if (contains(kAmdIntegrated, function.device) ||
      has_word_of(name, {"Raphael", "Granite Ridge", "Renoir",   "Lucienne", "Cezanne",  "Barcelo",   "Rembrandt",
                         "Phoenix", "HawkPoint",     "Strix",    "Krackan",  "VanGogh",  "Mendocino", "Picasso",
                         "Raven",   "Carrizo",       "Wani",     "Stoney",   "Kaveri",   "Kabini",    "Mullins",
                         "Temash",  "Trinity",       "Richland", "Sumo",     "Wrestler", "RS780",     "RS880"}))
    return GpuKind::integrated;
  return GpuKind::discrete;
}

/// Graphics of Intel's processors is on the root bus. Cards are behind a bridge, or are of a model that is known.
GpuKind intel_kind(const PciFunction& function) {
  const std::string_view name = function.name;
  if (contains(kIntelDiscrete, function.device) ||
      has_word_of(name, {"Data Center GPU", "Ponte Vecchio", "[Arc ", "DG1", "DG2", "Battlemage"}))
    return GpuKind::discrete;
  const bool on_root_bus = function.pci && function.pci->domain == 0 && function.pci->bus == 0;
  return on_root_bus || !function.pci ? GpuKind::integrated : GpuKind::discrete;
}

GpuKind kind_of_unknown_vendor(const PciFunction& function) {
  const int code = function.type.code;
  if (code == PciClass::k3d || code == PciClass::kAccelerator) return GpuKind::discrete;
  const bool is_intels_slot = function.pci && function.pci->domain == 0 && function.pci->bus == 0 &&
                              function.pci->device == 2 && function.pci->function == 0;
  if (is_display(code) && is_intels_slot) return function.computes ? GpuKind::integrated : GpuKind::unsure;
  if (code == PciClass::kDisplay) return GpuKind::discrete;
  return code == PciClass::kVga ? GpuKind::unsure : GpuKind::none;
}

GpuKind kind_by_vendor(const PciFunction& function) {
  const int code = function.type.code;
  switch (function.type.vendor) {
    case kNvidia:
      return is_display(code) ? GpuKind::discrete : GpuKind::none;
    case kAmd:
      return is_display(code) || code == PciClass::kAccelerator ? amd_kind(function) : GpuKind::none;
    case kIntel:
      return is_display(code) ? intel_kind(function) : GpuKind::none;
    case 0:
    case 0xffff:
      return kind_of_unknown_vendor(function);
    default:
      return code == PciClass::k3d ? GpuKind::discrete : GpuKind::none;
  }
}

constexpr int kOtherVendor = 1;  ///< a vendor whose id does not matter

/// The class of a function by its name alone.
int code_named(std::string_view name, int vendor, int device) {
  if (has_word_of(name, {"Audio", "USB", "UCSI", "Switch", "Bridge", "bridge", "SMBus"})) return 0;
  if (has_word_of(name, {"Device 22a3", "Device 1af1", "Device 1ac2"})) return 0;  // NVSwitches
  if (vendor == kNvidia) return PciClass::k3d;
  if (vendor == kAmd) return name.find("AMD/ATI]") != std::string_view::npos ? PciClass::kDisplay : 0;
  const bool is_graphics =
      has_word_of(name, {"Graphics", "Data Center GPU", "Ponte Vecchio", "[Arc ", "DG1", "DG2", "Battlemage"});
  return vendor == kIntel && (is_graphics || contains(kIntelDiscrete, device)) ? PciClass::kVga : 0;
}

/// The id in "Device 164e", or in "[1002:164e]" of `lspci -nn`; 0 if there is none.
int device_id_in(std::string_view name) {
  if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos && colon >= 5 &&
                                                 name[colon - 5] == '[' && name.substr(colon + 5).starts_with(']'))
    return parse_pci_id(name.substr(colon + 1, 4));
  constexpr std::string_view kDevice = "Device ";
  const std::size_t at = name.find(kDevice);
  return at == std::string_view::npos ? 0 : parse_pci_id(name.substr(at + kDevice.size(), 4));
}

}  // namespace

std::string_view vendor_named(std::string_view name) {
  if (has_word_of(name, {"NVIDIA"})) return "NVIDIA";
  if (has_word_of(name, {"AMD"})) return "AMD";
  return has_word_of(name, {"Intel"}) ? "Intel" : std::string_view();
}

PciFunction printed_function(std::string_view kind, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kKinds{
      {{"VGA compatible controller", PciClass::kVga},
       {"3D controller", PciClass::k3d},
       {"Display controller", PciClass::kDisplay},
       {"Processing accelerators", PciClass::kAccelerator}}};
  const std::string_view vendor = vendor_named(name);
  PciFunction function{.device = device_id_in(name), .name = name};
  function.type.vendor = vendor == "NVIDIA"  ? kNvidia
                         : vendor == "AMD"   ? kAmd
                         : vendor == "Intel" ? kIntel
                                             : kOtherVendor;
  for (const auto& [text, code] : kKinds) {
    if (kind.starts_with(text)) function.type.code = code;
  }
  if (kind.empty()) function.type.code = code_named(name, function.type.vendor, function.device);
  return function;
}

int parse_pci_id(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return failure == std::errc{} && end == text.data() + text.size() && value >= 0 ? value : 0;
}

PciClass parse_pci_class(std::string_view code, std::string_view vendor) {
  const bool with_interface = code.size() >= (code.starts_with("0x") ? 8U : 6U);
  const int value = parse_pci_id(code);
  return {with_interface ? value >> 8 : value, parse_pci_id(vendor)};
}

GpuKind gpu_kind(const PciFunction& function) {
  const GpuKind kind = kind_by_vendor(function);
  const bool is_management = kind == GpuKind::none && is_display(function.type.code) && function.type.vendor == kAmd;
  if (!function.computes || kind == GpuKind::integrated || is_management) return kind;
  return GpuKind::discrete;
}

GpuChoice choose_gpus(std::span<const GpuCandidate> candidates, bool has_cores) {
  const auto any = [&](auto condition) { return std::ranges::any_of(candidates, condition); };
  const bool discrete = any([](const GpuCandidate& each) { return each.kind == GpuKind::discrete; });
  const bool computing =
      any([](const GpuCandidate& each) { return each.kind == GpuKind::integrated && each.computes; });
  GpuChoice choice;
  for (const GpuCandidate& each : candidates) {
    const bool used_if_alone =
        each.kind == GpuKind::integrated && !discrete && (computing ? each.computes : !has_cores);
    choice.is_place.push_back(each.kind == GpuKind::discrete || used_if_alone);
    if (each.kind == GpuKind::unsure)
      choice.notices.push_back(fmt::format(
          "{} is a graphics card or the display of a management controller: it is no place, because its vendor is not "
          "known",
          each.label));
    if (used_if_alone && !each.computes)
      choice.notices.push_back(
          fmt::format("{} is graphics inside the processor, and no other GPU is described", each.label));
    if (each.kind == GpuKind::integrated && !used_if_alone)
      choice.notices.push_back(
          fmt::format("{} is graphics inside the processor: it is no place {}", each.label,
                      discrete ? "beside other GPUs" : "where neither CUDA, ROCm nor Level Zero lists it"));
  }
  return choice;
}

std::optional<SoftwareNumber> software_number(std::string_view device) {
  constexpr std::array<std::string_view, 6> kLibraries{"nvml", "rsmi", "amdsmi", "cuda", "ze", "opencl"};
  constexpr int kManagement = SoftwareNumber::kCuda;  // those before: one vendor's GPUs have one of them
  for (std::size_t l = 0; l < kLibraries.size(); ++l) {
    if (!device.starts_with(kLibraries[l])) continue;
    std::string_view rest = device.substr(kLibraries[l].size());
    if (const std::size_t d = rest.find('d'); kLibraries[l] == "opencl" && d != std::string_view::npos)
      rest.remove_prefix(d + 1);
    const std::optional<std::int64_t> number = parse_integer(rest);
    if (number && *number >= 0 && *number < 65536)
      return SoftwareNumber{std::max(static_cast<int>(l), kManagement - 1), static_cast<int>(*number)};
  }
  return std::nullopt;
}

std::vector<std::size_t> order_of_gpus(std::span<const NumberedGpu> gpus) {
  constexpr int kNone = std::numeric_limits<int>::max();
  const auto number = [&](std::size_t i) { return gpus[i].number ? gpus[i].number->number : kNone; };
  std::vector<std::size_t> order(gpus.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(number(i), gpus[i].pci); });
  if (std::ranges::all_of(gpus, [](const NumberedGpu& gpu) { return gpu.number.has_value(); })) return order;
  std::vector<std::optional<std::size_t>> at(gpus.size());
  std::vector<std::size_t> rest;
  for (const std::size_t i : order) {
    const auto wanted = static_cast<std::size_t>(number(i));
    if (wanted < at.size() && !at[wanted])
      at[wanted] = i;
    else
      rest.push_back(i);
  }
  std::ranges::stable_sort(rest, {}, [&](std::size_t i) { return gpus[i].pci; });
  auto next = rest.begin();
  for (std::size_t slot = 0; slot < at.size(); ++slot) order[slot] = at[slot] ? *at[slot] : *next++;
  return order;
}

std::vector<int> numbers_for_programs(std::span<const NumberedGpu> gpus) {
  std::vector<int> numbers(gpus.size(), -1);
  std::map<int, std::vector<std::size_t>> of_library;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (is_for_programs(gpus[i].number)) of_library[gpus[i].number->library].push_back(i);
  }
  for (auto& [library, own] : of_library) {
    std::ranges::stable_sort(own, {}, [&](std::size_t i) { return gpus[i].number->number; });
    const bool by_bus = std::ranges::is_sorted(own, {}, [&](std::size_t i) { return gpus[i].pci; });
    if (library >= SoftwareNumber::kCuda && !by_bus) continue;
    for (const std::size_t i : own) numbers[i] = gpus[i].number->number;
  }
  return numbers;
}

}  // namespace topowise
