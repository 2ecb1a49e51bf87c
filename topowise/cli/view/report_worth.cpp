// SPDX-License-Identifier: BSD-3-Clause
// The first words of the page: what the mapping is worth and how good it is, and what that rests on.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <topowise/cli/view/map_view.hpp>
#include <topowise/cli/view/report_view.hpp>
#include <topowise/cli/view/rests_on.hpp>

namespace topowise::cli {
namespace {

constexpr std::string_view kByModel = " by the congestion model";

/// "2.7 x faster", "4.0 % faster", "1.3 x slower".
std::string faster(double before, double after) {
  if (!(after > 0)) return "";
  constexpr double kWorthANumber = 1.1;  // below it, percent say more
  const bool slower = after > before;
  const double ratio = slower ? after / before : before / after;
  const std::string by =
      ratio < kWorthANumber ? fmt::format("{:.1f} %", 100 * (ratio - 1)) : fmt::format("{:.1f} x", ratio);
  return fmt::format(", {} {}", by, slower ? "slower" : "faster");
}

/// "35.3 % fewer" or "15.2 % more".
std::string fewer(double before, double after) {
  return fmt::format("{:.1f} % {}", 100 * std::abs(1 - after / before), after <= before ? "fewer" : "more");
}

/// Numbers whose texts are equal are not worth a ratio.
std::string in_time(std::string_view what, Seconds before, Seconds after, std::string_view by) {
  if (to_string(before) == to_string(after)) return fmt::format("{} {} as before{}", what, to_string(after), by);
  return fmt::format("{} {} instead of {}{}{}", what, to_string(after), to_string(before), by,
                     faster(before.value(), after.value()));
}

std::string in_hop_bytes(const Evaluation& before, const Evaluation& after) {
  const std::string old = to_string(Bytes(before.hop_bytes));
  const std::string now = to_string(Bytes(after.hop_bytes));
  if (old == now) return fmt::format("{} hop-bytes, as before", now);
  return fmt::format("{} hop-bytes instead of {}, {}", now, old, fewer(before.hop_bytes, after.hop_bytes));
}

/// A time that stays is not all that changes.
std::string in_predicted_time(const Evaluation& before, const Evaluation& after, std::string_view by) {
  std::string text = in_time("An exchange takes", *before.predicted_time, *after.predicted_time, by);
  if (to_string(*before.predicted_time) == to_string(*after.predicted_time))
    text += fmt::format(", with {}", in_hop_bytes(before, after));
  return text;
}

/// The number that the mapping was made for; of a given mapping the time, where it is known.
Objective shown_objective(const Comparison& comparison) {
  const Objective objective = comparison.given ? Objective::predicted_time : comparison.problem.objective;
  const Evaluation& before = comparison.before;
  const Evaluation& after = comparison.after;
  if (objective == Objective::predicted_time && !(before.predicted_time && after.predicted_time))
    return Objective::hop_bytes;
  if (objective == Objective::max_congestion && !(before.max_congestion && after.max_congestion))
    return Objective::hop_bytes;
  return objective;
}

/// A cost that is infinite has no ratio.
std::string hop_bytes_sentence(const Evaluation& before, const Evaluation& after) {
  constexpr std::string_view kApart = "puts ranks that talk on places that nothing connects";
  if (std::isinf(after.hop_bytes)) return fmt::format("The mapping {}", kApart);
  if (std::isinf(before.hop_bytes))
    return fmt::format("The mapping has {} hop-bytes, and the identity {}", to_string(Bytes(after.hop_bytes)), kApart);
  return "The mapping has " + in_hop_bytes(before, after);
}

std::string gain(const Comparison& comparison, Objective objective, std::string_view by) {
  const Evaluation& before = comparison.before;
  const Evaluation& after = comparison.after;
  switch (objective) {
    case Objective::predicted_time:
      return in_predicted_time(before, after, by);
    case Objective::max_congestion:
      return in_time("The fullest wire is busy for", *before.max_congestion, *after.max_congestion, "");
    case Objective::mix:
      return fmt::format("The mix of hop-bytes and max congestion is {} of that of the identity",
                         cost_text(Objective::mix, comparison.bound ? comparison.bound->cost : 1));
    case Objective::hop_bytes:
      break;
  }
  return hop_bytes_sentence(before, after);
}

std::string as_sentence(std::string words) {
  if (!words.empty()) words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

}  // namespace

bool is_nothing_to_apply(const Comparison& comparison) {
  if (comparison.given || !comparison.bound) return comparison.mapping == comparison.identity;
  return !has_gain(*comparison.bound);
}

std::string worth(const Comparison& comparison) {
  const MapProblem& problem = comparison.problem;
  if (comparison.bound && !comparison.given && is_nothing_to_apply(comparison))
    return as_sentence(why_no_gain(problem, *comparison.bound));
  const Objective objective = shown_objective(comparison);
  std::string proof;
  if (comparison.bound && objective == problem.objective) proof = proof_text(problem, *comparison.bound);
  if (!proof.empty()) proof[0] = ';';  // ": proven optimal"
  const bool says_model = proof.find(kByModel) != std::string::npos;
  return gain(comparison, objective, says_model ? "" : kByModel) + proof + ".";
}

std::string worth_grounds(const Comparison& comparison) {
  const bool about_time = shown_objective(comparison) != Objective::hop_bytes;
  std::vector<std::string> first;   // what the sentence about the worth rests on
  std::vector<std::string> others;  // what only the times below it rest on
  const auto add = [&](std::vector<std::string>& to, std::span<const std::string> more) {
    for (const std::string& each : more) {
      const bool known = std::ranges::find(first, each) != first.end() || std::ranges::find(to, each) != to.end();
      if (!known) to.push_back(each);
    }
  };
  const Topology& machine = comparison.problem.topology;
  add(first, comparison.bound ? std::span<const std::string>(comparison.bound->assumptions) : machine.assumptions());
  for (const Evaluation* shown : {&comparison.before, &comparison.after})
    add(about_time ? first : others, shown->assumptions);
  std::string text = first.empty() ? "" : as_sentence(rests_on(first));
  const auto add_sentence = [&](const std::string& line) { text += (text.empty() ? "" : " ") + as_sentence(line); };
  if (!others.empty()) add_sentence(fmt::format("the times rest on: {}", fmt::join(others, "; ")));
  if (!comparison.bound) return text;
  if (const std::string spared = spared_text(*comparison.bound); !spared.empty()) add_sentence(spared);
  for (const std::string& line : contradictions(comparison.problem, *comparison.bound)) add_sentence(line);
  return text;
}

}  // namespace topowise::cli
