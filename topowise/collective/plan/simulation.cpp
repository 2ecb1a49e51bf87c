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

using Vector = std::vector<std::uint64_t>;

/// Something that a stream or the processor will do.
struct Task {
  Step step;
  int repetition = 0;
  std::size_t next = 0;       ///< element
  std::uint64_t awaited = 0;  ///< for Action::await: how often the event had been recorded, and by whom last
  int recorder = 0;
};

struct Event {
  std::uint64_t recorded = 0;
  int recorder = 0;
  std::map<int, std::uint64_t> reached;  ///< by recorder: the latest record that its stream has come to
};

struct Member {
  std::size_t position = 0;  ///< in the agreement and the steps behind it
  int repetition = 1;
  bool done = false;
  unsigned pace = 1;  ///< how often the rank gets a turn
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
        elements_(elements_of(plan)),
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
  /// Enough that each rank and each slice of a step has one; at least two, because an access can be half done.
  static std::size_t elements_of(const Plan& plan) {
    int elements = std::max(plan.ranks, 2);
    for (const std::vector<Step>& steps : plan.steps)
      for (const Step& step : steps) elements = std::max(elements, step.slice.of);
    return static_cast<std::size_t>(elements);
  }
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
    return static_cast<std::uint64_t>(repetition - step.age) * kFlagLevels + static_cast<std::uint64_t>(step.level);
  }
  /// The agreement's flags count calls, but any growing number does.
  bool is_set(int rank, const Step& step) {
    return member(step.peer).flags[static_cast<std::size_t>(step.flag)] >= flag_value(step, member(rank).repetition);
  }

  // All pieces of the program's vectors are there when a call begins; a plan's own memory holds one piece.

  Vector& memory(const Region& region, int piece) {
    const bool whole = region.store == Store::input || region.store == Store::output;
    Vector& found = memory_[{static_cast<int>(region.store), region.owner, region.part, whole ? piece : 0}];
    found.resize(elements_);
    return found;
  }
  [[nodiscard]] int first_of_call(int repetition) const { return repetition - (repetition - 1) % options_.pieces; }
  [[nodiscard]] int end_of_call(int repetition) const {
    return std::min(first_of_call(repetition) + options_.pieces, options_.repetitions + 1);
  }
  /// Rank -1 stands for the other nodes.
  static std::uint64_t contribution(int rank, int repetition, std::size_t element) {
    return ((static_cast<std::uint64_t>(repetition) * 64 + static_cast<std::uint64_t>(rank)) * 64 + element) *
           0x9e3779b97f4a7c15ULL;
  }
  [[nodiscard]] int share_of(std::size_t element) const {
    return static_cast<int>(element * static_cast<std::size_t>(plan_.ranks) / elements_);
  }
  [[nodiscard]] bool exists_in(bool shares, int rank, std::size_t element) const {
    return !shares || share_of(element) == rank;
  }

  /// Begins a repetition; fills the inputs if a call begins with it.
  void begin(int rank) {
    Member& self = member(rank);
    const bool new_call = first_of_call(self.repetition) == self.repetition;
    self.position = new_call ? 0 : agreement_of(rank).size();
    if (!new_call || !has_input(plan_.collective, plan_.root, rank)) return;
    for (int repetition = self.repetition; repetition < end_of_call(self.repetition); ++repetition) {
      for (std::size_t i = 0; i < elements_; ++i)
        if (exists_in(shares_inputs(plan_.collective), rank, i))
          memory({Store::input, rank}, repetition)[i] = contribution(rank, repetition, i);
    }
  }

  [[nodiscard]] std::uint64_t expected(int repetition, std::size_t element) const {
    if (plan_.collective == Collective::broadcast) return contribution(plan_.root, repetition, element);
    if (plan_.collective == Collective::allgather) return contribution(share_of(element), repetition, element);
    std::uint64_t sum = plan_.nodes > 1 ? contribution(-1, repetition, element) : 0;
    for (int rank = 0; rank < plan_.ranks; ++rank) sum += contribution(rank, repetition, element);
    return sum;
  }

  /// Checks the results, which are there, and gives the buffers back to the program, which overwrites them.
  void end_call(int rank, int last) {
    for (int repetition = first_of_call(last); repetition <= last; ++repetition) {
      for (std::size_t i = 0; i < elements_; ++i) {
        const bool is_there =
            has_output(plan_.collective, plan_.root, rank) && exists_in(shares_outputs(plan_.collective), rank, i);
        if (is_there && memory({Store::output, rank}, repetition)[i] != expected(repetition, i))
          wrong_ = fmt::format("rank {}, repetition {}: wrong result", rank, repetition);
      }
      for (const Store store : {Store::input, Store::output})
        std::ranges::fill(memory({store, rank}, repetition), 0xdb);
    }
    if (!member(rank).stream.empty() || !member(rank).processor.empty())
      wrong_ = fmt::format("rank {} goes on before its copies have ended", rank);
  }

  void end(int rank) {
    Member& self = member(rank);
    const int ended = self.repetition++;
    if (self.repetition == end_of_call(ended)) end_call(rank, ended);
    self.done = self.repetition > options_.repetitions;
    if (!self.done) begin(rank);
  }

  bool can_step(int rank) {
    if (member(rank).done || !member(rank).processor.empty()) return false;
    const Step& step = step_of(rank);
    if (step.action == Action::wait) return is_set(rank, step);
    return step.action != Action::synchronize || member(rank).stream.empty();
  }
  static bool on_processor(const Step& step) {
    return step.action == Action::across || (step.action == Action::reduce && step.to.front().store == Store::staging);
  }

  void do_step(int rank) {
    Member& self = member(rank);
    const Step& step = step_of(rank);
    switch (step.action) {
      case Action::copy:
      case Action::reduce:
      case Action::across:
        (on_processor(step) ? self.processor : self.stream).push_back({.step = step, .repetition = self.repetition});
        break;
      case Action::record: {
        Event& event = events_[step.peer];
        event.recorder = rank;
        self.stream.push_back(
            {.step = step, .repetition = self.repetition, .awaited = ++event.recorded, .recorder = rank});
        break;
      }
      case Action::await: {
        const Event& event = events_[step.peer];
        self.stream.push_back(
            {.step = step, .repetition = self.repetition, .awaited = event.recorded, .recorder = event.recorder});
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

  /// Does one element of the first of `tasks`.
  void do_work(int rank, std::deque<Task>& tasks) {
    Task& task = tasks.front();
    if (task.step.action == Action::record) events_[task.step.peer].reached[rank] = task.awaited;
    if (task.step.action == Action::record || task.step.action == Action::await) return tasks.pop_front();
    const auto slices = static_cast<std::size_t>(task.step.slice.of);
    if (task.next * slices / elements_ == static_cast<std::size_t>(task.step.slice.index)) {
      std::uint64_t sum = task.step.action == Action::across ? contribution(-1, task.repetition, task.next) : 0;
      for (const Region& from : task.step.from) sum += memory(from, task.repetition)[task.next];
      for (const Region& to : task.step.to) memory(to, task.repetition)[task.next] = sum;
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
  std::map<std::tuple<int, int, int, int>, Vector> memory_;
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
