// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/communicators.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace topowise;
using namespace topowise::recorded;

namespace {

profile::CommunicatorRow row(std::uint64_t key, std::int32_t rank, std::int32_t size) {
  return {key, rank, size, 0, 0, {}};
}

std::string warnings_of(const Communicators& communicators) {
  std::vector<Diagnostic> warnings;
  communicators.warn("profile", 100, warnings);
  std::string text;
  for (const Diagnostic& warning : warnings) text += warning.what + "\n";
  return text;
}

File calls_of(std::int32_t member, const char* algorithm, std::uint64_t calls, std::uint64_t bytes) {
  File file;
  profile::CommunicatorCallRow row{};
  row.communicator = 7;
  row.rank = member;
  row.root = profile::kNoRoot;
  row.operation = profile::Operation::allgather;
  row.calls = calls;
  row.bytes = bytes;
  std::strcpy(row.algorithm, algorithm);
  file.communicator_calls.push_back(row);
  return file;
}

}  // namespace

TEST_CASE("members of a communicator are put together from the files of its processes") {
  Communicators all;
  all.add(5, {row(7, 1, 3)});
  all.add(2, {row(7, 0, 0), row(8, 0, 0)});  // the number of members is not known
  all.number(6);
  CHECK(all.has(7));
  CHECK_FALSE(all.has(9));
  CHECK(all.members(7) == std::vector<std::int32_t>{2, 5, profile::kOutside});
  CHECK(all.members(8) == std::vector<std::int32_t>{2});
  CHECK(all.members(9).empty());
  CHECK(all.rank_of(7, 1) == 5);
  CHECK(all.rank_of(7, 2) == profile::kOutside);
  CHECK(all.rank_of(7, -1) == profile::kOutside);
  CHECK(all.rank_of(9, 0) == profile::kOutside);
  CHECK(warnings_of(all) ==
        "1 NCCL communicator has members that are in no file: 100 B to or from them are not in the matrix\n");
  all.add(1, {row(7, 2, 3)});
  all.number(6);
  CHECK(warnings_of(all).empty());
  all.add(2, {row(7, 2, 3)});
  all.number(6);
  CHECK(
      warnings_of(all) ==
      "processes drive several GPUs: a rank is a GPU here, 7 of 6 processes, in the order of processes and GPUs; what "
      "MPI sent counts to the first GPU of a process\n"
      "two processes say that they are the same member of an NCCL communicator: the last one counts\n");
}

TEST_CASE("the GPUs of a process are its ranks, by their numbers where they are stated, else by the members it is") {
  const auto on_gpu = [](std::uint64_t key, std::int32_t rank, std::int32_t size, std::uint32_t gpu) {
    profile::CommunicatorRow member = row(key, rank, size);
    member.gpu = gpu;
    return member;
  };
  Communicators all;
  all.add(1, {on_gpu(7, 0, 5, 4), on_gpu(7, 1, 5, 2), on_gpu(8, 0, 1, 2), on_gpu(9, 0, 1, 8), row(10, 0, 1)});
  all.add(3, {row(7, 2, 5), row(7, 4, 5)});
  all.number(5);
  CHECK(all.several());
  CHECK(all.ranks() == 8);
  CHECK(std::vector{all.rank_of(0), all.rank_of(1), all.rank_of(2), all.rank_of(3), all.rank_of(4)} ==
        std::vector<std::int32_t>{0, 1, 4, 5, 7});
  CHECK(all.rank_of(profile::kOutside) == profile::kOutside);
  CHECK(all.members(7) == std::vector<std::int32_t>{2, 1, 5, profile::kOutside, 6});  // GPUs 1, 3 and 7 of process 1
  CHECK(all.members_of(7, 1) == std::vector<std::int32_t>{2, 1});
  CHECK(all.rank_of(8, 0) == 1);
  CHECK(all.rank_of(9, 0) == 3);
  CHECK(all.rank_of(10, 0) == 1);  // the GPU is not known: the first one counts
}

TEST_CASE("a call goes by the algorithm that NCCL named") {
  const auto chosen = [](const char* model, const char* algorithm) {
    return model_of_nccl(collective::model_named(model), algorithm).name;
  };
  CHECK(chosen("openmpi", "RING") == "nccl-ring");
  CHECK(chosen("mpich", "TREE") == "nccl-tree");
  CHECK(chosen("nccl", "PAT") == "nccl-pat");
  CHECK(chosen("openmpi", "NVLS") == "nccl-direct");
  CHECK(chosen("openmpi", "") == "nccl");
  CHECK(chosen("nccl-ring", "TREE") == "nccl-ring");
  CHECK(chosen("linear", "RING") == "linear");
  CHECK(chosen("none", "RING") == "none");
}

TEST_CASE("a member that was killed early adds what it did, one without a file nothing, and its bytes are reported") {
  Communicators all;
  all.add(3, {row(7, 0, 3)});
  all.add(4, {row(7, 1, 3)});
  all.number(5);
  CommunicatorTraffic traffic(all, collective::model_named("openmpi"), Ends::all);
  traffic.add(calls_of(0, "RING", 2, 2000));
  traffic.add(calls_of(1, "RING", 1, 1000));
  std::vector<TrafficEntry> entries;
  double unknown = 0;
  RankGroupsByShape groups;
  traffic.expand(entries, unknown, groups);
  // Each call sends two parts to the next member: member 0 calls twice, member 1 once. The member after member 1 is
  // unknown.
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].source == Rank(3));
  CHECK(entries[0].destination == Rank(4));
  CHECK(entries[0].bytes == Bytes(4000));
  CHECK(unknown == 2000);
}
