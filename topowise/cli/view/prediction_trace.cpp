// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/prediction_trace.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <topowise/graph/json/writer.hpp>

namespace topowise::cli {
namespace {

using Layout = JsonWriter::Layout;

constexpr double kMicrosecond = 1e6;
constexpr int kRanks = 1;  // numbers of the two processes
constexpr int kLinks = 2;
/// Perfetto shows track 0 and the track with the process's number as one, its main thread.
constexpr std::size_t kFirstTrack = 1000;

/// A span of time in which a message has one congestion factor.
struct Span {
  double begin = 0, end = 0, factor = 0;
};

std::vector<std::vector<Span>> spans_of(const Simulation& simulation, std::size_t messages) {
  std::vector<std::vector<Span>> spans(messages);
  for (const TimeStep& step : simulation.steps) {
    for (const TimeStep::Factor& factor : step.factors) {
      std::vector<Span>& of = spans[factor.message];
      if (!of.empty() && of.back().factor == factor.factor && of.back().end == step.start.value()) {
        of.back().end = step.end.value();
      } else {
        of.push_back({step.start.value(), step.end.value(), factor.factor});
      }
    }
  }
  return spans;
}

/// Tracks of one name; a slice goes to the first track that is free. Slices must come in the order of their beginnings.
class Tracks {
 public:
  explicit Tracks(std::string name) : name_(std::move(name)) {}
  /// The number of the track, from 0.
  std::size_t take(double begin, double end) {
    const auto free = std::ranges::find_if(busy_until_, [&](double until) { return until <= begin; });
    const auto track = static_cast<std::size_t>(free - busy_until_.begin());
    if (free == busy_until_.end()) busy_until_.emplace_back();
    busy_until_[track] = end;
    return track;
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<double> busy_until_;
};

class Trace {
 public:
  Trace(const Exchange& exchange, const Mapping& mapping, CongestionModel& model, const Simulation& simulation)
      : exchange_(exchange),
        mapping_(mapping),
        model_(model),
        simulation_(simulation),
        spans_(spans_of(simulation, exchange.communications().size())) {}

  std::string write() {
    writer_.object().key("displayTimeUnit").value("ms").key("traceEvents").array();
    name_process(kRanks, "ranks");
    name_process(kLinks, "links");
    const std::span<const Communication> messages = exchange_.communications();
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::less(), [&](std::size_t m) { return simulation_.begin[m].value(); });
    for (std::size_t rank = 0; rank < exchange_.ranks(); ++rank)
      tracks_.try_emplace({kRanks, rank}, fmt::format("rank {} on {}", rank, name_of(Rank(rank))));
    for (const std::size_t m : order) {
      write_for_rank(m);
      write_for_links(m);
    }
    name_tracks();
    write_loads();
    writer_.end().end();
    return std::move(writer_).finish();
  }

 private:
  const std::string& name_of(Rank rank) const { return model_.topology().vertex_of(mapping_[rank]).name; }
  std::string link_name(std::uint32_t link) const {
    const Link& found = model_.topology().link(LinkId(link));
    return fmt::format("link {}: {} -> {}", link, model_.topology().vertex(found.from).name,
                       model_.topology().vertex(found.to).name);
  }

  void name_process(int process, std::string_view name) {
    writer_.object(Layout::row).key("ph").value("M").key("name").value("process_name").key("pid").value(process);
    writer_.key("tid").value(0).key("ts").value(0).key("args").object().key("name").value(name).end().end();
  }

  void name_tracks() {
    for (const auto& [key, track] : used_) {
      writer_.object(Layout::row).key("ph").value("M").key("name").value("thread_name").key("pid").value(key.first);
      writer_.key("tid").value(track.number).key("ts").value(0);
      writer_.key("args").object().key("name").value(track.name).end().end();
    }
  }

  /// The number of a track is unique in its process, and it is not the number of a process. The first tracks of all
  /// names come first, then the further tracks that names need.
  std::size_t track_of(int process, std::size_t thing, double begin, double end) {
    Tracks& tracks = tracks_.at({process, thing});
    const std::size_t which = tracks.take(begin, end);
    const std::size_t first_ones = process == kRanks ? exchange_.ranks() : model_.link_count();
    const std::size_t number = kFirstTrack + which * first_ones + thing;
    used_.try_emplace({process, number}, Track{number, tracks.name()});
    return number;
  }

