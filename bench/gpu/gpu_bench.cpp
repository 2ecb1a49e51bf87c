// SPDX-License-Identifier: BSD-3-Clause
// Checks and measures what only a machine with a GPU can show:  gpu_bench devices|kernels|sharing|pointers|nccl|source
//   devices   what the driver says about each GPU, and which GPUs reach each other's memory
//   kernels   whether the PTX loads; whether every reduction of every type gives what the host computes, for two
//             vectors, and for many vectors as the allreduce folds them; the throughput of a sum
//   sharing   whether one process can use memory and events of another, on every pair of GPUs (also on one GPU). Memory
//             and events are checked separately, since the allreduce needs no events
//   pointers  nanoseconds to ask the driver where a pointer points
//   nccl      for comparison: the allreduce of NCCL or RCCL among all GPUs, one rank each, as CSV. A machine with one
//             GPU or without that library has no rows, and a line says why
// The exit status is 0, 1 if something is wrong, or 4 without a GPU. On the simulated driver there is nothing to time,
// so no rate is printed.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/shared_library.hpp>
#include <topowise/device/folds.hpp>
#include <topowise/device/mps.hpp>
#include <topowise/device/owned.hpp>
#include <topowise/device/pointer_kind.hpp>
#include <topowise/device/table.hpp>

using namespace topowise;
using namespace topowise::device;

