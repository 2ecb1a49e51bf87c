// SPDX-License-Identifier: BSD-3-Clause
// Plays one scenario on the driver that TOPOWISE_CUDA_LIBRARY names, and prints what it observed. It is a program of
// its own, because the driver reads its environment once in a process, and some scenarios need two processes.
//   fake_driver_calls SCENARIO
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <topowise/device/folds.hpp>
#include <topowise/device/owned.hpp>
#include <topowise/device/pointer_kind.hpp>
#include <topowise/device/scope.hpp>
#include <topowise/device/table.hpp>

using namespace topowise;
using namespace topowise::device;

namespace {

template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print("{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
  std::fflush(stdout);
}

/// The name of the error with which `action` ends.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
    return "none";
  } catch (const DriverError& error) {
    return error.name();
  }
}

std::vector<int> read_back(const Driver& driver, Address from, std::size_t count) {
  std::vector<int> values(count);
  driver.copy_to_host(values.data(), from, count * sizeof(int));
  driver.synchronize();
  return values;
}

void devices() {
  const Driver driver = open_driver();
  say("{} {}", driver.backend(), driver.version());
  for (const Device& device : driver.devices())
    say("{} | {} | {} | {} | {}", device.ordinal, device.name, device.uuid, device.pci, device.memory);
  say("mps {}", driver.attribute(Attribute::mps, 0));
  const auto count = static_cast<int>(driver.devices().size());
  for (int from = 0; from < count; ++from) {
    std::string row;
    for (int to = 0; to < count; ++to) row += driver.can_access_peer(from, to) ? '1' : '0';
    say("peers {}", row);
  }
}

/// Copies data to another GPU and back, with a flag after the data in the same stream.
void copies() {
  const Driver driver = open_driver();
  std::vector<int> values(100000);
  std::iota(values.begin(), values.end(), 1);
  const std::size_t size = values.size() * sizeof(int);
  const OwnedMemory first = make_memory(driver, 0, size);
  const OwnedMemory second = make_memory(driver, 1, size);
  const OwnedStream stream = make_stream(driver, 0);
  driver.enable_peer_access(1);
  driver.enable_peer_access(1);
  driver.copy_to_device(first.get(), values.data(), size, stream.get());
  driver.copy_peer(second.get(), 1, first.get(), 0, size, stream.get());
  const bool idle_at_once = driver.stream_is_idle(stream.get());
  driver.synchronize_stream(stream.get());
  driver.select(1);
  say("same {} idle at once {}", read_back(driver, second.get(), values.size()) == values, idle_at_once);
  driver.fill(second.get(), 0x01, 4);
  say("filled {:#x}", read_back(driver, second.get(), 1)[0]);
  say("beyond {}", error_of([&] { driver.fill(second.get(), 0, size + 1); }));
  say("freed twice {}", error_of([&] {
        const Address address = driver.allocate(10);
        driver.free(address);
        driver.free(address);
      }));
  say("too much {}", error_of([&] { static_cast<void>(driver.allocate(std::size_t{1} << 50)); }));
  say("taken {}", driver.memory().total - driver.memory().free);
}

void events() {
  const Driver driver = open_driver();
  const OwnedMemory memory = make_memory(driver, 0, 8);
  const OwnedStream writer = make_stream(driver, 0);
  const OwnedStream reader = make_stream(driver, 0);
  const OwnedEvent event = make_event(driver, 0, Timing::no);
  int right = 0;
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::array<int, 2> got{};
    driver.fill(memory.get(), static_cast<unsigned char>(round + 1), 8, writer.get());
    driver.record(event.get(), writer.get());
    driver.wait(reader.get(), event.get());
    driver.copy_to_host(got.data(), memory.get(), 8, reader.get());
    driver.synchronize_stream(reader.get());
    right += got[1] == 0x01010101 * (round + 1) ? 1 : 0;
  }
  say("ordered {}", right);
  const OwnedEvent start = make_event(driver, 0, Timing::yes);
  const OwnedEvent end = make_event(driver, 0, Timing::yes);
  driver.record(start.get(), writer.get());
  driver.fill(memory.get(), 1, 8, writer.get());
  driver.record(end.get(), writer.get());
  driver.synchronize_event(end.get());
  say("happened {} in order {}", driver.event_has_happened(end.get()),
      driver.seconds_between(start.get(), end.get()) >= 0);
  const OwnedEvent never = make_event(driver, 0, Timing::no);
  driver.wait(reader.get(), never.get());
  driver.synchronize_stream(reader.get());
  say("an event that was never recorded holds nobody");
  say("timing between processes {}",
      error_of([&] { static_cast<void>(driver.seconds_between(event.get(), end.get())); }));
}

