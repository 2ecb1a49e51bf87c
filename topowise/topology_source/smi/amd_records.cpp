// SPDX-License-Identifier: BSD-3-Clause
// The keys are those of github.com/ROCm/amdsmi amdsmi_cli/amdsmi_commands.py (topology) and amdsmi_logger.py
// (flatten_dict), of ROCm 5.7 to 7, and of github.com/ROCm/rocm_smi_lib python_smi_tools/rocm_smi.py
// (formatMatrixToJSON).
#include <topowise/topology_source/smi/amd_records.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

struct Key {
  std::string_view link, object, rocm;  ///< the name in "links", as an object for each property, and of rocm-smi
  AmdProperty property;
};
constexpr std::array<Key, 5> kKeys{
    {{"weight", "weight", "(Topology) Weight ", AmdProperty::weight},
     {"num_hops", "hops", "(Topology) Hops ", AmdProperty::hops},
     {"link_type", "link_type", "(Topology) Link type ", AmdProperty::type},
     {"bandwidth", "numa_bandwidth", {}, AmdProperty::bandwidth},
     {"link_status", "link_accessibility", "(Topology) Link accessibility ", AmdProperty::access}}};
constexpr std::string_view kGpuKey = "gpu_";

std::optional<std::int64_t> gpu_number(std::string_view text) {
  const std::optional<std::int64_t> number = parse_integer(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// The number in "gpu_3", a key.
std::optional<std::int64_t> gpu_of_key(std::string_view key) {
  return key.starts_with(kGpuKey) ? gpu_number(key.substr(kGpuKey.size())) : std::nullopt;
}

std::int64_t gpu_of(const JsonNode& entry) {
  const JsonNode number = entry.member("gpu");
  return static_cast<std::int64_t>(number.whole(std::uint64_t{1} << 32));
}

void read_bus_id(const JsonNode& entry, AmdRecords::Gpu& gpu) {
  if (const std::optional<JsonNode> bus = entry.find("bdf")) gpu.bus_id = bus->text();
}

void read_links(const JsonNode& links, std::int64_t from, AmdRecords& records) {
  for_each_element(links, [&](const JsonNode& link, std::size_t) {
    const std::int64_t to = gpu_of(link);
    read_bus_id(link, records.gpu(link.where(), to));
    for (const Key& key : kKeys) {
      if (const std::optional<JsonNode> value = link.find(key.link))
        records.state(link.where(), {from, to, key.property, value->word()});
    }
  });
}

void read_objects(const JsonNode& entry, std::int64_t from, AmdRecords& records) {
  for (const Key& key : kKeys) {
    const std::optional<JsonNode> object = entry.find(key.object);
    if (!object) continue;
    for (const std::string& name : object->keys()) {
      const JsonNode value = object->member(name);
      const std::optional<std::int64_t> to = gpu_of_key(name);
      if (!to) throw value.wrong("the key is not that of a GPU, as 'gpu_0' is");
      (void)records.gpu(value.where(), *to);
      records.state(value.where(), {from, *to, key.property, value.word()});
    }
  }
}

std::string_view without_quotes(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"')) cell = cell.substr(1, cell.size() - 2);
  return cell;
}

/// The meaning of a column of the CSV.
struct Column {
  AmdProperty property = AmdProperty::type;
  std::int64_t to = -1;  ///< the other GPU; -1 for a column of no GPU
};

Column parse_column(std::string_view name) {
  for (const Key& key : kKeys) {
    if (!name.starts_with(key.object) || !name.substr(key.object.size()).starts_with('_')) continue;
    if (const std::optional<std::int64_t> to = gpu_of_key(name.substr(key.object.size() + 1)))
      return {key.property, *to};
  }
  return {};
}

/// The two numbers in "(Topology) Hops between DRM devices 0 and 1".
std::optional<std::pair<std::int64_t, std::int64_t>> devices_of(std::string_view key) {
  const std::vector<std::string_view> words = split_blanks(key);
  if (words.size() < 4 || words[words.size() - 2] != "and") return std::nullopt;
  const std::optional<std::int64_t> a = gpu_number(words[words.size() - 3]);
  const std::optional<std::int64_t> b = gpu_number(words.back());
  if (!a || !b) return std::nullopt;
  return std::pair(*a, *b);
}

void read_system(const JsonNode& system, AmdRecords& records) {
  for (const std::string& name : system.keys()) {
    const JsonNode value = system.member(name);
    const auto devices = devices_of(name);
    for (const Key& key : kKeys) {
      if (!devices || key.rocm.empty() || !name.starts_with(key.rocm)) continue;
      (void)records.gpu(value.where(), devices->first);
      (void)records.gpu(value.where(), devices->second);
      records.state(value.where(), {devices->first, devices->second, key.property, value.word()});
    }
  }
}

void read_numa(const JsonNode& card, std::string_view key, std::optional<int>& numa) {
  constexpr std::int64_t kLargest = 1'000'000;
  const std::optional<JsonNode> value = card.find(key);
  if (!value) return;
  const std::optional<std::int64_t> number = parse_integer(value->word());
  if (number && *number >= -1 && *number <= kLargest) numa = static_cast<int>(*number);
}

std::string_view name_of(AmdProperty property) {
  constexpr std::array<std::string_view, 5> kNames{"weight", "hops", "link type", "bandwidth", "access"};
  return kNames[static_cast<std::size_t>(property)];
}

}  // namespace

AmdRecords::Gpu& AmdRecords::gpu(const std::string& where, std::int64_t number) {
  Gpu& found = gpus_[number];
  if (gpus_.size() > DeviceMatrix::kMost)
    fail({where, {}, fmt::format("more than {} GPUs in one machine", DeviceMatrix::kMost), {}, {}});
  return found;
}

void AmdRecords::state(const std::string& where, Statement statement) {
  if (statements_.size() == kMostStatements)
    fail({where, {}, fmt::format("more than {} properties of pairs of GPUs", kMostStatements), {}, {}});
  statements_.push_back(std::move(statement));
}

void AmdRecords::pass_to(AmdLinks& links, Warnings& warnings) const {
  struct Refused {
    std::size_t count = 0;
    std::string example;
  };
  std::map<AmdProperty, Refused> refused;
  std::map<std::int64_t, std::size_t> indices;
  for (const auto& [number, gpu] : gpus_) indices.emplace(number, indices.size());
  for (const Statement& statement : statements_) {
    const std::size_t from = indices.at(statement.from);
    const std::size_t to = indices.at(statement.to);
    if (from == to || links.state(from, to, statement.property, statement.cell)) continue;
    Refused& found = refused[statement.property];
    if (found.count++ == 0)
      found.example = fmt::format("{} for GPU{} and GPU{}", in_quotes(statement.cell), statement.from, statement.to);
  }
  for (const auto& [property, found] : refused)
    warnings.add(
        fmt::format("{}: {} as {} ({} of this kind)", links.where(), found.example, name_of(property), found.count));
}

std::size_t amd_json_begin(std::string_view text, char open) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = trim(take_part(rest, '\n'));
    if (!line.starts_with(open)) continue;
    const std::string_view next = trim(line.substr(1));  // "[WARNING] ..." does not begin a list
    if (next.empty() || std::string_view("{[\"]}").find(next.front()) != std::string_view::npos)
      return static_cast<std::size_t>(line.data() - text.data());
  }
  return std::string_view::npos;
}

