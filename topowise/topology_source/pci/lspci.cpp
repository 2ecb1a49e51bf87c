// SPDX-License-Identifier: BSD-3-Clause
// The tree is drawn with characters: "[0000:c0]" is a host bridge's bus, "01.1-[c1]--" is a bridge and the bus behind
// it, "00.0  NAME" is a device. A '+' begins a list of the devices of one bus, which goes on at a '+' or '\' in the
// same column of later lines. The tree has neither NUMA domains nor classes; records of -vmm ("Slot:", "Class:",
// "NUMANode:") have them.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/pci_paths.hpp>

namespace topowise {
namespace {

constexpr PciTreeSource kSource{.name = "lspci",
                                .text = "tree of PCI devices",
                                .command = "lspci -tv > FILE; lspci -vmm >> FILE",
                                .bonds = "lspci sees PCI alone"};

struct Record {
  std::string_view kind, vendor, device;
  int numa = -1;
};
using Records = std::map<PciAddress, Record>;
constexpr std::size_t kMostRecords = std::size_t{1} << 16;
constexpr std::size_t kLongestSlot = 64;

/// Reads "0000:c1:00.0" and "c1:00.0".
std::optional<PciAddress> parse_slot(std::string_view text) {
  return PciAddress::parse(std::ranges::count(text, ':') == 1 ? fmt::format("0000:{}", text) : std::string(text));
}

Records read_records(const TextLines& lines) {
  Records records;
  Record* current = nullptr;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::size_t colon = lines[l].find(":\t");
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trim(lines[l].substr(0, colon));
    const std::string_view value = trim(lines[l].substr(colon + 2));
    if (key == "Slot" || (key == "Device" && parse_slot(value))) {
      const std::optional<PciAddress> slot = parse_slot(value.substr(0, kLongestSlot));
      if (records.size() > kMostRecords) fail(lines.at(l, {}, fmt::format("more than {} PCI devices", kMostRecords)));
      current = slot ? &records[*slot] : nullptr;
    }
    if (current == nullptr) continue;
    if (key == "Class") current->kind = value;
    if (key == "Vendor") current->vendor = value;
    if (key == "Device" && !parse_slot(value)) current->device = value;
    if (key == "NUMANode")
      current->numa = static_cast<int>(std::clamp<std::int64_t>(parse_integer(value).value_or(-1), -1, 1 << 16));
  }
  return records;
}

std::optional<unsigned> parse_hex(std::string_view text) {
  unsigned value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return failure == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

/// A place in the tree where devices of one bus are listed.
struct Bus {
  unsigned domain = 0;
  unsigned number = 0;
  std::size_t host_bridge = 0;
  std::vector<std::size_t> bridges;
};

class TreeReader {
 public:
  TreeReader(const TextLines& lines, const Records& records, Warnings& warnings)
      : lines_(lines), records_(records), warnings_(warnings) {}

  std::vector<PciDevice> read() {
    for (std::size_t l = 0; l < lines_.size(); ++l) read_line(l, lines_[l]);
    return std::move(devices_);
  }

 private:
  void read_line(std::size_t l, std::string_view line) {
    const std::size_t mark = line.find_first_not_of(" |");
    if (mark == std::string_view::npos) return;
    const std::optional<Bus> first = continued(line, mark);
    if (!first && !begins_tree(line.substr(mark))) return;
    bus_ = first.value_or(Bus{});
    const bool tree_itself = line[mark] == '-';
    if (tree_itself) open_.clear();
    std::size_t at = tree_itself ? mark : mark + 1;
    while (at < line.size()) {
      if (line[at] == '-') {
        ++at;
      } else if (line[at] == '+' || line[at] == '\\') {
        if (open_.size() > kMostOpen)
          fail(lines_.at(l, line.substr(at), "bridges are nested deeper than any machine's"));
        open_.emplace_back(at++, bus_);
      } else if (line[at] == '[') {
        at = read_bus(l, line, at);
      } else {
        at = read_device(l, line, at);
      }
    }
  }

  /// The bus whose list goes on at this column.
  std::optional<Bus> continued(std::string_view line, std::size_t mark) {
    if (line[mark] != '+' && line[mark] != '\\') return std::nullopt;
    while (!open_.empty() && open_.back().first > mark) open_.pop_back();
    if (open_.empty() || open_.back().first != mark) return std::nullopt;
    return open_.back().second;
  }

  static bool begins_tree(std::string_view text) { return text.starts_with("-[") || text.starts_with("-+-["); }

  /// Reads "[0000:c0]" of a host bridge, "[c1]" or "[c1-c4]" after the bridge before it.
  std::size_t read_bus(std::size_t l, std::string_view line, std::size_t at) {
    const std::size_t end = line.find(']', at);
    const std::string_view inside = line.substr(at + 1, end - at - 1);
    const std::size_t colon = inside.find(':');
    const std::string_view number = colon == std::string_view::npos ? inside : inside.substr(colon + 1);
    const std::optional<unsigned> bus = parse_hex(number.substr(0, number.find('-')));
    const std::optional<unsigned> domain =
        colon == std::string_view::npos ? std::optional(bus_.domain) : parse_hex(inside.substr(0, colon));
    if (end == std::string_view::npos || !bus || !domain) {
      warnings_.add(lines_.at(l, line.substr(at), "this is no bus"));
      return line.size();
    }
    if (colon != std::string_view::npos)
      bus_ = {*domain, 0, host_bridges_++, {}};
    else
      bus_.bridges.push_back(bridges_++);
    bus_.domain = *domain;
    bus_.number = *bus;
    if (bus_.bridges.size() > kDeepest)
      fail(lines_.at(l, line.substr(at), "bridges are nested deeper than any machine's"));
    return end + 1;
  }

  /// Reads "01.1-[...]" and "00.0  NAME".
  std::size_t read_device(std::size_t l, std::string_view line, std::size_t at) {
    const std::string_view slot = line.substr(at, 4);
    const bool is_slot =
        slot.size() == 4 && slot[2] == '.' && parse_hex(slot.substr(0, 2)) && parse_hex(slot.substr(3));
    if (!is_slot) {
      if (!trim(line.substr(at)).empty()) warnings_.add(lines_.at(l, line.substr(at), "this is no device of a tree"));
      return line.size();
    }
    if (line.substr(at + 4).starts_with("-[")) return at + 4;  // a bridge; its bus follows
    if (devices_.size() > DeviceMatrix::kMost)
      fail(lines_.at(l, line.substr(at), fmt::format("more than {} devices in one machine", DeviceMatrix::kMost)));
    add_device(PciAddress::parse(fmt::format("{:04x}:{:02x}:{}", bus_.domain, bus_.number, slot)),
               trim(line.substr(at + 4)));
    return line.size();
  }

  void add_device(const std::optional<PciAddress>& pci, std::string_view name) {
    const auto record = pci ? records_.find(*pci) : records_.end();
    const Record known = record == records_.end() ? Record{} : record->second;
    const std::string full =
        known.vendor.empty() ? std::string(name) : fmt::format("{} {}", known.vendor, known.device);
    const bool is_network = known.kind.empty() || known.kind.find("Ethernet") != std::string_view::npos ||
                            known.kind.find("Infiniband") != std::string_view::npos ||
                            known.kind.find("etwork") != std::string_view::npos;
    PciDevice found;
    found.device.pci = pci;
    found.device.numa = known.numa;
    found.host_bridge = bus_.host_bridge;
    found.bridges = bus_.bridges;
    PciFunction function = printed_function(known.kind, full);
    function.pci = pci;
    found.gpu = {fmt::format("{} ({})", pci ? pci->to_string() : "a device", printable(full.substr(0, 120))),
                 gpu_kind(function), false};
    if (found.gpu.kind != GpuKind::none) {
      found.vendor = vendor_named(full);
      devices_.push_back(std::move(found));
    } else if (names_nic(full) && is_network) {
      found.device.kind = VertexKind::nic;
      found.device.name = pci ? pci->to_string() : "NIC";
      devices_.push_back(std::move(found));
    }
  }

  static constexpr std::size_t kDeepest = 64;
  static constexpr std::size_t kMostOpen = 1024;
  const TextLines& lines_;
  const Records& records_;
  Warnings& warnings_;
  Bus bus_;
  std::vector<std::pair<std::size_t, Bus>> open_;  ///< the column of each open list's '+', and the list's bus
  std::vector<PciDevice> devices_;
  std::size_t host_bridges_ = 0;
  std::size_t bridges_ = 0;
};

bool recognises(std::string_view head) {
  const TextLines lines({}, head);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string_view line = trim(lines[l]);
    const std::size_t colon = line.find(':');
    if ((line.starts_with("-[") || line.starts_with("-+-[")) && colon != std::string_view::npos &&
        line.substr(colon).find(']') == 3)
      return true;
  }
  return false;
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  const std::string_view text = plain_text(input, cleaned);
  const TextLines lines(where, text, kLongestLine);
  Warnings warnings;
  const Records records = read_records(lines);
  std::vector<PciDevice> devices = TreeReader(lines, records, warnings).read();
  keep_gpu_places(devices, false, where, warnings);
  return topology_of_paths(where, std::move(devices), kSource, warnings);
}

}  // namespace

const TopologyFormat kLspciFormat{"lspci", "lspci -tv, better with lspci -vmm behind it", recognises, read};

}  // namespace topowise