void pointers() {
  const int before = driver_in_program() ? 1 : 0;
  const Driver driver = open_driver();
  const OwnedMemory memory = make_memory(driver, 1, 4096);
  std::array<char, 64> host{};
  const auto* inside = reinterpret_cast<const void*>(memory.get() + 100);
  const PointerAttributes found = pointer_attributes(inside);
  say("driver {} then {}", before, driver_in_program());
  say("device memory: kind {} device {} offset {} size {}", static_cast<int>(found.kind), found.device,
      memory.get() + 100 - found.base, found.size);
  say("host memory: kind {}", static_cast<int>(pointer_attributes(host.data()).kind));
  driver.register_host(host.data(), host.size());
  say("registered: kind {}", static_cast<int>(driver.attributes(host.data() + 10).kind));
  driver.unregister_host(host.data());
  const Address address = driver.allocate(512);
  const std::uint64_t first = driver.attributes(reinterpret_cast<void*>(address)).buffer;
  driver.free(address);
  const Address again = driver.allocate(512);
  say("reused {} told apart {}", again == address, driver.attributes(reinterpret_cast<void*>(again)).buffer != first);
  driver.free(again);
}

void touch() {
  const Driver driver = open_driver();
  const OwnedMemory memory = make_memory(driver, 0, 4096);
  driver.fill(memory.get(), 7, 4096);
  driver.synchronize();
  say("{}", static_cast<int>(*reinterpret_cast<const volatile unsigned char*>(memory.get())));
}

/// Crashes; the test looks at the files that the node leaves.
void crash() {
  const Driver driver = open_driver();
  driver.select(0);
  static_cast<void>(driver.allocate(1 << 20));
  std::_Exit(7);
}

/// Passes bytes between two processes in order.
class Pipe {
 public:
  explicit Pipe(int end) : end_(end) {}
  template <class T>
  void send(const T& value) const {
    if (::write(end_, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) std::exit(9);
  }
  template <class T>
  [[nodiscard]] T receive() const {
    T value{};
    if (::read(end_, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) std::exit(9);
    return value;
  }

 private:
  int end_;
};

void exporter(const Pipe& pipe) {
  const Driver driver = open_driver();
  driver.select(0);
  const Address memory = driver.allocate(4096);
  driver.fill(memory, 0x11, 4096);
  driver.synchronize();
  const IpcHandle handle = driver.export_memory(memory + 16);
  const OwnedEvent event = make_event(driver, 0, Timing::no, Reach::everyone);
  pipe.send(handle);
  pipe.send(driver.export_event(event.get()));
  pipe.send(memory);
  say("own {}", error_of([&] { static_cast<void>(driver.import_memory(handle)); }));
  driver.fill(memory, 0x22, 4096);
  driver.record(event.get());
  pipe.send(1);
  static_cast<void>(pipe.receive<int>());
  driver.free(memory);
  pipe.send(2);
  static_cast<void>(pipe.receive<int>());
}

void importer(const Pipe& pipe) {
  const Driver driver = open_driver();
  const auto handle = pipe.receive<IpcHandle>();
  const auto event_handle = pipe.receive<IpcHandle>();
  const auto address_there = pipe.receive<Address>();
  driver.select(1);
  const Address memory = driver.import_memory(handle);
  const Address again = driver.import_memory(handle);
  say("same address {} as there {}", memory == again, memory == address_there);
  static_cast<void>(pipe.receive<int>());
  const Handle event = driver.import_event(event_handle);
  const OwnedStream stream = make_stream(driver, 1);
  driver.wait(stream.get(), event);
  int value = 0;
  driver.copy_to_host(&value, memory, sizeof value, stream.get());
  driver.synchronize_stream(stream.get());
  say("after the event {:#x}", value);
  driver.close_memory(memory);
  say("still open {:#x}", read_back(driver, memory, 1)[0]);
  pipe.send(1);
  static_cast<void>(pipe.receive<int>());
  say("freed there {:#x}", read_back(driver, memory, 1)[0]);
  say("opened late {}", error_of([&] { static_cast<void>(driver.import_memory(handle)); }));
  driver.close_memory(memory);
  say("closed {}", error_of([&] { driver.close_memory(memory); }));
  say("garbage {}", error_of([&] { static_cast<void>(driver.import_memory(IpcHandle{})); }));
  pipe.send(2);
}

void sharing() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) std::exit(9);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    exporter(Pipe(ends[1]));
    std::exit(0);
  }
  ::close(ends[1]);
  importer(Pipe(ends[0]));
  int status = 0;
  ::waitpid(child, &status, 0);
  say("exporter {}", status);
}

