// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/recording_witness.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace topowise::job;

namespace {

std::string line(const std::vector<std::pair<pid_t, Told>>& letters) {
  Testimony testimony;
  for (const auto& [process, what] : letters) testimony.add(process, what);
  return testimony.line("/d");
}

}  // namespace

TEST_CASE("a witness reports what ended without a report of its own, and nothing else") {
  using enum Told;
  const std::string nothing =
      "nothing was recorded: rank 0 ended by a signal, by _exit() or in a program that does not load the recording "
      "library, before MPI or NCCL began";
  const std::string until =
      "rank 0 ended by a signal or by _exit(); what was recorded until then, if anything: topowise traffic '/d'";
  CHECK(line({}).empty());  // the library was never loaded
  CHECK(line({{1, loaded}}) == nothing);
  CHECK(line({{1, loaded}, {1, spoke}}).empty());
  CHECK(line({{1, loaded}, {1, records}}) == until);
  CHECK(line({{1, loaded}, {1, records}, {1, spoke}}).empty());
  // A script, and the program that it starts.
  CHECK(line({{1, loaded}, {2, records}, {2, spoke}, {1, spoke}}).empty());
  CHECK(line({{1, loaded}, {2, records}, {2, spoke}}).empty());  // the script was killed when all was said
  CHECK(line({{1, loaded}, {2, records}, {1, spoke}}) == until);
  CHECK(line({{1, loaded}, {2, records}, {2, spoke}, {3, records}, {1, spoke}}) == until);
  // Children that were forked and end by _exit(): only the end of the first process counts.
  CHECK(line({{1, loaded}, {2, child_records}, {3, child_records}, {1, spoke}}).empty());
  CHECK(line({{1, loaded}, {1, records}, {2, child_records}, {1, spoke}}).empty());
  CHECK(line({{1, loaded}, {2, child_records}, {3, child_records}}) == until);
  CHECK(line({{1, loaded}, {1, records}, {2, child_records}}) == until);
  CHECK(line({{1, loaded}, {2, records}, {1, spoke_for_all}, {1, spoke}}).empty());
  // Programs that close their standard error at their end, as those of coreutils.
  CHECK(line({{1, loaded}, {1, mute}}).starts_with("nothing was recorded: neither MPI nor NCCL began in rank 0"));
  CHECK(
      line({{1, loaded}, {1, records}, {1, mute}}) ==
      "rank 0 ended with its standard error closed; what was recorded until then, if anything: topowise traffic '/d'");
  CHECK(line({{1, loaded}, {2, mute}, {1, spoke}}).empty());  // a command in a script
  // exec: a new program in the same process.
  CHECK(line({{1, loaded}, {1, loaded}, {1, spoke}}).empty());
  CHECK(line({{1, loaded}, {1, spoke}, {1, loaded}}) == nothing);
}
