// SPDX-License-Identifier: BSD-3-Clause
// Predicted time is no sum over pairs: a message that moves changes the factors of others, so there is no difference
// that could be kept up to date, and each trial is one simulation. What the other objectives find is a good beginning,
// because both count bytes on far links; predicted time then distinguishes mappings that are equal for them, and sees
// what they cannot see: the order of a rank's messages, the loss at a root complex, and who is behind whom in a
// queue.
//
// Where all arrangements can be tried, they are, but one of those that the machine cannot distinguish
// (arrangements.hpp). Otherwise the fastest candidates are improved one after the other:
// exchanges of two ranks and moves to a free place, as long as one of them gains; then each is perturbed by a few
// random exchanges and improved again until that has not helped for a while (iterated local search: Lourenco, Martin,
// Stutzle 2003), and after them arrangements drawn at random. What a prediction takes is counted, so the clock does not
// decide. Longer rounds (search_rounds.hpp) begin with what the shorter ones found, and draw other numbers; they end
// where whole rounds find nothing new. Among equal times hop-bytes decide: what is near is better also for all that the
// model does not know.
#include <topowise/mapper/search/predicted_time_search.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/mapper/bound/congestion_bound.hpp>
#include <topowise/mapper/construct/fixed_ranks.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/search/arrangements.hpp>
#include <topowise/mapper/search/search_rounds.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/link_load.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

namespace topowise {
namespace {

constexpr double kWorthwhile = 1e-9;                ///< share of the time; less is rounding
constexpr std::size_t kMostArrangements = 500'000;  ///< of those that differ
constexpr double kWorthATry = 10;          ///< if all are this many times more than fit; most need no prediction
constexpr std::size_t kMostCompared = 32;  ///< places of which all groups are compared
constexpr std::size_t kMostStarts = 4;     ///< candidates that are improved
constexpr int kMostIdlePerturbations = 30;
constexpr int kMostIdleRestarts = 16;
constexpr int kMostIdleRounds = 1;  ///< rounds that were not cut and found nothing new
/// Seconds of work with which other mappers, metrics and objectives are asked, where the nearest mapping is known. Some
/// take milliseconds for the smallest problem, and a job that starts has no more.
constexpr double kWorkWithMappers = 0.1;
// Shares of the time, as steps.
constexpr double kShareOfRound = 0.5;         ///< of a round; the candidates have the other half
constexpr double kShareBesideNearest = 0.75;  ///< of a round whose candidates need no search for hop-bytes
constexpr double kShareOfAll = 0.15;          ///< of the whole, for a first search and for all arrangements
constexpr double kShareOfRounds = 0.3;        ///< of the whole, where a search for hop-bytes had most of it

/// A candidate with its time.
struct Timed {
  std::vector<Place> places;
  double seconds = 0;
  double hop_bytes = 0;
  bool is_worth_it = true;  ///< see Sparing
};

bool gains(double now, double before) {
  return now < before * (1 - kWorthwhile);
}

bool is_better(const Timed& now, const Timed& before) {
  if (now.is_worth_it != before.is_worth_it) return now.is_worth_it;
  if (gains(now.seconds, before.seconds)) return true;
  return !gains(before.seconds, now.seconds) && gains(now.hop_bytes, before.hop_bytes);
}

/// Judges what is faster than the mapping for hop-bytes where rates are assumed (MapProblem::spares_hop_bytes).
struct Sparing {
  Timed nearest;
  std::optional<Timed> refused{};  ///< the fastest that is not worth its hop-bytes; of equal times the nearest

