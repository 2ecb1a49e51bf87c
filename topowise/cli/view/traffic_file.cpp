// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/traffic_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/graph/json.hpp>

namespace topowise::cli {
namespace {

/// A dense matrix of more ranks would be a file of gigabytes with nearly all zeros.
constexpr std::size_t kLargestDenseFile = 16384;

double number_of(const TrafficEntry& entry, bool messages) {
  return messages ? static_cast<double>(entry.messages) : entry.bytes.value();
}

std::string dense(const Traffic& traffic, char separator, bool messages) {
  if (traffic.ranks() > kLargestDenseFile) {
    throw Arguments::wrong("--save", fmt::format("a dense matrix of {} ranks is too large", traffic.ranks()),
                           "--save with the suffix .json or .mtx writes only what is not zero");
  }
  std::string text;
  for (std::size_t source = 0; source < traffic.ranks(); ++source) {
    std::vector<double> row(traffic.ranks(), 0);
    for (const TrafficEntry& entry : traffic.sent_by(Rank(source)))
      row[entry.destination.index()] = number_of(entry, messages);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += separator;
      fmt::format_to(std::back_inserter(text), "{}", row[i]);
    }
    text += '\n';
  }
  return text;
}

/// The last line names the last rank if no other does: a reader takes the number of ranks from the list.
std::string list_text(const Traffic& traffic) {
  std::string text = "source,destination,bytes,messages\n";
  std::size_t named = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", entry.source.index(), entry.destination.index(),
                   entry.bytes.value(), entry.messages);
    named = std::max({named, entry.source.index() + 1, entry.destination.index() + 1});
  }
  if (named < traffic.ranks()) fmt::format_to(std::back_inserter(text), "{0},{0},0,0\n", traffic.ranks() - 1);
  return text;
}

std::string suffix_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  return dot != std::string::npos && path[dot] == '.' ? lower(path.substr(dot)) : "";
}

std::string matrix_market(const Traffic& traffic, bool messages) {
  std::string text = fmt::format(
      "%%MatrixMarket matrix coordinate real general\n% {} from rank (row - 1) to rank (column - 1)\n{} {} {}\n",
      messages ? "messages" : "bytes", traffic.ranks(), traffic.ranks(), traffic.entries().size());
  for (const TrafficEntry& entry : traffic.entries()) {
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", entry.source.index() + 1, entry.destination.index() + 1,
                   number_of(entry, messages));
  }
  return text;
}

}  // namespace

std::string traffic_file(const Traffic& traffic, const std::string& path, std::string_view matrix) {
  const bool messages = matrix == "messages";
  const std::string suffix = suffix_of(path);
  if (suffix == ".json" || path == "-") return to_json(traffic);
  if (suffix == ".csv") return matrix.empty() ? list_text(traffic) : dense(traffic, ',', messages);
  if (suffix == ".txt") return dense(traffic, ' ', messages);
  if (suffix == ".mtx") return matrix_market(traffic, messages);
  throw Arguments::wrong("--save", fmt::format("the suffix of '{}' names no format", printable(path)),
                         "--save FILE.json, FILE.csv, FILE.mtx or FILE.txt");
}

bool loses_messages(const Traffic& traffic, const std::string& path, std::string_view matrix) {
  const std::string suffix = suffix_of(path);
  return matrix.empty() && (suffix == ".txt" || suffix == ".mtx") &&
         std::ranges::any_of(traffic.entries(), [](const TrafficEntry& entry) { return entry.messages > 1; });
}

}  // namespace topowise::cli
