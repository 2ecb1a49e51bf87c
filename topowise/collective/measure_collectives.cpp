// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/measure_collectives.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include <topowise/base/descriptor.hpp>
#include <topowise/collective/collectives.hpp>
#include <topowise/collective/node/forked_ranks.hpp>
#include <topowise/device/scope.hpp>

namespace topowise::collective {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What ranks tell each other of one size (Told), and what rank 0 tells the parent (Line, Reason, Device).
struct Told {
  double seconds = 0;
  int right = 0;
  int used = 0;
};
struct Line {
  double mean = 0, least = 0, most = 0;
  int right = 0;
  int used = 0;
};
using Reason = std::array<char, 200>;
struct Device {
  std::array<char, 128> name{};
  std::array<char, 256> machine{};
  int gpus = 0;
  double memory = 0;
};

/// Measures one algorithm at one rank.
class Measuring {
 public:
  Measuring(const MeasureOptions& options, std::size_t algorithm, int rank, int device, const Exchange& exchange)
      : options_(options),
        algorithm_(algorithm),
        exchange_(exchange),
        scope_(gpu().driver, device),
        rank_(rank),
        input_(device::make_memory(gpu().driver, device, input_bytes(options.sizes.back()))),
        output_(device::make_memory(gpu().driver, device, output_bytes(options.sizes.back()))) {
    std::vector<float> values(input_bytes(options.sizes.back()) / sizeof(float));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i, rank);
    gpu().driver.copy_to_device(input_.get(), values.data(), values.size() * sizeof(float));
    gpu().driver.synchronize();
    meet(Told{});
    const Clock::time_point begin = Clock::now();
    CollectiveOptions choice;
    choice.algorithm = algorithm;
    allreduce_ = std::make_unique<Collectives>(rank, options.ranks, choice, exchange);
    std::string message;
    const bool done = reduce(options.sizes.front(), message);
    initialisation_ = together({seconds_since(begin), 1, done ? 1 : 0});
    if (message.empty() && algorithms()[algorithm].kernels) message = gpu().lack_of_kernels;
    keep_first_reason(message);
  }

  [[nodiscard]] const Line& initialisation() const { return initialisation_; }
  /// Why the algorithm is not used, by the first rank that knows; empty if none does.
  [[nodiscard]] const Reason& why_not() const { return why_not_; }

  Line time(std::size_t bytes) {
    spoil(bytes);
    std::string message;
    bool used = reduce(bytes, message);
    const bool right = is_right(bytes);
    for (int call = 1; call < options_.warm_up; ++call) used = reduce(bytes, message) && used;
    double seconds = 0;
    for (int call = 0; call < options_.repetitions; ++call) {
      if (call + 1 == options_.repetitions) spoil(bytes);
      meet(Told{});
      const Clock::time_point begin = Clock::now();
      used = reduce(bytes, message) && used;
      seconds += seconds_since(begin);
    }
    return together({seconds / options_.repetitions, right && is_right(bytes) ? 1 : 0, used ? 1 : 0});
  }

 private:
  /// Overwrites the output: what an earlier call or algorithm left there must not be taken for a result.
  void spoil(std::size_t bytes) const {
    gpu().driver.fill(output_.get(), 0xff, output_bytes(bytes));
    gpu().driver.synchronize();
  }
  /// Reduces once; false if another algorithm took the place of this one, with a message if this rank knows why.
  bool reduce(std::size_t bytes, std::string& message) {
    const auto pointer = [](device::Address address) { return reinterpret_cast<void*>(address); };  // NOLINT
    const std::uint64_t before = allreduce_->counts()[algorithm_];
    message.clear();
    const bool in = has_input(options_.collective, 0, rank_);
    const bool out = has_output(options_.collective, 0, rank_);
    const Outcome outcome = allreduce_->perform({.input = in ? pointer(input_.get()) : nullptr,
                                                 .output = out ? pointer(output_.get()) : nullptr,
                                                 .count = bytes / sizeof(float),
                                                 .operation = device::FoldOperation::sum,
                                                 .element = device::FoldElement::f32,
                                                 .collective = options_.collective},
                                                message);
    if (outcome == Outcome::failed) throw not_available(message);
    return allreduce_->counts()[algorithm_] > before;
  }

