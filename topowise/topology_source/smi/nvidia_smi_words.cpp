// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_words.hpp>

#include <algorithm>
#include <array>

#include <topowise/base/text.hpp>
#include <topowise/graph/path_class.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/smi/vendor_classes.hpp>

namespace topowise {
namespace {

constexpr std::array kP2pWords{std::string_view("OK"),  std::string_view("CNS"), std::string_view("GNS"),
                               std::string_view("TNS"), std::string_view("NS"),  std::string_view("DR"),
                               std::string_view("U")};
constexpr std::string_view kBond = "NV";
/// What is before the numbers of accelerators: of NVIDIA and most others; Huawei; Hygon, Enflame, Cambricon,
/// Kunlun.
constexpr std::array<std::string_view, 8> kAccelerators{"GPU", "NPU", "Phy-ID", "DCU", "GCU", "MLU", "XPU", "D"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True where a word of glued header cells is cut: before a name that follows a digit or a small letter.
bool begins_cell(std::string_view word, std::size_t at) {
  constexpr std::array<std::string_view, 12> kNames{"GPU", "NPU", "DCU", "GCU",  "MLU",  "XPU",
                                                    "NIC", "mlx", "CPU", "NUMA", "Node", "Phy-ID"};
  const char before = word[at - 1];
  if (!is_digit(before) && !(before >= 'a' && before <= 'z')) return false;
  return std::ranges::any_of(kNames, [&](std::string_view name) { return word.substr(at).starts_with(name); });
}

/// True if an accelerator is named whose number begins with a fitting digit.
bool names_accelerator(std::string_view line, bool (*fits)(char)) {
  return std::ranges::any_of(kAccelerators, [&](std::string_view prefix) {
    for (std::size_t at = line.find(prefix); at != std::string_view::npos; at = line.find(prefix, at + 1)) {
      const std::size_t number = at + prefix.size();
      if (number < line.size() && fits(line[number])) return true;
    }
    return false;
  });
}

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// Length of the class at the beginning of a word, all digits of a bond included; 0 if there is none.
std::size_t class_length(std::string_view word) {
  constexpr std::array<std::string_view, 9> kClasses{"X", "PIX", "PXB", "PSB", "PHB", "NODE", "SYS", "SOC", "C2C"};
  for (const std::string_view name : kClasses) {
    if (word.starts_with(name)) return name.size();
  }
  for (const std::string_view name : kP2pWords) {
    if (word.starts_with(name)) return name.size();
  }
  const std::size_t digits = word.starts_with(kBond) ? count_digits(word.substr(kBond.size())) : 0;
  return digits > 0 ? kBond.size() + digits : 0;
}

/// Length of the cell at the beginning of a word, without the digits of a list of processors after a bond: "NV18" in
/// "NV180-31". Exactly one of the widths that are known from elsewhere in the table must fit; 0 if none or several do.
std::size_t cell_length(std::string_view word, const SmiCellEnds& ends) {
  const std::size_t length = class_length(word);
  const bool in_list = length < word.size() && (word[length] == '-' || word[length] == ',');
  if (!in_list || !word.starts_with(kBond)) return length;
  const std::string_view digits = word.substr(kBond.size(), length - kBond.size());
  const auto fits = [&](std::string_view width) { return width.size() < digits.size() && digits.starts_with(width); };
  const auto found = std::ranges::find_if(ends.widths, fits);
  return std::ranges::count_if(ends.widths, fits) == 1 ? kBond.size() + found->size() : 0;
}

/// Length of the name at the beginning of a word in which a class follows it; 0 if there is none. The names of the
/// header are known; a row whose column was cropped away has a usual name.
std::size_t name_length(std::string_view word, const SmiCellEnds& ends) {
  std::size_t longest = 0;
  for (const std::string_view name : ends.names) {
    if (name.size() > longest && word.starts_with(name) && class_length(word.substr(name.size())) > 0)
      longest = name.size();
  }
  constexpr std::array<std::string_view, 3> kUsual{"GPU", "NIC", "mlx5_"};
  for (const std::string_view usual : kUsual) {
    const std::size_t digits = word.starts_with(usual) ? count_digits(word.substr(usual.size())) : 0;
    const std::size_t length = usual.size() + digits;
    if (digits > 0 && longest == 0 && class_length(word.substr(length)) > 0) longest = length;
  }
  return longest;
}

bool is_affinity(std::string_view rest) {
  return rest.empty() || is_digit(rest.front()) || rest.starts_with("N/A");
}

/// Adds the parts of `word` to the row.
void cut(std::string_view word, const SmiCellEnds& ends, SmiRowWords& row) {
  const std::size_t name = ends.names.contains(word) ? 0 : name_length(word, ends);
  SmiWords parts;
  std::string_view rest = word;
  const auto take = [&](std::size_t length) {
    parts.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  };
  if (name > 0) take(name);
  while (const std::size_t length = cell_length(rest, ends)) take(length);
  if (std::ranges::count(parts, "X") > 1) {  // "XXXX" stands for a value in tables of other tools
    row.words.push_back(word);
    return;
  }
  const bool has_cell = parts.size() > (name > 0 ? 1U : 0U);
  if (is_affinity(rest) && has_cell) {
    if (!rest.empty()) take(rest.size());
    row.glued = row.glued || parts.size() > 1;
    row.words.insert(row.words.end(), parts.begin(), parts.end());
    return;
  }
  if (name > 0 || (has_cell && class_length(rest) > 0)) row.uncertain = word;
  row.words.push_back(word);
}

}  // namespace

bool is_p2p_word(std::string_view word) {
  return std::ranges::find(kP2pWords, word) != kP2pWords.end();
}

bool is_self_word(std::string_view word) {
  return word == "X" || word == "S";
}

bool is_smi_cell(std::string_view word) {
  return is_p2p_word(word) || is_self_word(word) || parse_path_class(word) || documented_class(word);
}

bool may_be_cell(std::string_view word) {
  constexpr std::size_t kLongest = 10;
  if (is_smi_cell(word)) return true;
  if (word.size() < 2 || word.size() > kLongest || word == "N/A" || word.starts_with("NIC")) return false;
  const auto allowed = [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '*'; };
  return is_letter(word.front()) && std::ranges::all_of(word, allowed) && !is_accelerator_name(word) && word != "CPU" &&
         word != "NUMA";
}

bool is_accelerator_name(std::string_view word) {
  constexpr std::size_t kMostDigits = 5;
  const auto number = [](std::string_view text) {
    return !text.empty() && text.size() <= kMostDigits && std::ranges::all_of(text, is_digit);
  };
  return std::ranges::any_of(kAccelerators, [&](std::string_view prefix) {
    if (!word.starts_with(prefix)) return false;
    const std::string_view rest = word.substr(prefix.size());
    const std::size_t dot = prefix == "GPU" ? rest.find('.') : std::string_view::npos;
    return number(rest.substr(0, dot)) && (dot == std::string_view::npos || number(rest.substr(dot + 1)));
  });
}

int number_of_accelerator(std::string_view name) {
  const std::string_view number = name.substr(std::min(name.size(), name.find_last_not_of("0123456789") + 1));
  const bool is_tile = name.find('.') != std::string_view::npos;
  return is_tile ? -1 : static_cast<int>(parse_integer(number).value_or(-1));
}

bool names_first_accelerator(std::string_view line) {
  return names_accelerator(line, [](char number) { return number == '0'; });
}

bool may_name_accelerators(std::string_view line) {
  return names_accelerator(line, is_digit);
}

bool is_device_name(std::string_view word) {
  if (word.empty() || !is_letter(word.front()) || is_smi_cell(word)) return false;
  const auto allowed = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; };
  return std::ranges::all_of(word, allowed) && std::ranges::any_of(word, is_digit);
}

bool is_glued_name(std::string_view word) {
  constexpr std::size_t kPrefix = 3;
  if (!word.starts_with("GPU") && !word.starts_with("NIC")) return false;
  const std::size_t digits = count_digits(word.substr(kPrefix));
  return digits > 0 && kPrefix + digits < word.size() && is_letter(word[kPrefix + digits]);
}

SmiWords unglued_header(const SmiWords& words) {
  SmiWords parts;
  for (std::string_view word : words) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (!begins_cell(word, at)) continue;
      parts.push_back(word.substr(0, at));
      word.remove_prefix(at);
      at = 0;
    }
    parts.push_back(word);
  }
  return parts;
}

