// SPDX-License-Identifier: BSD-3-Clause
// The recorder asks MPI about a handle once, however often a program uses it, until the handle is given to another
// object. The tests run on the stand-in for an MPI library of tests/stand_in_mpi, which counts the questions.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/base/world.hpp>

using namespace topowise::interpose;

namespace {

int questions() {
  static const int* const asked = static_cast<const int*>(::dlsym(RTLD_DEFAULT, "stand_in_questions"));
  REQUIRE(asked != nullptr);
  return *asked;
}

constexpr int kMany = 100;  // more than the 16 entries of the former caches

TypeRef type(int bytes) {
  return c::type(bytes << 8);
}
GroupRef comm(int number) {
  return c::comm(static_cast<Word>(0x84000010U) + number);
}

}  // namespace

TEST_CASE("the sizes of many types are asked for once, and again of a type that takes a handle over") {
  const int before = questions();
  for (int round = 0; round < 3; ++round)
    for (int bytes = 1; bytes <= kMany; ++bytes) CHECK(type_size(type(bytes)) == static_cast<std::uint64_t>(bytes));
  const int asked = questions();
  CHECK(asked - before <= kMany);
  CHECK(asked - before >= kMany - 2);  // other tests may have used two of them
  forget_type(type(50).word);
  CHECK(type_size(type(50)) == 50);
  CHECK(type_size(type(51)) == 51);
  CHECK(questions() == asked + 1);
}

TEST_CASE("the members of many communicators are asked for once, and again of one that takes a handle over") {
  REQUIRE(models().look(*mpi()));
  const auto go_round = [] {
    for (int number = 0; number < kMany; ++number) {
      const KnownCommunicator* known = find_communicator(comm(number));
      REQUIRE(known != nullptr);
      CHECK(known->destinations() == 4);
      CHECK(known->world_rank(3) == 3);
    }
  };
  go_round();
  const int asked = questions();
  go_round();
  CHECK(questions() == asked);
  forget_communicator(comm(50).word);
  go_round();
  CHECK(questions() > asked);
  CHECK(questions() <= asked + 2);  // one question for the communicator's group, one for the world's
}

TEST_CASE("members that are at no equal distances are reported too") {
  REQUIRE(models().look(*mpi()));
  const KnownCommunicator* between = find_communicator(c::comm(0x84000002));  // {1, 0} and {2, 3}
  REQUIRE(between != nullptr);
  CHECK(between->destinations() == 2);
  CHECK(between->world_rank(1) == 3);
  KnownCommunicator uneven;
  Communicator members;
  members.members = MemberList({4, 0, kOutside});
  uneven.communicator = &members;
  CHECK(uneven.destinations() == 3);
  CHECK(uneven.world_rank(0) == 4);
  CHECK(uneven.world_rank(2) == kOutside);
}