/// Writes into the second half of the other process's memory, then records the other's event and one of its own. The
/// copy does not end while the test looks.
void write_late(const Pipe& pipe) {
  ::setenv("TOPOWISE_FAKE_DELAY_US", "3600000000", 1);
  const Driver driver = open_driver();
  driver.select(0);
  const OwnedImport memory = make_import(driver, 0, pipe.receive<IpcHandle>());
  const Handle everyones = driver.import_event(pipe.receive<IpcHandle>());
  const OwnedStream stream = make_stream(driver, 0);
  for (int times = 0; times < 5; ++times) driver.fill(memory.get() + 4096, 0x22, 4096, stream.get());
  driver.record(everyones, stream.get());
  const OwnedEvent own = make_event(driver, 0, Timing::no, Reach::everyone);
  driver.record(own.get(), stream.get());
  pipe.send(driver.export_event(own.get()));
  ::pause();
}

/// The first weak point of Faraji and Afsahi (2014): all ranks record one event after their copies, and rank 0 waits
/// for it.
void one_event() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) std::exit(9);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_late(Pipe(ends[1]));
  }
  ::close(ends[1]);
  const Pipe pipe(ends[0]);
  const Driver driver = open_driver();
  const OwnedMemory memory = make_memory(driver, 0, 8192);
  driver.fill(memory.get(), 0x11, 8192);
  driver.synchronize();
  const OwnedEvent everyones = make_event(driver, 0, Timing::no, Reach::everyone);
  pipe.send(driver.export_memory(memory.get()));
  pipe.send(driver.export_event(everyones.get()));
  const Handle theirs = driver.import_event(pipe.receive<IpcHandle>());
  const OwnedStream stream = make_stream(driver, 0);
  driver.fill(memory.get(), 0x22, 4096, stream.get());
  driver.record(everyones.get(), stream.get());
  driver.wait(stream.get(), everyones.get());
  int values[2] = {};
  driver.copy_to_host(&values[0], memory.get(), sizeof(int), stream.get());
  driver.copy_to_host(&values[1], memory.get() + 4096, sizeof(int), stream.get());
  driver.synchronize_stream(stream.get());
  say("behind everyone's event {:#x} {:#x}", values[0], values[1]);
  say("their own has happened {}", driver.event_has_happened(theirs));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

