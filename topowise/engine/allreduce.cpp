// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <new>

#include <topowise/collective/collectives.hpp>
#include <topowise/collective/node/node_group.hpp>
#include <topowise/collective/plugin_interface.hpp>
#include <topowise/collective/tuning.hpp>
#include <topowise/device/scope.hpp>

namespace topowise::collective::plugin_interface {
namespace {

void write(Message* message, std::string_view text) {
  const std::size_t length = std::min(text.size(), message->size() - 1);
  std::copy_n(text.data(), length, message->data());
  (*message)[length] = '\0';
}

/// How many calls of a function of MPI each algorithm has done in this process.
constexpr std::size_t kMostAlgorithms = 8;
using Calls = std::array<std::atomic<std::uint64_t>, kMostAlgorithms>;
Calls& calls(std::int32_t function) {
  static std::array<Calls, kMostFunctions> all{};
  return all.at(static_cast<std::size_t>(function));
}

std::int32_t collective(const char* name) {
  const auto found = find_collective(name);
  return found ? static_cast<std::int32_t>(*found) : -1;
}

std::int32_t operation(const char* name) {
  const auto found = device::fold_operation(name);
  return found ? static_cast<std::int32_t>(*found) : -1;
}

std::int32_t element(const char* name) {
  const auto found = device::fold_element(name);
  return found ? static_cast<std::int32_t>(*found) : -1;
}

std::size_t element_size(std::int32_t element) {
  return device::size_of(static_cast<device::FoldElement>(element));
}

bool can_reduce(std::int32_t operation, std::int32_t element) {
  return device::host_fold(static_cast<device::FoldOperation>(operation), static_cast<device::FoldElement>(element)) !=
         nullptr;
}

void check(int status, const char* what) {
  if (status != 0) throw not_available(what);
}

/// MPI has failed, as far as this rank knows at no other one.
class FailedAlone : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "MPI cannot bring the ranks together"; }
};

Across across_nodes(const Meeting& meeting, int nodes) {
  void* context = meeting.context;
  const AcrossNodes functions = meeting.across;
  return {.nodes = nodes,
          .bitwise_and =
              [=](Across::Words& words) {
                check(functions.bitwise_and(context, words.data(), sizeof words), "MPI fails between nodes");
              },
          .reduce =
              [=](void* vector, const CollectiveCall& piece) {
                check(functions.reduce(context, vector, piece.count), "MPI_Allreduce fails between nodes");
              }};
}

/// Tells all ranks why one of them cannot take part; empty if all can.
std::string obstacle_of_any(const std::string& mine, int size, const Exchange& exchange) {
  using Text = std::array<char, 120>;
  Text text{};
  mine.copy(text.data(), text.size() - 1);
  std::vector<Text> all(static_cast<std::size_t>(size));
  exchange(&text, all.data(), sizeof text);
  for (const Text& one : all)
    if (one[0] != '\0') return one.data();
  return {};
}

std::unique_ptr<Collectives> meet(const Meeting& meeting) {
  CollectiveOptions options;
  options.tuning = tuning_of_this_machine;
  if (meeting.progress != nullptr)
    options.progress = [progress = meeting.progress, context = meeting.context] { progress(context); };
  if (std::string_view(meeting.algorithm) != "auto") options.algorithm = find_algorithm(meeting.algorithm);
  const Exchange exchange = [&meeting](const void* mine, void* all, std::size_t bytes) {
    if (meeting.gather(meeting.context, mine, all, bytes) != 0) throw FailedAlone();
  };
  const NodeGroup group = group_by_node(meeting.rank, meeting.size, exchange);
  const Exchange in_group = exchange_in(group, meeting.size, exchange);
  if (group.nodes == 1) return std::make_unique<Collectives>(group.rank, group.size(), options, in_group);
  if (group.most_members == 1) throw not_available("each of its ranks is on a node of its own");
  std::unique_ptr<Collectives> made;
  std::string why;
  try {
    made =
        std::make_unique<Collectives>(group.rank, group.size(), options, in_group, across_nodes(meeting, group.nodes));
  } catch (const Error& error) {
    why = error.what();
  }
  if (why = obstacle_of_any(why, meeting.size, exchange); !why.empty()) throw not_available(why);
  if (meeting.across.lead(meeting.context, group.rank == 0) != 0) throw FailedAlone();
  return made;
}

