// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise::cli {
namespace {

using Layout = JsonWriter::Layout;

void write_pair(JsonWriter& writer, const Communication& message) {
  writer.key("source").value(message.source.index()).key("destination").value(message.destination.index());
}

void write_cause(JsonWriter& writer, const MessageCause& cause) {
  writer.key("rule").value(to_string(cause.slowdown.rule)).key("port").text_or_null(cause.slowdown.port);
  writer.key("other");
  cause.other ? writer.value(*cause.other) : writer.null();
}

std::string link_name(const Topology& topology, std::uint32_t link) {
  const Link& found = topology.link(LinkId(link));
  return fmt::format("{} -> {}", topology.vertex(found.from).name, topology.vertex(found.to).name);
}

void write_track_name(JsonWriter& writer, std::size_t rank, const std::string& name) {
  writer.object(Layout::row).key("ph").value("M").key("name").value("thread_name").key("pid").value(1);
  writer.key("tid").value(rank).key("args").object().key("name").value(name).end().end();
}

}  // namespace

ModelsOfKinds models_of_kinds(const CongestionModel& model) {
  ModelsOfKinds found;
  const std::span<const Link> links = model.topology().links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const std::string kind(to_string(links[l].kind));
    std::vector<std::string>& kinds = model.follows_paper(LinkId(l)) ? found.paper : found.fair;
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return found;
}

void write_models(JsonWriter& writer, const CongestionModel& model) {
  const auto [paper, fair] = models_of_kinds(model);
  writer.key("link_models").array();
  const auto write = [&](CongestionModelName name, const std::vector<std::string>& kinds) {
    if (kinds.empty()) return;
    writer.object(Layout::row).key("model").value(to_string(name)).key("kinds").array();
    for (const std::string& kind : kinds) writer.value(kind);
    writer.end().end();
  };
  const bool filled = model.name() == CongestionModelName::pcie_filled;
  write(filled ? CongestionModelName::pcie_filled : CongestionModelName::pcie_sc16, paper);
  write(CongestionModelName::max_min, fair);
  writer.end();
}

std::string prediction_json(const ExchangeProblem& problem, const CongestionModel& model, const Simulation& simulation,
                            const std::vector<MessageCause>& causes) {
  const std::span<const Communication> messages = problem.exchange.communications();
  JsonWriter writer;
  writer.object().key("schema").value("topowise.prediction/1").key("model").value(to_string(problem.model));
  write_models(writer, model);
  writer.key("makespan_s").value(simulation.makespan.value());
  writer.key("unit_bytes_per_s").value(model.unit().value()).key("communications").array();
  for (std::size_t m = 0; m < messages.size(); ++m) {
    writer.object(Layout::row);
    write_pair(writer, messages[m]);
    writer.key("bytes").value(messages[m].bytes.value()).key("start_s").value(messages[m].start.value());
    writer.key("begin_s").value(simulation.begin[m].value()).key("end_s").value(simulation.end[m].value());
    if (!causes.empty()) write_cause(writer, causes[m]);
    writer.end();
  }
  writer.end().key("steps").array();
  for (const TimeStep& step : simulation.steps) {
    writer.object(Layout::row).key("start_s").value(step.start.value()).key("end_s").value(step.end.value());
    writer.key("factors").array();
    for (const TimeStep::Factor& factor : step.factors) {
      writer.object();
      write_pair(writer, messages[factor.message]);
      writer.key("factor").value(factor.factor).end();
    }
    writer.end().end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

std::string prediction_trace(const ExchangeProblem& problem, CongestionModel& model, const Simulation& simulation) {
  constexpr double kMicrosecond = 1e6;
  const std::span<const Communication> messages = problem.exchange.communications();
  JsonWriter writer;
  writer.object().key("displayTimeUnit").value("ms").key("traceEvents").array();
  for (std::size_t rank = 0; rank < problem.exchange.ranks(); ++rank) {
    const std::string& device = problem.topology.vertex_of(problem.mapping[Rank(rank)]).name;
    write_track_name(writer, rank, fmt::format("rank {} on {}", rank, device));
  }
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const Communication& message = messages[m];
    const double begin = simulation.begin[m].value();
    writer.object(Layout::row).key("ph").value("X").key("pid").value(1).key("tid").value(message.source.index());
    writer.key("name").value(fmt::format("{}->{}", message.source.index(), message.destination.index()));
    writer.key("ts").value(begin * kMicrosecond).key("dur").value((simulation.end[m].value() - begin) * kMicrosecond);
    writer.key("args").object().key("bytes").value(message.bytes.value()).end().end();
  }
  std::map<std::uint32_t, double> load;  // share of each link that was ever used
  const auto write_load = [&](std::uint32_t link, double share, Seconds time) {
    writer.object(Layout::row).key("ph").value("C").key("pid").value(2).key("ts").value(time.value() * kMicrosecond);
    writer.key("name").value(fmt::format("link {}: {}", link, link_name(problem.topology, link)));
    writer.key("args").object().key("load").value(share).end().end();
  };
  for (const TimeStep& step : simulation.steps) {
    std::map<std::uint32_t, double> now;
    for (const TimeStep::Factor& factor : step.factors) {
      const Communication& message = messages[factor.message];
      const auto flow = model.flow(problem.mapping[message.source], problem.mapping[message.destination]);
      for (const std::uint32_t link : model.links(flow))
        now[link] += factor.factor * model.unit().value() / model.link_capacity(link);
    }
    for (auto& [link, share] : load) {
      if (!now.contains(link) && share != 0) write_load(link, share = 0, step.start);
    }
    for (const auto& [link, share] : now) {
      if (!load.contains(link) || load[link] != share) write_load(link, load[link] = share, step.start);
    }
  }
  for (const auto& [link, share] : load) {
    if (share != 0) write_load(link, 0, simulation.makespan);
  }
  writer.end().end();
  return std::move(writer).finish();
}

}  // namespace topowise::cli