  [[nodiscard]] Timed judged(Timed found) {
    const double most = nearest.hop_bytes * (2 * nearest.seconds - found.seconds) * (1 + kWorthwhile);
    found.is_worth_it = found.hop_bytes * nearest.seconds <= most;
    if (!found.is_worth_it && (!refused || is_better(found, *refused))) refused = found;
    return found;
  }
};

/// The ranks that are not fixed, in order.
std::vector<std::size_t> movable_ranks(const MapProblem& problem) {
  std::vector<bool> fixed(problem.traffic.ranks(), false);
  for (const FixedRank& each : problem.fixed) fixed[each.rank.index()] = true;
  std::vector<std::size_t> movable;
  for (std::size_t rank = 0; rank < fixed.size(); ++rank)
    if (!fixed[rank]) movable.push_back(rank);
  return movable;
}

class TimeSearch {
 public:
  /// `problem` is the one whose hop-bytes decide among equal times. `sparing` is null where rates are not assumed.
  TimeSearch(const MapProblem& problem, std::uint64_t seed, PredictedTime& time, Sparing* sparing, const Budget& budget,
             double share)
      : problem_(problem),
        time_(time),
        sparing_(sparing),
        deadline_(budget.deadline()),
        movable_(movable_ranks(problem)),
        capacities_(place_capacities(problem)),
        capacity_left_(problem.topology.place_count(), 0),
        random_(seed),
        begin_(time.steps()),
        end_(begin_ + share * budget.work() * pace::kLookedUpRates) {
    for (const PlaceCapacity& each : capacities_) capacity_left_[each.place.index()] = each.capacity;
    for (const FixedRank& each : problem.fixed) --capacity_left_[each.place.index()];
  }

  [[nodiscard]] Timed timed(std::vector<Place> places) {
    const Mapping mapping(std::move(places));
    return judged({.places = {mapping.places().begin(), mapping.places().end()},
                   .seconds = seconds(mapping),
                   .hop_bytes = hop_bytes(mapping)});
  }
  /// From now on, faster mappings must be worth their hop-bytes.
  void spare(Sparing* sparing) { sparing_ = sparing; }
  [[nodiscard]] bool ended() const { return time_.steps() >= end_ || deadline_.passed(); }

  /// True if every arrangement was looked at or cannot be better: `best` is then an optimum.
  bool try_all(Timed& best) {
    if (capacities_.size() > kMostCompared) return false;
    const double each = (time_.steps() - begin_) / std::max(predictions_, 1.0);
    const double fitting = kWorthATry * std::max(0.0, end_ - time_.steps()) / std::max(each, 1.0);
    Arrangements all(problem_);
    const std::size_t most = fitting < kMostArrangements ? static_cast<std::size_t>(fitting) : kMostArrangements;
    if (all.count(most) > most) return false;
    AllTimes times(*this, best);
    return all.each(times) && !ended();
  }

  /// Makes exchanges and moves until a whole round gains nothing.
  void improve(Timed& at) {
    std::vector<std::size_t> free = capacity_left_;
    for (const std::size_t rank : movable_) --free[at.places[rank].index()];
    bool gained = true;
    while (gained && !ended()) {
      gained = false;
      for (std::size_t i = 0; i < movable_.size() && !ended(); ++i)
        gained |= exchange_rank(at, i) || move_rank(at, movable_[i], free);
    }
  }

  /// Perturbs and improves until that has not helped for a while.
  void perturb(Timed& at) {
    if (movable_.size() < 3) return;
    for (int idle = 0; idle < kMostIdlePerturbations && !ended(); ++idle) {
      Timed other = at;
      for (int i = 0; i < 3; ++i) std::swap(other.places[any_movable()], other.places[any_movable()]);
      other = timed(std::move(other.places));
      improve(other);
      if (!is_better(other, at)) continue;
      at = std::move(other);
      idle = -1;
    }
  }

  /// Puts the ranks of `at` that may move onto their places in random order, and improves the result.
  [[nodiscard]] Timed restart(const Timed& at) {
    Timed drawn = at;
    for (std::size_t left = movable_.size(); left > 1; --left)
      std::swap(drawn.places[movable_[left - 1]],
                drawn.places[movable_[random_.below(static_cast<std::uint32_t>(left))]]);
    drawn = timed(std::move(drawn.places));
    improve(drawn);
    return drawn;
  }

