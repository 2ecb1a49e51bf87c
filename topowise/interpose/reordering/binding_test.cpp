// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/binding.hpp>

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

using namespace topowise;
using namespace topowise::interpose::reordering;
namespace fs = std::filesystem;

namespace {

/// The files that Linux has for a node of two packages, four NUMA domains and eight L3 caches; two processors share an
/// L2 cache.
class Node {
 public:
  Node() {
    constexpr int kProcessors = 32;
    for (int processor = 0; processor < kProcessors; ++processor) {
      const std::string folder = "cpu/cpu" + std::to_string(processor) + "/";
      write(folder + "topology/package_cpus_list", around(processor, 16));
      const std::string domain = "node" + std::to_string(processor / 8);
      write("node/" + domain + "/cpulist", around(processor, 8));
      fs::create_directory_symlink("../../node/" + domain, system_ / folder / domain);
      add_cache(folder + "cache/index0/", "1", std::to_string(processor));
      add_cache(folder + "cache/index1/", "2", around(processor, 2));
      add_cache(folder + "cache/index2/", "3", around(processor, 4));
    }
  }
  ~Node() { fs::remove_all(root_); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void write(const fs::path& file, const std::string& line) const {
    fs::create_directories((system_ / file).parent_path());
    std::ofstream(system_ / file) << line << "\n";
  }
  void remove(const fs::path& what) const { fs::remove_all(system_ / what); }
  /// The numbers of the package, the NUMA domain, the L3 cache and the L2 cache.
  [[nodiscard]] std::array<std::int16_t, kNodeLevels> part(const std::vector<int>& processors) const {
    return part_with(root_.string(), processors).number;
  }

 private:
  static std::string around(int processor, int size) {
    const int first = processor / size * size;
    return std::to_string(first) + "-" + std::to_string(first + size - 1);
  }
  void add_cache(const std::string& folder, const std::string& level, const std::string& processors) const {
    write(folder + "level", level);
    write(folder + "shared_cpu_list", processors);
  }

  fs::path root_ = fs::temp_directory_path() / ("topowise-binding-test-" + std::to_string(getpid()));
  fs::path system_ = root_ / "sys/devices/system";
};

using Part = std::array<std::int16_t, kNodeLevels>;

}  // namespace

TEST_CASE("a part of the node has all processors of a binding, and is known by its first one") {
  const Node node;
  CHECK(node.part({13}) == Part{0, 8, 12, 12});
  CHECK(node.part({30, 31}) == Part{16, 24, 28, 30});
  CHECK(node.part({20, 23}) == Part{16, 16, 20, -1});  // one L3 cache, two L2 caches
  CHECK(node.part({16, 17, 18, 19, 20, 21, 22, 23}) == Part{16, 16, -1, -1});
  CHECK(node.part({7, 8}) == Part{0, -1, -1, -1});
  CHECK(node.part({0, 31}) == Part{-1, -1, -1, -1});
}

TEST_CASE("lists with gaps, as where the two threads of a core have distant numbers") {
  const Node node;
  node.write("cpu/cpu3/topology/package_cpus_list", "0-3,8,10-11");
  CHECK(node.part({3, 8, 11})[0] == 0);
  CHECK(node.part({3, 9})[0] == -1);
}

TEST_CASE("where Linux says nothing, a process may be anywhere") {
  const Node node;
  node.remove("cpu/cpu5/cache");
  node.remove("node");
  CHECK(node.part({5}) == Part{0, -1, -1, -1});
  node.remove("cpu/cpu5/topology/package_cpus_list");
  CHECK(node.part({5}) == Part{-1, -1, -1, -1});
  node.write("cpu/cpu5/topology/core_siblings_list", "0-15");  // the name before Linux 5.1
  CHECK(node.part({5})[0] == 0);
  node.write("cpu/cpu5/topology/core_siblings_list", "zero to fifteen");
  CHECK(node.part({5})[0] == -1);
  CHECK(node.part({}) == Part{-1, -1, -1, -1});
  CHECK(part_with("/no/such/folder", std::array{0}) == NodePart{});
}

TEST_CASE("a binding that changes is noticed") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof(before), &before) == 0);
  const NodePart unbound = own_part();
  CHECK(own_part() == unbound);
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(first), &one);
  REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
  const NodePart bound = own_part();
  CHECK(bound == part_with("", std::array{first}));
  REQUIRE(::sched_setaffinity(0, sizeof(before), &before) == 0);
  CHECK(own_part() == unbound);
}
