// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/measuring_command.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <topowise/cli/input/typed_command.hpp>

namespace topowise::cli {
namespace {

bool decides(std::string_view name) {
  constexpr std::array<std::string_view, 4> kVisible{"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                                     "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
  return name.starts_with("TOPOWISE_") || std::ranges::find(kVisible, name) != kVisible.end();
}

}  // namespace

std::string measuring_variables(const char* const* environment) {
  std::vector<std::pair<std::string, std::string>> found;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable(*environment);
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos || !decides(variable.substr(0, equals))) continue;
    found.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  std::ranges::sort(found);
  std::string words;
  for (const auto& [name, value] : found) words += fmt::format("{}={} ", name, value.empty() ? "" : shell_word(value));
  return words;
}

std::string launcher_words(std::string_view launcher, std::size_t ranks) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kStarts{
      {{"hydra", "mpiexec"}, {"PALS", "mpiexec"}, {"MVAPICH", "mpiexec"}, {"Slurm", "srun"}, {"Flux", "flux run"}}};
  const auto* const found = std::ranges::find(kStarts, launcher, &std::pair<std::string_view, std::string_view>::first);
  return fmt::format("{} -n {} ", found == kStarts.end() ? "mpirun" : found->second, ranks);
}

}  // namespace topowise::cli
