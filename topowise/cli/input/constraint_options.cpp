// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/constraint_options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/cli/input/place_list.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/reading/matrix_reading.hpp>

namespace topowise::cli {
namespace {

constexpr double kImbalanceOfLoads = 0.03;
constexpr std::int64_t kHeaviest = 1'000'000;
constexpr std::size_t kMostRanks = 1 << 24;

double imbalance(const Arguments& arguments) {
  const std::string given = arguments.text("--imbalance");
  std::string_view text = trim(given);
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const std::optional<double> value = parse_double(text);
  constexpr double kMost = 1000;
  if (!value || !(*value >= 0) || *value > kMost)
    throw Arguments::wrong("--imbalance", fmt::format("'{}' is not a number from 0 to {}", printable(given), kMost),
                           "--imbalance 0.03 or --imbalance 3%");
  return percent ? *value / 100 : *value;
}

/// Adds the load of an item, which is LOAD, or 'N*LOAD' for N ranks. Returns what is wrong with the item, else nothing.
std::string add_loads(std::string_view item, std::vector<int>& loads) {
  const std::size_t star = item.find('*');
  const std::optional<std::int64_t> count =
      star == std::string_view::npos ? std::optional<std::int64_t>(1) : parse_integer(trim(item.substr(0, star)));
  const std::optional<std::int64_t> load =
      parse_integer(trim(star == std::string_view::npos ? item : item.substr(star + 1)));
  if (!count || !load || *count < 1 || *load < 1 || *load > kHeaviest)
    return fmt::format("{} is not a load: a whole number from 1 to {}, or N*LOAD", in_quotes(item), kHeaviest);
  if (static_cast<std::size_t>(*count) > kMostRanks - loads.size())
    return fmt::format("{}: these are loads for more than {} ranks", in_quotes(item), kMostRanks);
  loads.insert(loads.end(), static_cast<std::size_t>(*count), static_cast<int>(*load));
  return {};
}

/// True if the text has a comma or a '*' or is a number, unless a file has that name.
bool is_list(const std::string& text) {
  std::error_code failure;
  const bool looks_so = text.find_first_of(",*") != std::string::npos || parse_double(trim(text));
  return looks_so && !std::filesystem::exists(text, failure);
}

std::string wrong_count(std::size_t loads, std::size_t ranks) {
  return loads == ranks ? std::string() : fmt::format("{} for {}", counted(loads, "load"), counted(ranks, "rank"));
}

/// Reads "2,1,1,6*3".
std::vector<int> loads_of_list(std::string_view text, std::size_t ranks) {
  std::vector<int> loads;
  for (const std::string_view item : split(text, ',')) {
    if (const std::string wrong = add_loads(trim(item), loads); !wrong.empty())
      throw Arguments::wrong("--loads", wrong);
  }
  if (const std::string wrong = wrong_count(loads.size(), ranks); !wrong.empty())
    throw Arguments::wrong("--loads", wrong);
  return loads;
}

/// Reads one load a line.
std::vector<int> loads_of_file(const std::string& path, std::size_t ranks) {
  std::vector<int> loads;
  const std::string content = plain_text(read_text(path));
  const TextLines lines(input_name(path), content);
  matrix::TextDiagnostics wrong(lines);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string_view item = trim(lines[line]);
    if (matrix::is_comment(item, "#")) continue;
    if (std::string what = add_loads(item, loads); !what.empty()) wrong.add(line, item, std::move(what));
  }
  wrong.throw_if_any();
  if (std::string what = wrong_count(loads.size(), ranks); !what.empty())
    fail({lines.where(), {}, std::move(what), {}, {}});
  return loads;
}

/// Reads "0=GPU3,5=12".
std::vector<FixedRank> parse_fixed(const Topology& topology, std::size_t ranks, const std::string& text) {
  std::vector<FixedRank> fixed;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    const std::optional<std::int64_t> rank = parse_integer(trim(item.substr(0, equals)));
    if (equals == std::string_view::npos || !rank || *rank < 0 || *rank > std::int64_t{kMostRanks})
      throw Arguments::wrong("--fix", fmt::format("'{}' is not RANK=PLACE", printable(item)), "--fix 0=GPU3,5=12");
    if (*rank >= static_cast<std::int64_t>(ranks))
      throw Arguments::wrong("--fix",
                             fmt::format("rank '{}' does not exist, the traffic has ranks 0 to {}", *rank, ranks - 1));
    fixed.push_back({Rank(static_cast<std::size_t>(*rank)), place_named(topology, item.substr(equals + 1), "--fix")});
  }
  return fixed;
}

}  // namespace

std::vector<Option> constraint_options() {
  return {{"--imbalance", "E", "places",
           "a place may hold E (0.03 or 3%) more than its share of the ranks, or of their loads"},
          {"--loads",
           "LIST",
           "places",
           "work of each rank, in whole numbers: '4,1,1,8*2' (8*2: eight ranks of 2) or a file with one number a line; "
           "places share the work evenly",
           {},
           nullptr,
           {},
           Completes::files},
          {"--fix", "LIST", "places", "ranks that must be on a place: '0=GPU3,5=12'"}};
}

void read_constraints(const Arguments& arguments, MapProblem& problem) {
  if (arguments.has("--imbalance")) {
    if (arguments.has("--ranks-per-place"))
      throw usage_error("--imbalance and --ranks-per-place both say how full a place may be");
    problem.imbalance = imbalance(arguments);
  }
  if (arguments.has("--loads")) {
    const std::string given = arguments.text("--loads");
    const std::size_t ranks = problem.traffic.ranks();
    problem.loads = is_list(given) ? loads_of_list(given, ranks) : loads_of_file(given, ranks);
    if (!problem.imbalance) problem.imbalance = kImbalanceOfLoads;
  }
  if (arguments.has("--fix"))
    problem.fixed = parse_fixed(problem.topology, problem.traffic.ranks(), arguments.text("--fix"));
}

}  // namespace topowise::cli
