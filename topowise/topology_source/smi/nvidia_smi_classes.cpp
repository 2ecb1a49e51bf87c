// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/nvidia_smi_classes.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// A class of NVIDIA's tool. Other classes ("T1", "M2") belong to other sources.
std::optional<PathClass> nvidia_class(std::string_view word) {
  const std::optional<PathClass> path = parse_path_class(word);
  if (!path || path->kind > PathKind::sys) return std::nullopt;
  if (path->kind == PathKind::xgmi || path->kind == PathKind::xgmi_relay || path->kind == PathKind::vendor_link)
    return std::nullopt;
  constexpr int kWidestBond = 256;
  if (path->kind == PathKind::nvlink && (path->grade < 1 || path->grade > kWidestBond)) return std::nullopt;
  return path;
}

bool is_link(PathClass path) {
  return path.kind == PathKind::vendor_link || path.kind == PathKind::c2c;
}

}  // namespace

std::string_view SmiClasses::legend_of(std::string_view word) const {
  const auto entry = std::ranges::find_if(table_.legend, [&](const auto& e) { return stands_for(e.first, word); });
  return entry == table_.legend.end() ? std::string_view() : entry->second;
}

std::optional<PathClass> SmiClasses::read(const SmiRow& row, std::string_view word) {
  if (const std::optional<PathClass> path = nvidia_class(word)) return path;
  const auto known = others_.find(word);
  if (known != others_.end()) return known->second;
  const std::string_view legend = legend_of(word);
  const std::optional<VendorClass> documented = documented_class(word);
  std::optional<PathClass> path = legend.empty() ? std::nullopt : described_class(word, legend);
  std::string what = in_quotes(legend);
  if (documented && (!path || is_link(*path))) {
    path = documented->path;
    what = documented->link;
  }
  if (documented) tool_ = documented->tool;
  if (path && is_link(*path)) warnings_.assume(fmt::format("{} is nearer than PCIe", in_quotes(word)));
  if (path)
    warnings_.add(lines_.at(
        row.line, word,
        fmt::format("{} ({}) counts as {}{}", in_quotes(word), what, to_string(*path),
                    is_link(*path) ? ", nearer than all of PCIe; neither its rate nor its latency is known" : "")));
  others_.emplace(word, path);
  return path;
}

void SmiClasses::refuse(const SmiRow& row, std::string_view word, const std::string& pair) const {
  const std::string_view legend = legend_of(word);
  if (legend.empty())
    fail(lines_.at(
        row.line, word,
        fmt::format("unknown class {} of {}, which no legend in this text defines", in_quotes(word), pair),
        fmt::format("a line '{} = Connection traversing ...' below the table defines it, as do PIX, PXB, PHB, NODE "
                    "or SYS in its place",
                    printable(word))));
  fail(lines_.at(row.line, word,
                 fmt::format("class {} of {} names no known place: it is {}", in_quotes(word), pair, in_quotes(legend)),
                 "PIX, PXB, PHB, NODE or SYS in its place says where the two meet"));
}

SmiTool SmiClasses::tool() const {
  if (!tool_.name.empty()) return tool_;
  const std::string_view name = table_.columns.empty() ? table_.rows.front().name : table_.columns.front();
  if (name.starts_with("NPU") || name.starts_with("Phy-ID")) return documented_class("HCCS")->tool;
  if (name.starts_with("GPU") && name.find('.') != std::string_view::npos) return documented_class("MDF")->tool;
  const bool defines_others =
      std::ranges::any_of(others_, [](const auto& other) { return other.second && is_link(*other.second); });
  SmiTool other{"topology table", "the vendor's tool", GpuVendor::other};
  if (name.starts_with("DCU")) other.vendor = GpuVendor::hygon;
  if (name.starts_with("MLU")) other.vendor = GpuVendor::cambricon;
  if (name.starts_with("GCU")) other.vendor = GpuVendor::enflame;
  if (is_accelerator_name(name) && !name.starts_with("GPU")) return other;
  return defines_others ? other : kNvidiaTool;
}

}  // namespace topowise