  [[nodiscard]] bool is_right(std::size_t bytes) const {
    if (!has_output(options_.collective, 0, rank_)) return true;
    std::vector<float> values(output_bytes(bytes) / sizeof(float));
    gpu().driver.copy_to_host(values.data(), output_.get(), values.size() * sizeof(float));
    gpu().driver.synchronize();
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != expected(i, bytes / sizeof(float))) return false;
    return true;
  }

  static float value_of(std::size_t i, int rank) { return static_cast<float>(i % 5) + static_cast<float>(rank); }
  /// What element i of this rank's output must be; `count`: elements of a vector or a share.
  [[nodiscard]] float expected(std::size_t i, std::size_t count) const {
    if (options_.collective == Collective::broadcast) return value_of(i, 0);
    if (shares_inputs(options_.collective)) return value_of(i % count, static_cast<int>(i / count));
    const std::size_t at = i + (shares_outputs(options_.collective) ? static_cast<std::size_t>(rank_) * count : 0);
    const int ranks = options_.ranks;
    return static_cast<float>(static_cast<int>(at % 5) * ranks + ranks * (ranks - 1) / 2);
  }
  [[nodiscard]] std::size_t input_bytes(std::size_t bytes) const {
    return bytes * static_cast<std::size_t>(shares_outputs(options_.collective) ? options_.ranks : 1);
  }
  [[nodiscard]] std::size_t output_bytes(std::size_t bytes) const {
    return bytes * static_cast<std::size_t>(shares_inputs(options_.collective) ? options_.ranks : 1);
  }

  std::vector<Told> meet(const Told& mine) const {
    std::vector<Told> all(static_cast<std::size_t>(options_.ranks));
    exchange_(&mine, all.data(), sizeof mine);
    return all;
  }
  [[nodiscard]] Line together(const Told& mine) const {
    Line line{.least = mine.seconds, .right = 1, .used = 1};
    for (const Told& one : meet(mine)) {
      line.mean += one.seconds / options_.ranks;
      line.least = std::min(line.least, one.seconds);
      line.most = std::max(line.most, one.seconds);
      line.right = std::min(line.right, one.right);
      line.used = std::min(line.used, one.used);
    }
    return line;
  }

  void keep_first_reason(const std::string& mine) {
    Reason reason{};
    mine.copy(reason.data(), reason.size() - 1);
    std::vector<Reason> all(static_cast<std::size_t>(options_.ranks));
    exchange_(&reason, all.data(), sizeof reason);
    const auto known = std::ranges::find_if(all, [](const Reason& one) { return one[0] != '\0'; });
    if (known != all.end()) why_not_ = *known;
  }

  const MeasureOptions& options_;
  std::size_t algorithm_;
  const Exchange& exchange_;
  device::DeviceScope scope_;
  int rank_;
  device::OwnedMemory input_, output_;
  std::unique_ptr<Collectives> allreduce_;
  Line initialisation_;
  Reason why_not_{};
};

template <class Content>
void send(int pipe, const Content& content) {
  if (::write(pipe, &content, sizeof content) != static_cast<ssize_t>(sizeof content))
    throw not_available("the result cannot be told");
}
template <class Content>
Content receive(int pipe) {
  Content content{};
  if (::read(pipe, &content, sizeof content) != static_cast<ssize_t>(sizeof content))
    throw not_available("a process of the measurement has ended early", "what it said stands above");
  return content;
}

/// Bytes that a copy reads and writes in a second, in memory of the selected device.
double memory_rate() {
  constexpr std::size_t kBytes = std::size_t{128} << 20;  // more than caches hold
  constexpr int kCopies = 20;
  const device::Driver& driver = gpu().driver;
  const device::OwnedMemory from = device::make_memory(driver, driver.selected(), kBytes);
  const device::OwnedMemory to = device::make_memory(driver, driver.selected(), kBytes);
  driver.fill(from.get(), 0, kBytes);
  driver.copy(to.get(), from.get(), kBytes);
  driver.synchronize();
  const Clock::time_point begin = Clock::now();
  for (int copy = 0; copy < kCopies; ++copy) driver.copy(to.get(), from.get(), kBytes);
  driver.synchronize();
  return 2.0 * static_cast<double>(kBytes) * kCopies / seconds_since(begin);
}

