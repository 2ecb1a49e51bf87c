// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/tuning.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include <topowise/base/file.hpp>
#include <topowise/base/write_target.hpp>
#include <topowise/collective/gpu/gpu.hpp>
#include <topowise/graph/json/value.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise::collective {
namespace {

constexpr std::string_view kSchema = "topowise.allreduce-tuning/1";
constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::uint64_t kMostRanks = 4096;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

Tuning::Row read_row(const JsonNode& row) {
  const JsonNode ranks = row.member("ranks");
  const JsonNode gpus = row.member("gpus");
  const JsonNode sizes = row.member("sizes");
  Tuning::Row read{.ranks = static_cast<int>(ranks.whole(kMostRanks)),
                   .gpus = static_cast<int>(gpus.whole(kMostRanks))};
  for_each_element(sizes, [&](const JsonNode& size, std::size_t) {
    const JsonNode bytes = size.member("bytes");
    const JsonNode name = size.member("algorithm");
    const std::optional<std::size_t> algorithm = known_algorithm(name.text());
    if (!algorithm) throw name.wrong(fmt::format("no algorithm is called '{}'", name.text()));
    if (bytes.whole() == 0) throw bytes.wrong("0 bytes are no vector");
    read.sizes.push_back({bytes.whole(), *algorithm});
  });
  std::ranges::sort(read.sizes, {}, &Tuning::Size::bytes);
  return read;
}

std::string to_json(const std::string& machine, const Tuning& tuning) {
  JsonWriter writer;
  writer.object().key("schema").value(kSchema).key("machine").value(machine).key("rows").array();
  for (const Tuning::Row& row : tuning.rows) {
    writer.object().key("ranks").value(row.ranks).key("gpus").value(row.gpus).key("sizes").array();
    for (const Tuning::Size& size : row.sizes) {
      writer.object(JsonWriter::Layout::row).key("bytes").value(size.bytes);
      writer.key("algorithm").value(algorithms()[size.algorithm].name).end();
    }
    writer.end().end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

bool is_named(const std::string& file) {
  return file == variable("TOPOWISE_ALLREDUCE_TUNING");
}

/// Makes the folder of the file. One that nobody has named must be this user's alone: with the HOME of another user, as
/// sudo may keep it, that one could have put a link there.
void make_place(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) make_folders(folder.string(), !is_named(file));
  if (is_named(file)) return;
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0 || facts.st_uid != ::geteuid() || (facts.st_mode & S_IWOTH) != 0)
    throw bad_input(
        fmt::format("cannot trust '{}': it belongs to another user, or others can write to it", folder.string()),
        "TOPOWISE_ALLREDUCE_TUNING names another file");
}

}  // namespace

std::string tuning_file() {
  const std::string own = variable("TOPOWISE_ALLREDUCE_TUNING");
  if (!own.empty()) return own == "off" ? std::string() : own;
  std::string cache = variable("XDG_CACHE_HOME");
  if (!cache.starts_with('/')) {
    const std::string home = variable("HOME");
    if (home.empty()) return {};
    cache = home + "/.cache";
  }
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}/topowise/allreduce/{}.json", cache, host.data());
}

std::optional<Tuning> read_tuning(const std::string& file, const std::string& machine, std::string& message) {
  if (file.empty() || ::access(file.c_str(), F_OK) != 0) return std::nullopt;
  try {
    const std::string text = is_named(file) ? read_found_file(file, kLargestFile)
                                            : Input::of_open_file(file, open_own_input(file)).whole(kLargestFile);
    const JsonDocument document = parse_json(file, text);
    const JsonNode root(document);
    check_schema(root, kSchema);
    const JsonNode where = root.member("machine");
    if (where.text() != machine) {
      message = fmt::format("{} was measured on '{}' and is ignored on '{}'", file, where.text(), machine);
      return std::nullopt;
    }
    Tuning tuning;
    const JsonNode rows = root.member("rows");
    for_each_element(rows, [&](const JsonNode& row, std::size_t) { tuning.rows.push_back(read_row(row)); });
    return tuning;
  } catch (const Error& error) {
    const std::string what = error.what();
    message = fmt::format("{} is ignored: {}", file, what.substr(0, what.find('\n')));
    return std::nullopt;
  }
}

void write_tuning(const std::string& file, const std::string& machine, const Tuning::Row& measured) {
  std::string replaced;
  Tuning tuning = read_tuning(file, machine, replaced).value_or(Tuning{});
  std::erase_if(tuning.rows,
                [&](const Tuning::Row& row) { return row.ranks == measured.ranks && row.gpus == measured.gpus; });
  tuning.rows.push_back(measured);
  make_place(file);
  write_file(file, to_json(machine, tuning));
}

Tuning::Row fastest(const MeasureOptions& options, const Measurement& measured) {
  Tuning::Row row{.ranks = options.ranks, .gpus = std::min(options.ranks, measured.gpus)};
  for (std::size_t i = 0; i < options.sizes.size(); ++i) {
    const SizeTimes* best = nullptr;
    std::size_t algorithm = 0;
    for (const AlgorithmTimes& times : measured.algorithms) {
      if (!times.used || !times.timings[i].right) continue;
      if (best != nullptr && !(times.timings[i].mean < best->mean)) continue;
      best = &times.timings[i];
      algorithm = times.algorithm;
    }
    if (best != nullptr) row.sizes.push_back({options.sizes[i], algorithm});
  }
  return row;
}

const std::optional<Tuning>& tuning_of_this_machine(std::string& message) {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: threads may outlive the program's static objects
  static auto& known = *new std::optional<std::optional<Tuning>>;
  const std::scoped_lock lock(mutex);
  if (!known) known = read_tuning(tuning_file(), machine_of(gpu().driver), message);
  return *known;
}

}  // namespace topowise::collective
