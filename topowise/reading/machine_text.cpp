// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/machine_text.hpp>

#include <algorithm>
#include <array>

#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>

namespace topowise {
namespace {

/// The header of a table of GPUs: "GPU0", blanks, "GPU1".
bool has_gpu_header(std::string_view head) {
  constexpr std::string_view kFirst = "GPU0";
  for (std::size_t at = head.find(kFirst); at != std::string_view::npos; at = head.find(kFirst, at + 1)) {
    std::string_view rest = head.substr(at + kFirst.size());
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    if (rest.starts_with("GPU1")) return true;
  }
  return false;
}

}  // namespace

bool is_machine_text(std::string_view head) {
  constexpr std::array<std::string_view, 8> kMarks{"<system",     "<topology",        "SwitchName=", "BlockName=",
                                                   "(Topology) ", "LINK TYPE TABLE:", "switchguid=", "NCCL INFO "};
  return json_schema(head) == "topowise.topology/1" || has_gpu_header(head) ||
         std::ranges::any_of(kMarks, [&](std::string_view mark) { return head.find(mark) != std::string_view::npos; });
}

}  // namespace topowise
