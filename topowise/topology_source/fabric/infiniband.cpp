// SPDX-License-Identifier: BSD-3-Clause
// Two forms. Records: a header `Switch 65 "S-..." # "description" ...` (or Ca, Rt; Hca in ibsim's files), then a line
// for each connected port, `[1] "H-..."[1](guid) # "description" lid 647 4xNDR`. Ports (-p): one line for each port,
// `CA 134 1 0x... 4x EDR - SW 1719 10 0x... ( 'description' - 'description' )`; without a peer after '-' the port is
// not connected. Every cable is printed from both of its ends.
//
// Behind them may stand the switches' forwarding tables, of `ibroute` or `dump_lfts`: `Unicast lids ... of switch ...
// guid 0x... (...):`, then `0x0005 021 : (...)` for each local identifier; and routes of `ibtracert`:
// `From ca {...} ...`, then `[21] -> switch port {guid}[1] ...` for each hop, by the port of the one before, and
// `To ca {...} portnum 1 lid 20-20`.
#include <topowise/topology_source/fabric/infiniband.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

using Words = std::vector<std::string_view>;
using Kind = FabricDevice::Kind;

struct LaneSpeed {
  std::string_view name;
  double gigabits = 0.0;  ///< data rate of a lane, after its encoding (InfiniBand Trade Association)
};
constexpr std::array kSpeeds{LaneSpeed{"SDR", 2.0},    LaneSpeed{"DDR", 4.0},   LaneSpeed{"QDR", 8.0},
                             LaneSpeed{"FDR10", 10.0}, LaneSpeed{"FDR", 13.64}, LaneSpeed{"EDR", 25.0},
                             LaneSpeed{"HDR", 50.0},   LaneSpeed{"NDR", 100.0}, LaneSpeed{"XDR", 200.0}};