std::string_view without_banner(std::string_view text, std::size_t begin, std::string& blanked) {
  if (trim(text.substr(0, begin)).empty()) return text;
  std::string plain(text);
  for (std::size_t at = 0; at < begin; ++at) {
    if (plain[at] != '\n') plain[at] = ' ';
  }
  blanked = std::move(plain);  // `text` may be a view of it
  return blanked;
}

AmdRecords read_amd_json(const JsonNode& root) {
  AmdRecords records;
  for_each_element(root, [&](const JsonNode& entry, std::size_t) {
    const std::int64_t from = gpu_of(entry);
    read_bus_id(entry, records.gpu(entry.where(), from));
    if (const std::optional<JsonNode> links = entry.find("links")) return read_links(*links, from, records);
    read_objects(entry, from, records);
  });
  return records;
}

bool looks_like_amd_csv(std::string_view head) {
  return head.find("link_type_gpu_") != std::string_view::npos || head.find("weight_gpu_") != std::string_view::npos ||
         head.find("hops_gpu_") != std::string_view::npos || head.find("numa_bandwidth_gpu_") != std::string_view::npos;
}

AmdRecords read_amd_csv(const TextLines& lines) {
  AmdRecords records;
  std::vector<Column> columns;
  std::optional<std::size_t> gpu_column, bus_column;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::vector<std::string_view> cells = split(lines[l], ',');
    for (std::string_view& cell : cells) cell = without_quotes(cell);
    if (!gpu_column) {
      const auto found = std::ranges::find(cells, "gpu");
      if (found == cells.end()) continue;  // a prompt or a banner comes first
      gpu_column = static_cast<std::size_t>(found - cells.begin());
      const auto bus = std::ranges::find(cells, "bdf");
      if (bus != cells.end()) bus_column = static_cast<std::size_t>(bus - cells.begin());
      columns.reserve(cells.size());
      for (const std::string_view cell : cells) columns.push_back(parse_column(cell));
      continue;
    }
    const std::optional<std::int64_t> from = cells.size() > *gpu_column ? gpu_number(cells[*gpu_column]) : std::nullopt;
    if (!from) continue;
    if (cells.size() != columns.size())
      fail(lines.at(l, {}, fmt::format("{} cells, the header has {}", cells.size(), columns.size())));
    AmdRecords::Gpu& gpu = records.gpu(lines.where(), *from);
    if (bus_column) gpu.bus_id = cells[*bus_column];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].to < 0) continue;
      (void)records.gpu(lines.where(), columns[c].to);
      records.state(lines.where(), {*from, columns[c].to, columns[c].property, std::string(cells[c])});
    }
  }
  return records;
}

AmdRecords read_rocm_json(const JsonNode& root) {
  constexpr std::string_view kCard = "card";
  AmdRecords records;
  for (const std::string& name : root.keys()) {
    const JsonNode value = root.member(name);
    if (name == "system") read_system(value, records);
    if (!name.starts_with(kCard)) continue;
    if (const std::optional<std::int64_t> number = gpu_number(std::string_view(name).substr(kCard.size()))) {
      AmdRecords::Gpu& gpu = records.gpu(value.where(), *number);
      read_numa(value, "(Topology) Numa Node", gpu.numa_node);
      read_numa(value, "(Topology) Numa Affinity", gpu.numa_affinity);
    }
  }
  return records;
}

}  // namespace topowise
