// SPDX-License-Identifier: BSD-3-Clause
// Ranks reduce vectors on the driver that TOPOWISE_CUDA_LIBRARY names, and print the result of their checks:
//   allreduce_ranks SCENARIO RANKS GPUS ALGORITHM [FAULT RANK [threads]]
// The fault (TOPOWISE_FAKE_FAULT) belongs to one rank; where ranks are threads it belongs to whichever thread makes the
// call. Pieces are small: short vectors have several.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/collective/collectives.hpp>
#include <topowise/collective/node/forked_ranks.hpp>
#include <topowise/device/scope.hpp>
#include <topowise/device/table.hpp>

#include "orders.hpp"
#include "thread_ranks.hpp"

using namespace topowise;
using namespace topowise::collective;
using namespace topowise::device;

/// Suppression for ThreadSanitizer: it does not see how the loader reuses the memory of a thread that has ended.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "race:_dl_deallocate_tls\n";
}

namespace {

struct Scenario {
  std::string name;
  int ranks = 2;
  int gpus = 1;
  CollectiveOptions options{.scratch_piece = 512, .staging_piece = 512};
  std::string fault;
  int faulty_rank = 0;
  bool threads = false;
};

struct Tally {
  int done = 0, through_mpi = 0, failed = 0, wrong = 0;
  int in_order = 0;  ///< results that are those of the order of the ranks, where results depend on the order
  std::string message;
};

/// Small integers in any type: every order of the operands gives the same result.
Bytes draw(Random& random, FoldElement element, std::size_t count) {
  Bytes bytes(count * size_of(element));
  const std::string_view name = to_string(element);
  const auto fill = [&](auto number) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof number) {
      number = static_cast<decltype(number)>(random.below(3));
      std::memcpy(bytes.data() + i, &number, sizeof number);
    }
  };
  if (name == "f32" || name == "c32") return fill(0.0F), bytes;
  if (name == "f64" || name == "c64") return fill(0.0), bytes;
  if (size_of(element) == 2) return fill(static_cast<std::uint16_t>(0)), bytes;
  fill(static_cast<std::uint8_t>(0));
  return bytes;
}

template <class Number>
void make_zeros_positive(Bytes& bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(Number)) {
    Number number{};
    std::memcpy(&number, bytes.data() + i, sizeof number);
    if (number == 0) std::memset(bytes.data() + i, 0, sizeof number);
  }
}

/// The bytes on which all algorithms must agree. No algorithm reduces the bytes between a pair's value and its index,
/// and the sign of a zero in a product of complex numbers depends on how the factors are grouped.
Bytes comparable(Bytes bytes, FoldElement element) {
  const std::string_view name = to_string(element);
  if (name == "c32") make_zeros_positive<float>(bytes);
  if (name == "c64") make_zeros_positive<double>(bytes);
  const std::size_t begin = name == "i16i32" ? 2 : 12;
  const std::size_t end = name == "i16i32" ? 4 : 16;
  const bool padded = name == "i16i32" || name == "f64i32" || name == "i64i32";
  for (std::size_t i = 0; padded && i < bytes.size(); i += size_of(element))
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(i + begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(i + end), 0);
  return bytes;
}

/// A call that this program itself makes to the driver: where ranks are threads, the call that shall fail may be one of
/// these.
template <class Body>
auto surely(Body body) {
  try {
    return body();
  } catch (const DriverError&) {
    return body();
  }
}
void put(const Driver& driver, Address to, const Bytes& bytes) {
  surely([&] {
    driver.copy_to_device(to, bytes.data(), bytes.size());
    driver.synchronize();
  });
}
void get(const Driver& driver, Bytes& bytes, Address from) {
  surely([&] {
    driver.copy_to_host(bytes.data(), from, bytes.size());
    driver.synchronize();
  });
}

/// One rank with its GPU.
class Rank {
 public:
  Rank(const Scenario& scenario, int rank, const Exchange& exchange)
      : rank_(rank),
        ranks_(scenario.ranks),
        device_(rank % scenario.gpus),
        gpus_(scenario.gpus),
        allreduce_(rank, scenario.ranks, scenario.options, exchange),
        input_(surely([&] { return make_memory(gpu().driver, device_, kRoom); })),
        output_(surely([&] { return make_memory(gpu().driver, device_, kRoom); })) {}

