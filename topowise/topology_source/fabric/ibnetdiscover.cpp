// SPDX-License-Identifier: BSD-3-Clause
// The output of iblinkinfo, and the format of all that describes an InfiniBand subnet.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>

namespace topowise {
namespace {

// A heading `CA: node01 mlx5_0:` or `Switch: 0x7cfe900300a0b0c0 leaf1:`, then a line for each of its ports. A line of
// an adapter begins with the port's GUID:
//
//     0x0002c903000e0b73   1    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2    1[  ] "leaf1" ( )
//
// With -l there are no headings: each line begins with GUID and name, and has the peer's GUID after the arrow. The
// peer's local identifier is all that both forms print of it. So devices are known by it: a switch has one, an adapter
// has one for each port.

using Kind = FabricDevice::Kind;

constexpr std::string_view kBeforeLink = "==(";
constexpr std::string_view kBehindLink = ")==>";

/// The signalling rate of a lane in Gbit/s, as the program prints it.
struct Signalling {
  double gigabits;
  std::string_view speed;
};
constexpr std::array<Signalling, 9> kSignalling{{{2.5, "SDR"},
                                                 {5.0, "DDR"},
                                                 {10.0, "QDR"},
                                                 {10.3125, "FDR10"},
                                                 {14.0625, "FDR"},
                                                 {25.78125, "EDR"},
                                                 {53.125, "HDR"},
                                                 {106.25, "NDR"},
                                                 {212.5, "XDR"}}};

/// The rate of `[ ]4X 25.78125 Gbps Active/  LinkUp` or `4X 10.0 Gbps (FDR10) Active/ LinkUp`; 0 if the text does not
/// say it.
BytesPerSecond rate_of(std::string_view link) {
  const std::vector<std::string_view> words = split_blanks(link, 5);
  if (words.size() < 3 || words[2] != "Gbps") return {};
  const std::optional<double> gigabits = parse_double(words[1]);
  if (!gigabits) return {};
  const auto near = [&](const Signalling& known) { return std::abs(known.gigabits / *gigabits - 1) < 0.01; };
  const auto found = std::ranges::find_if(kSignalling, near);
  if (found == kSignalling.end()) return {};
  const bool is_fdr10 = words.size() > 3 && words[3] == "(FDR10)";
  return infiniband_rate(lower(words[0]), is_fdr10 ? "FDR10" : found->speed);
}

/// One end of a link: `[0x...] [" name "] 4 17[  ]`.
struct End {
  std::string_view lid;
  std::string_view name;
  int port = 0;
};

/// Takes the last two words before '[' as the local identifier and the port. A name in quotes may be before or
/// after.
std::optional<End> end_of(std::string_view text) {
  End end;
  const std::size_t open = text.find('"');
  const std::size_t close = open == std::string_view::npos ? open : text.rfind('"');
  if (close != std::string_view::npos && close > open) end.name = trim(text.substr(open + 1, close - open - 1));
  const std::size_t before = text.rfind('[', open);
  const std::size_t bracket = before != std::string_view::npos ? before : text.find('[', close);
  if (bracket == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(0, bracket);
  if (close != std::string_view::npos && close < bracket) rest.remove_prefix(close + 1);
  const std::vector<std::string_view> words = split_blanks(rest, 4);
  if (words.size() < 2 || words.size() > 3) return std::nullopt;
  constexpr std::int64_t kMostPorts = 65535;
  const std::optional<std::int64_t> lid = parse_integer(words[words.size() - 2]);
  const std::optional<std::int64_t> port = parse_integer(words.back());
  if (!lid || *lid < 0 || *lid > 0xffff || !port || *port < 0 || *port > kMostPorts) return std::nullopt;
  end.lid = words[words.size() - 2];
  end.port = static_cast<int>(*port);
  return end;
}

struct Cut {
  std::string_view before, link, behind;
};

std::optional<Cut> cut(std::string_view line) {
  const std::size_t begin = line.find(kBeforeLink);
  const std::size_t end = line.rfind(kBehindLink);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  return Cut{line.substr(0, begin), line.substr(begin + kBeforeLink.size(), end - begin - kBeforeLink.size()),
             line.substr(end + kBehindLink.size())};
}

class LinkList {
 public:
  LinkList(const TextLines& lines, Warnings& warnings) : lines_(lines), warnings_(warnings) {}

  Fabric read() {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const std::string_view line = trim(lines_[l]);
      if (const std::optional<Cut> parts = cut(line))
        read_link(l, *parts);
      else
        read_heading(line);
    }
    for (auto& [id, device] : fabric_.devices) {
      const Seen& seen = seen_.at(id);
      device.is_likely_switch = seen.ports > 1 || device.description.starts_with("MF0;");
      if (device.kind == Kind::unknown && seen.is_listed)  // a line of -l, which gives no kinds
        device.kind = device.is_likely_switch ? Kind::fabric_switch : Kind::channel_adapter;
    }
    order_cables(fabric_);
    return std::move(fabric_);
  }

 private:
  struct Seen {
    bool is_listed = false;
    int port = -1;  ///< one of the device's ports
    int ports = 0;  ///< 2 for more than one
  };

  void read_heading(std::string_view line) {
    if (line.ends_with(':')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    const std::string_view kind = line.substr(0, std::min(colon, line.size()));
    if (colon == std::string_view::npos || (kind != "CA" && kind != "Switch" && kind != "Router")) return;
    kind_ = kind == "CA" ? Kind::channel_adapter : Kind::fabric_switch;
    name_ = trim(line.substr(colon + 1));
    if (name_.starts_with("0x")) {
      (void)take_word(name_);
      name_ = trim(name_);
    }
  }

  void read_link(std::size_t l, const Cut& parts) {
    const std::optional<End> near = end_of(parts.before);
    if (!near) return warnings_.add(lines_.at(l, {}, "this is no line of a port"));
    const bool is_line = !near->name.empty();  // a line of -l
    FabricDevices::value_type& own = device(l, *near);
    seen_[own.first].is_listed = true;
    if (!is_line && own.second.kind == Kind::unknown) own.second.kind = kind_;
    if (own.second.description.empty()) own.second.description = is_line ? near->name : name_;
    const std::optional<End> far = end_of(parts.behind);
    if (!far) return;  // the port is not connected
    FabricDevices::value_type& peer = device(l, *far);
    if (peer.second.description.empty()) peer.second.description = far->name;
    if (&own != &peer) add_cable(lines_, l, fabric_, {&own, near->port}, {&peer, far->port}, rate_of(parts.link));
  }

  FabricDevices::value_type& device(std::size_t l, const End& end) {
    if (parse_integer(end.lid) == 0)
      fail(lines_.at(l, end.lid,
                     "the local identifier is 0: OpenSM, or what stands for it, has not numbered the devices yet",
                     "ibnetdiscover > FILE"));
    const auto known = fabric_.devices.find(end.lid);
    if (known == fabric_.devices.end() && fabric_.devices.size() == kMostFabricDevices)
      fail(lines_.at(l, end.lid, fmt::format("more than {} devices in one fabric", kMostFabricDevices)));
    FabricDevices::value_type& found = *fabric_.devices.try_emplace(end.lid).first;
    Seen& seen = seen_[found.first];
    if (seen.port != end.port) seen.ports = std::min(2, seen.ports + 1);
    seen.port = end.port;
    return found;
  }

  const TextLines& lines_;
  Warnings& warnings_;
  Fabric fabric_;
  std::map<std::string_view, Seen> seen_;
  Kind kind_ = Kind::unknown;  ///< the kind in the heading
  std::string_view name_;
};

/// True if a line is one of `iblinkinfo`.
bool looks_like_link_list(const TextLines& lines) {
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::optional<Cut> parts = cut(trim(lines[l]));
    if (parts && end_of(parts->before)) return true;
  }
  return false;
}

/// Reads what `iblinkinfo` prints, with or without -l. The ids of devices are their local identifiers.
Fabric read_link_list(const TextLines& lines, Warnings& warnings) {
  return LinkList(lines, warnings).read();
}

constexpr Origin kDiscovered{"ibnetdiscover"};
constexpr Origin kListed{"iblinkinfo"};

bool recognises(std::string_view head) {
  const TextLines lines({}, head);
  return looks_like_fabric(lines) || looks_like_link_list(lines);
}

Topology read(const std::string& where, std::string_view input) {
  std::string cleaned;
  const std::string_view text = plain_text(input, cleaned);
  const TextLines lines(where, text, kLongestLine);
  Warnings warnings;
  const bool is_list = !looks_like_fabric(lines) && looks_like_link_list(lines);
  const Fabric fabric = is_list ? read_link_list(lines, warnings) : read_fabric(lines, warnings);
  if (fabric.devices.empty())
    fail({where, {}, "no record of 'ibnetdiscover' found", {}, "--format NAME chooses another format"});
  return fabric_topology(where, fabric, is_list ? kListed : kDiscovered, warnings);
}

}  // namespace

const TopologyFormat kIbnetdiscoverFormat{"ibnetdiscover", "ibnetdiscover [-p], iblinkinfo [-l], ibsim net files",
                                          recognises, read, kLargestCluster};

}  // namespace topowise
