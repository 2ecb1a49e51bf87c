// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/tally.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/reordering/call_site.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/own_communicator.hpp>
#include <topowise/interpose/reordering/settings.hpp>
#include <topowise/launch/reorder_variables.hpp>

namespace topowise::interpose::reordering {
namespace {

struct State {
  std::mutex mutex;
  Tally tally;
  std::set<std::string> said;  ///< lines that rank 0 has said already, and that the others keep for the end
  bool all_processes = false;
};
State& state() {
  static State& the_one = *new State;  // never destroyed: threads may outlive the program's static objects
  return the_one;
}

bool is_first(const Mpi& m) {
  int rank = -1;
  return models().world_is_active() && m.Comm_rank(m.family.comm_world, &rank) == 0 && rank == 0;
}

template <class Body>
void guarded(Body body) noexcept {
  try {
    const std::scoped_lock lock(state().mutex);
    body(state());
  } catch (...) {  // no memory: what was to be noted is not known then, and the program goes on
  }
}

void add(Costs& sum, const Costs& one) {
  sum.before += one.before;
  sum.after += one.after;
  sum.inside_before += one.inside_before;
  sum.inside_after += one.inside_after;
  sum.fullest_before = std::max(sum.fullest_before, one.fullest_before);
  sum.fullest_after = std::max(sum.fullest_after, one.fullest_after);
}

void add(Tally& sum, const Tally& one) {
  for (std::size_t i = 0; i < kOutcomes; ++i) sum.calls[i] += one.calls[i];
  add(sum.costs, one.costs);
  sum.assumed += one.assumed;
  sum.by_always += one.by_always;
  add(sum.costs_by_always, one.costs_by_always);
  sum.seconds = std::max(sum.seconds, one.seconds);
  sum.only |= one.only;
  sum.except |= one.except;
  sum.include |= one.include;
}

/// Sends what the other processes kept to the first one; each line is ended by a zero.
std::string gathered_lines(const Mpi& m, const std::set<std::string>& own, int ranks, int rank) {
  std::string text;
  if (rank != 0)
    for (const std::string& line : own) text.append(line.c_str(), line.size() + 1);
  int bytes = static_cast<int>(text.size());
  std::vector<int> counts(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  const Calls& mpi = *calls();
  if (mpi.Gather(&bytes, sizeof(int), m.family.type_byte, counts.data(), sizeof(int), m.family.type_byte, 0,
                 m.family.comm_world) != 0)
    return {};
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::string all(counts.empty() ? 0 : static_cast<std::size_t>(places.back() + counts.back()), '\0');
  if (mpi.Gatherv(text.data(), bytes, m.family.type_byte, all.data(), counts.data(), places.data(), m.family.type_byte,
                  0, m.family.comm_world) != 0)
    return {};
  return all;
}

void tell_idle_entries(const Tally& tally) {
  for (const std::string& line : {idle_entries("--reorder-only", settings().only, tally.only),
                                  idle_entries("--reorder-except", settings().except, tally.except),
                                  idle_entries("--reorder-include", settings().include, tally.include)}) {
    if (!line.empty()) print_stderr(-1, "%s", line.c_str());
  }
}

bool has_calls(const Tally& tally) {
  return std::ranges::any_of(tally.calls, [](std::int64_t calls) { return calls > 0; });
}

/// Collective over the job, because the process that computes differs from call to call.
void tell(const Mpi& m, State& kept) {
  int rank = 0;
  int ranks = 0;
  if (m.Comm_rank(m.family.comm_world, &rank) != 0 || m.Comm_size(m.family.comm_world, &ranks) != 0) return;
  std::vector<Tally> tallies(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  if (calls()->Gather(&kept.tally, sizeof(Tally), m.family.type_byte, tallies.data(), sizeof(Tally), m.family.type_byte,
                      0, m.family.comm_world) != 0)
    return;
  const std::string lines = gathered_lines(m, kept.said, ranks, rank);
  if (rank != 0) return;
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\0', at) + 1) {
    if (kept.said.insert(lines.c_str() + at).second) print_stderr(-1, "%s", lines.c_str() + at);
  }
  Tally all;
  for (const Tally& tally : tallies) add(all, tally);
  if (has_calls(all)) tell_idle_entries(all);
  const std::string text = settings().mode == Mode::world
                               ? world_summary(all)
                               : summary(all, settings().word, settings().mode == Mode::report);
  print_stderr(-1, "%s", text.c_str());
}

/// Where nobody knows of all processes, each reports the calls in which it computed.
void tell_own(const Mpi& m, const State& kept) {
  int rank = 0;
  if (m.Comm_rank(m.family.comm_world, &rank) != 0) return;
  if (rank != 0) {
    for (const std::string& line : kept.said) print_stderr(-1, "%s", line.c_str());
  }
  const bool any = has_calls(kept.tally);
  if (settings().mode == Mode::world || (rank != 0 && !any)) return;
  if (any) tell_idle_entries(kept.tally);
  const std::string who = "rank " + std::to_string(rank);
  const std::string text = summary(kept.tally, settings().word, settings().mode == Mode::report, who);
  print_stderr(-1, "%s", text.c_str());
}

/// Whether one command started all processes, so that all are under --reorder: Open MPI says how many there were.
bool is_one_program() {
  const char* programs = std::getenv("OMPI_NUM_APP_CTX");
  return programs != nullptr && std::string_view(programs) == "1";
}

void say_what_is_wrong() noexcept {
  if (settings().known) return;
  char line[160];
  std::snprintf(line, sizeof(line), "%s='%.40s' is none of off, report, asked, always, world; ranks stay as they are",
                kReorderVariable, settings().word);
  say_once(line);
}

/// MPI reports its end more than once. (A program of sessions alone has no communicator of all its processes.)
void summarise() noexcept {
  static std::atomic<bool> done{false};
  const bool active = settings().mode != Mode::off && mpi() != nullptr && calls() != nullptr;
  if (!active || done.exchange(true)) return;
  const Mpi& m = *mpi();
  int initialized = 0;
  int finalized = 1;
  m.Initialized(&initialized);
  m.Finalized(&finalized);
  if (initialized == 0 || finalized != 0) return;
  close_own_communicator();
  guarded([&](State& kept) { kept.all_processes || is_one_program() ? tell(m, kept) : tell_own(m, kept); });
}

}  // namespace

constinit const Feature kReordering{.begun = say_what_is_wrong, .world_ending = summarise};

std::string change_text(double before, double after) {
  const double less = before > 0 ? 100 * (1 - after / before) : 0;
  char text[40];
  std::snprintf(text, sizeof(text), "%.1f %% %s", std::abs(less), less < 0 ? "more" : "less");
  return text;
}

std::string load_text(const Costs& costs) {
  if (costs.fullest_before == 0 && costs.fullest_after == 0) return {};
  char text[120];
  std::snprintf(text, sizeof(text), "the fullest host has %.1f %% -> %.1f %% more than its share of the loads",
                100 * costs.fullest_before, 100 * costs.fullest_after);
  return text;
}

std::string gain_text(const Costs& costs) {
  std::string text;
  char part[120];
  const auto append = [&](const char* where, double before, double after) {
    if (before <= 0) return;
    std::snprintf(part, sizeof(part), "%s%s %.6g -> %.6g, ", text.empty() ? "hop-bytes" : ";", where, before, after);
    text += part + change_text(before, after);
  };
  append("", costs.before, costs.after);
  append(" inside hosts", costs.inside_before, costs.inside_after);
  if (const std::string loads = load_text(costs); !loads.empty()) text += (text.empty() ? "" : "; ") + loads;
  return text;
}

namespace {

std::string assumption_text(const Tally& tally) {
  const long long all = tally.calls[static_cast<std::size_t>(Outcome::moved)];
  if (tally.assumed == 0) return {};
  const std::string which = tally.assumed == all ? "" : " in " + std::to_string(tally.assumed) + " of them";
  return "; edges weigh as if the grid cut a cube" + which;
}

}  // namespace

std::string world_summary(const Tally& tally) {
  const auto is = [&](Outcome outcome) { return tally.calls[static_cast<std::size_t>(outcome)] > 0; };
  std::string text = "--reorder=world: ranks of MPI_COMM_WORLD ";
  if (!is(Outcome::moved)) {
    const char* reason = is(Outcome::best)        ? "no clearly better order was found"
                         : is(Outcome::contested) ? "more would pass between the farthest places"
                         : is(Outcome::one_host)  ? "all are on one host"
                         : is(Outcome::denied)    ? "not possible here"
                                                  : "in trouble";
    return text + "stayed as they were: " + reason;
  }
  char part[40];
  std::snprintf(part, sizeof(part), "; %.3g ms", 1000 * tally.seconds);
  return text + "reordered (" + gain_text(tally.costs) + ")" + part;
}

std::string summary(const Tally& tally, const char* mode, bool report, const std::string& who) {
  const auto of = [&](Outcome outcome) {
    return static_cast<long long>(tally.calls[static_cast<std::size_t>(outcome)]);
  };
  const long long all = std::accumulate(std::begin(tally.calls), std::end(tally.calls), 0LL);
  std::string text = std::string("--reorder=") + mode + ": ";
  char part[160];
  const auto append = [&](const char* format, auto... values) {
    std::snprintf(part, sizeof(part), format, values...);
    text += part;
  };
  if (all == 0) return text + who + " called none of MPI's topology functions";
  if (who != "the program") text += who + ": ";
  append("%lld %s, ranks %s in %lld", all, all == 1 ? "call" : "calls", report ? "would be reordered" : "reordered",
         of(Outcome::moved));
  if (const std::string gain = gain_text(tally.costs); !gain.empty())
    text += " (" + gain + assumption_text(tally) + ")";
  const struct {
    Outcome outcome;
    const char* reason;
  } kOthers[] = {{Outcome::best, "without a clearly better order"},
                 {Outcome::contested, "with a cheaper order that may lose (--reorder=report says where)"},
                 {Outcome::one_host, "on one host"},
                 {Outcome::unasked, "'reorder' is false"},
                 {Outcome::denied, "left out by --reorder-only or --reorder-except"},
                 {Outcome::known, "of libraries that ignore their new ranks (--reorder-include)"},
                 {Outcome::left, "left to MPI"},
                 {Outcome::trouble, "in trouble"}};
  for (const auto& other : kOthers) {
    if (of(other.outcome) > 0) append("; %lld %s", of(other.outcome), other.reason);
    if (other.outcome == Outcome::unasked && tally.by_always > 0) {
      append(": --reorder=always would reorder ranks in %lld", static_cast<long long>(tally.by_always));
      text += " (" + gain_text(tally.costs_by_always) + ")";
    }
  }
  append("; %.3g ms in them", 1000 * tally.seconds);
  return text;
}

std::string idle_entries(const char* option, const char* list, std::uint64_t named) {
  std::string idle;
  std::uint64_t bit = 1;
  for (const std::string& entry : entries_of(list)) {
    if ((named & bit) == 0) idle += (idle.empty() ? "'" : ", '") + entry + "'";
    if (bit << 1U != 0) bit <<= 1U;
  }
  return idle.empty() ? idle : std::string(option) + ": none of these calls is named by " + idle;
}

void count(Outcome outcome) noexcept {
  guarded([&](State& kept) { ++kept.tally.calls[static_cast<std::size_t>(outcome)]; });
}

void count_mapped(Outcome outcome, const Costs& costs, bool assumed, bool obeyed) noexcept {
  guarded([&](State& kept) {
    Tally& tally = kept.tally;
    const bool moved = outcome == Outcome::moved;
    if (obeyed) {
      ++tally.calls[static_cast<std::size_t>(outcome)];
      tally.assumed += moved && assumed ? 1 : 0;
      add(tally.costs, costs);
      return;
    }
    ++tally.calls[static_cast<std::size_t>(Outcome::unasked)];
    tally.by_always += moved ? 1 : 0;
    if (moved) add(tally.costs_by_always, costs);
  });
}

void count_entries(std::uint64_t only, std::uint64_t except, std::uint64_t include) noexcept {
  guarded([&](State& kept) {
    kept.tally.only |= only;
    kept.tally.except |= except;
    kept.tally.include |= include;
  });
}

void count_time(double seconds) noexcept {
  guarded([&](State& kept) { kept.tally.seconds += seconds; });
}

void note_all_processes() noexcept {
  guarded([](State& kept) { kept.all_processes = true; });
}

void say_once(const std::string& line) noexcept {
  const Mpi* m = mpi();
  // In a program of sessions nobody gathers lines at the end.
  const bool now = m != nullptr && (!models().world_is_active() || is_first(*m));
  guarded([&](State& kept) {
    if (kept.said.insert(line).second && now) print_stderr(-1, "%s", line.c_str());
  });
}

}  // namespace topowise::interpose::reordering
