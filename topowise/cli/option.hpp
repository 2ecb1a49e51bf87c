// SPDX-License-Identifier: BSD-3-Clause
// The table of verbs and options. Parsing, help, manual pages and shell completion are all made from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise::cli {

class Arguments;
class Terminal;

/// What a shell offers for a value.
enum class Completes : unsigned char { nothing, files, directories, topologies, traffics, choices };

/// One option of a verb.
struct Option {
  std::string_view name;                            ///< "--seed"
  std::string_view value;                           ///< "N", one word for each value; empty: a switch
  std::string_view group;                           ///< heading in the help
  std::string_view help;                            ///< lower case, no full stop
  std::string_view fallback = {};                   ///< what holds without the option; empty: nothing to say
  std::vector<std::string> (*choices)() = nullptr;  ///< the only values allowed
  std::string_view kind = {};                       ///< what a choice is called in messages: "mapper"
  Completes completes = Completes::nothing;
  std::string_view implied = {};  ///< value if the option is alone; it then takes one only as --name=VALUE

  /// How many words of `value` follow the name.
  [[nodiscard]] int values() const;
  /// The option with its value: "--seed N", "--reorder[=WHEN]".
  [[nodiscard]] std::string usage() const;
};

/// An option `name` FILE that names an output.
[[nodiscard]] Option written_file(std::string_view name, std::string_view help);
/// The option --json, which is the same in all verbs.
[[nodiscard]] Option json_option();

/// One argument without a name.
struct Operand {
  std::string_view name;  ///< "TRAFFIC"
  std::string_view help;
  bool required = true;
  Completes completes = Completes::nothing;
  std::vector<std::string> (*choices)() = nullptr;  ///< the words that are offered, where it completes choices
};

/// One verb. Adding one is one file and one row in verb/verbs.cpp.
struct Verb {
  std::string_view name;
  std::string_view summary;      ///< one line, lower case
  std::string_view description;  ///< a paragraph for help and manual page; may be empty
  std::vector<std::string_view> examples;
  std::vector<Operand> operands;
  std::vector<Option> options;
  bool takes_command = false;  ///< everything behind "--" is a command to run
  ExitStatus (*run)(const Arguments&, Terminal&) = nullptr;
  std::vector<Verb> members = {};  ///< what its first argument may name, each with its own options
  std::string_view of = {};        ///< the verb whose member it is: "bench"

  /// How it is typed: "map", "bench stencil2d".
  [[nodiscard]] std::string words() const;
  /// The usage line: "topowise map TRAFFIC TOPOLOGY [options]".
  [[nodiscard]] std::string usage() const;
  [[nodiscard]] const Option* option(std::string_view option_name) const;
};

/// The verb with this name. Throws Error(usage) with a suggestion for an unknown name.
[[nodiscard]] const Verb& verb_named(std::span<const Verb> verbs, std::string_view name);

/// The member that one of the words names, which is then removed from them; the verb itself if none does.
[[nodiscard]] const Verb& member_named(const Verb& verb, std::vector<std::string>& words);

/// The group of the options that every verb has.
inline constexpr std::string_view kGeneral = "general";

}  // namespace topowise::cli