  void slice(int process, std::size_t track, const std::string& name, double begin, double end) {
    writer_.object(Layout::row).key("ph").value("X").key("pid").value(process).key("tid").value(track);
    writer_.key("name")
        .value(name)
        .key("ts")
        .value(begin * kMicrosecond)
        .key("dur")
        .value((end - begin) * kMicrosecond);
  }

  std::string words_for(std::size_t m) const {
    const Communication& message = exchange_.communications()[m];
    return fmt::format("{}->{}", message.source.index(), message.destination.index());
  }

  void message_slice(int process, std::size_t thing, std::size_t m) {
    const double begin = simulation_.begin[m].value();
    const double end = simulation_.end[m].value();
    const std::size_t track = track_of(process, thing, begin, end);
    double weighted = 0;
    double time = 0;
    for (const Span& span : spans_[m]) {
      weighted += span.factor * (span.end - span.begin);
      time += span.end - span.begin;
    }
    slice(process, track, words_for(m), begin, end);
    writer_.key("args").object().key("bytes").value(exchange_.communications()[m].bytes.value());
    writer_.key("factor");
    time > 0 ? writer_.value(weighted / time) : writer_.null();
    writer_.end().end();
    if (process == kLinks || spans_[m].size() < 2) return;
    for (const Span& span : spans_[m]) {
      slice(process, track, fmt::format("factor {:.3g}", span.factor), span.begin, span.end);
      writer_.key("args").object().key("factor").value(span.factor).end().end();
    }
  }

  void write_for_rank(std::size_t m) { message_slice(kRanks, exchange_.communications()[m].source.index(), m); }

  void write_for_links(std::size_t m) {
    for (const std::uint32_t link : links_of(m)) {
      tracks_.try_emplace({kLinks, link}, link_name(link));
      message_slice(kLinks, link, m);
    }
  }

  /// The links that a message crosses; empty for a message between ranks of one place.
  std::span<const std::uint32_t> links_of(std::size_t m) {
    const Communication& message = exchange_.communications()[m];
    const Place from = mapping_[message.source];
    const Place to = mapping_[message.destination];
    if (from == to) return {};
    return model_.links(model_.flow(from, to));
  }

  void write_load(std::uint32_t link, double share, Seconds time) {
    writer_.object(Layout::row).key("ph").value("C").key("pid").value(kLinks).key("tid").value(0);
    writer_.key("ts").value(time.value() * kMicrosecond).key("name").value(link_name(link));
    writer_.key("args").object().key("load").value(share).end().end();
  }

  void write_loads() {
    std::map<std::uint32_t, double> load;  // the current share of each link that was ever used
    for (const TimeStep& step : simulation_.steps) {
      std::map<std::uint32_t, double> now;
      for (const TimeStep::Factor& factor : step.factors) {
        for (const std::uint32_t link : links_of(factor.message))
          now[link] += factor.factor * model_.unit().value() / model_.link_capacity(link);
      }
      for (auto& [link, share] : load) {
        if (!now.contains(link) && share != 0) write_load(link, share = 0, step.start);
      }
      for (const auto& [link, share] : now) {
        if (!load.contains(link) || load[link] != share) write_load(link, load[link] = share, step.start);
      }
    }
    for (const auto& [link, share] : load) {
      if (share != 0) write_load(link, 0, simulation_.makespan);
    }
  }

  struct Track {
    std::size_t number;
    std::string name;
  };
  const Exchange& exchange_;
  const Mapping& mapping_;
  CongestionModel& model_;
  const Simulation& simulation_;
  std::vector<std::vector<Span>> spans_;
  std::map<std::pair<int, std::size_t>, Tracks> tracks_;
  std::map<std::pair<int, std::size_t>, Track> used_;
  JsonWriter writer_;
};

}  // namespace

std::string prediction_trace(const Exchange& exchange, const Mapping& mapping, CongestionModel& model,
                             const Simulation& simulation) {
  return Trace(exchange, mapping, model, simulation).write();
}

}  // namespace topowise::cli
