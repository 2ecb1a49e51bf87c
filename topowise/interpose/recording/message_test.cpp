// SPDX-License-Identifier: BSD-3-Clause
// The path of a message from a wrapper into the file, on the stand-in for an MPI library of tests/stand_in_mpi.
#include <topowise/interpose/recording/message.hpp>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include <tests/fixtures/file_size_limit.hpp>

#include <topowise/base/file.hpp>
#include <topowise/interpose/base/life.hpp>
#include <topowise/interpose/recording/collective.hpp>
#include <topowise/traffic_source/recorded/profile_file.hpp>

using namespace topowise;
using namespace topowise::interpose;
using profile::Channel;

namespace {

constexpr int kAnySource = -2;  // the value of the MPICH family
constexpr int kProcNull = -1;
const GroupRef kWorld = c::comm(0x44000000);
const GroupRef kPair = c::comm(0x84000001);     // ranks 3 and 1
const GroupRef kBetween = c::comm(0x84000002);  // {1, 0} and {2, 3}
const GroupRef kWindow = c::win(0xa0000001);    // ranks 3 and 1
const TypeRef kByte = c::type(0x100);
const TypeRef kDouble = c::type(0x800);

/// Starts recording into a folder of this process at the first call.
std::string profile_path() {
  static const std::string path = [] {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("message-test-" + std::to_string(::getpid()))).string();
    ::setenv("TOPOWISE_PROFILE", folder.c_str(), 1);
    ::setenv("PMIX_NAMESPACE", "unit", 1);
    ::setenv("TOPOWISE_CUDA_LIBRARY", TOPOWISE_STAND_IN, 1);  // the stand-in is a driver as well
    REQUIRE(recording());
    std::atexit([] { std::filesystem::remove_all(std::getenv("TOPOWISE_PROFILE")); });
    return std::filesystem::directory_iterator(folder)->path().string();
  }();
  return path;
}

recorded::File recorded_so_far() {
  std::vector<Diagnostic> warnings;
  const std::string path = profile_path();
  recorded::File file = recorded::read_file(path, read_file(path), warnings);
  CHECK(warnings.empty());
  return file;
}

/// The sum of (bytes, messages) over the rows with this key.
std::pair<std::uint64_t, std::uint64_t> counted(std::int32_t peer, Channel channel) {
  std::pair<std::uint64_t, std::uint64_t> sum{0, 0};
  for (const profile::PeerRow& row : recorded_so_far().peers) {
    if (row.peer != peer || row.channel != channel) continue;
    sum.first += row.bytes;
    sum.second += row.messages;
  }
  return sum;
}

using Sum = std::pair<std::uint64_t, std::uint64_t>;

/// What `calls` adds to the sum of one key.
template <class Calls>
Sum added(std::int32_t peer, Channel channel, Calls calls) {
  const Sum before = counted(peer, channel);
  calls();
  const Sum after = counted(peer, channel);
  return {after.first - before.first, after.second - before.second};
}

const double buffer[4] = {};

}  // namespace

TEST_CASE("sends count count x size under the partner's world rank") {
  CHECK(added(2, Channel::send, [] { send(buffer, 3, kDouble, 2, kWorld); }) == Sum{24, 1});
  CHECK(added(3, Channel::send, [] { send(buffer, 5, kByte, 0, kPair); }) == Sum{5, 1});
  CHECK(added(2, Channel::send, [] { send(buffer, 1, kByte, 0, kBetween); }) == Sum{1, 1});
  CHECK(added(1, Channel::send, [] { send(buffer, 0, kByte, 1, kWorld); }) == Sum{0, 1});
}

TEST_CASE("what MPI refuses or does not send is not counted") {
  const std::size_t rows = recorded_so_far().peers.size();
  send(buffer, 1, kByte, kProcNull, kWorld);
  send(buffer, 1, kByte, 4, kWorld);
  send(buffer, -1, kByte, 2, kWorld);
  receive(buffer, 1, kByte, kProcNull, kWorld);
  CHECK(recorded_so_far().peers.size() == rows);
}

TEST_CASE("receives record the source, or that it may be any") {
  CHECK(added(3, Channel::receive, [] { receive(buffer, 2, kDouble, 0, kPair); }) == Sum{16, 1});
  CHECK(added(profile::kAnySource, Channel::receive, [] { receive(buffer, 7, kByte, kAnySource, kWorld); }) ==
        Sum{7, 1});
}