/// The text inside the first pair of `quote`. `text` becomes the rest after it.
std::optional<std::string_view> take_quoted(std::string_view& text, char quote) {
  const std::size_t open = text.find(quote);
  const std::size_t close = open == std::string_view::npos ? open : text.find(quote, open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  return inside;
}

/// The names in `( 'near' - 'far' )`, or in `'near'` if the port is not connected. A name may have apostrophes.
struct QuotedEnds {
  std::optional<std::string_view> near, far;
};

QuotedEnds quoted_ends(std::string_view line) {
  constexpr std::string_view kBetween = "' - '";
  const std::size_t open = line.find('\'');
  const std::size_t close = line.rfind('\'');
  if (open == std::string_view::npos || close == open) return {};
  const std::size_t between = line.find(kBetween, open + 1);
  if (between == std::string_view::npos) return {line.substr(open + 1, close - open - 1), std::nullopt};
  QuotedEnds ends{line.substr(open + 1, between - open - 1), std::nullopt};
  const std::size_t far = between + kBetween.size();
  if (close >= far) ends.far = line.substr(far, close - far);
  return ends;
}

/// The port in "[12]" at the beginning of `text`, which becomes the rest after it.
std::optional<int> take_port(std::string_view& text) {
  constexpr std::int64_t kMostPorts = 65536;
  text = trim(text);
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> port = parse_integer(trim(text.substr(1, close - 1)));
  if (!port || *port < 0 || *port >= kMostPorts) return std::nullopt;
  text.remove_prefix(close + 1);
  return static_cast<int>(*port);
}

std::optional<Kind> record_kind(std::string_view word) {
  const std::string name = lower(word.substr(0, 8));
  if (name == "switch" || name == "rt") return Kind::fabric_switch;
  if (name == "ca" || name == "hca") return Kind::channel_adapter;
  return std::nullopt;
}

/// True for `Switch 65 "S-..."`.
bool is_record(std::string_view line) {
  const Words words = split_blanks(line.substr(0, 64), 3);
  return words.size() >= 3 && record_kind(words[0]) && parse_integer(words[1]) && words[2].starts_with('"');
}

std::optional<Kind> port_kind(std::string_view word) {
  if (word == "CA") return Kind::channel_adapter;
  if (word == "SW" || word == "RT") return Kind::fabric_switch;
  return std::nullopt;
}

/// True for `CA 134 1 0x7cfe9003003b4bde 4x EDR ...`.
bool is_port_line(const Words& words) {
  const auto is_count = [](std::string_view word) { return parse_integer(word).value_or(-1) >= 0; };
  return words.size() >= 6 && port_kind(words[0]) && is_count(words[1]) && is_count(words[2]) &&
         words[3].starts_with("0x");
}

class Reader {
 public:
  Reader(const TextLines& lines, Warnings& warnings) : lines_(lines), warnings_(warnings) {}

  Fabric read() {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const std::string_view line = trim(lines_[l]);
      if (read_forwarding(line)) continue;
      if (is_record(line)) {
        read_record(l, line);
      } else if (line.starts_with('[')) {
        read_port(l, line);
      } else if (const Words words = split_blanks(line, kMostWords); is_port_line(words)) {
        read_port_line(l, words, line);
      } else if (words.size() >= 6 && port_kind(words[0]) && words[4].ends_with('x')) {
        leave_out(l);
      }
    }
    if (unread_ > 0) warnings_.add(fmt::format("{}; left out ({} in all)", first_unread_, counted(unread_, "line")));
    order_cables(fabric_);
    order_forwarding();
    return std::move(fabric_);
  }

 private:
  void leave_out(std::size_t l) {
    if (unread_++ == 0) first_unread_ = located(lines_.at(l, {}, "this is no line of a port"));
  }

  /// Sorts the forwarding entries, and keeps the first of several for one identifier.
  void order_forwarding() {
    std::vector<FabricForwarding>& entries = fabric_.forwarding;
    const auto key = [](const FabricForwarding& entry) { return std::pair(entry.guid, entry.lid); };
    std::ranges::stable_sort(entries, {}, key);
    const auto same = [&](const FabricForwarding& x, const FabricForwarding& y) { return key(x) == key(y); };
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  }

  void forward(std::uint64_t guid, std::int64_t lid, int port) {
    if (fabric_.forwarding.size() == kMostForwarding)
      fail({lines_.where(), {}, fmt::format("more than {} entries of forwarding tables", kMostForwarding), {}, {}});
    fabric_.forwarding.push_back({guid, static_cast<std::uint16_t>(lid), static_cast<std::uint16_t>(port)});
  }

  /// Reads a line of forwarding tables or routes; false for another line.
  bool read_forwarding(std::string_view line) {
    if (line.starts_with("Unicast lids ")) {
      const std::size_t guid = line.find(" guid ");
      table_ = guid == std::string_view::npos ? std::nullopt : guid_of(first_word(line.substr(guid + 6)));
      return true;
    }
    if (table_ && line.starts_with("0x")) return read_table_line(split_blanks(line, 2));
    if (line.starts_with("From ") && line.find('{') != std::string_view::npos) {
      hops_.clear();
      hop_ = std::nullopt;
      in_route_ = true;
      return true;
    }
    if (!in_route_) return false;
    if (line.starts_with("To ")) return end_route(line);
    return read_hop(line);
  }

  /// Reads `0x0005 021 : (Channel Adapter ...)`. An entry with port 0 is for the switch itself and is left out.
  bool read_table_line(const Words& words) {
    const std::optional<std::uint64_t> lid = guid_of(words[0]);
    const int port = words.size() > 1 ? to_port(words[1]) : -1;
    if (!lid || *lid > kLargestLid || port < 0) return false;
    if (port > 0) forward(*table_, static_cast<std::int64_t>(*lid), port);
    return true;
  }

  /// Reads `[21] -> switch port {0x...}[1] lid 6-6 "spine1"`.
  bool read_hop(std::string_view line) {
    const std::size_t open = line.find('{');
    const std::optional<int> port = take_port(line);
    if (!port || open == std::string_view::npos || line.find("->") == std::string_view::npos) return in_route_ = false;
    if (hop_ && hops_.size() < kMostHops) hops_.emplace_back(*hop_, *port);
    const std::size_t brace = line.find('{');
    hop_ = guid_of(line.substr(brace + 1, line.find('}') - brace - 1));
    return true;
  }

  bool end_route(std::string_view line) {
    in_route_ = false;
    const std::size_t at = line.find(" lid ");
    if (at == std::string_view::npos) return true;
    const std::string_view range = first_word(line.substr(at + 5));
    const std::optional<std::int64_t> lid = parse_integer(range.substr(0, range.find('-')));
    if (!lid || *lid < 0 || *lid > kLargestLid) return true;
    for (const auto& [guid, port] : hops_) forward(guid, *lid, port);
    return true;
  }

  void note_lid(std::string_view adapter, std::string_view tail) {
    std::string_view word = take_word(tail);
    while (!word.empty() && word != "lid") word = take_word(tail);
    if (const auto lid = parse_integer(take_word(tail)); lid && *lid > 0 && *lid <= kLargestLid)
      fabric_.adapter_of_lid.emplace(static_cast<int>(*lid), adapter);
  }

  void read_record(std::size_t l, std::string_view line) {
    const std::optional<Kind> kind = record_kind(first_word(line));
    const std::optional<std::string_view> id = take_quoted(line, '"');
    if (!id) return;
    current_ = &device(l, *id);
    describe(*current_, *kind, take_quoted(line, '"'));
  }

  /// Reads `[1](guid) "S-..."[12](guid) # "description" lid 119 4xNDR`. The last quoted text describes the peer.
  void read_port(std::size_t l, std::string_view line) {
    const std::string_view whole = line;
    const std::optional<int> port = take_port(line);
    const std::optional<std::string_view> peer = take_quoted(line, '"');
    const std::optional<int> peer_port = peer ? take_port(line) : std::nullopt;
    if (current_ == nullptr || !port || !peer || !peer_port) {
      warnings_.add(lines_.at(l, {}, "this is no line of a connected port"));
      return;
    }
    const std::size_t comment = line.find('#');
    std::string_view tail = comment == std::string_view::npos ? std::string_view() : line.substr(comment + 1);
    // An adapter's own line states its own identifier first: `# lid 5 lmc 0 "leaf0" lid 2 4xSDR`.
    const bool own = trim(tail).starts_with("lid ");
    FabricDevices::value_type& far = device(l, *peer);
    note_lid(own ? current_->first : far.first, tail);
    describe(far, Kind::unknown, take_quoted(tail, '"'));
    const std::size_t blank = whole.find_last_of(" \t");
    const std::string_view last = whole.substr(blank == std::string_view::npos ? 0 : blank + 1);
    const std::size_t times = last.find('x');
    BytesPerSecond rate;
    if (times != std::string_view::npos) rate = infiniband_rate(last.substr(0, times + 1), last.substr(times + 1));
    connect(l, {current_, *port}, {&far, *peer_port}, rate);
  }

  void read_port_line(std::size_t l, const Words& words, std::string_view line) {
    const auto dash = std::ranges::find(words, "-");
    const Words far(dash == words.end() ? dash : dash + 1, words.end());
    if (!is_port_line({words[0], words[1], words[2], words[3], "", ""})) return;
    const QuotedEnds names = quoted_ends(line);
    FabricDevices::value_type& near = device(l, device_id(words));
    describe(near, *port_kind(words[0]), names.near);
    if (const auto lid = parse_integer(words[1]); lid && *lid > 0 && *lid <= kLargestLid)
      fabric_.adapter_of_lid.emplace(static_cast<int>(*lid), near.first);
    if (far.size() < 4 || !port_kind(far[0])) return;  // the port is not connected
    if (parse_integer(far[2]).value_or(-1) < 0 || !far[3].starts_with("0x")) return leave_out(l);
    FabricDevices::value_type& peer = device(l, device_id(far));
    describe(peer, *port_kind(far[0]), names.far);
    connect(l, {&near, to_port(words[2])}, {&peer, to_port(far[2])}, infiniband_rate(words[4], words[5]));
  }

  /// A switch has one GUID, but each port of an adapter has its own.
  static std::string_view device_id(const Words& words) { return words[3]; }

  static std::string_view first_word(std::string_view text) { return take_word(text); }

  static int to_port(std::string_view word) {
    constexpr std::int64_t kMostPorts = 65535;
    return static_cast<int>(std::clamp<std::int64_t>(parse_integer(word).value_or(0), 0, kMostPorts));
  }

  /// The device of that id, which is added if it is new.
  FabricDevices::value_type& device(std::size_t l, std::string_view id) {
    const auto known = fabric_.devices.find(id);
    if (known != fabric_.devices.end()) return *known;
    if (fabric_.devices.size() == kMostFabricDevices)
      fail(lines_.at(l, id, fmt::format("more than {} devices in one fabric", kMostFabricDevices)));
    return *fabric_.devices.emplace(id, FabricDevice{.is_likely_switch = id.starts_with("S-")}).first;
  }

  static void describe(FabricDevices::value_type& named, Kind kind, std::optional<std::string_view> description) {
    FabricDevice& device = named.second;
    if (kind != Kind::unknown) device.kind = kind;
    if (description && device.description.empty()) device.description = *description;
  }

  void connect(std::size_t l, FabricPort a, FabricPort b, BytesPerSecond rate) {
    if (a.device != b.device) add_cable(lines_, l, fabric_, a, b, rate);  // otherwise it is a loopback plug
  }

  static constexpr std::int64_t kLargestLid = 0xbfff;  ///< the largest unicast identifier
  static constexpr std::size_t kMostHops = 4096;
  static constexpr std::size_t kMostWords = 64;  ///< in a line that describes a port

  const TextLines& lines_;
  Warnings& warnings_;
  Fabric fabric_;
  std::size_t unread_ = 0;    ///< lines of ports that make no sense
  std::string first_unread_;  ///< the first of them, located
  FabricDevices::value_type* current_ = nullptr;
  std::optional<std::uint64_t> table_;  ///< GUID of the switch whose table is being read
  bool in_route_ = false;
  std::optional<std::uint64_t> hop_;  ///< GUID of the switch that the route has reached
  std::vector<std::pair<std::uint64_t, int>> hops_;
};

}  // namespace

