// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/matrix/tables.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/on_node.hpp>

namespace topowise {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A table with column numbers 0..n-1 and rows "i v0 v1 ...". The line above it is its title.
struct NumberedTable {
  std::string_view title;
  std::string_view corner;  ///< "D\D", "GPU", "CPU", or empty
  std::size_t line = 0;     ///< the line of the column numbers
  std::size_t n = 0;
};

/// n if the words of a line are 0, 1, ... n-1, after one other word or none.
std::size_t count_columns(std::string_view line, std::string_view& corner) {
  std::string_view word = take_word(line);
  if (!word.empty() && !parse_integer(word)) {
    corner = word;
    word = take_word(line);
  }
  std::size_t n = 0;
  for (; !word.empty(); word = take_word(line)) {
    if (parse_integer(word) != static_cast<std::int64_t>(n++)) return 0;
  }
  return n;
}

/// The value of a cell: a positive number, or unknown ("N/A", 0). Between two GPUs anything else is an error.
double parse_cell(const TextLines& lines, std::size_t line, std::string_view word, double unit, bool is_pair) {
  const std::optional<double> value = parse_double(word);
  constexpr double kLargest = 1e15;
  if (value && *value >= 0 && *value < kLargest) return *value > 0 ? *value * unit : kUnknown;
  if (is_pair && (!is_absent(word) || is_no_finite_number(word)))
    fail(lines.at(line, word, fmt::format("{} is no measured value", in_quotes(word))));
  return kUnknown;
}

double unit_of(std::string_view title) {
  if (title.find("(GB/s)") != std::string_view::npos) return 1e9;
  if (title.find("(us)") != std::string_view::npos) return 1e-6;
  return title.find("(ns)") != std::string_view::npos ? 1e-9 : 1.0;
}

/// How many rows of the table follow its column numbers.
std::size_t count_rows(const TextLines& lines, const NumberedTable& table) {
  std::size_t rows = 0;
  for (; rows < table.n && table.line + rows + 1 < lines.size(); ++rows) {
    std::string_view line = lines[table.line + rows + 1];
    if (parse_integer(take_word(line)) != static_cast<std::int64_t>(rows)) break;
  }
  return rows;
}

/// The n x n values; those of missing rows are unknown. Tables are read only when they are wanted, because a text may
/// hold more of them than are used.
std::vector<double> values_of(const TextLines& lines, const NumberedTable& table, Warnings& warnings) {
  std::vector<double> values(table.n * table.n, kUnknown);
  const double unit = unit_of(table.title);
  const std::size_t rows = count_rows(lines, table);
  const bool is_cut = rows < table.n || count_words(lines[table.line + rows]) < table.n + 1;
  if (is_cut)
    warnings.add(lines.at(table.line + rows, {},
                          fmt::format("{} of {} GPUs ends here: what only its other rows say is not known",
                                      in_quotes(table.title), table.n)));
  for (std::size_t row = 0; row < rows; ++row) {
    std::string_view line = lines[table.line + row + 1];
    (void)take_word(line);
    for (std::size_t c = 0; c < table.n; ++c)
      values[row * table.n + c] = parse_cell(lines, table.line + row + 1, take_word(line), unit, row != c);
  }
  return values;
}

/// Refuses a row that has no number of a row where the next one is due.
void check_next_row(const TextLines& lines, const NumberedTable& table, std::size_t rows) {
  const std::size_t next = table.line + rows + 1;
  if (rows == table.n || next >= lines.size() || count_words(lines[next]) != table.n + 1) return;
  std::string_view corner;
  if (count_columns(lines[next], corner) > 0) return;  // the next table: this one is cut off
  std::string_view line = lines[next];
  const std::string_view label = take_word(line);
  fail(lines.at(next, label, fmt::format("{} where row {} is due", in_quotes(label), rows)));
}

std::vector<NumberedTable> find_tables(const TextLines& lines) {
  constexpr std::size_t kMostTables = 65536;
  std::vector<NumberedTable> tables;
  std::string_view title;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    NumberedTable table{.title = title, .line = l};
    const std::string_view line = trim(lines[l]);
    if (line.empty()) continue;
    table.n = count_columns(line, table.corner);
    if (table.n < 2) title = line;
    if (table.n < 2 || table.n > kMostPairPlaces || l + 1 == lines.size()) continue;
    std::string_view first_row = lines[l + 1];
    if (count_words(first_row) != table.n + 1 || take_word(first_row) != "0") continue;
    if (tables.size() == kMostTables) fail(lines.at(l, {}, fmt::format("more than {} tables", kMostTables)));
    const std::size_t rows = count_rows(lines, table);
    check_next_row(lines, table, rows);
    l += rows;
    tables.push_back(table);
  }
  return tables;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The first table whose title has all of `parts`.
const NumberedTable* find_titled(const std::vector<NumberedTable>& tables,
                                 std::initializer_list<std::string_view> parts) {
  const auto found = std::ranges::find_if(tables, [&](const NumberedTable& table) {
    return table.corner != "CPU" && std::ranges::all_of(parts, [&](auto part) { return contains(table.title, part); });
  });
  return found == tables.end() ? nullptr : &*found;
}

/// The bus id in "Device: 0, Tesla V100-SXM2-16GB, pciBusID: 5d, pciDeviceID: 0, pciDomainID:0"; all three are
/// hexadecimal.
std::optional<PciAddress> parse_p2p_device(std::string_view line) {
  const auto field = [&](std::string_view name) {
    const std::size_t at = line.find(name);
    const std::string_view rest = at == std::string_view::npos ? std::string_view() : line.substr(at + name.size());
    return trim(rest.substr(0, rest.find(',')));
  };
  const std::string_view domain = field("pciDomainID:");
  return PciAddress::parse(
      fmt::format("{}:{}:{}", domain.empty() ? "0" : domain, field("pciBusID:"), field("pciDeviceID:")));
}

/// The bus id in "Device 0: NVIDIA A100-SXM4-80GB (00000000:34:00)".
std::optional<PciAddress> parse_nvbandwidth_device(std::string_view line) {
  const std::size_t open = line.rfind('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  return PciAddress::parse(line.substr(open + 1, close - open - 1));
}

/// Bus ids by device number, from the lines that begin with `prefix`.
std::map<std::int64_t, PciAddress> find_devices(const TextLines& lines, std::string_view prefix,
                                                std::optional<PciAddress> (*parse)(std::string_view)) {
  std::map<std::int64_t, PciAddress> devices;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string_view line = trim(lines[l]);
    if (!line.starts_with(prefix)) continue;
    line = trim(line.substr(prefix.size()));
    const auto end = std::ranges::find_if_not(line, is_digit);
    const auto number = parse_integer(line.substr(0, static_cast<std::size_t>(end - line.begin())));
    const std::optional<PciAddress> address = parse(line);
    if (number && address) devices.emplace(*number, *address);
  }
  return devices;
}

/// True if p2pBandwidthLatencyTest was built for HIP: "Device: 0, AMD Instinct MI250X, pciBusID: c1, ...".
bool names_amd(const TextLines& lines) {
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string_view line = trim(lines[l]);
    if (line.starts_with("Device:") &&
        (contains(line, "AMD") || contains(line, "Radeon") || contains(line, "Instinct")))
      return true;
  }
  return false;
}

