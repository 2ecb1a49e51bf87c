// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mpi/team.hpp>

namespace topowise::mpi {
namespace {

// The texts of a failure on its way between processes: the exit status, then the fields of the diagnostics.

std::vector<std::string> to_texts(const Error& error) {
  std::vector<std::string> texts{std::to_string(static_cast<int>(error.status()))};
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    texts.insert(texts.end(), {diagnostic.where, std::to_string(diagnostic.position.line),
                               std::to_string(diagnostic.position.column), diagnostic.what, diagnostic.source_line,
                               diagnostic.hint});
  }
  return texts;
}

Error error_of(const std::vector<std::string>& texts) {
  auto next = texts.begin();
  const auto status = static_cast<ExitStatus>(std::stoi(*next++));
  std::vector<Diagnostic> diagnostics;
  while (next != texts.end()) {
    Diagnostic diagnostic;
    diagnostic.where = *next++;
    diagnostic.position.line = std::stoul(*next++);
    diagnostic.position.column = std::stoul(*next++);
    diagnostic.what = *next++;
    diagnostic.source_line = *next++;
    diagnostic.hint = *next++;
    diagnostics.push_back(std::move(diagnostic));
  }
  return {status, std::move(diagnostics)};
}

}  // namespace

std::vector<std::vector<std::string>> Team::gather_texts(const std::vector<std::string>& own) const {
  std::vector<char> joined;  // a zero byte ends each text
  for (const std::string& text : own) joined.insert(joined.end(), text.c_str(), text.c_str() + text.size() + 1);
  std::vector<std::vector<std::string>> all;
  for (const std::vector<char>& texts : gather_at_all(joined)) {
    std::vector<std::string>& of_process = all.emplace_back();
    for (std::size_t at = 0; at < texts.size(); at += of_process.back().size() + 1)
      of_process.emplace_back(texts.data() + at);
  }
  return all;
}

double Team::sum(double own) const {
  double total = 0;
  for (const std::vector<double>& part : gather_at_all(std::vector<double>{own})) total += part.front();
  return total;
}

std::vector<std::int64_t> Team::sum(const std::vector<std::int64_t>& own) const {
  std::vector<std::int64_t> total(own.size(), 0);
  for (const std::vector<std::int64_t>& part : gather_at_all(own)) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  }
  return total;
}

void Team::agree(const std::optional<Error>& failure) const {
  for (const std::vector<std::string>& texts :
       gather_texts(failure ? to_texts(*failure) : std::vector<std::string>{})) {
    if (!texts.empty()) throw AgreedError(error_of(texts));
  }
}

}  // namespace topowise::mpi
