// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/result_table.hpp>

#include <fmt/format.h>

#include <array>

#include <topowise/graph/json/writer.hpp>

namespace topowise::benchmark {
namespace {

struct CsvText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }
};

void write(JsonWriter& writer, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) writer.null();
  if (const bool* truth = std::get_if<bool>(&cell)) writer.value(*truth);
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&cell)) writer.value(*whole);
  if (const double* number = std::get_if<double>(&cell)) writer.value(*number);
  if (const std::string* text = std::get_if<std::string>(&cell)) writer.value(*text);
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames{"measured", "simulated", "predicted", "computed"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_csv(const ResultTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.columns, ","));
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += std::visit(CsvText{}, row[i]);
    }
    text += '\n';
  }
  return text;
}

std::string to_json(const ResultTable& table, const std::string& command, const std::string& date) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.bench-" + table.name + "/1").key("title").value(table.title);
  writer.key("command").value(command).key("date").value(date);
  for (const auto& [name, cell] : table.facts) write(writer.key(name), cell);
  writer.key("rows").array();
  for (const std::vector<Cell>& row : table.rows) {
    writer.object(JsonWriter::Layout::row);
    for (std::size_t i = 0; i < row.size(); ++i) write(writer.key(table.columns[i]), row[i]);
    writer.end();
  }
  writer.end().key("notes").array();
  for (const std::string& note : table.notes) writer.value(note);
  writer.end().end();
  return std::move(writer).finish();
}

}  // namespace topowise::benchmark