namespace {

bool simulated(const Driver& driver) {
  return driver.devices().front().name.find("SIMULATED") != std::string::npos;
}

std::string rate(const Driver& driver, double bytes, double seconds) {
  return simulated(driver) ? "SIMULATED" : fmt::format("{:.1f} GB/s", bytes / seconds * 1e-9);
}

int devices() {
  const Driver driver = open_driver();
  fmt::print("{} driver {} from {}\n", driver.backend(), driver.version(), driver.library());
  for (const Device& device : driver.devices()) {
    fmt::print("GPU {} {} {} {} {:.1f} GB, compute {}.{}, MPS {}\n", device.ordinal, device.name, device.uuid,
               device.pci, static_cast<double>(device.memory) * 1e-9,
               driver.attribute(Attribute::compute_capability_major, device.ordinal),
               driver.attribute(Attribute::compute_capability_minor, device.ordinal),
               is_mps_client(driver, device.ordinal) ? 1 : 0);
  }
  for (const Device& from : driver.devices()) {
    fmt::print("GPU {} reaches", from.ordinal);
    for (const Device& to : driver.devices()) {
      if (driver.can_access_peer(from.ordinal, to.ordinal)) fmt::print(" {}", to.ordinal);
    }
    fmt::print("\n");
  }
  return 0;
}

template <class Stored>
void store(char* to, int value) {
  Stored stored{};
  if constexpr (std::is_arithmetic_v<Stored>)
    stored = static_cast<Stored>(value);
  else
    kernel::Accumulator<Stored>::store(stored, static_cast<float>(value));
  std::memcpy(to, &stored, sizeof stored);
}

/// Two numbers, the second `distance` bytes behind the first.
template <class First, class Second = First>
void store_two(char* to, int value, std::size_t distance = sizeof(First)) {
  store<First>(to, value);
  store<Second>(to + distance, (value + 5) % 3);
}

/// Stores a small whole number. Such numbers and their products are exact in every type, whether multiplications are
/// fused or not.
void store(FoldElement element, char* to, int value) {
  switch (element) {
    case FoldElement::i8:
    case FoldElement::u8:
      return store<signed char>(to, value);
    case FoldElement::i16:
    case FoldElement::u16:
      return store<short>(to, value);
    case FoldElement::i32:
    case FoldElement::u32:
      return store<int>(to, value);
    case FoldElement::i64:
    case FoldElement::u64:
      return store<long long>(to, value);
    case FoldElement::f16:
      return store<kernel::Half>(to, value);
    case FoldElement::bf16:
      return store<kernel::Bfloat>(to, value);
    case FoldElement::f32:
      return store<float>(to, value);
    case FoldElement::f64:
      return store<double>(to, value);
    case FoldElement::c32:
    case FoldElement::f32f32:
      return store_two<float>(to, value);
    case FoldElement::c64:
    case FoldElement::f64f64:
      return store_two<double>(to, value);
    case FoldElement::f32i32:
      return store_two<float, int>(to, value);
    case FoldElement::f64i32:
      return store_two<double, int>(to, value);
    case FoldElement::i64i32:
      return store_two<long long, int>(to, value);
    case FoldElement::i32i32:
      return store_two<int>(to, value);
    case FoldElement::i16i32:
      return store_two<short, int>(to, value, sizeof(int));
  }
}

constexpr unsigned kFolded = 3;

/// True if the GPU folds vectors into the bits that the host gives.
bool folds_as_host(const Driver& driver, Folds& folds, FoldOperation operation, FoldElement element) {
  constexpr std::size_t kCount = 100'003;  // odd, and more than the threads of a launch
  const std::size_t width = size_of(element);
  const std::size_t size = kCount * width;
  std::vector<OwnedMemory> memory;
  std::vector<std::vector<char>> inputs(kFolded, std::vector<char>(size));
  std::vector<char> right(size), got(size);
  kernel::FoldOperands operands{};
  std::vector<Address> from;
  for (unsigned k = 0; k < kFolded; ++k) {
    for (std::size_t i = 0; i < kCount; ++i)
      store(element, inputs[k].data() + i * width, static_cast<int>((i * (k + 1) + i / 7 + k) % 4) - 1);
    operands.from[k] = reinterpret_cast<unsigned long long>(inputs[k].data());
    memory.push_back(make_memory(driver, 0, size));
    from.push_back(memory.back().get());
    driver.copy_to_device(from.back(), inputs[k].data(), size);
  }
  operands.to[0] = reinterpret_cast<unsigned long long>(right.data());
  host_fold(operation, element)(operands, kFolded, 1, 0, kCount);
  const OwnedMemory to = make_memory(driver, 0, size);
  driver.fill(to.get(), 0, size);  // folds do not write the bytes between the fields of a pair
  const std::array<Address, 1> results{to.get()};
  folds.fold(operation, element, from, results, kCount, nullptr);
  driver.copy_to_host(got.data(), to.get(), size);
  driver.synchronize();
  return got == right;
}

int check_folds(const Driver& driver, Folds& folds) {
  int checked = 0;
  int wrong = 0;
  for (std::size_t o = 0; o < kFoldOperations; ++o) {
    for (std::size_t e = 0; e < kFoldElements; ++e) {
      const auto operation = static_cast<FoldOperation>(o);
      const auto element = static_cast<FoldElement>(e);
      if (host_fold(operation, element) == nullptr) continue;
      ++checked;
      if (folds_as_host(driver, folds, operation, element)) continue;
      ++wrong;
      fmt::print("fold {} {} WRONG\n", to_string(operation), to_string(element));
    }
  }
  fmt::print("folds of {} vectors: {} of {} operations on types right\n", kFolded, checked - wrong, checked);
  return wrong;
}

int kernels() {
  const Driver driver = open_driver();
  driver.select(0);
  Folds folds(driver);
  const int wrong = check_folds(driver, folds);
  constexpr std::size_t kSize = 256 << 20;
  const OwnedMemory to = make_memory(driver, 0, kSize);
  const OwnedMemory from = make_memory(driver, 0, kSize);
  const OwnedEvent start = make_event(driver, 0, Timing::yes);
  const OwnedEvent end = make_event(driver, 0, Timing::yes);
  driver.fill(to.get(), 0, kSize);
  driver.fill(from.get(), 0, kSize);
  const std::array<Address, 2> operands{to.get(), from.get()};
  const std::array<Address, 1> results{to.get()};
  const auto add = [&] { folds.fold(FoldOperation::sum, FoldElement::f32, operands, results, kSize / 4, nullptr); };
  add();
  driver.record(start.get());
  add();
  driver.record(end.get());
  driver.synchronize();
  fmt::print("sum f32 of 256 MiB: {} (two reads, one write)\n",
             rate(driver, 3.0 * kSize, driver.seconds_between(start.get(), end.get())));
  return wrong == 0 ? 0 : 1;
}

[[noreturn]] void end_alone() {
  fmt::print(stderr, "gpu_bench: the other process has ended\n");
  std::exit(9);
}
template <class T>
void send(int to, const T& value) {
  if (::write(to, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) end_alone();
}
template <class T>
T receive(int from) {
  T value{};
  if (::recv(from, &value, sizeof value, MSG_WAITALL) != static_cast<ssize_t>(sizeof value)) end_alone();
  return value;
}

constexpr std::size_t kShared = 64 << 20;
constexpr std::size_t kSmall = 4096;  ///< drivers put several allocations of this size into one block
constexpr int kSmallOnes = 2;

unsigned char mark_of(int gpu, int by, int which) {
  return static_cast<unsigned char>(gpu * 16 + by + 1 + 100 * which);
}

/// What one process sends to the other. If there is a `refusal`, nothing else is set.
struct Offer {
  std::array<char, 256> refusal{}, event_refusal{};
  IpcHandle memory{}, event{};
  std::array<IpcHandle, kSmallOnes> small{};
};

/// The lender's memory and event on a GPU. They live until the other process is done with them.
class Lent {
 public:
  Lent(const Driver& driver, int gpu, int by) : memory_(make_memory(driver, gpu, kShared)) {
    offer.memory = driver.export_memory(memory_.get());
    driver.fill(memory_.get(), mark_of(gpu, by, 0), kShared);
    for (std::size_t i = 0; i < kSmallOnes; ++i) {
      small_[i] = make_memory(driver, gpu, kSmall);
      offer.small[i] = driver.export_memory(small_[i].get());
      driver.fill(small_[i].get(), mark_of(gpu, by, static_cast<int>(i) + 1), kSmall);
    }
    try {
      event_ = make_event(driver, gpu, Timing::no, Reach::everyone);
      offer.event = driver.export_event(event_.get());
      driver.record(event_.get());
    } catch (const Error& error) {  // the allreduce needs no events
      std::string(error.what()).copy(offer.event_refusal.data(), offer.event_refusal.size() - 1);
    }
  }

  Offer offer;

 private:
  OwnedMemory memory_;
  std::array<OwnedMemory, kSmallOnes> small_;
  OwnedEvent event_;
};

/// The first process: fills memory, records an event, and waits until the other process is done.
void lend(int other) {
  const Driver driver = open_driver();
  const auto count = static_cast<int>(driver.devices().size());
  for (int gpu = 0; gpu < count; ++gpu) {
    for (int by = 0; by < count; ++by) {
      std::optional<Lent> lent;
      Offer refused;
      try {
        lent.emplace(driver, gpu, by);
      } catch (const Error& error) {
        std::string(error.what()).copy(refused.refusal.data(), refused.refusal.size() - 1);
      }
      send(other, lent ? lent->offer : refused);
      driver.synchronize();
      send(other, 1);  // says that all memory is filled, also if there is no event to say so
      static_cast<void>(receive<int>(other));
    }
  }
}

/// Whether the last byte of the memory is `mark`.
bool ends_in(const Driver& driver, Address memory, std::size_t size, unsigned char mark, Handle stream) {
  unsigned char last = 0;
  driver.copy_to_host(&last, memory + size - 1, 1, stream);
  driver.synchronize_stream(stream);
  return last == mark;
}

/// Prints what `body` gives, or why it gives nothing. False if the result is wrong or missing.
template <class Body>
bool succeeds(const std::string& what, Body body) {
  try {
    const auto [right, more] = body();
    fmt::print("{}: {}{}\n", what, right ? "right" : "WRONG", more);
    return right;
  } catch (const Error& error) {
    fmt::print("{}: {}\n", what, error.what());
    return false;
  }
}

/// The other process: uses the memory and the event of the first one, on its own GPU.
template <class Wait>
bool borrow(const Driver& driver, const Offer& offer, int gpu, int by, Wait wait_until_filled) {
  using Result = std::pair<bool, std::string>;
  const std::string where = fmt::format("of GPU {} in another process on GPU {}", gpu, by);
  if (offer.refusal[0] != '\0') {
    fmt::print("memory {}: {}\n", where, offer.refusal.data());
    wait_until_filled();
    return false;
  }
  const OwnedStream stream = make_stream(driver, by);
  const bool event = succeeds("event " + where, [&] {
    if (offer.event_refusal[0] != '\0') throw not_available(offer.event_refusal.data());
    const OwnedImport theirs = make_import(driver, by, offer.memory);
    const OwnedEvent filled(driver, by, driver.import_event(offer.event));
    driver.wait(stream.get(), filled.get());
    return Result{ends_in(driver, theirs.get(), kShared, mark_of(gpu, by, 0), stream.get()), ""};
  });
  wait_until_filled();
  const bool memory = succeeds("memory " + where, [&] {
    const OwnedImport theirs = make_import(driver, by, offer.memory);
    const OwnedMemory mine = make_memory(driver, by, kShared);
    driver.copy(mine.get(), theirs.get(), kShared, stream.get());
    driver.synchronize_stream(stream.get());
    const auto begin = std::chrono::steady_clock::now();
    driver.copy(mine.get(), theirs.get(), kShared, stream.get());
    driver.synchronize_stream(stream.get());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const bool right = ends_in(driver, mine.get(), kShared, mark_of(gpu, by, 0), stream.get());
    return Result{right, " " + rate(driver, kShared, seconds.count())};
  });
  const bool small = succeeds("small memory, twice, " + where, [&] {
    const OwnedImport first = make_import(driver, by, offer.small[0]);
    const OwnedImport second = make_import(driver, by, offer.small[1]);
    return Result{ends_in(driver, first.get(), kSmall, mark_of(gpu, by, 1), stream.get()) &&
                      ends_in(driver, second.get(), kSmall, mark_of(gpu, by, 2), stream.get()),
                  ""};
  });
  return event && memory && small;
}

int sharing() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return 9;
  const pid_t child = ::fork();  // before either process opens the driver
  if (child == 0) {
    ::close(ends[0]);
    lend(ends[1]);
    std::exit(0);
  }
  ::close(ends[1]);
  const Driver driver = open_driver();
  const auto count = static_cast<int>(driver.devices().size());
  bool right = true;
  for (int gpu = 0; gpu < count; ++gpu) {
    for (int by = 0; by < count; ++by) {
      const auto offer = receive<Offer>(ends[0]);
      right = borrow(driver, offer, gpu, by, [&] { static_cast<void>(receive<int>(ends[0])); }) && right;
      send(ends[0], 1);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return right && status == 0 ? 0 : 1;
}

/// The median of several runs, in nanoseconds.
double nanoseconds_of_a_question(const void* pointer) {
  constexpr int kRuns = 21;
  constexpr int kQuestions = 20000;
  std::vector<double> runs;
  std::uint64_t sink = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kQuestions; ++i) sink += pointer_attributes(pointer).size;
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    runs.push_back(time.count() / kQuestions);
  }
  if (sink == 1) fmt::print("\n");  // so that the compiler keeps the loop
  std::nth_element(runs.begin(), runs.begin() + kRuns / 2, runs.end());
  return runs[kRuns / 2];
}

int pointers() {
  std::array<char, 64> host{};
  fmt::print("without a driver in the program: {:.1f} ns\n", nanoseconds_of_a_question(host.data()));
  const Driver driver = open_driver();
  const OwnedMemory memory = make_memory(driver, 0, 1 << 20);
  const auto* device = reinterpret_cast<const void*>(memory.get() + 4096);
  if (pointer_attributes(device).kind != MemoryKind::device ||
      pointer_attributes(host.data()).kind != MemoryKind::host) {
    fmt::print("WRONG kinds\n");
    return 1;
  }
  const char* what = simulated(driver) ? " (SIMULATED: the stand-in's cost)" : "";
  fmt::print("device memory: {:.1f} ns{}\n", nanoseconds_of_a_question(device), what);
  fmt::print("host memory: {:.1f} ns{}\n", nanoseconds_of_a_question(host.data()), what);
  return 0;
}

/// What nccl() uses of NCCL's interface (nccl.h of version 2; RCCL has the same).
struct Nccl {
  explicit Nccl(const SharedLibrary& library)
      : version(library.function<int(int*)>("ncclGetVersion")),
        init(library.function<int(Handle*, int, const int*)>("ncclCommInitAll")),
        destroy(library.function<int(Handle)>("ncclCommDestroy")),
        begin(library.function<int()>("ncclGroupStart")),
        end(library.function<int()>("ncclGroupEnd")),
        allreduce(library.function<int(const void*, void*, std::size_t, int, int, Handle, Handle)>("ncclAllReduce")) {
    if (init == nullptr || destroy == nullptr || begin == nullptr || end == nullptr || allreduce == nullptr)
      throw not_available(library.name() + " lacks functions");
  }

