// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/name_lines.hpp>

#include <algorithm>
#include <string_view>

#include <topowise/base/text.hpp>
#include <topowise/base/utf8.hpp>

namespace topowise {
namespace {

using Letters = std::vector<std::string>;

Letters letters_of(const std::string& name) {
  Letters letters;
  for (const char byte : name) {
    if (letters.empty() || !continues_utf8(byte)) letters.emplace_back();
    letters.back() += byte;
  }
  return letters;
}

bool ends_word(const std::string& letter) {
  constexpr std::string_view kEnds = " -_.:/";
  return letter == "\u2013" || (letter.size() == 1 && kEnds.find(letter[0]) != std::string_view::npos);
}

Letters shortened(Letters letters, std::size_t most) {
  if (letters.size() <= most || most == 0) return letters;
  std::size_t number = letters.size();
  while (number > 0 && is_digit(letters[number - 1][0])) --number;
  if (letters.size() - number + 2 > most) number = letters.size();
  const std::size_t kept = most - 1 - (letters.size() - number);
  letters.erase(letters.begin() + static_cast<std::ptrdiff_t>(kept),
                letters.begin() + static_cast<std::ptrdiff_t>(number));
  letters.insert(letters.begin() + static_cast<std::ptrdiff_t>(kept), "\u2026");
  return letters;
}

}  // namespace

std::vector<std::string> name_lines(const std::string& name, std::size_t letters, std::size_t lines) {
  letters = std::max<std::size_t>(letters, 1);
  const Letters all = shortened(letters_of(name), letters * lines);
  std::vector<std::string> result(1);
  std::size_t used = 0;  // letters in the last line
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && !ends_word(all[end])) ++end;
    end = std::min(end + 1, all.size());  // with the letter that ends the word
    const bool spaced = all[end - 1] == " ";
    if (const std::size_t length = end - begin - (spaced ? 1 : 0); used > 0 && used + length > letters) {
      result.emplace_back();
      used = 0;
    }
    for (; begin < end; ++begin) {
      if (used == letters && !(spaced && begin + 1 == end)) {  // a space may be behind the last letter
        result.emplace_back();
        used = 0;
      }
      result.back() += all[begin];
      ++used;
    }
  }
  for (std::string& line : result) {
    if (line.ends_with(' ')) line.pop_back();
  }
  return result;
}

}  // namespace topowise
