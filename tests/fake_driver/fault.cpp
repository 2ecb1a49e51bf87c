// SPDX-License-Identifier: BSD-3-Clause
#include "fault.hpp"

#include <csignal>
#include <cstdio>
#include <optional>

#include <topowise/base/text.hpp>

#include "result.hpp"

namespace topowise::fake {
namespace {

constexpr int kKill = -1;  ///< no driver returns this

std::optional<int> code_of(std::string_view name) {
  if (name == "KILL") return kKill;
  if (name == "NOTHING") return Faults::kNothing;
  return result::code(name);
}

}  // namespace

Faults::Faults(const std::string& text) {
  if (text.empty()) return;
  for (const std::string_view entry : split(text, ',')) {
    const std::vector<std::string_view> cells = split(entry, ':');
    auto fault = std::make_unique<Fault>();
    const bool three = cells.size() == 3;
    std::string_view when = three ? cells[1] : std::string_view();
    fault->later_ones_too = !when.empty() && (when.back() == '+' || when.back() == '*');
    if (fault->later_ones_too) when.remove_suffix(1);
    const std::optional<std::int64_t> first = when.empty() ? 1 : parse_integer(when);
    std::optional<int> code;
    if (three) code = code_of(cells[2]);
    if (!first || *first < 1 || !code) {
      std::fprintf(stderr, "SIMULATED driver: cannot read the fault '%s'\n", std::string(entry).c_str());
      continue;
    }
    fault->call = cells[0];
    fault->first = static_cast<std::uint64_t>(*first);
    fault->code = *code;
    faults_.push_back(std::move(fault));
  }
}

int Faults::next(std::string_view call) {
  for (const std::unique_ptr<Fault>& fault : faults_) {
    if (fault->call != "*" && fault->call != call) continue;
    const std::uint64_t number = ++fault->calls;
    if (number != fault->first && !(fault->later_ones_too && number > fault->first)) continue;
    if (fault->code == kKill) ::raise(SIGKILL);
    return fault->code;
  }
  return result::kSuccess;
}

}  // namespace topowise::fake
