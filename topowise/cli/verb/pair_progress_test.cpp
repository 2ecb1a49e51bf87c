// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/pair_progress.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/written.hpp>

using namespace topowise;
using namespace topowise::cli;

namespace {

const probe::Plan kPlan{.sizes = {std::size_t{1} << 20, std::size_t{4} << 20},
                        .pairs = probe::all_pairs(4),
                        .repetitions = 20,
                        .warm_up = 3};

std::string shown(ProgressForm form, const probe::Plan& plan = kPlan) {
  std::chrono::steady_clock::time_point time{};
  Terminal terminal;
  return fixtures::written([&] {
    PairProgress progress(form, plan, terminal, [&] { return time; });
    for (const std::size_t done : {2, 4, 6}) {
      time += std::chrono::seconds(1);
      progress.measured(done);
    }
  });
}

}  // namespace

TEST_CASE("a terminal sees first what there is to do, then what is left, on one line that is erased") {
  CHECK(shown(ProgressForm::redrawn) ==
        "topowise: 6 pairs, 2 sizes, 20 messages of each and 3 to warm up, there, back and both ways: 2.89 GB, 289 ms "
        "at 10 GB/s\n"
        "\r2 of 6 pairs measured in 1 s, about 2 s to go\x1b[K"
        "\r4 of 6 pairs measured in 2 s, about 1 s to go\x1b[K"
        "\r6 of 6 pairs measured in 3 s\x1b[K"
        "\r\x1b[K");
}

TEST_CASE("a job has lines that are not close in time, and begins with one if there is much to do") {
  CHECK(shown(ProgressForm::lines) ==
        "topowise: 2 of 6 pairs measured in 1 s, about 2 s to go\ntopowise: 6 of 6 pairs measured in 3 s\n");
  probe::Plan large = kPlan;
  large.repetitions = 1000;
  CHECK(shown(ProgressForm::lines, large).starts_with("topowise: 6 pairs, 2 sizes, 1000 messages of each"));
  CHECK(shown(ProgressForm::none).empty());
}
