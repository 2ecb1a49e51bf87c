// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mpi/team.hpp>

#include <string>

namespace topowise::mpi {
namespace {

// A failure on its way between processes: the exit status, then the diagnostics' texts, each closed by a zero byte.

std::vector<char> packed(const Error& error) {
  std::vector<char> text;
  const auto put = [&](const std::string& part) {
    text.insert(text.end(), part.c_str(), part.c_str() + part.size() + 1);
  };
  put(std::to_string(static_cast<int>(error.status())));
  for (const Diagnostic& diagnostic : error.diagnostics()) {
    put(diagnostic.where);
    put(std::to_string(diagnostic.position.line));
    put(std::to_string(diagnostic.position.column));
    put(diagnostic.what);
    put(diagnostic.source_line);
    put(diagnostic.hint);
  }
  return text;
}

Error unpacked(const std::vector<char>& text) {
  std::size_t at = 0;
  const auto take = [&] {
    std::string part(text.data() + at);
    at += part.size() + 1;
    return part;
  };
  const auto status = static_cast<ExitStatus>(std::stoi(take()));
  std::vector<Diagnostic> diagnostics;
  while (at < text.size()) {
    Diagnostic diagnostic;
    diagnostic.where = take();
    diagnostic.position.line = std::stoul(take());
    diagnostic.position.column = std::stoul(take());
    diagnostic.what = take();
    diagnostic.source_line = take();
    diagnostic.hint = take();
    diagnostics.push_back(std::move(diagnostic));
  }
  return {status, std::move(diagnostics)};
}

}  // namespace

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
  for (const std::vector<char>& text : gather_at_all(failure ? packed(*failure) : std::vector<char>{})) {
    if (!text.empty()) throw AgreedError(unpacked(text));
  }
}

}  // namespace topowise::mpi
