// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/memory_sharing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>

using namespace topowise;
using namespace topowise::job;

namespace {

/// A driver with one GPU that counts and refuses calls about memory.
device::Driver driver_that_counts(int& calls) {
  device::Functions table;
  table.error_name = [](int) { return "ERROR_REFUSED"; };
  table.error_description = [](int) { return "no"; };
  table.error_hint = [](int) -> std::string_view { return ""; };
  table.initialize = {"init", [] { return device::kSuccess; }};
  table.device_count = {"count", [](int* count) { return *count = 1, device::kSuccess; }};
  table.device_name = {"name", [](char* text, int, int) { return *text = 0, device::kSuccess; }};
  table.pci_bus_id = {"pci", [](char* text, int, int) { return std::strcpy(text, "0000:0A:00.0"), device::kSuccess; }};
  table.device_uuid = {"uuid", [](device::Uuid*, int) { return device::kSuccess; }};
  table.total_memory = {"total", [](std::size_t* size, int) { return *size = 100, device::kSuccess; }};
  table.select = {"select", [&](int) { return ++calls, device::kSuccess; }};
  table.import_memory = {"import", [&](device::Address*, device::IpcHandle) { return ++calls, 2; }};
  std::string reason;
  const std::array<std::string, 1> any{"libc.so.6"};  // the table calls no library
  return {"test", SharedLibrary::open(any, reason).value(), table};
}

}  // namespace

TEST_CASE("a handle comes back as it was") {
  device::IpcHandle handle{};
  for (unsigned i = 0; i < sizeof handle.bytes; ++i) handle.bytes[i] = static_cast<unsigned char>(7 * i + 250);
  const auto back = handle_from_text(to_text(handle));
  REQUIRE(back);
  CHECK(std::ranges::equal(back->bytes, handle.bytes));
}

TEST_CASE("a text that is no handle is none, whatever a rank sends") {
  const std::string whole = to_text(device::IpcHandle{});
  std::string letters = whole;
  letters.back() = 'g';
  std::string blank = whole;
  blank[blank.size() - 2] = ' ';
  for (const std::string& text : {std::string(), std::string("handle "), std::string("handle zz"), whole + "0",
                                  whole.substr(0, whole.size() - 1), letters, blank, std::string("nonsense")}) {
    CAPTURE(text);
    CHECK_FALSE(handle_from_text(text));
  }
}

TEST_CASE("refusals carry their reason") {
  CHECK(refusal_in(refusal_text("no peer")) == "no peer");
  CHECK_FALSE(refusal_in("handle 00"));
}

TEST_CASE("what another rank offers and is no offer is refused before a driver sees it") {
  int calls = 0;
  const device::Driver driver = driver_that_counts(calls);
  for (const char* text : {"nonsense", "handle ", "handle 00", "refusal", "Refusal x"}) {
    CAPTURE(text);
    CHECK(refusal_in(try_to_open(driver, 0, text)) == "another rank offers what is no handle of GPU memory");
    CHECK(calls == 0);
  }
}

TEST_CASE("a handle that the driver refuses is refused with its reason") {
  int calls = 0;
  const std::string why = try_to_open(driver_that_counts(calls), 0, to_text(device::IpcHandle{}));
  CHECK(refusal_in(why)->find("ERROR_REFUSED") != std::string::npos);
  CHECK(calls == 2);  // the calls are select and import
  CHECK(try_to_open(driver_that_counts(calls), 0, "").empty());
  CHECK(try_to_open(driver_that_counts(calls), 0, refusal_text("theirs")) == refusal_text("theirs"));
  CHECK(calls == 2);
}