  /// Reduces vectors that every rank can draw itself, and compares with the result on the host.
  void reduce(FoldOperation operation, FoldElement element, std::size_t count, std::uint64_t seed, Tally& tally) {
    Driver& driver = gpu().driver;
    const DeviceScope scope(driver, device_);
    std::vector<Bytes> inputs;
    Random random(seed);
    for (int other = 0; other < ranks_; ++other) inputs.push_back(draw(random, element, count));
    const Bytes& mine = inputs[static_cast<std::size_t>(rank_)];
    const bool in_place = seed % 3 == 0;
    const std::size_t shift = seed % 4 * size_of(element);  // the buffers begin inside allocations
    const Address output = output_.get() + shift;
    const Address input = in_place ? output : input_.get() + shift;
    put(driver, input, mine);
    if (!is_done({.input = pointer(input),
                  .output = pointer(output),
                  .count = count,
                  .operation = operation,
                  .element = element},
                 tally))
      return;
    Bytes got(mine.size());
    get(driver, got, output);
    if (comparable(got, element) == comparable(expected(operation, element, inputs, count), element)) return;
    ++tally.wrong;
    tally.message += fmt::format("{} of {} {} is wrong; ", to_string(operation), count, to_string(element));
  }
  /// Does the same for another collective, whose elements are moved as well as reduced.
  void perform(Collective collective, int root, std::size_t count, std::uint64_t seed, Tally& tally) {
    Driver& driver = gpu().driver;
    const DeviceScope scope(driver, device_);
    const FoldElement element = seed % 2 == 0 ? FoldElement::f32 : FoldElement::u8;
    const std::size_t size = size_of(element);
    const bool shared_in = shares_inputs(collective);
    const auto ranks = static_cast<std::size_t>(ranks_);
    const std::size_t whole = shared_in || shares_outputs(collective) ? count * ranks : count;
    std::vector<Bytes> inputs;
    Random random(seed);
    for (int other = 0; other < ranks_; ++other) inputs.push_back(draw(random, element, shared_in ? count : whole));
    const Bytes& mine = inputs[static_cast<std::size_t>(rank_)];
    const bool in = has_input(collective, root, rank_);
    const bool out = has_output(collective, root, rank_);
    const bool in_place = in && out && seed % 3 == 0;
    const std::size_t place = in_place && shared_in ? static_cast<std::size_t>(rank_) * count * size : 0;
    const Address input = in_place ? output_.get() + place : input_.get();
    surely([&] {
      driver.fill(output_.get(), kMark, kRoom);
      driver.synchronize();
    });
    if (in) put(driver, input, mine);
    const collective::CollectiveCall call{.input = in ? pointer(input) : nullptr,
                                          .output = out ? pointer(output_.get()) : nullptr,
                                          .count = count,
                                          .operation = FoldOperation::sum,
                                          .element = element,
                                          .collective = collective,
                                          .root = root};
    if (!is_done(call, tally) || !out) return;
    const Bytes result = promised(collective, root, element, inputs, count);
    Bytes got(result.size());
    get(driver, got, output_.get());
    if (got == result) return;
    ++tally.wrong;
    tally.message +=
        fmt::format("{} of {} {} from {} is wrong; ", to_string(collective), count, to_string(element), root);
  }
  /// Reduces vectors whose result depends on the order in which they are taken: it must be that of this algorithm. All
  /// ranks have a vector, of which with reduce_scatter they get a share, and with reduce the root gets all.
  void reduce_in_order(std::string_view algorithm, Collective collective, FoldOperation operation, FoldElement element,
                       std::size_t count, std::uint64_t seed, Tally& tally) {
    Driver& driver = gpu().driver;
    const DeviceScope scope(driver, device_);
    const auto ranks = static_cast<std::size_t>(ranks_);
    const std::size_t whole = shares_outputs(collective) ? count * ranks : count;
    std::vector<Bytes> inputs;
    Random random(seed);
    for (std::size_t other = 0; other < ranks; ++other) inputs.push_back(draw_uneven(random, element, whole));
    put(driver, input_.get(), inputs[static_cast<std::size_t>(rank_)]);
    const int root = static_cast<int>(seed) % ranks_;
    const bool out = has_output(collective, root, rank_);
    if (!is_done({.input = pointer(input_.get()),
                  .output = out ? pointer(output_.get()) : nullptr,
                  .count = count,
                  .operation = operation,
                  .element = element,
                  .collective = collective,
                  .root = root},
                 tally) ||
        !out)
      return;
    const std::size_t begin = shares_outputs(collective) ? static_cast<std::size_t>(rank_) * count : 0;
    Bytes got(count * size_of(element));
    get(driver, got, output_.get());
    const Fold fold{operation, element, whole};
    if (!is_some_of(got, fold, orders_of(algorithm, fold, inputs, gpus_), begin)) ++tally.wrong;
    if (is_some_of(got, fold, {fold(inputs)}, begin)) ++tally.in_order;
  }
  Collectives& allreduce() { return allreduce_; }
  /// The program itself writes into its output.
  void mark() {
    const DeviceScope scope(gpu().driver, device_);
    surely([&] {
      gpu().driver.fill(output_.get(), kMark, kRoom);
      gpu().driver.synchronize();
    });
  }
  [[nodiscard]] bool is_marked() {
    const DeviceScope scope(gpu().driver, device_);
    Bytes got(kRoom);
    get(gpu().driver, got, output_.get());
    return got == Bytes(kRoom, kMark);
  }

