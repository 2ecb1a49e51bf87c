// SPDX-License-Identifier: BSD-3-Clause
// What the user typed for one verb, with typed access. Wrong values end in Error(usage) that names the option.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/cli/option.hpp>

namespace topowise::cli {

class Arguments {
 public:
  Arguments(const Verb& verb, std::vector<std::string> operands,
            const std::map<std::string, std::vector<std::string>>& options, std::vector<std::string> command);

  [[nodiscard]] const Verb& verb() const { return *verb_; }

  /// Operand number `index`; throws if it was left out although it is required.
  [[nodiscard]] std::string operand(std::size_t index) const;
  [[nodiscard]] bool has_operand(std::size_t index) const { return index < operands_.size(); }
  /// The words after "--", for a verb that takes a command.
  [[nodiscard]] const std::vector<std::string>& command() const { return command_; }

  [[nodiscard]] bool has(std::string_view option) const;
  /// The value of the option, else its fallback in the table.
  [[nodiscard]] std::string text(std::string_view option) const;
  /// The same as a value of an enumeration, whose words are the option's choices.
  template <class Choice>
  [[nodiscard]] Choice one_of(std::string_view option, std::optional<Choice> (*parse)(std::string_view)) const {
    const std::string word = text(option);
    if (const std::optional<Choice> known = parse(word)) return *known;
    throw wrong(option, "unknown word '" + word + "'");
  }
  /// All values of an option that takes several.
  [[nodiscard]] std::vector<std::string> texts(std::string_view option) const;
  /// A whole number in [least, most].
  [[nodiscard]] std::int64_t whole(std::string_view option, std::int64_t least = 0,
                                   std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// A time above 0, "10", "500ms", "1min", "2h".
  [[nodiscard]] Seconds time(std::string_view option) const;

  /// The error "--seed: what", for the caller to throw.
  [[nodiscard]] static Error wrong(std::string_view option, const std::string& what, std::string hint = {});

 private:
  const Verb* verb_;
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
  std::vector<std::string> command_;
};

}  // namespace topowise::cli
