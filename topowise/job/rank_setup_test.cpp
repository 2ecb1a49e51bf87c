// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/rank_setup.hpp>

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <topowise/base/error.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/reading/cpu_list.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

Placement two_ranks(std::string node) {
  Placement placement{"m", {{std::move(node), {{.name = "GPU0"}, {.name = "GPU1"}}}}, {}};
  placement.ranks = {{0, 0, 1, "GPU1", ""}, {0, 1, 0, "GPU0", "0"}};
  return placement;
}

std::optional<std::string> nothing(const std::string&) {
  return std::nullopt;
}

}  // namespace

TEST_CASE("the job must have the ranks of the mapping") {
  const Placement placement = two_ranks("");
  CHECK_NOTHROW(check_job(placement, {"x", 1, 1, 2}));
  CHECK_NOTHROW(check_job(placement, {"x", 1, 1, std::nullopt}));
  CHECK_THROWS_WITH_AS(check_job(placement, {"x", 0, 0, 4}), "the mapping is for 2 ranks, but this is rank 0 of 4",
                       Error);
  CHECK_THROWS_AS(check_job(placement, {"x", 2, 0, std::nullopt}), Error);
}

TEST_CASE("where a rank is to be") {
  const RankTarget first = target_of(two_ranks("no-such-host"), {"x", 0, 0, 2, 2}, GpuBinding::permute, nothing);
  CHECK(first.host == "no-such-host");
  CHECK(first.gpu->name == "GPU1");
  CHECK(first.variables.at(1).second == "1,0");
}

TEST_CASE("a mapping for another machine is seen by the host and by the bus") {
  const std::filesystem::path bus =
      std::filesystem::temp_directory_path() / ("topowise-bus-" + std::to_string(::getpid()));
  std::filesystem::create_directories(bus / "0000:65:00.0");
  RankTarget target{.rank = 3, .host = "n1.example.org"};
  CHECK(sign_of_another_machine(target, "N1", bus).empty());
  CHECK(sign_of_another_machine(target, "n2", bus) == "rank 3 is mapped to host n1.example.org but runs on n2");
  CHECK(sign_of_another_machine({.rank = 3, .host = "n1", .cpus = "0"}, "n2", bus) ==
        "rank 3 is mapped to host n1 but runs on n2, where it is bound to no core");
  CHECK_FALSE(sign_of_another_machine({.rank = 3, .host = "10.0.0.1"}, "10.0.0.2", bus).empty());
  CHECK_FALSE(sign_of_another_machine(target, "n1.example.com", bus).empty());
  target.gpu = NodeGpu{.name = "GPU1", .pci = PciAddress::parse("0000:17:00.0")};
  CHECK(sign_of_another_machine(target, "n1", bus).empty());  // no GPU is visible: it may be hidden
  std::ofstream(bus / "0000:65:00.0" / "class") << "0x030200\n";
  CHECK(sign_of_another_machine(target, "n1", bus) ==
        "rank 3 is mapped to GPU1 at 0000:17:00.0, but this host has no device there");
  target.gpu->pci = PciAddress::parse("0000:65:00.0");
  CHECK(sign_of_another_machine(target, "n1", bus).empty());
  CHECK(sign_of_another_machine(target, "n1", bus / "absent").empty());
  std::filesystem::remove_all(bus);
}

TEST_CASE("processors near a place, and lists of processors") {
  CHECK(cpus_near({.cpus = "0"}) == std::vector<int>{0});
  CHECK(cpus_near({.gpu = NodeGpu{}}).empty());
  CHECK(cpus_in_list("0-2,8\n") == std::vector<int>{0, 1, 2, 8});
  CHECK(to_cpu_list(std::vector<int>{0, 1, 2, 8, 10, 11}) == "0-2,8,10-11");
  CHECK_THROWS_AS((void)cpus_in_list("many"), Error);
}

TEST_CASE("a process that binds itself is allowed there and nowhere else") {
  const std::vector<int> before = allowed_cpus();
  REQUIRE_FALSE(before.empty());
  CHECK(std::ranges::is_sorted(before));
  const std::vector<int> last{before.back()};
  bind_to_cpus(last);
  CHECK(allowed_cpus() == last);
  CHECK(::sched_getcpu() == last.front());
  bind_to_cpus(before);
  CHECK(allowed_cpus() == before);
  CHECK_THROWS_AS(bind_to_cpus({(1 << 16) - 1}), Error);  // no machine has so many processors
}

TEST_CASE("our library is first in LD_PRELOAD, once, and the others stay") {
  CHECK(preload_list("", "/l.so") == "/l.so");
  CHECK(preload_list("/a.so:/b.so", "/l.so") == "/l.so:/a.so:/b.so");
  CHECK(preload_list(" /a.so  /l.so :", "/l.so") == "/l.so:/a.so");
  CHECK_THROWS_WITH_AS((void)preload_list("", "/my apps/l.so"), doctest::Contains("'/my apps/l.so'"), Error);
  CHECK_THROWS_AS((void)preload_list("", "/a:b/l.so"), Error);
}

TEST_CASE("the sanitizer lets our library be before it, unless the user has said something else") {
  CHECK(without_order_check("") == "verify_asan_link_order=0");
  CHECK(without_order_check("detect_leaks=0") == "detect_leaks=0:verify_asan_link_order=0");
  CHECK(without_order_check("verify_asan_link_order=1:a=b") == "verify_asan_link_order=1:a=b");
}

TEST_CASE("our library leaves LD_PRELOAD, and the others stay") {
  CHECK(list_without("/l.so:/a.so:/b.so", "/l.so") == "/a.so:/b.so");
  CHECK(list_without("/l.so", "/l.so").empty());
}
