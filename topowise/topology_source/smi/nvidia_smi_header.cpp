// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_header.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

using Words = std::span<const std::string_view>;
using Columns = std::vector<AffinityColumn>;

struct Heading {
  AffinityColumn column;
  std::array<std::string_view, 3> words;  ///< in small letters; the last one may be empty
};
constexpr std::array<Heading, 6> kHeadings{{{AffinityColumn::cpu, {"cpu", "affinity"}},
                                            {AffinityColumn::numa, {"numa", "affinity"}},
                                            {AffinityColumn::numa, {"node", "affinity"}},
                                            {AffinityColumn::numa, {"numa", "node"}},
                                            {AffinityColumn::numa, {"numa", "id"}},
                                            {AffinityColumn::gpu_numa, {"gpu", "numa", "id"}}}};

std::size_t length_of(const Heading& heading) {
  return heading.words.back().empty() ? 2 : 3;
}

/// The heading in usual words at the beginning of `words`; null if there is none.
const Heading* usual_heading(Words words) {
  const auto found = std::ranges::find_if(kHeadings, [&](const Heading& heading) {
    const std::size_t length = length_of(heading);
    if (words.size() < length) return false;
    return std::equal(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length), heading.words.begin(),
                      [](std::string_view word, std::string_view usual) { return lower(word) == usual; });
  });
  return found == kHeadings.end() ? nullptr : found;
}

std::string_view from_to(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

/// How many words make the first heading: up to a gap of a TAB or several blanks, or up to a usual heading.
std::size_t heading_length(Words words) {
  std::size_t length = 1;
  for (; length < words.size() && usual_heading(words.subspan(length)) == nullptr; ++length) {
    const std::string_view both = from_to(words[length - 1], words[length]);
    const std::string_view gap =
        both.substr(words[length - 1].size(), both.size() - words[length - 1].size() - words[length].size());
    if (!gap.empty() && gap != " ") break;
  }
  return length;
}

/// Reads the affinity columns in the words before the first accelerator. Returns how many of these words, the last
/// ones, are devices after such columns: NICs.
std::ptrdiff_t leading_devices(Words before, Columns& lead) {
  while (!before.empty() && usual_heading(before) == nullptr) before = before.subspan(1);  // a prefix of the line
  for (const Heading* usual = usual_heading(before); usual != nullptr; usual = usual_heading(before)) {
    lead.push_back(usual->column);
    before = before.subspan(length_of(*usual));
  }
  if (std::ranges::all_of(before, is_device_name)) return std::ssize(before);
  lead.clear();
  return 0;
}

std::optional<SmiHeader> parse_words(const SmiWords& words) {
  SmiHeader header;
  auto word = std::ranges::find_if(words, is_accelerator_name);
  word -= leading_devices(Words(words.begin(), word), header.lead);
  for (; word != words.end() && is_device_name(*word); ++word) header.devices.push_back(*word);
  if (header.devices.empty()) return std::nullopt;
  // "GPU2 FL2 FL2" is a row of a class that a legend defines.
  if (header.devices.size() > 1 && !is_accelerator_name(header.devices[1]) && may_be_cell(header.devices[1]))
    return std::nullopt;
  Words rest(word, words.end());
  bool is_table = rest.empty() || usual_heading(rest) != nullptr || !header.lead.empty();
  while (!rest.empty()) {
    if (const Heading* usual = usual_heading(rest)) {
      header.tail.push_back(usual->column);
      rest = rest.subspan(length_of(*usual));
      continue;
    }
    const std::size_t length = heading_length(rest);
    const std::string_view heading = from_to(rest.front(), rest[length - 1]);
    const Columns columns = affinity_columns(heading);
    if (columns.front() == AffinityColumn::other) header.unknown.push_back(heading);
    header.tail.insert(header.tail.end(), columns.begin(), columns.end());
    rest = rest.subspan(length);
  }
  while (!header.tail.empty() && header.tail.back() == AffinityColumn::other) header.tail.pop_back();
  // Otherwise it is prose that names GPUs.
  is_table = is_table ||
             (header.devices.size() > 1 && std::ranges::find(header.tail, AffinityColumn::cpu) != header.tail.end());
  return is_table ? std::optional(std::move(header)) : std::nullopt;
}

bool is_list(std::string_view word) {
  return word.find_first_of("-,") != std::string_view::npos;
}

/// True if `word` may be the cell of column `c`, although there are fewer words than columns.
bool may_hold(std::span<const AffinityColumn> columns, std::string_view word, bool last_word) {
  const auto follows = [&](AffinityColumn column) {
    return std::ranges::find(columns.subspan(1), column) != columns.end();
  };
  switch (columns.front()) {
    case AffinityColumn::cpu:
      return is_list(word) || word == "N/A";
    case AffinityColumn::numa:
      if (follows(AffinityColumn::cpu)) return !is_list(word) && word != "N/A";
      return !(follows(AffinityColumn::gpu_numa) && last_word && word == "N/A");
    case AffinityColumn::gpu_numa:
    case AffinityColumn::other:
      return false;
  }
  return false;
}

}  // namespace

std::vector<AffinityColumn> affinity_columns(std::string_view heading) {
  const std::string text = lower(heading);
  Columns columns;
  bool of_gpu = false;
  const auto add = [&](AffinityColumn column) {
    if (columns.empty() || columns.back() != column) columns.push_back(column);
    of_gpu = false;
  };
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(1)) {
    if (rest.starts_with("gpu")) of_gpu = true;
    if (rest.starts_with("cpu")) add(AffinityColumn::cpu);
    if (rest.starts_with("numa") || (rest.starts_with("node") && columns.empty()))
      add(of_gpu ? AffinityColumn::gpu_numa : AffinityColumn::numa);
  }
  if (columns.empty()) columns.push_back(AffinityColumn::other);
  return columns;
}

std::optional<SmiHeader> parse_smi_header(const SmiWords& words) {
  std::optional<SmiHeader> header = parse_words(words);
  const SmiWords parts = unglued_header(words);
  if (parts.size() == words.size()) return header;
  std::optional<SmiHeader> cut = parse_words(parts);
  if (!cut) return header;
  cut->glued = !header || header->tail.size() < cut->tail.size();
  return cut;
}

void add_devices_before(SmiHeader& header, const SmiWords& words, const std::set<std::string_view>& labels) {
  const auto first = std::ranges::find(words, header.devices.front());
  auto begin = first;
  while (begin != words.begin() && labels.contains(begin[-1]) && !is_accelerator_name(begin[-1])) --begin;
  header.devices.insert(header.devices.begin(), begin, first);
}

void assign_affinity(SmiRow& row, std::span<const AffinityColumn> tail, std::span<const std::string_view> words) {
  const bool single = tail.size() == 1;
  while (!tail.empty() && !words.empty()) {
    const bool enough = words.size() >= tail.size();
    if (enough || single || may_hold(tail, words.front(), words.size() == 1)) {
      if (tail.front() == AffinityColumn::cpu) row.cpus = words.front();
      if (tail.front() == AffinityColumn::numa) row.numa = words.front();
      words = words.subspan(1);
    }
    tail = tail.subspan(1);
  }
}

}  // namespace topowise
