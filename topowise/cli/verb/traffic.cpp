// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <topowise/base/names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/saturating.hpp>
#include <topowise/cli/input/traffic_options.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/spread_view.hpp>
#include <topowise/cli/view/traffic_file.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/recorded/summary.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

// What a recorded profile says besides the matrix: where the buffers were.

/// Prints a line on host and GPU memory, and one on the GPUs of the ranks. Prints nothing if `traffic` is not a
/// profile, or if nothing in it was on a GPU.
void show_buffers(const std::string& traffic, const std::string& collectives, Terminal& terminal) {
  const std::optional<ProfileSummary> summary = summarize_profile(traffic);
  if (!summary) return;
  const auto between = [&](const char* memory) {
    return read_traffic(traffic, {.format = {}, .collectives = collectives, .memory = memory}).total_bytes();
  };
  const Bytes device = between("device-device");
  const Bytes mixed = between("mixed");
  if (!(device + mixed > Bytes(0))) return;
  terminal.print("\nbetween GPUs {}, between GPU and host {}, on the host {}\n", to_string(device), to_string(mixed),
                 to_string(between("host-host")));
  constexpr std::size_t kShown = 16;
  std::vector<std::string> ranks;
  for (const auto& [rank, gpus] : summary->gpus) {
    if (ranks.size() == kShown) {
      ranks.push_back(fmt::format("and {} ranks more", summary->gpus.size() - kShown));
      break;
    }
    ranks.push_back(fmt::format("{} on {}", rank, fmt::join(gpus, " ")));
  }
  if (!ranks.empty()) terminal.print("GPUs of the ranks: {}\n", fmt::join(ranks, ", "));
}

using Align = Table::Align;

constexpr std::size_t kReadable = 64;  ///< ranks of a matrix that fits on a screen
constexpr std::size_t kHeaviest = 10;

std::vector<std::string> matrix_names() {
  return {"bytes", "messages"};
}

std::vector<std::string> format_names() {
  return names_of(traffic_format_help());
}

void show_matrix(const Traffic& traffic, const std::string& matrix, Terminal& terminal) {
  if (traffic.ranks() > kReadable) {
    terminal.print("a matrix of {} ranks is too wide to read; --save FILE.csv writes it\n", traffic.ranks());
    return;
  }
  std::vector<Table::Column> columns{{"from\\to", Align::right}};
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) columns.push_back({std::to_string(rank), Align::right});
  Table table(std::move(columns));
  for (std::size_t source = 0; source < traffic.ranks(); ++source) {
    std::vector<std::string> row(traffic.ranks() + 1, ".");
    row[0] = std::to_string(source);
    for (const TrafficEntry& entry : traffic.sent_by(Rank(source))) {
      row[entry.destination.index() + 1] =
          matrix == "messages" ? std::to_string(entry.messages) : to_string(entry.bytes);
    }
    table.add(std::move(row));
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
}

/// `counted`: the traffic has numbers of messages, not only bytes.
void show_heaviest(const Traffic& traffic, bool counted, Terminal& terminal) {
  std::vector<TrafficEntry> heaviest;  // among equal entries the first ones
  for (const TrafficEntry& entry : traffic.entries()) {
    if (heaviest.size() == kHeaviest && !(entry.bytes > heaviest.back().bytes)) continue;
    if (heaviest.size() == kHeaviest) heaviest.pop_back();
    heaviest.insert(std::ranges::upper_bound(heaviest, entry.bytes, std::ranges::greater{}, &TrafficEntry::bytes),
                    entry);
  }
  Table table({{"from", Align::right},
               {"to", Align::right},
               {"bytes", Align::right},
               {"messages", Align::right},
               {"share", Align::right}});
  const double total = traffic.total_bytes().value();
  for (const TrafficEntry& entry : heaviest) {
    table.add({std::to_string(entry.source.index()), std::to_string(entry.destination.index()), to_string(entry.bytes),
               counted ? std::to_string(entry.messages) : "",
               total > 0 ? fmt::format("{:.1f}%", 100 * entry.bytes.value() / total) : ""});
  }
  if (!table.empty()) terminal.print("\nheaviest pairs\n{}", table.text(terminal.begin_bold(), terminal.end_bold()));
}