/// Rank 0 calls it before the others have anything on the GPU.
Device describe(const MeasureOptions& options) {
  const std::vector<device::Device>& devices = gpu().driver.devices();
  const int visible = static_cast<int>(devices.size());
  Device told{.gpus = options.gpus > 0 ? std::min(options.gpus, visible) : visible};
  machine_of(gpu().driver).copy(told.machine.data(), told.machine.size() - 1);
  devices.front().name.copy(told.name.data(), told.name.size() - 1);
  if (devices.front().name.starts_with("SIMULATED")) return told;
  const device::DeviceScope scope(gpu().driver, 0);
  told.memory = memory_rate();
  return told;
}

int be_measured(const MeasureOptions& options, int rank, const Exchange& exchange, int pipe) {
  if (gpu().driver.devices().empty()) throw not_available("no GPU is visible");
  Device first;
  if (rank == 0) first = describe(options);
  std::vector<Device> all(static_cast<std::size_t>(options.ranks));
  exchange(&first, all.data(), sizeof first);
  const Device& told = all.front();
  if (rank == 0) send(pipe, told);
  for (const std::size_t algorithm : options.algorithms) {
    Measuring measuring(options, algorithm, rank, rank % told.gpus, exchange);
    if (rank == 0) send(pipe, measuring.initialisation());
    if (rank == 0) send(pipe, measuring.why_not());
    if (measuring.initialisation().used == 0) continue;
    for (const std::size_t bytes : options.sizes) {
      const Line line = measuring.time(bytes);
      if (rank == 0) send(pipe, line);
    }
  }
  Collectives::sweep(true);
  return 0;
}

Measurement read_measurement(const MeasureOptions& options, int pipe) {
  const auto device = receive<Device>(pipe);
  Measurement all{.device = device.name.data(),
                  .machine = device.machine.data(),
                  .gpus = device.gpus,
                  .memory = BytesPerSecond(device.memory)};
  for (const std::size_t algorithm : options.algorithms) {
    const auto initialisation = receive<Line>(pipe);
    const auto reason = receive<Reason>(pipe);
    AlgorithmTimes& times = all.algorithms.emplace_back();
    times.algorithm = algorithm;
    times.used = initialisation.used != 0;
    if (!times.used) times.why_not = reason.data();
    times.initialisation = Seconds(initialisation.most);
    for (const std::size_t bytes : options.sizes) {
      if (!times.used) break;
      const auto line = receive<Line>(pipe);
      times.timings.push_back({.bytes = bytes,
                               .mean = Seconds(line.mean),
                               .least = Seconds(line.least),
                               .most = Seconds(line.most),
                               .right = line.right != 0 && line.used != 0});
    }
  }
  return all;
}

}  // namespace

double least_bytes(Collective collective, int ranks, int gpus, double bytes) {
  const int here = (ranks + gpus - 1) / gpus;
  const auto with = [&](double inputs, double outputs) { return (inputs + outputs) * bytes; };
  switch (collective) {
    case Collective::allreduce:
      return with(here, here);
    case Collective::reduce:
      return with(here, 1);
    case Collective::broadcast:
      return with(1, here - 1);
    case Collective::allgather:
      return with(here, static_cast<double>(here) * ranks);
    case Collective::reduce_scatter:
      return with(static_cast<double>(here) * ranks, here);
  }
  return 0;
}

std::optional<double> share_of_memory_bound(const Measurement& measured, const MeasureOptions& options,
                                            const SizeTimes& times) {
  if (!(measured.memory.value() > 0) || !(times.mean.value() > 0)) return std::nullopt;
  const double least = least_bytes(options.collective, options.ranks, measured.gpus, static_cast<double>(times.bytes));
  return least / measured.memory.value() / times.mean.value();
}

Measurement measure_collective(const MeasureOptions& options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw not_available("no pipe");
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  // The pipe holds what rank 0 writes: a few kilobytes.
  constexpr std::size_t kMostExchanged = 4096;
  std::string why;
  const std::vector<int> statuses = run_forked(
      options.ranks,
      [&](int rank, const Exchange& exchange) { return be_measured(options, rank, exchange, in.number()); },
      kMostExchanged, &why);
  in.close();
  for (const int status : statuses) {
    if (status == 0) continue;
    if (why.empty()) why = fmt::format("a process of the measurement ended with status {}", status);
    throw not_available(why, "'topowise doctor' prints what is missing");
  }
  return read_measurement(options, out.number());
}

}  // namespace topowise::collective