 private:
  static constexpr char kMark = 0x5a;
  bool is_done(const collective::CollectiveCall& call, Tally& tally) {
    const Outcome outcome = allreduce_.perform(call, tally.message);
    if (outcome == Outcome::failed) ++tally.failed;
    if (outcome == Outcome::through_mpi) ++tally.through_mpi;
    if (outcome == Outcome::done) ++tally.done;
    return outcome == Outcome::done;
  }
  /// The content that this rank's output must have.
  [[nodiscard]] Bytes promised(Collective collective, int root, FoldElement element, const std::vector<Bytes>& inputs,
                               std::size_t count) const {
    if (collective == Collective::broadcast) return inputs[static_cast<std::size_t>(root)];
    if (collective == Collective::allgather) {
      Bytes all;
      for (const Bytes& one : inputs) all.insert(all.end(), one.begin(), one.end());
      return all;
    }
    const std::size_t whole = inputs[0].size() / size_of(element);
    const Bytes sums = expected(FoldOperation::sum, element, inputs, whole);
    if (!shares_outputs(collective)) return sums;
    const auto begin =
        sums.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rank_) * count * size_of(element));
    return {begin, begin + static_cast<std::ptrdiff_t>(count * size_of(element))};
  }

  static constexpr std::size_t kRoom = 1024 * 1024;
  static void* pointer(Address address) { return reinterpret_cast<void*>(address); }  // NOLINT

  static Bytes expected(FoldOperation operation, FoldElement element, const std::vector<Bytes>& inputs,
                        std::size_t count) {
    return Fold{operation, element, count}(inputs);
  }

  int rank_, ranks_, device_, gpus_;
  Collectives allreduce_;
  OwnedMemory input_, output_;
};

/// Each operation on each type in turn, with all sizes around the edges of pieces and of the ranks' shares.
void everything(Rank& rank, Tally& tally) {
  std::uint64_t seed = 1;
  constexpr std::array<std::size_t, 12> kCounts{1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 1000};
  for (std::size_t o = 0; o < kFoldOperations; ++o) {
    for (std::size_t e = 0; e < kFoldElements; ++e) {
      const auto operation = static_cast<FoldOperation>(o);
      const auto element = static_cast<FoldElement>(e);
      if (fold_name(operation, element).empty()) continue;
      rank.reduce(operation, element, kCounts[seed % kCounts.size()], seed, tally);
      ++seed;
    }
  }
}

/// Sums and products of floating-point numbers, with sizes around the edges of pieces and of shares.
void order(Rank& rank, const std::string& algorithm, Tally& tally) {
  constexpr std::array kElements{FoldElement::f16, FoldElement::bf16, FoldElement::f32, FoldElement::f64};
  std::uint64_t seed = 1;
  for (const FoldOperation operation : {FoldOperation::sum, FoldOperation::prod}) {
    for (const FoldElement element : kElements) {
      for (const std::size_t count : {31, 64, 129, 1000})
        rank.reduce_in_order(algorithm, Collective::allreduce, operation, element, count, seed++, tally);
      const bool all = algorithm == "leader-fused" || algorithm == "staged-host";
      for (const Collective collective : {Collective::reduce, Collective::reduce_scatter})
        if (all) rank.reduce_in_order(algorithm, collective, operation, element, 129, seed++, tally);
    }
  }
}

void several(Rank& rank, Tally& tally, int calls = 12) {
  for (int call = 0; call < calls; ++call)
    rank.reduce(FoldOperation::sum, FoldElement::i32, 300, static_cast<std::uint64_t>(call) + 1, tally);
}

