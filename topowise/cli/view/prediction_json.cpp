// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/cli/view/rests_on.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise::cli {
namespace {

using Layout = JsonWriter::Layout;

void write_pair(JsonWriter& writer, const Communication& message) {
  writer.key("source").value(message.source.index()).key("destination").value(message.destination.index());
}

void write_cause(JsonWriter& writer, const MessageCause& cause) {
  writer.key("rule").value(to_string(cause.slowdown.rule)).key("port").text_or_null(cause.slowdown.port);
  writer.key("other").value_or_null(cause.other);
}

void write_stages(JsonWriter& writer, const FactorStages& of) {
  writer.key("source_arbitration").value(of.source).key("upstream").value(of.upstream);
  writer.key("downstream").value(of.downstream).key("head_of_line").value(of.head_of_line).key("freed").value(of.freed);
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

namespace {

struct ModelOfKinds {
  CongestionModelName model;
  std::vector<std::string> kinds;
};

/// The models that some link of the machine follows.
std::vector<ModelOfKinds> models_with_links(const CongestionModel& model) {
  auto [paper, fair] = models_of_kinds(model);
  const bool filled = model.name() == CongestionModelName::pcie_filled;
  std::vector<ModelOfKinds> found;
  if (!paper.empty())
    found.push_back({filled ? CongestionModelName::pcie_filled : CongestionModelName::pcie_sc16, std::move(paper)});
  if (!fair.empty()) found.push_back({CongestionModelName::max_min, std::move(fair)});
  return found;
}

}  // namespace

std::string models_used(const CongestionModel& model) {
  std::string names;
  for (const ModelOfKinds& used : models_with_links(model))
    names.append(names.empty() ? "" : "+").append(to_string(used.model));
  return names.empty() ? std::string(to_string(model.name())) : names;
}

void write_models(JsonWriter& writer, CongestionModelName asked, const CongestionModel& model) {
  writer.key("model").value(models_used(model)).key("asked_model").value(to_string(asked)).key("link_models").array();
  for (const auto& [name, kinds] : models_with_links(model)) {
    writer.object(Layout::row).key("model").value(to_string(name)).key("kinds").array();
    for (const std::string& kind : kinds) writer.value(kind);
    writer.end().end();
  }
  writer.end();
  if (model.startup() > Seconds()) writer.key("startup_s").value(model.startup().value());
}

std::string prediction_json(const ExchangeProblem& problem, const CongestionModel& model, const Simulation& simulation,
                            const std::vector<MessageCause>& causes, const StagesOfSteps& stages) {
  const std::span<const Communication> messages = problem.exchange.communications();
  JsonWriter writer;
  writer.object().key("schema").value("topowise.prediction/1");
  write_models(writer, problem.model, model);
  write_assumptions(writer, assumptions_of(problem));
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
  for (std::size_t s = 0; s < simulation.steps.size(); ++s) {
    const TimeStep& step = simulation.steps[s];
    writer.object(Layout::row).key("start_s").value(step.start.value()).key("end_s").value(step.end.value());
    writer.key("factors").array();
    for (std::size_t i = 0; i < step.factors.size(); ++i) {
      writer.object();
      write_pair(writer, messages[step.factors[i].message]);
      writer.key("factor").value(step.factors[i].factor);
      if (!stages.empty() && stages[s][i]) write_stages(writer, *stages[s][i]);
      writer.end();
    }
    writer.end().end();
  }
  writer.end().key("message_order").value(problem.order.empty() ? "as listed" : problem.order).end();
  return std::move(writer).finish();
}

}  // namespace topowise::cli