  /// The best that iterated local search finds from `starts`, which are in order of time, or from restarts; it ends at
  /// `enough` seconds.
  [[nodiscard]] Timed best_from(std::vector<Timed> starts, double enough) {
    Timed best = starts.front();
    const auto better = [&](const Timed& other) {
      const bool gained = is_better(other, best);
      if (gained) best = other;
      return gained;
    };
    const auto done = [&] { return best.seconds <= enough || ended(); };
    for (std::size_t i = 0; i < starts.size() && !done(); ++i) {
      improve(starts[i]);
      better(starts[i]);
    }
    std::ranges::stable_sort(starts, {}, &Timed::seconds);
    for (std::size_t i = 0; i < starts.size() && !done(); ++i) {
      perturb(starts[i]);
      better(starts[i]);
    }
    for (int idle = 0; idle < kMostIdleRestarts && !done(); ++idle) {
      Timed drawn = restart(best);
      perturb(drawn);
      if (better(drawn)) idle = -1;
    }
    return best;
  }

 private:
  std::size_t any_movable() { return movable_[random_.below(static_cast<std::uint32_t>(movable_.size()))]; }

  [[nodiscard]] Timed judged(Timed found) const {
    return sparing_ == nullptr ? std::move(found) : sparing_->judged(std::move(found));
  }

  [[nodiscard]] double seconds(const Mapping& mapping) {
    ++predictions_;
    return time_(mapping).value();
  }
  [[nodiscard]] double hop_bytes(const Mapping& mapping) const {
    return topowise::hop_bytes(problem_.traffic, problem_.topology, mapping, problem_.metric);
  }

  /// Looks at hop-bytes only where they decide.
  bool take_if_better(const std::vector<Place>& places, Timed& best) {
    const Mapping mapping(places);
    const double now = seconds(mapping);
    if (best.is_worth_it && gains(best.seconds, now)) return false;
    Timed other = judged({.places = places, .seconds = now, .hop_bytes = hop_bytes(mapping)});
    if (!is_better(other, best)) return false;
    best = std::move(other);
    return true;
  }

  /// Tries to exchange a rank with each of those behind it.
  bool exchange_rank(Timed& at, std::size_t position) {
    const std::size_t rank = movable_[position];
    bool gained = false;
    for (std::size_t i = position + 1; i < movable_.size() && !ended(); ++i) {
      const std::size_t other = movable_[i];
      if (at.places[rank] == at.places[other]) continue;
      std::vector<Place> changed = at.places;
      std::swap(changed[rank], changed[other]);
      gained |= take_if_better(changed, at);
    }
    return gained;
  }

  bool move_rank(Timed& at, std::size_t rank, std::vector<std::size_t>& free) {
    bool gained = false;
    for (const PlaceCapacity& each : capacities_) {
      if (free[each.place.index()] == 0 || ended()) continue;
      std::vector<Place> changed = at.places;
      const Place before = std::exchange(changed[rank], each.place);
      if (!take_if_better(changed, at)) continue;
      --free[each.place.index()];
      ++free[before.index()];
      gained = true;
    }
    return gained;
  }

  /// Times every arrangement that may be better than the best so far.
  class AllTimes final : public ArrangementVisitor {
   public:
    AllTimes(TimeSearch& search, Timed& best) : search_(search), best_(best), partial_(search.problem_) {}
    bool visit(const std::vector<Place>& places) override {
      search_.take_if_better(places, best_);
      return !search_.ended();
    }
    bool put(std::size_t rank, Place place) override {
      partial_.put(rank, place);
      return !gains(best_.seconds, partial_.at_least());
    }
    void take_away() override { partial_.take_away(); }

   private:
    TimeSearch& search_;
    Timed& best_;
    PartialTime partial_;
  };

