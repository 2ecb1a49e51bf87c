// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/handle_table.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include <topowise/base/random.hpp>

using topowise::interpose::HandleTable;

TEST_CASE("an empty table knows nothing") {
  HandleTable<std::uint64_t> table;
  CHECK_FALSE(table.find(0));
  table.erase(0);
  table.clear();
  CHECK_FALSE(table.find(0));
}

TEST_CASE("the table is what a map is, through growth, erasure and recycled names") {
  static HandleTable<std::uint64_t> table;  // the table never gives memory back
  std::map<std::uint64_t, std::uint64_t> expected;
  topowise::Random random(5);
  constexpr std::uint64_t kNames = 700;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::uint64_t name = random.below(kNames) * 512;  // names are as far apart as objects in memory
    if (random.below(5) < 2) {
      table.erase(name);
      expected.erase(name);
    } else {
      table.insert(name, step);
      expected[name] = step;
    }
    if (step % 5000 == 4999) {
      table.clear();
      expected.clear();
    }
    if (step % 50 != 0) continue;
    for (std::uint64_t i = 0; i < kNames; ++i) {
      const auto known = expected.find(i * 512);
      const std::uint64_t* found = table.find(i * 512);
      REQUIRE((found != nullptr) == (known != expected.end()));
      if (found != nullptr) CHECK(*found == known->second);
    }
  }
}

TEST_CASE("threads look up what stays while others come and go" * doctest::test_suite("threads")) {
  static HandleTable<std::uint64_t> table;
  constexpr std::uint64_t kStaying = 40;
  for (std::uint64_t name = 0; name < kStaying; ++name) table.insert(name * 64, name);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 2; ++reader)
    readers.emplace_back([&] {
      do {
        for (std::uint64_t name = 0; name < kStaying; ++name)
          if (const std::uint64_t* found = table.find(name * 64); found == nullptr || *found != name) ++wrong;
      } while (!done);
    });
  topowise::Random random(9);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t name = (kStaying + random.below(500)) * 64;
    if (random.below(2) == 0)
      table.insert(name, name);
    else
      table.erase(name);
  }
  done = true;
  readers.clear();
  CHECK(wrong == 0);
}
