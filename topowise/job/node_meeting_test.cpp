// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/node_meeting.hpp>

#include <doctest/doctest.h>

using namespace topowise;
using namespace topowise::job;

TEST_CASE("two nodes of a job that share a host do not meet") {
  const Process first{"torchrun", 1, 1, 8, 4, 0, "GROUP_RANK"};
  Process second = first;
  second.rank = 5;
  second.node_rank = 1;
  const auto meeting = [](const Process& process, const char* purpose) {
    return node_meeting(process, "torchrun x", purpose, Seconds(1)).job;
  };
  CHECK(meeting(first, "verify") != meeting(second, "verify"));
  CHECK(meeting(first, "verify") != meeting(first, "plan"));
  second.node_rank = first.node_rank;
  CHECK(meeting(first, "verify") == meeting(second, "verify"));
}