/// Each collective from each root, with sizes around the edges of pieces and of shares.
void collectives(Rank& rank, int ranks, Tally& tally) {
  std::uint64_t seed = 1;
  constexpr std::array<std::size_t, 9> kCounts{1, 2, 7, 16, 31, 33, 64, 129, 500};
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    for (const std::size_t count : kCounts) {
      rank.perform(collective, has_root(collective) ? static_cast<int>(seed) % ranks : 0, count, seed, tally);
      ++seed;
    }
  }
}

/// The process's second GPU takes turns with its first.
void two_gpus(const Scenario& scenario, int number, const Exchange& exchange, Tally& tally) {
  Collectives together(number, scenario.ranks, scenario.options, exchange);
  for (int call = 0; call < 12; ++call) {
    const int device = (number + (call % 3 == 2 ? 1 : 0)) % scenario.gpus;
    const DeviceScope scope(gpu().driver, device);
    const OwnedMemory memory = make_memory(gpu().driver, device, 4096);
    std::vector<std::int32_t> values(900, number + call);
    gpu().driver.copy_to_device(memory.get(), values.data(), values.size() * 4);
    gpu().driver.synchronize();
    void* buffer = reinterpret_cast<void*>(memory.get());  // NOLINT
    const Outcome outcome = together.perform(
        {.input = buffer, .output = buffer, .count = values.size(), .element = FoldElement::i32}, tally.message);
    if (outcome == Outcome::failed) ++tally.failed;
    if (outcome != Outcome::done) continue;
    ++tally.done;
    gpu().driver.copy_to_host(values.data(), memory.get(), values.size() * 4);
    gpu().driver.synchronize();
    const int sum = scenario.ranks * (scenario.ranks - 1) / 2 + scenario.ranks * call;
    if (values.front() != sum || values.back() != sum) ++tally.wrong;
  }
}

/// In some calls, the vectors of some ranks are on the host: then the MPI library reduces, and the exchange stands in
/// for it.
void mixed(Rank& rank, int number, const Exchange& exchange, int ranks, Tally& tally) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  for (int call = 0; call < 40; ++call) {
    const int on_host = call % (ranks + 2);  // one rank, or none
    const int before = tally.through_mpi;
    if (on_host == number) {
      rank.allreduce().pass();
      ++tally.through_mpi;
    } else {
      rank.reduce(FoldOperation::sum, FoldElement::i32, 70, static_cast<std::uint64_t>(call) + 1, tally);
    }
    if (tally.through_mpi > before) exchange(&number, all.data(), sizeof number);
  }
}

/// Each call allocates its vectors; the GPU has no room for the vectors of all calls.
void passing(int number, const Scenario& scenario, Rank& rank, Tally& tally) {
  const DeviceScope scope(gpu().driver, number % scenario.gpus);
  for (int call = 0; call < 12; ++call) {
    const OwnedMemory memory = make_memory(gpu().driver, number % scenario.gpus, std::size_t{20} << 20);
    Bytes values(4, static_cast<char>(number + 1));
    put(gpu().driver, memory.get(), values);
    void* buffer = reinterpret_cast<void*>(memory.get());  // NOLINT
    const Outcome outcome = rank.allreduce().perform(
        {.input = buffer, .output = buffer, .count = values.size(), .element = FoldElement::i8}, tally.message);
    get(gpu().driver, values, memory.get());
    tally.done += outcome == Outcome::done ? 1 : 0;
    tally.wrong += values == Bytes(4, static_cast<char>(scenario.ranks * (scenario.ranks + 1) / 2)) ? 0 : 1;
  }
}

/// Vectors that the leader has open, and keeps open, are freed as soon as their last call returns.
void freeing(int number, const Scenario& scenario, Rank& rank, Tally& tally) {
  const DeviceScope scope(gpu().driver, number % scenario.gpus);
  for (int round = 0; round < 6; ++round) {
    const OwnedMemory memory = make_memory(gpu().driver, number % scenario.gpus, 4096);
    void* buffer = reinterpret_cast<void*>(memory.get());  // NOLINT
    for (int call = 0; call < 4; ++call) {
      Bytes values(64, static_cast<char>(number + 1));
      put(gpu().driver, memory.get(), values);
      const Outcome outcome = rank.allreduce().perform(
          {.input = buffer, .output = buffer, .count = values.size(), .element = FoldElement::i8}, tally.message);
      tally.done += outcome == Outcome::done ? 1 : 0;
      if (number > 0 && call == 3) continue;
      get(gpu().driver, values, memory.get());
      tally.wrong += values == Bytes(64, static_cast<char>(scenario.ranks * (scenario.ranks + 1) / 2)) ? 0 : 1;
    }
  }
}