/// The GPUs of the tables, which must all be of one size.
std::vector<PairValues::Item> name_gpus(std::size_t n, const std::map<std::int64_t, PciAddress>& devices) {
  std::vector<PairValues::Item> items;
  for (std::size_t i = 0; i < n; ++i) {
    const auto known = devices.find(static_cast<std::int64_t>(i));
    items.push_back({fmt::format("GPU{}", i), known == devices.end() ? std::nullopt : std::optional(known->second)});
  }
  return items;
}

/// A process of a run on several hosts, by its rank, which is its row: "Process 2 (n07): device 0: NVIDIA GB200
/// (00000008:01:00)".
struct Process {
  std::string host;
  std::int64_t device = 0;
  std::optional<PciAddress> pci;
};

std::optional<std::int64_t> take_number(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return parse_integer(digits);
}

std::map<std::int64_t, Process> find_processes(const TextLines& lines) {
  constexpr std::string_view kProcess = "Process ";
  constexpr std::string_view kDevice = "): device ";
  std::map<std::int64_t, Process> processes;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string_view line = trim(lines[l]);
    if (!line.starts_with(kProcess)) continue;
    line.remove_prefix(kProcess.size());
    const std::optional<std::int64_t> rank = take_number(line);
    const std::size_t end = line.find(kDevice);
    if (!rank || !line.starts_with(" (") || end == std::string_view::npos) continue;
    Process process{.host = host_or_empty(line.substr(2, end - 2)), .pci = parse_nvbandwidth_device(line)};
    line.remove_prefix(end + kDevice.size());
    process.device = take_number(line).value_or(-1);
    if (process.device >= 0) processes.emplace(*rank, std::move(process));
  }
  return processes;
}

