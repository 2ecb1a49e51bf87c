// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/plan/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include <topowise/base/random.hpp>

namespace topowise::collective {
namespace {

constexpr std::uint64_t kLevels = 64;
using Vector = std::vector<std::uint64_t>;

/// Something that a stream or the processor will do.
struct Task {
  Step step;
  std::size_t next = 0;       ///< element
  std::uint64_t awaited = 0;  ///< of Action::await: how often the event had been recorded, and by whom last
  int recorder = 0;
};

struct Event {
  std::uint64_t recorded = 0;
  int recorder = 0;
  std::map<int, std::uint64_t> reached;  ///< by recorder: its latest record that its stream has come to
};

struct Member {
  std::size_t position = 0;  ///< in the agreement and the steps behind it
  int repetition = 1;
  bool done = false;
  unsigned pace = 1;  ///< how often it is its turn
  std::array<std::uint64_t, kFlags> flags{};
  std::deque<Task> stream;
  std::deque<Task> processor;  ///< one task at most; the program waits for it
};

enum class Turn : std::uint8_t { program, stream, processor };

class Simulation {
 public:
  Simulation(const Plan& plan, const SimulationOptions& options)
      : plan_(plan),
        options_(options),
        elements_(static_cast<std::size_t>(std::max(plan.ranks, 2))),  // an access can be half done; a slice has one
        random_(options.seed),
        members_(static_cast<std::size_t>(plan.ranks)) {
    for (int rank = 0; rank < plan_.ranks; ++rank) begin(rank);
  }

  std::string run() {
    while (wrong_.empty()) {
      const std::vector<std::pair<int, Turn>> turns = possible_turns();
      if (turns.empty()) return outcome();
      unsigned total = 0;
      for (const auto& [rank, turn] : turns) total += member(rank).pace;
      unsigned drawn = random_.below(total);
      std::size_t chosen = 0;
      for (; drawn >= member(turns[chosen].first).pace; ++chosen) drawn -= member(turns[chosen].first).pace;
      const auto [rank, turn] = turns[chosen];
      if (turn == Turn::program)
        do_step(rank);
      else
        do_work(rank, turn == Turn::stream ? member(rank).stream : member(rank).processor);
    }
    return wrong_;
  }

 private:
  Member& member(int rank) { return members_[static_cast<std::size_t>(rank)]; }
  const std::vector<Step>& agreement_of(int rank) const { return plan_.agreement[static_cast<std::size_t>(rank)]; }
  const std::vector<Step>& steps_of(int rank) const { return plan_.steps[static_cast<std::size_t>(rank)]; }

  const Step& step_of(int rank) {
    const std::size_t agreed = agreement_of(rank).size();
    const std::size_t at = member(rank).position;
    return at < agreed ? agreement_of(rank)[at] : steps_of(rank)[at - agreed];
  }
  std::vector<std::pair<int, Turn>> possible_turns() {
    std::vector<std::pair<int, Turn>> turns;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      if (random_.below(16) == 0) member(rank).pace = random_.below(2) == 0 ? 64 : 1;  // so that some lag far behind
      if (can_step(rank)) turns.emplace_back(rank, Turn::program);
      if (can_work(rank)) turns.emplace_back(rank, Turn::stream);
      if (!member(rank).processor.empty()) turns.emplace_back(rank, Turn::processor);
    }
    return turns;
  }

  [[nodiscard]] static std::uint64_t flag_value(const Step& step, int repetition) {
    return static_cast<std::uint64_t>(repetition - step.age) * kLevels + static_cast<std::uint64_t>(step.level);
  }
  /// The agreement's flags count calls, but any growing number does.
  bool is_set(int rank, const Step& step) {
    return member(step.peer).flags[static_cast<std::size_t>(step.flag)] >= flag_value(step, member(rank).repetition);
  }

  Vector& memory(const Region& region) {
    Vector& found = memory_[{static_cast<int>(region.store), region.owner, region.part}];
    found.resize(elements_);
    return found;
  }
  static std::uint64_t contribution(int rank, int repetition, std::size_t element) {
    return ((static_cast<std::uint64_t>(repetition) * 64 + static_cast<std::uint64_t>(rank)) * 64 + element) *
           0x9e3779b97f4a7c15ULL;
  }