/// More elements than fit into 31 bits.
void huge(int number, const Scenario& scenario, Rank& rank, Tally& tally) {
  constexpr std::uint64_t kCount = (std::uint64_t{1} << 31) + 5;
  const Driver& driver = gpu().driver;
  const DeviceScope scope(driver, 0);
  const OwnedMemory memory = make_memory(driver, 0, kCount);
  driver.fill(memory.get(), static_cast<unsigned char>(number + 1), kCount);
  driver.synchronize();
  void* buffer = reinterpret_cast<void*>(memory.get());  // NOLINT
  const Outcome outcome = rank.allreduce().perform(
      {.input = buffer, .output = buffer, .count = kCount, .element = FoldElement::i8}, tally.message);
  tally.done += outcome == Outcome::done ? 1 : 0;
  for (const std::uint64_t at : {std::uint64_t{0}, kCount / 2, kCount - 6, kCount - 5, kCount - 1}) {
    Bytes value(1);
    get(driver, value, memory.get() + at);
    tally.wrong += value[0] == static_cast<char>(scenario.ranks * (scenario.ranks + 1) / 2) ? 0 : 1;
  }
}

/// Vectors of several calls: the leader would have more of them open than it may keep. It closes them, and most of the
/// GPU is free again.
void kept(int number, const Scenario& scenario, Rank& rank, const Exchange& exchange, Tally& tally) {
  const Driver& driver = gpu().driver;
  const DeviceScope scope(driver, 0);
  {
    const OwnedMemory memory = make_memory(driver, 0, std::size_t{20} << 20);
    for (int call = 0; call < 4; ++call) {
      void* buffer = reinterpret_cast<void*>(memory.get());  // NOLINT
      const Outcome outcome = rank.allreduce().perform(
          {.input = buffer, .output = buffer, .count = 4, .element = FoldElement::i8}, tally.message);
      tally.done += outcome == Outcome::done ? 1 : 0;
    }
  }
  std::vector<char> all(static_cast<std::size_t>(scenario.ranks));
  exchange(all.data(), all.data(), 1);  // after this, all ranks have freed their vectors
  if (number != 0) return;
  // The pieces are small, because the memory that is still open may be anywhere.
  std::vector<OwnedMemory> free;
  for (int piece = 0; piece < 22; ++piece) free.push_back(make_memory(driver, 0, std::size_t{4} << 20));
}

/// Calls that the MPI library answers without any exchange, for example on types without bytes: rank 0 goes on at once.
void ahead(Rank& rank, Tally& tally) {
  for (std::uint64_t call = 1; call <= 300; ++call) {
    rank.reduce(FoldOperation::sum, FoldElement::i32, 300, call, tally);
    for (int empty = 0; empty < 2; ++empty) rank.allreduce().pass();
  }
}

/// In every second call the vectors of one rank are on the host, and MPI's broadcast lets that rank go on at once: it
/// may be in its next call before the others are in this one.
void overtaking(Rank& rank, int number, int ranks, Tally& tally) {
  for (std::uint64_t call = 1; call <= 200; ++call) {
    if (number == static_cast<int>(call) % ranks) {
      rank.allreduce().pass();
      ++tally.through_mpi;
    } else {
      rank.reduce(FoldOperation::sum, FoldElement::i32, 70, call, tally);
    }
    rank.reduce(FoldOperation::sum, FoldElement::i32, 40 + call % 3, call, tally);
  }
}

/// Vectors without elements, at all ranks or at one of them only.
void nothing(Rank& rank, int number, Tally& tally) {
  for (const std::size_t count : {0, 70, 0, 0, 70, number == 1 ? 0 : 6, 70})
    rank.reduce(FoldOperation::sum, FoldElement::i32, count, count + 1, tally);
}

/// After an error, the output belongs to the program again: its content stays. Only rank 1 is late.
void abandoned(Rank& rank, int number, const Exchange& exchange, int ranks, Tally& tally) {
  for (std::uint64_t call = 1; call <= 12 && tally.failed + tally.through_mpi == 0; ++call)
    rank.reduce(FoldOperation::sum, FoldElement::i32, 300, call, tally);
  const bool failed = tally.failed > 0;
  if (failed) rank.mark();
  std::vector<int> all(static_cast<std::size_t>(ranks));
  exchange(&number, all.data(), sizeof number);  // after this, no rank is in a call
  if (failed && !rank.is_marked()) ++tally.wrong;
}

