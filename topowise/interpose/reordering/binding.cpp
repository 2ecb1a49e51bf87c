// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/binding.hpp>

#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace topowise::interpose::reordering {
namespace {

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

/// The first line of a file; empty where there is none.
std::string line_of(const std::string& path) {
  std::array<char, 4096> line{};
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "re"));
  if (!file || std::fgets(line.data(), static_cast<int>(line.size()), file.get()) == nullptr) return {};
  return line.data();
}

/// The number at the beginning; kAnywhere without one, and for one that NodePart has no room for.
std::int16_t number_in(const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  return end == text.c_str() || value < 0 || value > SHRT_MAX ? NodePart::kAnywhere : static_cast<std::int16_t>(value);
}

/// Whether a list as Linux writes them, "0-3,8", has all of some processors.
bool has_all(const std::string& list, std::span<const int> processors) {
  std::ptrdiff_t found = 0;
  int first = 0;
  int last = 0;
  int read = 0;
  for (const char* at = list.c_str(); std::sscanf(at, "%d%n", &first, &read) == 1;) {
    at += read;
    last = first;
    if (*at == '-' && std::sscanf(at, "-%d%n", &last, &read) == 1) at += read;
    found += std::ranges::upper_bound(processors, last) - std::ranges::lower_bound(processors, first);
    if (*at != ',') break;
    ++at;
  }
  return found == std::ssize(processors);
}

/// A part is known by the first of its processors.
void add(NodeLevel level, const std::string& list, std::span<const int> processors, NodePart& part) {
  if (has_all(list, processors)) part.number[static_cast<std::size_t>(level)] = number_in(list);
}

/// The folder of a processor has a link to its NUMA domain, with a name such as "node3".
std::string domain_in(const std::string& processor) {
  const std::unique_ptr<DIR, Close> folder(::opendir(processor.c_str()));
  for (const dirent* entry = nullptr; folder && (entry = ::readdir(folder.get())) != nullptr;) {
    if (std::strncmp(entry->d_name, "node", 4) == 0) return entry->d_name;
  }
  return {};
}

void add_caches(const std::string& processor, std::span<const int> processors, NodePart& part) {
  constexpr int kMostCaches = 16;
  for (int cache = 0; cache < kMostCaches; ++cache) {
    const std::string folder = processor + "/cache/index" + std::to_string(cache);
    const std::string level = line_of(folder + "/level");
    if (level.empty()) return;
    if (level[0] != '2' && level[0] != '3') continue;
    add(level[0] == '3' ? NodeLevel::l3_cache : NodeLevel::l2_cache, line_of(folder + "/shared_cpu_list"), processors,
        part);
  }
}

/// Room for more processors than Linux supports.
using Binding = std::array<cpu_set_t, 8>;

std::vector<int> members(const Binding& binding) {
  std::vector<int> processors;
  for (std::size_t processor = 0; processor < CPU_SETSIZE * binding.size(); ++processor) {
    if (CPU_ISSET_S(processor, sizeof(binding), binding.data())) processors.push_back(static_cast<int>(processor));
  }
  return processors;
}

/// What was found for a binding: a program that makes many communicators reads the files once.
struct Known {
  std::mutex mutex;
  bool any = false;
  Binding binding;
  NodePart part;
};

}  // namespace

NodePart part_with(const std::string& root, std::span<const int> processors) {
  NodePart part;
  if (processors.empty()) return part;
  const std::string system = root + "/sys/devices/system/";
  const std::string processor = system + "cpu/cpu" + std::to_string(processors.front());
  std::string package = line_of(processor + "/topology/package_cpus_list");
  if (package.empty()) package = line_of(processor + "/topology/core_siblings_list");  // before Linux 5.1
  add(NodeLevel::package, package, processors, part);
  if (const std::string domain = domain_in(processor); !domain.empty())
    add(NodeLevel::numa_domain, line_of(system + "node/" + domain + "/cpulist"), processors, part);
  add_caches(processor, processors, part);
  return part;
}

NodePart own_part() {
  static Known& known = *new Known{};  // never destroyed: threads may outlive the program's static objects
  Binding binding{};
  if (::sched_getaffinity(0, sizeof(binding), binding.data()) != 0) return {};
  const std::scoped_lock lock(known.mutex);
  if (known.any && std::memcmp(&known.binding, &binding, sizeof(binding)) == 0) return known.part;
  const char* root = std::getenv("HWLOC_FSROOT");
  known.part = part_with(root == nullptr ? "" : root, members(binding));
  known.binding = binding;
  known.any = true;
  return known.part;
}

}  // namespace topowise::interpose::reordering