  int (*version)(int*);
  int (*init)(Handle* communicators, int count, const int* devices);
  int (*destroy)(Handle communicator);
  int (*begin)();
  int (*end)();
  int (*allreduce)(const void* from, void* to, std::size_t count, int type, int operation, Handle communicator,
                   Handle stream);
};

/// One GPU's part of an allreduce of floats.
struct NcclRank {
  int gpu;
  Handle communicator;
  OwnedStream stream;
  OwnedMemory from, to;
};

void check_nccl(int status) {
  if (status != 0) throw not_available(fmt::format("NCCL refuses with status {}", status));
}

/// All ranks, `times` times.
void allreduce_by_nccl(const Driver& driver, const Nccl& nccl, const std::vector<NcclRank>& ranks, std::size_t count,
                       int times) {
  constexpr int kFloat = 7;
  constexpr int kSum = 0;
  for (int time = 0; time < times; ++time) {
    check_nccl(nccl.begin());
    for (const NcclRank& rank : ranks)
      check_nccl(nccl.allreduce(reinterpret_cast<const void*>(rank.from.get()), reinterpret_cast<void*>(rank.to.get()),
                                count, kFloat, kSum, rank.communicator, rank.stream.get()));
    check_nccl(nccl.end());
    for (const NcclRank& rank : ranks) {
      driver.select(rank.gpu);
      driver.synchronize_stream(rank.stream.get());
    }
  }
}

constexpr std::size_t kMostForNccl = 64 << 20;

std::vector<NcclRank> nccl_ranks(const Driver& driver, const Nccl& nccl) {
  std::vector<int> gpus;
  for (const Device& device : driver.devices()) gpus.push_back(device.ordinal);
  std::vector<Handle> communicators(gpus.size());
  check_nccl(nccl.init(communicators.data(), static_cast<int>(gpus.size()), gpus.data()));
  const std::vector<float> ones(kMostForNccl / sizeof(float), 1.0F);
  std::vector<NcclRank> ranks;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    driver.select(gpus[i]);
    ranks.push_back({gpus[i], communicators[i], make_stream(driver, gpus[i]),
                     make_memory(driver, gpus[i], kMostForNccl), make_memory(driver, gpus[i], kMostForNccl)});
    driver.copy_to_device(ranks.back().from.get(), ones.data(), kMostForNccl);
    driver.fill(ranks.back().to.get(), 0, kMostForNccl);
    driver.synchronize();
  }
  return ranks;
}

