// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/arguments.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

/// The variables of batch systems for the number of a job, and of a step.
constexpr std::array kJobNumbers{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "COBALT_JOBID", "JOB_ID"};
constexpr std::array kStepNumbers{"SLURM_STEP_ID"};

std::string number_of(std::string_view option, std::string_view letter, std::string_view noun,
                      std::span<const char* const> variables) {
  for (const char* variable : variables)
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
  throw Arguments::wrong(option,
                         fmt::format("%{} is the number of the {}, and no batch system states it", letter, noun),
                         fmt::format("{}, or a name without %{}", fmt::join(variables, ", "), letter));
}

/// A name of a file with the numbers of job and step for %j and %s, as in Slurm's own names of files.
std::string with_numbers(std::string_view option, std::string_view name) {
  std::string whole;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string_view two = name.substr(at, 2);
    if (two == "%j")
      whole += number_of(option, "j", "job", kJobNumbers);
    else if (two == "%s")
      whole += number_of(option, "s", "step", kStepNumbers);
    else if (two != "%%")
      whole += name[at];
    else
      whole += '%';
    if (two == "%j" || two == "%s" || two == "%%") ++at;
  }
  return whole;
}

}  // namespace

Arguments::Arguments(const Verb& verb, std::vector<std::string> operands,
                     const std::map<std::string, std::vector<std::string>>& options, std::vector<std::string> command)
    : verb_(&verb), operands_(std::move(operands)), command_(std::move(command)) {
  for (const auto& [name, values] : options) {
    const Option* option = verb.option(name);
    if (option->choices != nullptr) {
      const std::vector<std::string> choices = option->choices();
      for (const std::string& value : values) {
        if (std::ranges::find(choices, value) != choices.end()) continue;
        throw wrong(name, unknown_name(option->kind, value, choices),
                    fmt::format("{}{}{}", name, option->implied.empty() ? ' ' : '=', fmt::join(choices, "|")));
      }
    }
    std::vector<std::string>& own = options_.emplace(name, values).first->second;
    if (option->completes != Completes::files && option->completes != Completes::directories) continue;
    for (std::string& value : own) value = with_numbers(name, value);
  }
}

std::string Arguments::operand(std::size_t index) const {
  if (index < operands_.size()) return operands_[index];
  throw usage_error(fmt::format("{} is missing", verb_->operands[index].name), verb_->usage());
}

bool Arguments::has(std::string_view option) const {
  return options_.contains(option);
}

std::string Arguments::text(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::string(verb_->option(option)->fallback) : found->second.back();
}

std::vector<std::string> Arguments::texts(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::vector<std::string>{} : found->second;
}

std::int64_t Arguments::whole(std::string_view option, std::int64_t least, std::int64_t most) const {
  const std::string given = text(option);
  const std::optional<std::int64_t> value = parse_integer(given);
  if (!value) throw wrong(option, fmt::format("'{}' is not a whole number", printable(given)));
  if (*value < least) throw wrong(option, fmt::format("'{}' is below {}", *value, least));
  if (*value > most) throw wrong(option, fmt::format("'{}' is above {}", *value, most));
  return *value;
}

Seconds Arguments::time(std::string_view option) const {
  const std::string given = text(option);
  const std::optional<Seconds> value = parse_seconds(given);
  if (!value)
    throw wrong(option, fmt::format("'{}' is not a time", printable(given)),
                fmt::format("{0} 10s, {0} 500ms or {0} 1min", option));
  if (!(value->value() > 0)) throw wrong(option, fmt::format("'{}' is not above 0", printable(given)));
  return *value;
}

Error Arguments::wrong(std::string_view option, const std::string& what, std::string hint) {
  return usage_error(fmt::format("{}: {}", option, what), std::move(hint));
}

}  // namespace topowise::cli