  const MapProblem& problem_;
  PredictedTime& time_;
  Sparing* sparing_;
  const Deadline& deadline_;
  std::vector<std::size_t> movable_;
  std::vector<PlaceCapacity> capacities_;
  std::vector<std::size_t> capacity_left_;  ///< by place: how many ranks it can take beside those that are fixed there
  Random random_;
  double begin_ = 0;        ///< time_.steps() at the beginning
  double end_ = 0;          ///< time_.steps() at which the search ends
  double predictions_ = 0;  ///< so far
};

MapProblem without_fixed(MapProblem problem) {
  problem.fixed.clear();
  return problem;
}

/// What mappers find for the objectives that they know, each timed at once. What the deadline cut is left out: with
/// more time another answer would be in its place, and might be slower. The mappers know no fixed ranks; those are
/// brought to their places afterwards.
class Candidates {
 public:
  Candidates(TimeSearch& search, std::span<const Place> places, const Budget& budget)
      : search_(search), places_(places), budget_(budget) {}

  void add(Timed known) { timed_.push_back(std::move(known)); }

  /// Adds nothing where the mapper's library is not there, and where the machine does not say what `asked` needs.
  void add_answer(MapFunction run, const MapProblem& asked, double share) {
    if (budget_.over()) return;
    try {
      if (asked.objective == Objective::max_congestion) check_congestion_known(asked.topology, places_);
      const MapperAnswer answer = run(without_fixed(asked), budget_.counting(budget_.time() * share));
      if (!budget_.over()) add_mapping(place_fixed(asked, answer.mapping));
    } catch (const Error& error) {
      if (error.status() != ExitStatus::not_available && error.status() != ExitStatus::bad_input) throw;
    }
  }