/// Whether the last number at the last GPU is the sum of as many ones as there are GPUs.
bool sums_are_right(const Driver& driver, const std::vector<NcclRank>& ranks, std::size_t bytes) {
  float last = 0;
  driver.select(ranks.back().gpu);
  driver.copy_to_host(&last, ranks.back().to.get() + bytes - sizeof(float), sizeof(float));
  driver.synchronize();
  return last == static_cast<float>(ranks.size());
}

int nccl() {
  const Driver driver = open_driver();
  const std::array<std::string, 1> name{driver.backend() == "cuda" ? "libnccl.so.2" : "librccl.so.1"};
  std::string reason = "there is one GPU";
  std::optional<SharedLibrary> library;
  if (driver.devices().size() > 1) library = SharedLibrary::open(name, reason);
  if (!library) {
    fmt::print("# not compared: {}\n", reason);
    return 0;
  }
  const Nccl nccl(*library);
  int version = 0;
  if (nccl.version != nullptr) check_nccl(nccl.version(&version));
  fmt::print("# {} {} GPUs, {}, version {}\nbytes,mean_s,right\n", driver.devices().size(),
             driver.devices().front().name, name[0], version);
  const std::vector<NcclRank> ranks = nccl_ranks(driver, nccl);
  bool right = true;
  for (std::size_t bytes = sizeof(float); bytes <= kMostForNccl; bytes *= 4) {
    const int times = bytes < (1 << 20) ? 100 : 10;
    allreduce_by_nccl(driver, nccl, ranks, bytes / sizeof(float), 3);
    const auto begin = std::chrono::steady_clock::now();
    allreduce_by_nccl(driver, nccl, ranks, bytes / sizeof(float), times);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const bool now = sums_are_right(driver, ranks, bytes);
    right = right && now;
    fmt::print("{},{},{}\n", bytes, simulated(driver) ? "" : fmt::format("{:.3e}", seconds.count() / times), now);
  }
  for (const NcclRank& rank : ranks) nccl.destroy(rank.communicator);
  return right ? 0 : 1;
}

/// The source of the kernels that hiprtc compiles, and the line that makes each of them.
int source() {
  fmt::print("{}--- kernels\n", fold_source());
  for (std::size_t o = 0; o < kFoldOperations; ++o) {
    for (std::size_t e = 0; e < kFoldElements; ++e) {
      const auto operation = static_cast<FoldOperation>(o);
      const auto element = static_cast<FoldElement>(e);
      const bool own = kernel_element(operation, element) == element;  // others fold by another element's kernel
      if (own && host_fold(operation, element) != nullptr) fmt::print("{}\n", kernel_line(operation, element));
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, int (*)()> scenarios{{"devices", devices},   {"kernels", kernels}, {"sharing", sharing},
                                                   {"pointers", pointers}, {"nccl", nccl},       {"source", source}};
  const auto scenario = scenarios.find(count == 2 ? arguments[1] : "");
  if (scenario == scenarios.end()) {
    fmt::print(stderr, "usage: gpu_bench devices|kernels|sharing|pointers|nccl|source\n");
    return 2;
  }
  try {
    return scenario->second();
  } catch (const Error& error) {
    fmt::print(stderr, "gpu_bench: {}\n", error.diagnostics().front().render("error"));
    return static_cast<int>(error.status());
  }
}
