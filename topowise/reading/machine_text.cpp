// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/machine_text.hpp>

#include <algorithm>
#include <array>

#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>

namespace topowise {
namespace {

/// True if the header of a table of GPUs is there: "GPU0", blanks or a bar, the next device.
bool has_gpu_header(std::string_view head) {
  constexpr std::string_view kFirst = "GPU0";
  for (std::size_t at = head.find(kFirst); at != std::string_view::npos; at = head.find(kFirst, at + 1)) {
    std::string_view rest = head.substr(at + kFirst.size());
    while (!rest.empty() && (is_blank(rest.front()) || rest.front() == '|')) rest.remove_prefix(1);
    if (rest.starts_with("GPU1") || rest.starts_with("NIC0") || rest.starts_with("mlx")) return true;
  }
  return false;
}

/// True if a record of a fabric is there: `Switch 8 "S-..."`, `Ca 1 "H-..."`, or port by port `CA 134 1 0x... 4x EDR -
/// SW ...`.
bool has_fabric_record(std::string_view head) {
  constexpr std::array<std::string_view, 5> kRecords{"Switch", "Ca", "Hca", "CA", "SW"};
  while (!head.empty()) {
    std::string_view line = take_part(head, '\n').substr(0, 256);
    if (std::ranges::find(kRecords, take_word(line)) == kRecords.end() || !parse_integer(take_word(line))) continue;
    line = trim(line);
    if (line.starts_with('"') || line.find(" 0x") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool is_machine_text(std::string_view head) {
  constexpr std::array kMarks = std::to_array<std::string_view>(
      {"<system", "<topology", "SwitchName=", "BlockName=", "- topology:", "(Topology) ",
       "LINK TYPE TABLE:", "LINK METRIC TABLE:", "switchguid=", ")==>", "Unicast lids ", "From ca {", "NCCL INFO ",
       "-[0000:", "HostBridge", "P2P Connectivity Matrix", "memcpy CE", "<nvidia_smi_log", "GPU 0 -> GPU 1:"});
  return json_schema(head) == "topowise.topology/1" || has_gpu_header(head) || has_fabric_record(head) ||
         std::ranges::any_of(kMarks, [&](std::string_view mark) { return head.find(mark) != std::string_view::npos; });
}

}  // namespace topowise