/// Two communicators at the same time, each in a thread of this rank.
void groups(const Scenario& scenario, int number, const Exchange& exchange, Tally& tally) {
  Rank first(scenario, number, exchange);
  Rank second(scenario, number, exchange);
  Tally other;
  std::thread beside([&] { several(second, other); });
  several(first, tally);
  beside.join();
  if (other.done != tally.done) ++tally.wrong;
  tally.wrong += other.wrong;
  tally.failed += other.failed;
}

int run_rank(const Scenario& scenario, int rank, const Exchange& exchange) {
  if (rank == scenario.faulty_rank && !scenario.fault.empty() && !scenario.threads)
    ::setenv("TOPOWISE_FAKE_FAULT", scenario.fault.c_str(), 1);
  if (scenario.name == "abandoned" && rank != 1 && !scenario.threads) ::unsetenv("TOPOWISE_FAKE_DELAY_US");
  Tally tally;
  {
    Rank self(scenario, rank, exchange);
    if (scenario.name == "everything") everything(self, tally);
    if (scenario.name == "long") {
      self.reduce(FoldOperation::sum, FoldElement::f32, 100, 1, tally);
      self.reduce(FoldOperation::sum, FoldElement::f32, 150'000, 2, tally);
    }
    if (scenario.name == "order") {
      order(self, std::string(algorithms()[*scenario.options.algorithm].name), tally);
      tally.message = fmt::format("{} in the order of the ranks", tally.in_order) + tally.message;
    }
    if (scenario.name == "collectives") collectives(self, scenario.ranks, tally);
    if (scenario.name == "two-gpus") two_gpus(scenario, rank, exchange, tally);
    if (scenario.name == "several") several(self, tally);
    if (scenario.name == "groups") groups(scenario, rank, exchange, tally);
    if (scenario.name == "mixed") mixed(self, rank, exchange, scenario.ranks, tally);
    if (scenario.name == "passing") passing(rank, scenario, self, tally);
    if (scenario.name == "freeing") freeing(rank, scenario, self, tally);
    if (scenario.name == "huge") huge(rank, scenario, self, tally);
    if (scenario.name == "kept") kept(rank, scenario, self, exchange, tally);
    if (scenario.name == "ahead") ahead(self, tally);
    if (scenario.name == "overtaking") overtaking(self, rank, scenario.ranks, tally);
    if (scenario.name == "nothing") nothing(self, rank, tally);
    if (scenario.name == "abandoned") abandoned(self, rank, exchange, scenario.ranks, tally);
    if (scenario.name == "mismatch") self.reduce(FoldOperation::sum, FoldElement::i32, rank == 1 ? 5 : 6, 1, tally);
    std::string used;
    for (std::size_t i = 0; i < self.allreduce().counts().size(); ++i) {
      if (self.allreduce().counts()[i] > 0)
        used += fmt::format(" {} {}", algorithms()[i].name, self.allreduce().counts()[i]);
    }
    fmt::print("rank {}: done {}, through MPI {}, failed {}, wrong {};{}{}{}\n", rank, tally.done, tally.through_mpi,
               tally.failed, tally.wrong, used, tally.message.empty() ? "" : " | ", tally.message);
  }
  Collectives::sweep(true);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  Scenario scenario{.name = arguments[1], .ranks = std::atoi(arguments[2]), .gpus = std::atoi(arguments[3])};
  if (scenario.name == "long") scenario.options.scratch_piece = 65536;
  const std::string algorithm = arguments[4];
  if (algorithm != "auto") scenario.options.algorithm = find_algorithm(algorithm);
  if (count > 6) {
    scenario.fault = arguments[5];
    scenario.faulty_rank = std::atoi(arguments[6]);
  }
  scenario.threads = count > 7 && std::string(arguments[7]) == "threads";
  if (scenario.threads && !scenario.fault.empty()) ::setenv("TOPOWISE_FAKE_FAULT", scenario.fault.c_str(), 1);
  const RankBody body = [&](int rank, const Exchange& exchange) { return run_rank(scenario, rank, exchange); };
  const std::vector<int> statuses =
      scenario.threads ? run_threads(scenario.ranks, body) : run_forked(scenario.ranks, body);
  fmt::print("statuses {}\n", fmt::join(statuses, " "));
  return 0;
}
