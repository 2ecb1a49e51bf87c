// SPDX-License-Identifier: BSD-3-Clause
// An MPI library whose ranks are threads under a scheduler (tests/fixtures/schedules.hpp): each call is a step, and
// something may go wrong in one of them. It knows what reordering calls (interpose/reordering/calls.hpp). It is the
// engine as well, which gives vertex v to process v + 1 or has no answer.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tests/fixtures/schedules.hpp>

#pragma GCC visibility push(default)
namespace topowise::stand_in {

/// What goes wrong, once in a job; in which step is a choice.
enum class Fault { none, error, death, no_memory };

struct Rules {
  Fault fault = Fault::none;
  bool fatal = true;         ///< error handlers end the job, else calls return
  bool synchronous = false;  ///< no rank leaves a collective, or a sending call, before the others have come
};

inline constexpr int kWorld = 0x44000000;
inline constexpr int kNull = 0x04000000;

class Job {
 public:
  Job(fixtures::Scheduler& scheduler, std::size_t ranks, const Rules& rules);

  /// The calling thread is this rank from now on, and its memory may end.
  void begin(int rank);
  /// It is no rank any more.
  static void end();

  /// What no MPI program may do: ranks are in different collectives. Empty: all went well.
  std::string violation;
  bool stuck = false;      ///< all ranks waited, for ever
  bool ended = false;      ///< by an error handler, or because it was stuck
  bool was_fault = false;  ///< something went wrong
  std::size_t edges = 0;   ///< of which the engine was told last

  [[nodiscard]] bool is_dead(std::size_t rank) const { return dead_[rank] != 0; }
  [[nodiscard]] const std::vector<int>& members(int comm) const { return comms_.at(comm).members; }

  // What the functions of MPI are made of.
  enum class Kind { gather, gatherv, scatter, iscatter, ibcast, split, dup, free, create };
  struct Collective {
    Kind kind;
    int root;
    std::size_t arrived = 0;
    std::vector<std::vector<char>> given;
    std::vector<char> here;
    std::vector<std::pair<int, int>> keys;  ///< color, key
    std::vector<int> made;
  };
  struct Comm {
    std::vector<int> members;
    std::vector<std::size_t> calls;
    std::deque<Collective> collectives;  ///< requests point to them
  };
  /// False: this call fails.
  [[nodiscard]] bool step();
  [[nodiscard]] Collective* arrive(int comm, Kind kind, int root, const void* data, std::size_t bytes);
  template <class Ready>
  [[nodiscard]] bool wait(const Ready& ready) {
    while (!ended && !ready())
      if (!scheduler_.wait_a_while(static_cast<std::size_t>(rank()))) stuck = ended = true;
    return !ended;
  }
  [[nodiscard]] bool pause() {
    if (!ended && !scheduler_.wait_a_while(static_cast<std::size_t>(rank()))) stuck = ended = true;
    return !ended;
  }
  [[nodiscard]] int make(const std::vector<int>& members);
  [[nodiscard]] bool memory_ends();
  [[nodiscard]] int rank() const;
  [[nodiscard]] int rank_in(int comm) const;
  [[nodiscard]] std::size_t choose(std::size_t options) { return scheduler_.choose(options); }
  [[nodiscard]] bool knows(int comm) const { return comms_.contains(comm); }

  Rules rules;
  std::map<std::tuple<int, int, int>, std::vector<std::vector<char>>> messages;  ///< communicator, from, to
  struct Request {
    Collective* collective;
    int comm;
    void* to;
    std::size_t bytes;
  };
  std::map<int, Request> requests;
  int next_request = 1;

 private:
  fixtures::Scheduler& scheduler_;
  std::vector<char> dead_;
  std::map<int, Comm> comms_;
};

/// For operator new of the test: whether this allocation fails.
[[nodiscard]] bool memory_ends();

}  // namespace topowise::stand_in
#pragma GCC visibility pop