void* open(const Meeting* meeting, Message* message, bool* alone) {
  *alone = false;
  try {
    return meet(*meeting).release();
  } catch (const Error& error) {
    write(message, error.what());
  } catch (const std::bad_alloc&) {
    write(message, "no memory is left");
    *alone = true;
  } catch (const std::exception& error) {
    write(message, error.what());
    *alone = true;
  }
  return nullptr;
}

void pass(void* ranks) {
  static_cast<Collectives*>(ranks)->pass();
}

void spoil(void* ranks) {
  static_cast<Collectives*>(ranks)->spoil();
}

bool is_spoiled(void* ranks) {
  return static_cast<Collectives*>(ranks)->is_spoiled();
}

Answer reduce(void* ranks, const Vector* vector, Message* message) {
  auto* allreduce = static_cast<Collectives*>(ranks);
  std::array<std::uint64_t, kMostAlgorithms> before{};
  std::ranges::copy(allreduce->counts(), before.begin());
  std::string why;
  const Outcome outcome = allreduce->perform({.input = vector->input,
                                              .output = vector->output,
                                              .count = vector->count,
                                              .operation = static_cast<device::FoldOperation>(vector->operation),
                                              .element = static_cast<device::FoldElement>(vector->element),
                                              .collective = static_cast<Collective>(vector->collective),
                                              .root = vector->root},
                                             why);
  write(message, why);
  for (std::size_t i = 0; i < allreduce->counts().size(); ++i)
    calls(vector->function).at(i) += allreduce->counts()[i] - before.at(i);
  switch (outcome) {
    case Outcome::done:
      return Answer::done;
    case Outcome::through_mpi:
      return Answer::through_mpi;
    case Outcome::failed:
      break;
  }
  return Answer::failed;
}

void close(void* ranks) {
  delete static_cast<Collectives*>(ranks);
}

bool notice(void* ranks, Message* message) {
  const std::string text = static_cast<Collectives*>(ranks)->take_notice();
  write(message, text);
  return !text.empty();
}

/// Copies memory of any GPU, by the default stream of the calling thread, which also waits for what the program has
/// begun there.
template <class Copy>
bool copy_by(const void* on_gpu, Message* message, Copy copy) {
  try {
    const device::Driver& driver = gpu().driver;
    const device::DeviceScope scope(driver, std::max(0, driver.attributes(on_gpu).device));
    copy(driver);
    driver.synchronize_stream(nullptr);
    return true;
  } catch (const std::exception& error) {
    write(message, error.what());
    return false;
  }
}

bool copy_to_host(void* to, const void* from, std::size_t bytes, Message* message) {
  return copy_by(from, message, [&](const device::Driver& driver) {
    driver.copy_to_host(to, reinterpret_cast<device::Address>(from), bytes);
  });
}

bool copy_to_gpu(void* to, const void* from, const Run* runs, std::size_t count, Message* message) {
  const auto behind = [](const void* address, std::int64_t bytes) {
    return reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes);
  };
  const auto* first = reinterpret_cast<const void*>(behind(to, runs->first));  // NOLINT(performance-no-int-to-ptr)
  return copy_by(first, message, [&](const device::Driver& driver) {
    for (const Run* run = runs; run != runs + count; ++run) {
      const auto* part = reinterpret_cast<const void*>(behind(from, run->first));  // NOLINT(performance-no-int-to-ptr)
      driver.copy_to_device(behind(to, run->first), part, run->bytes);
    }
  });
}

void end() {
  Collectives::sweep(true);
  if (Gpu* const opened = opened_gpu()) opened->imports.close();
}

void report(std::int32_t function, Message* message) {
  const Gpu* const opened = opened_gpu();
  std::string text;
  for (std::size_t i = 0; i < algorithms().size(); ++i) {
    const std::uint64_t done = calls(function).at(i).load();
    if (done > 0) text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", done, algorithms()[i].name);
  }
  if (!text.empty() && opened != nullptr && !opened->lack_of_kernels.empty()) text += "; " + opened->lack_of_kernels;
  write(message, text);
}

constexpr Functions kFunctions{kVersion, collective,   operation,   element,    element_size, can_reduce,
                               open,     pass,         spoil,       is_spoiled, reduce,       close,
                               notice,   copy_to_host, copy_to_gpu, end,        report};

}  // namespace
}  // namespace topowise::collective::plugin_interface

/// The function that kFunction names. It throws nothing into the caller.
extern "C" __attribute__((visibility("default"))) const topowise::collective::plugin_interface::Functions*
topowise_allreduce_plugin(std::int32_t version) {
  using namespace topowise::collective::plugin_interface;
  return version == kVersion ? &kFunctions : nullptr;
}
