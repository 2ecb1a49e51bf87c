// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/class_words.hpp>

#include <array>

#include <fmt/format.h>

namespace topowise {
namespace {

constexpr std::size_t kMostNames = 3;  ///< of more, the first and the last are named

constexpr std::array<ClassWords, 15> kWords{
    {{PathKind::nvlink, "NV#", "NVLink, direct or through NVSwitches; the number counts the links of the bond"},
     {PathKind::xgmi, "XGMI#", "AMD Infinity Fabric, direct; the number counts the links of the bond"},
     {PathKind::xgmi_relay, "XGMIH#", "AMD Infinity Fabric through other GPUs; the number counts the hops"},
     {PathKind::c2c, "C2C", "from chip to chip inside one module"},
     {PathKind::vendor_link, "LINK#", "the vendor's own links between GPUs; the number counts them"},
     {PathKind::same_board, "PSB", "two GPUs of one board, behind the board's own PCIe switch"},
     {PathKind::pix, "PIX", "one PCIe switch at most"},
     {PathKind::pxb, "PXB", "several PCIe switches, but no host bridge"},
     {PathKind::phb, "PHB", "through a PCIe host bridge (root complex)"},
     {PathKind::node, "NODE", "between the host bridges of one NUMA domain"},
     {PathKind::sys, "SYS", "across the link between sockets or NUMA domains"},
     {PathKind::network, "NET#", "between compute nodes; the number counts the network switches on the way"},
     {PathKind::tree, "T#",
      "the number counts the levels up to what both share: of processors a cache, a NUMA domain, a package; in a "
      "torus, "
      "mesh or dragonfly it counts the links on the way"},
     {PathKind::measured, "M#", "known only as a number of the matrix; M1 is the nearest group of similar numbers"},
     {PathKind::unconnected, "NONE", "nothing connects the two"}}};

}  // namespace

std::span<const ClassWords> class_words() {
  return kWords;
}

std::vector<std::string> classes_in_words(std::span<const PathClass> classes) {
  std::vector<std::string> lines;
  for (const ClassWords& words : kWords) {
    std::vector<std::string> names;
    for (const PathClass& each : classes) {
      if (each.kind == words.kind) names.push_back(to_string(each));
    }
    if (names.empty()) continue;
    const std::string named = names.size() > kMostNames ? fmt::format("{} to {}", names.front(), names.back())
                                                        : fmt::format("{}", fmt::join(names, ", "));
    lines.push_back(fmt::format("{}: {}", named, words.meaning));
  }
  return lines;
}

}  // namespace topowise