/// Puts the GPUs on the hosts of their processes. GPUs of several hosts are called "n07:GPU0".
void name_by_hosts(std::vector<PairValues::Item>& items, const std::map<std::int64_t, Process>& processes,
                   Warnings& warnings) {
  if (processes.empty()) return;
  std::set<std::string> hosts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto process = processes.find(static_cast<std::int64_t>(i));
    if (process == processes.end() || process->second.host.empty())
      return warnings.add(
          fmt::format("the host of process {} is not known: the GPUs are taken for those of one node", i));
    hosts.insert(process->second.host);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Process& process = processes.at(static_cast<std::int64_t>(i));
    const std::string gpu = fmt::format("GPU{}", process.device);
    items[i] = {hosts.size() > 1 ? fmt::format("{}:{}", process.host, gpu) : gpu, process.pci, process.host};
  }
}

void check_size(const TextLines& lines, const NumberedTable& table, std::size_t n) {
  if (table.n != n) fail(lines.at(table.line, {}, fmt::format("this matrix has {} GPUs, another has {}", table.n, n)));
}

/// The pairs that the test says cannot access each other: by a 0 in its matrix of connections, or in a line "Device=0
/// CANNOT Access Peer Device=1".
std::set<std::pair<std::size_t, std::size_t>> pairs_without_access(const TextLines& lines,
                                                                   const std::vector<NumberedTable>& tables,
                                                                   std::size_t n) {
  std::set<std::pair<std::size_t, std::size_t>> refused;
  const auto refuse = [&](std::size_t a, std::size_t b) {
    if (a != b && a < n && b < n) refused.insert(std::minmax(a, b));
  };
  if (const NumberedTable* matrix = find_titled(tables, {"P2P Connectivity Matrix"})) {
    const std::size_t rows = count_rows(lines, *matrix);
    for (std::size_t row = 0; row < rows; ++row) {
      std::string_view line = lines[matrix->line + row + 1];
      (void)take_word(line);
      for (std::size_t c = 0; c < matrix->n; ++c) {
        if (take_word(line) == "0") refuse(row, c);
      }
    }
  }
  constexpr std::string_view kDevice = "Device=";
  const auto number = [&](std::string_view word) {
    return word.starts_with(kDevice) ? parse_integer(word.substr(kDevice.size())) : std::nullopt;
  };
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (!contains(lines[l], "CANNOT Access Peer")) continue;
    const std::vector<std::string_view> words = split_blanks(trim(lines[l]), 6);
    const std::optional<std::int64_t> a = words.size() >= 5 ? number(words[0]) : std::nullopt;
    const std::optional<std::int64_t> b = words.size() >= 5 ? number(words[4]) : std::nullopt;
    if (a && b && *a >= 0 && *b >= 0) refuse(static_cast<std::size_t>(*a), static_cast<std::size_t>(*b));
  }
  return refused;
}