void show_summary(const Traffic& traffic, const std::string& name, Terminal& terminal) {
  std::uint64_t messages = 0;
  std::size_t pairs = 0;
  std::size_t most_partners = 0;
  Bytes inside;
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) {
    std::size_t partners = 0;
    for (const TrafficEntry& entry : traffic.sent_by(Rank(rank))) {
      messages = saturating_sum(messages, entry.messages);
      const bool to_itself = entry.destination == entry.source;
      if (to_itself) inside += entry.bytes;
      partners += to_itself ? 0 : 1;
    }
    pairs += partners;
    most_partners = std::max(most_partners, partners);
  }
  const bool is_saturated = messages == std::numeric_limits<std::uint64_t>::max();
  const bool has_messages = messages > 0 || traffic.total_bytes() == Bytes();  // a matrix may hold bytes alone
  terminal.print(
      "{}: {}, {}, {}{}; a rank sends to {} at most{}\n", terminal.bold(name), counted(traffic.ranks(), "rank"),
      counted(pairs, "pair"), to_string(traffic.total_bytes()),
      has_messages ? fmt::format(" in {}{}", is_saturated ? "at least " : "", counted(messages, "message")) : "",
      counted(most_partners, "other"),
      inside > Bytes() ? fmt::format("; {} of it are of ranks to themselves", to_string(inside)) : "");
  show_heaviest(traffic, has_messages, terminal);
  if (const auto rows = group_rows(traffic); !rows.empty())
    terminal.print("\ngroups of ranks\n{}", table_text(rows, terminal));
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::string name = arguments.operand(0);
  const std::string matrix = arguments.text("--matrix");
  const Traffic traffic = traffic_of(arguments, name, terminal, arguments.text("--format"));
  const bool only_saved = saves_to_output(arguments, Saved::by_suffix);
  if (arguments.has("--save")) {
    save(arguments, traffic_file(traffic, arguments.text("--save"), matrix), terminal);
    if (loses_messages(traffic, arguments.text("--save"), matrix))
      terminal.note("it holds bytes and no numbers of messages; FILE.csv and FILE.json hold both");
  }
  if (only_saved) return ExitStatus::done;
  if (arguments.has("--json")) {
    terminal.print(to_json(traffic, matrix));
  } else if (arguments.has("--matrix")) {
    show_matrix(traffic, matrix, terminal);
  } else {
    show_summary(traffic, name, terminal);
    show_buffers(name, arguments.text("--collectives"), terminal);
  }
  return ExitStatus::done;
}

}  // namespace

Verb traffic_verb() {
  Verb verb{.name = "traffic",
            .summary = "show or convert a communication pattern",
            .description =
                "The traffic is a recorded profile, 'pattern:NAME:DIMS', or a matrix file whose format is "
                "recognised by its content. 'topowise help patterns' and 'topowise help formats' say more.",
            .examples = {"topowise traffic app.traffic --save app.csv",
                         "topowise traffic pattern:torus3d:4x2x2:w=3 --matrix bytes"}};
  verb.operands = {{"TRAFFIC", "a profile, pattern:NAME:DIMS, FILE or -", true, Completes::traffics}};
  verb.options = traffic_options("input");
  verb.options.insert(verb.options.begin(), {.name = "--format",
                                             .value = "NAME",
                                             .group = "input",
                                             .help = "force the format of a file",
                                             .choices = format_names,
                                             .kind = "format"});
  verb.options.insert(
      verb.options.end(),
      {{.name = "--matrix",
        .value = "KIND",
        .group = "output",
        .help = "a number for every pair of ranks",
        .choices = matrix_names,
        .kind = "matrix"},
       written_file("--save", "write it; the suffix .json, .csv, .mtx or .txt names the format, '-' prints JSON"),
       json_option()});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
