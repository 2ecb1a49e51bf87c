// SPDX-License-Identifier: BSD-3-Clause
// Sources. MetaX: the legend of `mx-smi topo -m`. Moore Threads: `mthreads-gmi topo -m`, whose MTx is a bond of x
// MTLinks. Huawei: the legend of `npu-smi info -t topo`, and aclrtGetDevicesTopo in the documentation of CANN (SIO
// joins the two dies of a chip). Intel: the user guide of xpu-smi on `xpu-smi topology -m` (XL*: Xe Link and MDF).
#include <topowise/topology_source/smi/vendor_classes.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr SmiTool kMetaX{"mx-smi", "mx-smi topo -m", GpuVendor::metax};
constexpr SmiTool kMooreThreads{"mthreads-gmi", "mthreads-gmi topo -m", GpuVendor::moore_threads};
constexpr SmiTool kHuawei{"npu-smi", "npu-smi info -t topo", GpuVendor::huawei};
constexpr SmiTool kIntel{"xpu-smi", "xpu-smi topology -m", GpuVendor::intel};

struct Entry {
  std::string_view pattern;  ///< '#' stands for a number
  PathKind kind;
  std::string_view link;
  SmiTool tool;
};

constexpr std::array<Entry, 9> kDocumented{
    {{"MX", PathKind::vendor_link, "MetaXLink of MetaX", kMetaX},
     {"MT#", PathKind::vendor_link, "MTLink of Moore Threads", kMooreThreads},
     {"HCCS", PathKind::vendor_link, "HCCS of Huawei", kHuawei},
     {"HCCS_SW", PathKind::vendor_link, "HCCS of Huawei through a switch", kHuawei},
     {"UB", PathKind::vendor_link, "UB of Huawei", kHuawei},
     {"SIO", PathKind::c2c, "SIO of Huawei between two dies", kHuawei},
     {"XL#", PathKind::vendor_link, "Xe Link of Intel", kIntel},
     {"XL*", PathKind::vendor_link, "Xe Link of Intel by way of another die", kIntel},
     {"MDF", PathKind::c2c, "MDF of Intel between two dies", kIntel}}};

constexpr int kWidestBond = 256;

/// The number at the end of "MT2"; 1 if there is none.
int links_in(std::string_view word) {
  const auto begin = std::ranges::find_if(word, is_digit);
  const auto number = parse_integer(word.substr(static_cast<std::size_t>(begin - word.begin())));
  return number && *number >= 1 && *number <= kWidestBond ? static_cast<int>(*number) : 1;
}

/// The words of a text in small letters.
class Words {
 public:
  explicit Words(std::string_view text) : text_(' ' + lower(text) + ' ') {
    for (char& c : text_) {
      if (!is_letter_or_digit(c)) c = ' ';
    }
  }

  [[nodiscard]] bool has(std::initializer_list<std::string_view> any) const {
    return std::ranges::any_of(
        any, [&](std::string_view word) { return text_.find(' ' + std::string(word) + ' ') != std::string::npos; });
  }
  [[nodiscard]] bool has_part(std::initializer_list<std::string_view> any) const {
    return std::ranges::any_of(any, [&](std::string_view part) { return text_.find(part) != std::string::npos; });
  }

 private:
  std::string text_;
};

}  // namespace

std::optional<VendorClass> documented_class(std::string_view word) {
  constexpr std::string_view kFirstLetters = "MHUSX";  // this is asked for every word of a text
  if (word.empty() || kFirstLetters.find(word.front()) == std::string_view::npos) return std::nullopt;
  const auto found = std::ranges::find_if(kDocumented, [&](const Entry& e) { return stands_for(e.pattern, word); });
  if (found == kDocumented.end()) return std::nullopt;
  const int grade = found->kind == PathKind::vendor_link ? links_in(word) : 0;
  return VendorClass{{found->kind, grade}, found->link, found->tool};
}

bool stands_for(std::string_view pattern, std::string_view word) {
  if (!pattern.ends_with('#')) return pattern == word;
  pattern.remove_suffix(1);
  constexpr std::size_t kMostDigits = 3;
  if (!word.starts_with(pattern)) return false;
  word.remove_prefix(pattern.size());
  return !word.empty() && word.size() <= kMostDigits && std::ranges::all_of(word, is_digit);
}

std::optional<PathClass> described_class(std::string_view word, std::string_view legend) {
  const Words words(legend);
  const bool within_numa = words.has_part({"within a numa", "within one numa", "same numa", "same socket"});
  if (words.has({"unknown", "self"})) return std::nullopt;
  if (words.has({"no", "not", "without", "down", "disabled", "disconnected", "inactive", "broken"}))
    return std::nullopt;
  if (within_numa) return PathClass{PathKind::node, 0};
  if (words.has({"smp", "qpi", "upi", "socket", "sockets"}) || words.has_part({"numa nodes", "numa domains"}))
    return PathClass{PathKind::sys, 0};
  if (words.has_part({"host bridge"})) return PathClass{PathKind::phb, 0};
  const bool pci = words.has({"pci", "pcie"});
  if (pci && words.has({"multiple", "several"})) return PathClass{PathKind::pxb, 0};
  if (pci && words.has({"single", "one", "same"})) return PathClass{PathKind::pix, 0};
  if (pci || words.has({"cpu", "cpus", "host", "numa", "memory", "eth", "ethernet", "network", "nic", "rdma", "roce",
                        "infiniband", "ib"}))
    return std::nullopt;
  if (words.has({"die", "dies"})) return PathClass{PathKind::c2c, 0};
  if (!words.has_part({"travers", "connect", "link", " via ", "through"})) return std::nullopt;
  return PathClass{PathKind::vendor_link, links_in(word)};
}

}  // namespace topowise