/// The tables of p2pBandwidthLatencyTest that are used. A text may hold only some of them.
struct P2pTables {
  const NumberedTable* bandwidth = nullptr;
  const NumberedTable* latency = nullptr;
  bool both_ways = false;  ///< the bandwidth is the sum of both directions
};

/// `no_access`: no pair has peer access, so the tables without it are what is true of all.
P2pTables choose_p2p_tables(const TextLines& lines, const std::vector<NumberedTable>& tables, bool no_access,
                            Warnings& warnings) {
  P2pTables chosen;
  const auto note = [&](const NumberedTable& table, std::string what) {
    warnings.add(lines.at(table.line, {}, std::move(what)));
  };
  chosen.bandwidth = find_titled(tables, {"Unidirectional P2P=Enabled Bandwidth"});
  if (chosen.bandwidth == nullptr) {
    chosen.bandwidth = find_titled(tables, {"Unidirectional P2P=Disabled Bandwidth"});
    if (chosen.bandwidth != nullptr && !no_access) {
      note(*chosen.bandwidth, "no bandwidth with P2P enabled; the one without is taken");
      warnings.assume("bandwidths without peer access");
    }
  }
  for (const std::string_view title : {"Bidirectional P2P=Enabled Bandwidth", "Bidirectional P2P=Disabled Bandwidth"}) {
    if (chosen.bandwidth != nullptr) break;
    chosen.bandwidth = find_titled(tables, {title});
    chosen.both_ways = chosen.bandwidth != nullptr;
    if (chosen.both_ways) warnings.assume("half of the bidirectional bandwidth in each direction");
    if (chosen.both_ways)
      note(*chosen.bandwidth, fmt::format("no unidirectional bandwidth; half of {} is taken for each direction",
                                          in_quotes(chosen.bandwidth->title)));
  }
  chosen.latency = find_titled(tables, {"P2P=Enabled Latency"});
  if (chosen.latency == nullptr) {
    chosen.latency = find_titled(tables, {"P2P=Disabled Latency"});
    if (chosen.latency != nullptr && !no_access)
      note(*chosen.latency, "no latency with P2P enabled; the one without is taken");
  }
  const NumberedTable* only = chosen.bandwidth != nullptr ? chosen.bandwidth : chosen.latency;
  if (only != nullptr && tables.size() == 1 && warnings.empty())
    note(*only, fmt::format("{} is the only table here: there is no {}", in_quotes(only->title),
                            only == chosen.latency ? "bandwidth" : "latency"));
  return chosen;
}

/// Refuses a part of the test's output that holds none of its measurements, or not what was measured.
void refuse_p2p_part(const TextLines& lines, const std::vector<NumberedTable>& tables) {
  const auto part = std::ranges::find(tables, "D\\D", &NumberedTable::corner);
  if (part == tables.end()) return;
  if (contains(part->title, "Connectivity"))
    fail(lines.at(part->line, {}, "this matrix says only which GPUs can access each other",
                  "the matrices of bandwidth and latency, which p2pBandwidthLatencyTest prints below it"));
  fail(lines.at(part->line, {}, "no line above this matrix says whether it is bandwidth or latency",
                "p2pBandwidthLatencyTest prints 'Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)'"));
}

StatedValues transposed(StatedValues stated, std::size_t n) {
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) std::swap(stated.values[a * n + b], stated.values[b * n + a]);
  }
  return stated;
}

/// The number in "GPU 3" at the beginning of `text`, which becomes the rest after it.
std::optional<std::int64_t> take_gpu(std::string_view& text) {
  constexpr std::string_view kPrefix = "GPU";
  text = trim(text);
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text = trim(text.substr(kPrefix.size()));
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return parse_integer(digits);
}

