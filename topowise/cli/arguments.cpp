// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/arguments.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise::cli {

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
    options_.emplace(name, values);
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
                fmt::format("{} 10 or {} 500ms", option, option));
  if (!(value->value() > 0)) throw wrong(option, fmt::format("'{}' is not above 0", printable(given)));
  return *value;
}

Error Arguments::wrong(std::string_view option, const std::string& what, std::string hint) {
  return usage_error(fmt::format("{}: {}", option, what), std::move(hint));
}

}  // namespace topowise::cli