  /// A new vector to be reduced.
  void begin(int rank) {
    Member& self = member(rank);
    const bool new_call = (self.repetition - 1) % options_.pieces == 0;
    self.position = new_call ? 0 : agreement_of(rank).size();
    for (std::size_t i = 0; i < elements_; ++i)
      memory({Store::input, rank})[i] = contribution(rank, self.repetition, i);
  }

  /// The result is there, and the buffers belong to the program again.
  void end(int rank) {
    Member& self = member(rank);
    for (std::size_t i = 0; i < elements_; ++i) {
      std::uint64_t sum = 0;
      for (int other = 0; other < plan_.ranks; ++other) sum += contribution(other, self.repetition, i);
      if (memory({Store::output, rank})[i] != sum)
        wrong_ = fmt::format("rank {}, repetition {}: wrong result", rank, self.repetition);
    }
    if (!self.stream.empty() || !self.processor.empty())
      wrong_ = fmt::format("rank {} goes on before its copies have ended", rank);
    for (const Store store : {Store::input, Store::output}) std::ranges::fill(memory({store, rank}), 0xdb);
    self.done = ++self.repetition > options_.repetitions;
    if (!self.done) begin(rank);
  }

  bool can_step(int rank) {
    if (member(rank).done || !member(rank).processor.empty()) return false;
    const Step& step = step_of(rank);
    if (step.action == Action::wait) return is_set(rank, step);
    return step.action != Action::synchronize || member(rank).stream.empty();
  }
  static bool on_processor(const Step& step) {
    return step.action == Action::reduce && step.to.front().store == Store::staging;
  }

  void do_step(int rank) {
    Member& self = member(rank);
    const Step& step = step_of(rank);
    switch (step.action) {
      case Action::copy:
      case Action::reduce:
        (on_processor(step) ? self.processor : self.stream).push_back({.step = step});
        break;
      case Action::record: {
        Event& event = events_[step.peer];
        event.recorder = rank;
        self.stream.push_back({.step = step, .awaited = ++event.recorded, .recorder = rank});
        break;
      }
      case Action::await: {
        const Event& event = events_[step.peer];
        self.stream.push_back({.step = step, .awaited = event.recorded, .recorder = event.recorder});
        break;
      }
      case Action::signal:
        self.flags[static_cast<std::size_t>(step.flag)] = flag_value(step, self.repetition);
        break;
      case Action::synchronize:
      case Action::wait:
        break;
    }
    if (++self.position == agreement_of(rank).size() + steps_of(rank).size()) end(rank);
  }

  bool can_work(int rank) {
    if (member(rank).stream.empty()) return false;
    const Task& task = member(rank).stream.front();
    return task.step.action != Action::await || task.awaited == 0 ||
           events_[task.step.peer].reached[task.recorder] >= task.awaited;
  }

  /// One element of the stream's first task.
  void do_work(int rank, std::deque<Task>& tasks) {
    Task& task = tasks.front();
    if (task.step.action == Action::record) events_[task.step.peer].reached[rank] = task.awaited;
    if (task.step.action == Action::record || task.step.action == Action::await) return tasks.pop_front();
    const auto slices = static_cast<std::size_t>(task.step.slice.of);
    if (task.next * slices / elements_ == static_cast<std::size_t>(task.step.slice.index)) {
      std::uint64_t sum = 0;
      for (const Region& from : task.step.from) sum += memory(from)[task.next];
      for (const Region& to : task.step.to) memory(to)[task.next] = sum;
    }
    if (++task.next == elements_) tasks.pop_front();
  }

  std::string outcome() {
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      if (!member(rank).done)
        return fmt::format("all wait: rank {}, repetition {}, {}", rank, member(rank).repetition,
                           describe(step_of(rank), rank));
    }
    return {};
  }

  const Plan& plan_;
  SimulationOptions options_;
  std::size_t elements_;
  Random random_;
  std::vector<Member> members_;
  std::map<std::tuple<int, int, int>, Vector> memory_;
  std::map<int, Event> events_;
  std::string wrong_;
};

}  // namespace

std::string simulate(const Plan& plan, const SimulationOptions& options) {
  return Simulation(plan, options).run();
}

std::string simulate_many(const Plan& plan, int runs, std::uint64_t seed) {
  for (int run = 0; run < runs; ++run) {
    const SimulationOptions options{.repetitions = 3 + run % 2,
                                    .pieces = plan.in_one_piece() ? 1 : 1 + run % 3,
                                    .seed = seed * 1000003 + static_cast<std::uint64_t>(run)};
    if (std::string wrong = simulate(plan, options); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace topowise::collective