  /// The candidates, the best first, then the fastest first; among equals the earlier comes first.
  [[nodiscard]] std::vector<Timed> by_time() && {
    std::ranges::stable_sort(timed_, {}, &Timed::seconds);
    std::size_t best = 0;
    for (std::size_t i = 1; i < timed_.size(); ++i)
      if (is_better(timed_[i], timed_[best])) best = i;
    std::rotate(timed_.begin(), timed_.begin() + static_cast<std::ptrdiff_t>(best),
                timed_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    return std::move(timed_);
  }

  void add_mapping(const Mapping& mapping) {
    const std::vector<Place> places(mapping.places().begin(), mapping.places().end());
    if (std::ranges::find(timed_, places, &Timed::places) == timed_.end()) add(search_.timed(places));
  }

 private:
  TimeSearch& search_;
  std::span<const Place> places_;
  const Budget& budget_;
  std::vector<Timed> timed_;
};

/// What is the same in all rounds of one search.
struct TimeQuestion {
  const MapProblem& by_hop_bytes;  ///< the problem with the objective that decides among equal times
  const Mapper& mapper;
  MapperRows rows;
  std::span<const Place> places;
  const std::optional<Mapping>& nearest;
  Sparing* sparing = nullptr;
  double bound = 0;
};

/// Adds what one mapper finds for hop-bytes under every other metric that the machine knows, and for max congestion.
void add_all_answers(Candidates& candidates, const MapProblem& problem, MapFunction run, double share) {
  MapProblem asked = problem;
  asked.objective = Objective::hop_bytes;
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    asked.metric = metric;
    if (metric != problem.metric) candidates.add_answer(run, asked, share);
  }
  asked.metric = problem.metric;
  asked.objective = Objective::max_congestion;
  candidates.add_answer(run, asked, 4 * share);
}

/// Adds what the mappers find, the mapper's own answer for hop-bytes first.
void add_answers(Candidates& candidates, const MapProblem& problem, const TimeQuestion& question) {
  const Mapper& mapper = question.mapper;
  MapProblem asked = problem;
  asked.objective = Objective::hop_bytes;
  if (!question.nearest) candidates.add_answer(mapper.run, asked, 0.4);
  for (const Mapper& row : question.rows) {
    const bool is_tried = mapper.tries_others && !row.tries_others && !row.proves;
    if (is_tried || row.considers == Considers::places) candidates.add_answer(row.run, asked, 0.02);
  }
  add_all_answers(candidates, problem, mapper.run, 0.05);
}

/// True for a mapper in a hurry, whose answers are only compared.
bool is_in_a_hurry(const Mapper& mapper) {
  return mapper.constructs || mapper.quick;
}

/// The best of all answers of mappers in a hurry: of the mapper itself if it is one, else of the quick row; for
/// `auto` also of all rows that have a turn. This has a time of its own, because the rounds of a large problem are cut
/// in the first one.
Timed fast_beginning(const MapProblem& problem, const TimeQuestion& question, TimeSearch& search, Timed best,
                     const Budget& budget) {
  Candidates candidates(search, question.places, budget);
  candidates.add(std::move(best));
  std::vector<MapFunction> hurried;
  if (question.mapper.tries_others)
    std::ranges::transform(in_turn(question.rows, problem), std::back_inserter(hurried), &Mapper::run);
  hurried.push_back(is_in_a_hurry(question.mapper) ? question.mapper.run : row_that(&Mapper::quick, question.rows).run);
  MapProblem asked = problem;
  asked.objective = Objective::hop_bytes;
  for (const MapFunction run : hurried) candidates.add_answer(run, asked, 1);
  std::ranges::reverse(hurried);
  if (question.nearest && budget.work() < kWorkWithMappers) return std::move(candidates).by_time().front();
  for (const MapFunction run : hurried) add_all_answers(candidates, problem, run, 0.25);
  return std::move(candidates).by_time().front();
}

/// One round of the search: makes `best` better, step by step, so that a round that the deadline cuts leaves what it
/// found. Counts in `idle_rounds` how many rounds in a row were not cut and found nothing new.
void search_once(const MapProblem& problem, const TimeQuestion& question, PredictedTime& time, Timed& best,
                 int& idle_rounds, const Budget& budget) {
  const Timed before = best;
  TimeSearch search(question.by_hop_bytes, problem.seed, time, question.sparing, budget,
                    question.nearest ? kShareBesideNearest : kShareOfRound);
  Candidates candidates(search, question.places, budget);
  if (!question.nearest || budget.work() >= kWorkWithMappers) add_answers(candidates, problem, question);
  candidates.add(best);
  std::vector<Timed> starts = std::move(candidates).by_time();
  best = starts.front();
  const double enough = question.bound * (1 + kWorthwhile);
  if (best.seconds <= enough) return;
  starts.resize(std::min(kMostStarts, starts.size()));
  Timed found = search.best_from(std::move(starts), enough);
  if (is_better(found, best)) best = std::move(found);
  idle_rounds = search.ended() || is_better(best, before) ? 0 : idle_rounds + 1;
}

double bound_of(const MapProblem& problem, PredictedTime& time, std::span<const Place> places, std::size_t most) {
  constexpr std::size_t kMostPlaces = 512;  // of which each pair is looked at
  constexpr std::size_t kMostMessages = 4'000'000;
  double bound = places.size() <= kMostPlaces ? time.lower_bound(places, most).value() : 0;
  // A pair of which only a measured rate is known needs no link.
  const bool by_links = !problem.topology.has_pair_matrix(Metric::bandwidth);
  if (by_links && problem.traffic.entries().size() <= kMostMessages)
    bound = std::max(bound, congestion_bound(problem, Partners(problem.traffic), time.link_limits()));
  return bound;
}

MapperAnswer answer_of(const Timed& best, double bound, bool proven) {
  return {.mapping = Mapping(best.places),
          .cost = best.seconds,
          .lower_bound = proven ? best.seconds : bound,
          .proven_optimal = proven};
}

/// The problem with the objective that decides among equal times. It takes the distance where the machine does not know
/// the metric, which predicted time does not need.
MapProblem by_hop_bytes(MapProblem problem) {
  problem.objective = Objective::hop_bytes;
  try {
    const std::vector<PlaceCapacity> all = place_capacities(problem);
    (void)problem.topology.pair_cost(problem.metric, all.front().place, all.back().place);
  } catch (const Error&) {
    problem.metric = Metric::distance;
  }
  return problem;
}

/// Rounds are also for a mapper whose own answer does not follow from the time, because what is done with it does.
MapperAnswer search_in_rounds(const MapProblem& problem, const TimeQuestion& question, PredictedTime& time, Timed best,
                              const Budget& budget) {
  const double enough = question.bound * (1 + kWorthwhile);
  MapProblem drawn = problem;
  int idle_rounds = 0;
  BestAnswer known(problem, budget, answer_of(best, question.bound, false));
  rounds::run(
      budget, known,
      [&](const Budget& round) {
        search_once(drawn, question, time, best, idle_rounds, round);
        ++drawn.seed;
        return answer_of(best, question.bound, best.seconds <= enough);
      },
      [&] { return idle_rounds >= kMostIdleRounds; });
  return answer_of(best, question.bound, best.seconds <= enough);
}

}  // namespace

namespace {

/// The answer of the search; `sparing` says what it did not take.
MapperAnswer find_fastest(const MapProblem& problem, const Mapper& mapper, MapperRows rows,
                          const std::optional<Mapping>& nearest, std::optional<Sparing>& sparing,
                          const Budget& budget) {
  PredictedTime time(problem.traffic, problem.topology);
  std::vector<Place> places;
  std::size_t most = 1;
  for (const PlaceCapacity& each : place_capacities(problem)) {
    places.push_back(each.place);
    most = std::max(most, each.capacity);
  }
  const double bound = budget.wants_bound() ? bound_of(problem, time, places, most) : 0;
  const MapProblem by_nearness = by_hop_bytes(problem);
  if (mapper.considers == Considers::places) {
    const Mapping found = mapper.run(without_fixed(by_nearness), budget.silent()).mapping;
    return {.mapping = place_fixed(by_nearness, found), .lower_bound = bound};
  }
  TimeQuestion question{.by_hop_bytes = by_nearness,
                        .mapper = mapper,
                        .rows = rows,
                        .places = places,
                        .nearest = nearest,
                        .bound = bound};
  const Mapping in_order = place_fixed(by_nearness, fill_in_order(problem));
  if (budget.over() && !nearest) return {.mapping = in_order, .lower_bound = bound};
  const Seconds before = budget.deadline().left();
  TimeSearch search(by_nearness, problem.seed, time, nullptr, budget, kShareOfAll);
  Timed best = search.timed({in_order.places().begin(), in_order.places().end()});
  const Seconds evaluation = before - budget.deadline().left();  // the answer will need another one
  const Budget searching = budget.leaving(evaluation * 1.5);
  if (nearest) {
    const Timed other = search.timed({nearest->places().begin(), nearest->places().end()});
    if (is_better(other, best)) best = other;  // else the ranks stay in order, whatever hop-bytes that takes
    if (problem.spares_hop_bytes) {
      sparing = Sparing{.nearest = other};
      search.spare(question.sparing = &*sparing);
    }
  }
  if (nearest) search.improve(best);
  if (!is_in_a_hurry(mapper) && search.try_all(best)) {
    const bool is_fastest = !sparing || !sparing->refused || !gains(sparing->refused->seconds, best.seconds);
    return answer_of(best, is_fastest ? bound : sparing->refused->seconds, is_fastest);
  }
  const double enough = bound * (1 + kWorthwhile);
  if (best.seconds > enough) best = fast_beginning(problem, question, search, std::move(best), searching.silent());
  if (best.seconds <= enough) return answer_of(best, bound, true);
  if (is_in_a_hurry(mapper)) return answer_of(best, bound, false);
  return search_in_rounds(problem, question, time, std::move(best),
                          nearest ? searching.counting(searching.time() * kShareOfRounds) : searching);
}

}  // namespace

MapperAnswer map_for_predicted_time(const MapProblem& problem, const Mapper& mapper, MapperRows rows,
                                    const std::optional<Mapping>& nearest, const Budget& budget) {
  std::optional<Sparing> sparing;
  MapperAnswer answer = find_fastest(problem, mapper, rows, nearest, sparing, budget);
  if (sparing && sparing->refused && gains(sparing->refused->seconds, answer.cost))
    answer.spared = Mapping(std::move(sparing->refused->places));
  return answer;
}

}  // namespace topowise