TEST_CASE("GPU memory is recorded, and which GPU") {
  static const char* const gpu_memory = static_cast<const char*>(::dlsym(RTLD_DEFAULT, "stand_in_gpu_memory"));
  REQUIRE(gpu_memory != nullptr);
  send(gpu_memory + 8, 8, kByte, 3, kWorld);
  receive(gpu_memory, 9, kByte, 3, kWorld);
  const recorded::File file = recorded_so_far();
  std::size_t found = 0;
  for (const profile::PeerRow& row : file.peers) {
    if (row.memory != profile::Memory::device) continue;
    ++found;
    CHECK(row.peer == 3);
    CHECK(row.gpu == 3);
    CHECK(row.bytes == (row.channel == Channel::send ? 8U : 9U));
  }
  CHECK(found == 2);
  CHECK(std::string(file.header.gpus[2]) == "0000:0c:00.0");
  CHECK(file.header.gpu_driver == 1);
}

TEST_CASE("one-sided calls go both ways as they move data") {
  const auto all = [](auto calls) {
    const Sum put = counted(3, Channel::put);
    const Sum get = counted(3, Channel::get);
    calls();
    return std::tuple(counted(3, Channel::put).first - put.first, counted(3, Channel::get).first - get.first);
  };
  CHECK(all([] { compare_and_swap(buffer, buffer, kDouble, 0, kWindow); }) == std::tuple(8, 8));
  CHECK(all([] { fetch_and_op(buffer, buffer, kDouble, 0, 0, kWindow); }) == std::tuple(8, 8));
  CHECK(all([] { fetch_and_op(buffer, buffer, kDouble, 0, interpose::mpi()->family.op_no_op, kWindow); }) ==
        std::tuple(0, 8));
}

TEST_CASE("persistent requests count at each start, until they are freed") {
  constexpr Word kSend = 0x77;
  constexpr Word kReceive = 0x78;
  CHECK(added(0, Channel::send, [] { send_init(buffer, 4, kByte, 0, kWorld, kSend); }) == Sum{0, 0});
  CHECK(added(0, Channel::send, [] {
          start(kSend);
          start(kSend);
        }) == Sum{8, 2});
  receive_init(buffer, 4, kByte, 0, kWorld, kReceive);
  CHECK(added(0, Channel::receive, [] { start(kReceive); }) == Sum{4, 1});
  forget_request(kSend);
  CHECK(added(0, Channel::send, [] { start(kSend); }) == Sum{0, 0});
}

TEST_CASE("a pause is a pause") {
  profiling_control(0);
  CHECK(added(2, Channel::send, [] { send(buffer, 1, kByte, 2, kWorld); }) == Sum{0, 0});
  profiling_control(1);
  CHECK(added(2, Channel::send, [] { send(buffer, 1, kByte, 2, kWorld); }) == Sum{1, 1});
}

TEST_CASE("collectives are kept with their group and root") {
  whole_vector({true, 0}, Operation::bcast, {buffer, 3, kDouble}, 0, kPair);
  const recorded::File file = recorded_so_far();
  REQUIRE(file.collectives.size() == 1);
  CHECK(file.collectives[0].bytes == 24);
  CHECK(file.collectives[0].root == 0);
  REQUIRE(file.groups.contains(file.collectives[0].group));
  CHECK(recorded::members_of(file.groups.at(file.collectives[0].group).local, 4) == std::vector<std::int32_t>{3, 1});
}

// This case is the last one: a file that could not grow once does not try again.
TEST_CASE("what finds no room on the disk is counted") {
  const std::string path = profile_path();
  const std::array<int, 4> counts{1, 0, 2, 3};
  {
    const FileSizeLimit limit(std::filesystem::file_size(path));
    alltoallv({true, 0}, {buffer, {counts.data(), false}, kDouble}, {buffer, {counts.data(), false}, kDouble}, kWorld);
  }
  const profile::Header header = recorded_so_far().header;
  // Two more rows, of the call and its group, may be lost if no other test has made room for them.
  CHECK(header.rows_lost >= 3);
  CHECK(header.messages_lost == 3);
  CHECK(header.bytes_lost == 48);
}