BytesPerSecond infiniband_rate(std::string_view width, std::string_view speed) {
  if (!width.ends_with('x')) return {};
  const std::optional<std::int64_t> lanes = parse_integer(width.substr(0, width.size() - 1));
  const auto known = std::ranges::find(kSpeeds, speed, &LaneSpeed::name);
  constexpr std::int64_t kWidest = 16;
  if (!lanes || *lanes < 1 || *lanes > kWidest || known == kSpeeds.end()) return {};
  return BytesPerSecond(static_cast<double>(*lanes) * known->gigabits * 1e9 / 8);
}

bool looks_like_forwarding(std::string_view head) {
  const std::string_view text = trim(head);
  return text.starts_with("Unicast lids ") || text.starts_with("From ca {") || text.starts_with("From switch {");
}

std::optional<std::uint64_t> guid_of(std::string_view id) {
  if (id.starts_with("0x") || id.starts_with("S-") || id.starts_with("H-")) id.remove_prefix(2);
  std::uint64_t guid = 0;
  const auto [end, failure] = std::from_chars(id.data(), id.data() + id.size(), guid, 16);
  return failure == std::errc() && end == id.data() + id.size() ? std::optional(guid) : std::nullopt;
}

bool looks_like_fabric(const TextLines& lines) {
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (is_record(trim(lines[l])) || is_port_line(split_blanks(lines[l].substr(0, 256)))) return true;
  }
  return false;
}

void order_cables(Fabric& fabric) {
  std::vector<FabricCable>& cables = fabric.cables;
  std::ranges::sort(cables, [](const FabricCable& x, const FabricCable& y) {
    if (!(x.a == y.a)) return x.a < y.a;
    return x.b == y.b ? x.bandwidth > y.bandwidth : x.b < y.b;
  });
  const auto same = [](const FabricCable& x, const FabricCable& y) { return x.a == y.a && x.b == y.b; };
  cables.erase(std::unique(cables.begin(), cables.end(), same), cables.end());
}

void add_cable(const TextLines& lines, std::size_t l, Fabric& fabric, FabricPort a, FabricPort b, BytesPerSecond rate) {
  if (b < a) std::swap(a, b);
  if (fabric.cables.size() == 2 * kMostFabricCables) {  // each cable is there twice
    order_cables(fabric);
    if (fabric.cables.size() > kMostFabricCables)
      fail(lines.at(l, {}, fmt::format("more than {} cables in one fabric", kMostFabricCables)));
  }
  fabric.cables.push_back({a, b, rate});
}

Fabric read_fabric(const TextLines& lines, Warnings& warnings) {
  return Reader(lines, warnings).read();
}

}  // namespace topowise