SmiWords cut_by_labels(const SmiWords& names, const std::set<std::string_view>& labels) {
  constexpr std::size_t kLongest = 256;
  SmiWords parts;
  for (const std::string_view name : names) {
    if (name.size() > kLongest || labels.contains(name)) {
      parts.push_back(name);
      continue;
    }
    // ways[at]: in how many ways the first `at` characters are labels; the last of them begins at first[at]
    std::vector<std::size_t> ways(name.size() + 1, 0);
    std::vector<std::size_t> first(name.size() + 1, 0);
    ways[0] = 1;
    for (std::size_t at = 0; at < name.size(); ++at) {
      if (ways[at] == 0) continue;
      for (const std::string_view label : labels) {
        if (label.empty() || !name.substr(at).starts_with(label)) continue;
        ways[at + label.size()] = std::min<std::size_t>(2, ways[at + label.size()] + ways[at]);
        first[at + label.size()] = at;
      }
    }
    const std::size_t before = parts.size();
    for (std::size_t end = name.size(); ways.back() == 1 && end > 0; end = first[end])
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(before), name.substr(first[end], end - first[end]));
    if (parts.size() == before) parts.push_back(name);
  }
  return parts;
}

void add_bond_widths(std::string_view line, SmiCellEnds& ends) {
  constexpr std::size_t kMostDigits = 3;
  for (std::size_t at = line.find(kBond); at != std::string_view::npos; at = line.find(kBond, at)) {
    at += kBond.size();
    const std::size_t digits = count_digits(line.substr(at));
    const bool plain = at + digits == line.size() || is_letter(line[at + digits]) || is_blank(line[at + digits]);
    if (plain && digits > 0 && digits <= kMostDigits) ends.widths.insert(line.substr(at, digits));
  }
}

SmiRowWords unglued_row(const SmiWords& words, const SmiCellEnds& ends) {
  SmiRowWords row;
  for (const std::string_view word : words) cut(word, ends, row);
  return row;
}

}  // namespace topowise
