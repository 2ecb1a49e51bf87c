// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/inventory/inventory.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise::cli {
namespace {

std::string json(const std::vector<InventoryItem>& items) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.doctor/1").key("items").array();
  for (const InventoryItem& item : items) {
    writer.object(JsonWriter::Layout::row).key("group").value(item.group).key("name").value(item.name);
    writer.key("found").value(item.found).key("detail").value(item.detail);
    writer.key("cost").value(item.cost).key("remedy").value(item.remedy).end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::vector<InventoryItem> items = take_inventory();
  if (arguments.has("--json")) {
    terminal.print(json(items));
    return ExitStatus::done;
  }
  std::string group;
  for (const InventoryItem& item : items) {
    if (item.group != group) terminal.print("{}{}\n", group.empty() ? "" : "\n", terminal.bold(item.group));
    group = item.group;
    terminal.print("  {} {:<26} {}\n", item.found ? "yes" : "no ", item.name, item.detail);
    if (!item.found) terminal.print("        costs: {}\n        get it: {}\n", item.cost, item.remedy);
  }
  return ExitStatus::done;
}

}  // namespace

Verb doctor_verb() {
  Verb verb{.name = "doctor",
            .summary = "what this machine has, what each lack costs, and how to get it",
            .description = {},
            .examples = {"topowise doctor"}};
  verb.options = {json_option()};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