/// The seconds that a copy of 64 MB takes in the model, measured by events: from GPU 0 to the GPU of each argument, one
/// after the other, and then two copies at once that share the route.
void pace() {
  const Driver driver = open_driver();
  constexpr std::size_t kSize = 64'000'000;
  const auto last = static_cast<int>(driver.devices().size()) - 1;
  const OwnedMemory from = make_memory(driver, 0, kSize);
  const OwnedMemory other_from = make_memory(driver, 1, kSize);
  const auto timed = [&](int to, bool both) {
    const OwnedMemory target = make_memory(driver, to, kSize);
    const OwnedMemory other_target = make_memory(driver, to - 1, kSize);
    const OwnedStream other = make_stream(driver, 1);
    if (both) driver.copy_peer(other_target.get(), to - 1, other_from.get(), 1, kSize, other.get());
    const OwnedStream stream = make_stream(driver, 0);
    const OwnedEvent start = make_event(driver, 0, Timing::yes);
    const OwnedEvent end = make_event(driver, 0, Timing::yes);
    driver.record(start.get(), stream.get());
    driver.copy_peer(target.get(), to, from.get(), 0, kSize, stream.get());
    driver.record(end.get(), stream.get());
    driver.synchronize_stream(stream.get());
    driver.synchronize_stream(other.get());
    return driver.seconds_between(start.get(), end.get());
  };
  say("near {:.6f}", timed(1, false));
  say("far {:.6f}", timed(last, false));
  say("two {:.6f}", timed(last, true));
}

/// What a thread finds that has selected no device yet.
void fresh_thread() {
  const Driver driver = open_driver();
  driver.select(1);
  std::thread([&] {
    say("selected {}", error_of([&] { say("device {}", driver.selected()); }));
    say("made {}", error_of([&] { driver.free(driver.allocate(100)); }));
  }).join();
}

void failure() {
  try {
    const Driver driver = open_driver();
    const OwnedMemory memory = make_memory(driver, 2, 100);
    const OwnedMemory second = make_memory(driver, 2, 100);
    say("no failure");
  } catch (const Error& error) {
    say("{}\n{}", error.what(), error.diagnostics().front().hint);
    std::exit(static_cast<int>(error.status()));
  }
}

/// Folds three vectors of GPU memory into two, one of them in place. The thread's context stays as it was.
void folds() {
  const Driver driver = open_driver();
  constexpr std::size_t kCount = 3000;
  constexpr std::size_t kSize = kCount * sizeof(int);
  Folds kernels(driver);
  std::array<OwnedMemory, 4> memory;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    memory[k] = make_memory(driver, 0, kSize);
    driver.fill(memory[k].get(), static_cast<unsigned char>(k + 1), kSize);
  }
  driver.synchronize();
  driver.select(1);
  {
    const DeviceScope scope(driver, 0);
    const std::array from{memory[0].get(), memory[1].get(), memory[2].get()};
    const std::array to{memory[0].get(), memory[3].get()};
    kernels.fold(FoldOperation::sum, FoldElement::i32, from, to, kCount, nullptr);
    const std::vector<int> expected(kCount, 0x06060606);
    say("folded {} {}", read_back(driver, to[0], kCount) == expected, read_back(driver, to[1], kCount) == expected);
    std::string why;
    say("bf16 {}", kernels.work(FoldOperation::sum, FoldElement::bf16, why));
    const std::array beyond{memory[0].get(), Address{16}};
    say("beyond {}", error_of([&] { kernels.fold(FoldOperation::sum, FoldElement::i32, beyond, to, 1, nullptr); }));
  }
  say("selected {}", driver.selected());
  if (driver.wants_code()) return;  // HIP has no contexts
  driver.set_context(nullptr);
  say("context {}", driver.context() == nullptr);
}

const std::map<std::string, void (*)()> kScenarios{
    {"folds", folds},       {"devices", devices}, {"copies", copies},       {"events", events},
    {"pointers", pointers}, {"touch", touch},     {"one-event", one_event}, {"crash", crash},
    {"sharing", sharing},   {"pace", pace},       {"failure", failure},     {"fresh-thread", fresh_thread}};

}  // namespace

int main(int count, char** arguments) {
  const auto scenario = kScenarios.find(count == 2 ? arguments[1] : "");
  if (scenario == kScenarios.end()) return 2;
  try {
    scenario->second();
    return 0;
  } catch (const Error& error) {
    fmt::print("error: {}\n", error.what());
    return static_cast<int>(error.status());
  }
}