struct ListedPair {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Metric metric = Metric::bandwidth;
  double value = 0.0;  ///< bytes per second or seconds
};

/// Reads "GPU 0 -> GPU 1: Bandwidth = 158.52 GB/s".
std::optional<ListedPair> parse_listed(std::string_view line) {
  const std::optional<std::int64_t> from = take_gpu(line);
  line = trim(line);
  if (!from || !line.starts_with("->")) return std::nullopt;
  line.remove_prefix(2);
  const std::optional<std::int64_t> to = take_gpu(line);
  const std::size_t equals = line.find('=');
  if (!to || equals == std::string_view::npos) return std::nullopt;
  const std::string_view value = trim(line.substr(equals + 1));
  const bool is_time = contains(lower(line.substr(0, equals)), "latency");
  const auto number = is_time ? parse_seconds(value).value_or(Seconds()).value()
                              : parse_bandwidth(value).value_or(BytesPerSecond()).value();
  constexpr double kLargest = 1e18;
  if (!(number > 0) || number > kLargest) return std::nullopt;
  return ListedPair{*from, *to, is_time ? Metric::latency : Metric::bandwidth, number};
}

/// Refuses a line that looks like one of the list and states no pair or no positive rate.
void check_unlisted(const TextLines& lines, std::size_t l) {
  const std::string_view line = trim(lines[l]);
  const std::size_t equals = line.find('=');
  if (!line.starts_with("GPU") || !contains(line, "->") || equals == std::string_view::npos) return;
  const std::string words = lower(line.substr(0, equals));
  if (!contains(words, "bandwidth") && !contains(words, "latency")) return;
  const std::string_view value = trim(line.substr(equals + 1));
  if (is_absent(value)) return;
  fail(lines.at(l, value, fmt::format("{} states no pair of GPUs with a positive rate or time", in_quotes(line))));
}

}  // namespace

std::optional<PairValues> read_p2p_test(const TextLines& lines, Warnings& warnings) {
  const std::vector<NumberedTable> tables = find_tables(lines);
  const std::size_t gpus = tables.empty() ? 0 : tables.front().n;
  const std::set<std::pair<std::size_t, std::size_t>> refused = pairs_without_access(lines, tables, gpus);
  const bool no_access = !refused.empty() && refused.size() == gpus * (gpus - 1) / 2;
  const auto [bandwidth, latency, both_ways] = choose_p2p_tables(lines, tables, no_access, warnings);
  if (bandwidth == nullptr && latency == nullptr) {
    refuse_p2p_part(lines, tables);
    return std::nullopt;
  }
  PairValues values;
  values.kind = PlaceKind::gpu;
  const Provenance source(names_amd(lines) ? origin::kP2pTestByHip : origin::kP2pTest);
  const std::size_t n = bandwidth != nullptr ? bandwidth->n : latency->n;
  values.items = name_gpus(n, find_devices(lines, "Device:", parse_p2p_device));
  // CUDA's numbers depend on CUDA_DEVICE_ORDER, HIP's do not.
  for (std::size_t i = 0; i < n && names_amd(lines); ++i) values.items[i].number = static_cast<int>(i);
  if (bandwidth != nullptr) {
    StatedValues stated{values_of(lines, *bandwidth, warnings), source};
    for (double& value : stated.values) value = both_ways ? value / 2 : value;
    values.of(Metric::bandwidth) = std::move(stated);
  }
  if (latency != nullptr) {
    check_size(lines, *latency, n);
    values.of(Metric::latency) = StatedValues{values_of(lines, *latency, warnings), source};
  }
  std::vector<std::string> pairs;
  for (const auto& [a, b] : refused) {
    if (b >= n) continue;
    pairs.push_back(fmt::format("GPU{}-GPU{}", a, b));
    values.without_peer_access.emplace(a, b);
  }
  if (!pairs.empty())
    warnings.add(fmt::format("{}: {}", lines.where(), without_peer_access(pairs, n * (n - 1) / 2, "as measured")));
  return values;
}

