// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/path_class.hpp>

#include <fmt/format.h>

#include <array>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

struct Name {
  PathKind kind;
  std::string_view text;
  bool graded;
};

constexpr std::array<Name, 16> kNames{{{PathKind::self, "X", false},
                                       {PathKind::nvlink, "NV", true},
                                       {PathKind::xgmi, "XGMI", true},
                                       {PathKind::xgmi_relay, "XGMIH", true},
                                       {PathKind::c2c, "C2C", false},
                                       {PathKind::vendor_link, "LINK", true},
                                       {PathKind::same_board, "PSB", false},
                                       {PathKind::pix, "PIX", false},
                                       {PathKind::pxb, "PXB", false},
                                       {PathKind::phb, "PHB", false},
                                       {PathKind::node, "NODE", false},
                                       {PathKind::sys, "SYS", false},
                                       {PathKind::network, "NET", true},
                                       {PathKind::tree, "T", true},
                                       {PathKind::measured, "M", true},
                                       {PathKind::unconnected, "NONE", false}}};

bool wider_is_nearer(PathKind kind) {
  return kind == PathKind::nvlink || kind == PathKind::xgmi || kind == PathKind::vendor_link;
}

}  // namespace

std::strong_ordering operator<=>(const PathClass& a, const PathClass& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  return wider_is_nearer(a.kind) ? b.grade <=> a.grade : a.grade <=> b.grade;
}

std::string to_string(PathClass path) {
  const Name& name = kNames[static_cast<std::size_t>(path.kind)];
  if (path.kind == PathKind::vendor_link && path.grade <= 1) return std::string(name.text);
  return name.graded ? fmt::format("{}{}", name.text, path.grade) : std::string(name.text);
}

std::optional<PathClass> parse_path_class(std::string_view text) {
  if (text == "SOC") return PathClass{PathKind::sys, 0};
  if (text == "LINK") return PathClass{PathKind::vendor_link, 1};
  for (const Name& name : kNames) {
    if (!name.graded && text == name.text) return PathClass{name.kind, 0};
    if (!name.graded || !text.starts_with(name.text)) continue;
    const std::optional<std::int64_t> grade = parse_integer(text.substr(name.text.size()));
    if (grade && is_digit(text[name.text.size()]) && *grade < 1'000'000)
      return PathClass{name.kind, static_cast<int>(*grade)};
  }
  return std::nullopt;
}

}  // namespace topowise
