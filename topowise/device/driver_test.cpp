// SPDX-License-Identifier: BSD-3-Clause
// The checked side of the function table, on a table made by hand. tests/fake_driver runs the back-ends and the whole
// driver.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include <topowise/device/driver.hpp>
#include <topowise/device/owned.hpp>
#include <topowise/device/pointer_kind.hpp>
#include <topowise/device/table.hpp>

using namespace topowise;
using namespace topowise::device;

namespace {

constexpr int kRefused = 2;

/// Two GPUs that count the calls.
struct Counts {
  int allocated = 0, freed = 0, selected = -1;
  int next_result = kSuccess;  ///< the result of the next allocation
};

Functions table_of(Counts& counts) {
  Functions table;
  table.error_name = [](int code) { return code == kRefused ? "ERROR_OUT_OF_MEMORY" : "ERROR_OTHER"; };
  table.error_description = [](int) { return "no more"; };
  table.error_hint = [](int code) -> std::string_view { return code == kRefused ? "give some back" : ""; };
  table.initialize = {"init", [] { return kSuccess; }};
  table.device_count = {"count", [](int* count) { return *count = 2, kSuccess; }};
  table.device_name = {"name", [](char* text, int, int) { return std::strcpy(text, "thing"), kSuccess; }};
  table.pci_bus_id = {"pci", [](char* text, int, int) { return std::strcpy(text, "0000:0A:00.0"), kSuccess; }};
  table.device_uuid = {"uuid", [](Uuid* uuid, int device) {
                         for (unsigned char& byte : uuid->bytes) byte = static_cast<unsigned char>(0xa0 + device);
                         return kSuccess;
                       }};
  table.total_memory = {"total", [](std::size_t* size, int) { return *size = 100, kSuccess; }};
  table.select = {"select", [&](int device) { return counts.selected = device, kSuccess; }};
  table.selected = {"selected", [&](int* device) { return *device = counts.selected, kSuccess; }};
  table.allocate = {"alloc", [&](Address* address, std::size_t) {
                      *address = static_cast<Address>(++counts.allocated);
                      return counts.next_result;
                    }};
  table.free = {"free", [&](Address) { return ++counts.freed, kSuccess; }};
  table.query_stream = {"query", [](Handle stream) { return stream == nullptr ? kSuccess : kNotReady; }};
  table.enable_peer_access = {"enable", [](int) { return kPeerAccessAlreadyEnabled; }};
  return table;
}

Driver driver_of(Counts& counts) {
  std::string reason;
  const std::array<std::string, 1> any{"libc.so.6"};  // the table calls no library
  return {"test", SharedLibrary::open(any, reason).value(), table_of(counts)};
}

}  // namespace

TEST_CASE("devices are described in one spelling") {
  Counts counts;
  const Driver driver = driver_of(counts);
  REQUIRE(driver.devices().size() == 2);
  CHECK(driver.devices()[1].uuid == "GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1");
  CHECK(driver.devices()[1].pci == "0000:0a:00.0");
  CHECK(driver.devices()[1].ordinal == 1);
}

TEST_CASE("a refused call names itself, its device and the driver's error") {
  Counts counts;
  const Driver driver = driver_of(counts);
  driver.select(1);
  counts.next_result = kRefused;
  try {
    static_cast<void>(driver.allocate(10));
    FAIL("no error");
  } catch (const DriverError& error) {
    CHECK(error.what() == std::string("alloc failed on GPU 1: ERROR_OUT_OF_MEMORY (no more)"));
    CHECK(error.code() == kRefused);
    CHECK(error.name() == "ERROR_OUT_OF_MEMORY");
    CHECK(error.status() == ExitStatus::not_available);
    CHECK(error.diagnostics().front().hint == "give some back");
  }
}

TEST_CASE("a function that the library lacks is not called") {
  Counts counts;
  const Driver driver = driver_of(counts);
  CHECK_THROWS_AS(static_cast<void>(driver.create_stream()), Error);
  CHECK_THROWS_WITH_AS(driver.fill(1, 0, 1), doctest::Contains("libc.so.6' has no"), Error);
}

TEST_CASE("not ready is an answer, and peers may be enabled twice") {
  Counts counts;
  const Driver driver = driver_of(counts);
  CHECK(driver.stream_is_idle(nullptr));
  CHECK(!driver.stream_is_idle(&counts));
  driver.enable_peer_access(1);
}

TEST_CASE("what is owned is given back once, on its device") {
  Counts counts;
  const Driver driver = driver_of(counts);
  {
    OwnedMemory first = make_memory(driver, 1, 10);
    driver.select(0);
    OwnedMemory second = std::move(first);
    CHECK(second.get() == 1);
    first = make_memory(driver, 0, 10);
    second = std::move(first);
    CHECK(counts.freed == 1);
    CHECK(counts.selected == 1);
  }
  CHECK(counts.freed == 2);
}

TEST_CASE("memory types of the vendors") {
  CHECK(cuda_memory_kind(1, false) == MemoryKind::pinned);
  CHECK(cuda_memory_kind(2, false) == MemoryKind::device);
  CHECK(cuda_memory_kind(2, true) == MemoryKind::managed);
  CHECK(cuda_memory_kind(9, false) == MemoryKind::host);
  CHECK(hip5_memory_kind(1, false) == MemoryKind::device);
  CHECK(hip6_memory_kind(1, false) == MemoryKind::pinned);
  CHECK(hip6_memory_kind(2, false) == MemoryKind::device);
}

TEST_CASE("a pointer that the driver does not know is host memory") {
  PointerAttributes attributes;
  const auto write_zeros = [](unsigned, const int*, void** to, Address) {
    *static_cast<unsigned*>(to[0]) = 0;
    return kSuccess;
  };
  CHECK(query_pointer(write_zeros, cuda_memory_kind, &attributes, attributes) == kSuccess);
  CHECK(attributes.kind == MemoryKind::host);
  const auto refuse = [](unsigned, const int*, void**, Address) { return 1; };  // invalid value
  CHECK(query_pointer(refuse, cuda_memory_kind, &attributes, attributes) == kSuccess);
  const auto broken = [](unsigned, const int*, void**, Address) { return 999; };
  CHECK(query_pointer(broken, cuda_memory_kind, &attributes, attributes) == 999);
  CHECK(attributes.kind == MemoryKind::host);
  CHECK(!driver_in_program());
}

TEST_CASE("without any driver the reason names every back-end's library") {
  ::setenv("TOPOWISE_CUDA_LIBRARY", "/nowhere/a.so", 1);
  ::setenv("TOPOWISE_HIP_LIBRARY", "/nowhere/b.so", 1);
  std::string reason;
  CHECK(!find_driver(reason));
  CHECK(reason.find("the cuda driver cannot be opened: /nowhere/a.so") == 0);
  CHECK(reason.find("; the hip driver cannot be opened: /nowhere/b.so") != std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(open_driver()), Error);
  ::unsetenv("TOPOWISE_CUDA_LIBRARY");
  ::unsetenv("TOPOWISE_HIP_LIBRARY");
}