std::optional<PairValues> read_nvbandwidth(const TextLines& lines, Warnings& warnings) {
  const std::vector<NumberedTable> tables = find_tables(lines);
  const NumberedTable* bandwidth = nullptr;
  // Copy engines come before kernels. The arrow in the title is the direction of the data.
  for (const auto& [engine, arrow] : {std::pair{"CE", " -> "}, {"CE", " <- "}, {"SM", " -> "}, {"SM", " <- "}}) {
    if (bandwidth == nullptr)
      bandwidth = find_titled(tables, {engine, "GPU(row)", arrow, "GPU(column)", "bandwidth (GB/s)"});
  }
  const NumberedTable* latency = find_titled(tables, {"atency", "GPU(row)", "GPU(column)", "(ns)"});
  if (bandwidth == nullptr && latency == nullptr) return std::nullopt;
  PairValues values;
  values.kind = PlaceKind::gpu;
  const std::size_t n = bandwidth != nullptr ? bandwidth->n : latency->n;
  values.items = name_gpus(n, find_devices(lines, "Device ", parse_nvbandwidth_device));
  name_by_hosts(values.items, find_processes(lines), warnings);
  if (bandwidth != nullptr) {
    StatedValues stated{values_of(lines, *bandwidth, warnings), origin::kNvbandwidth};
    values.of(Metric::bandwidth) = contains(bandwidth->title, " <- ") ? transposed(std::move(stated), n) : stated;
  }
  if (latency != nullptr) {
    check_size(lines, *latency, n);
    values.of(Metric::latency) = StatedValues{values_of(lines, *latency, warnings), origin::kNvbandwidth};
  }
  return values;
}

std::optional<PairValues> read_pair_list(const TextLines& lines) {
  std::map<std::int64_t, std::size_t> index;
  const auto for_each_pair = [&](const auto& visit) {
    for (std::size_t l = 0; l < lines.size(); ++l) {
      const std::optional<ListedPair> pair = parse_listed(lines[l]);
      if (!pair) check_unlisted(lines, l);
      if (pair && pair->from != pair->to) visit(l, *pair);  // otherwise it is a copy inside one GPU
    }
  };
  for_each_pair([&](std::size_t l, const ListedPair& pair) {
    index.emplace(pair.from, 0);
    index.emplace(pair.to, 0);
    if (index.size() > kMostPairPlaces)
      fail(lines.at(l, {}, fmt::format("more than {} GPUs in a pair list", kMostPairPlaces)));
  });
  if (index.empty()) return std::nullopt;
  PairValues values;
  values.kind = PlaceKind::gpu;
  for (auto& [gpu, position] : index) {
    position = values.items.size();
    values.items.push_back({fmt::format("GPU{}", gpu), std::nullopt});
  }
  const std::size_t n = values.items.size();
  for_each_pair([&](std::size_t, const ListedPair& pair) {
    std::optional<StatedValues>& stated = values.of(pair.metric);
    if (!stated) stated = StatedValues{std::vector<double>(n * n, kUnknown), "measured:list"};
    stated->values[index[pair.from] * n + index[pair.to]] = pair.value;
  });
  return values;
}

bool looks_measured(std::string_view head) {
  if (contains(head, "GPU(row)") || contains(head, "P2P Connectivity Matrix")) return true;
  if (contains(head, "Bandwidth Matrix (GB/s)") || contains(head, "Latency Matrix (us)")) return true;
  if (contains(head, "D\\D") || contains(head, " P2P=Enabled Bandwidth ") || contains(head, "P2P=Enabled Latency "))
    return true;
  const TextLines lines({}, head);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (parse_listed(lines[l])) return true;
  }
  return false;
}

}  // namespace topowise
