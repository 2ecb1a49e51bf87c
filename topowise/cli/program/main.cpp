// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include <topowise/cli/program/program.hpp>
#include <topowise/cli/verb/verbs.hpp>

int main(int argc, char** argv) {
  topowise::cli::occupy_standard_streams();
  topowise::cli::outlive_file_size_limit();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  topowise::cli::Terminal terminal;
  return static_cast<int>(topowise::cli::run_program(topowise::cli::verbs(), words, terminal));
}
