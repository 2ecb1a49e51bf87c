// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/launched_world.hpp>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include <topowise/job/process.hpp>

namespace topowise::interpose {
namespace {

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<World> launched_world(const std::function<const char*(const char*)>& environment) {
  const std::optional<int> rank = number(environment("RANK"));
  const std::optional<int> size = number(environment("WORLD_SIZE"));
  if (rank && size && *rank < *size) return World{*rank, *size};
  const job::Process process = job::this_process(environment);
  if (process.launcher.empty() || !process.size || process.rank >= *process.size) return std::nullopt;
  return World{static_cast<int>(process.rank), static_cast<int>(*process.size)};
}

std::optional<World> launched_world() {
  return launched_world([](const char* name) -> const char* { return std::getenv(name); });
}

bool mpi_is_bystander(const World& mpi) {
  if (mpi.size != 1) return false;
  const job::Process process = job::this_process();
  return process.node_rank.has_value() && process.size.value_or(1) > 1;
}

}  // namespace topowise::interpose
