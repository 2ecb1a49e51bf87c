// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_list.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

bool is_index(const std::string& token) {
  return !token.empty() && std::ranges::all_of(token, is_digit) && token.size() < 9;
}

/// The entries before the first one that names no device: the CUDA runtime ignores the rest.
std::vector<std::string> visible_tokens(std::string_view inherited) {
  std::vector<std::string> tokens;
  for (const std::string_view part : split(inherited, ',')) {
    const std::string token(trim(part));
    const bool names_something = is_index(token) || token.starts_with("GPU-") || token.starts_with("MIG-");
    if (!names_something) break;
    tokens.push_back(token);
  }
  return tokens;
}

/// CUDA accepts as many leading characters of a UUID as make it unique.
bool same_uuid(const std::string& uuid, const std::string& token) {
  return !uuid.empty() && lower(uuid).starts_with(lower(token));
}

}  // namespace

std::vector<std::size_t> permuted_gpus(std::size_t count, std::size_t mine, std::size_t local_rank) {
  std::vector<std::size_t> order;
  for (std::size_t gpu = 0; gpu < count; ++gpu) {
    if (gpu != mine) order.push_back(gpu);
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(local_rank % (order.size() + 1)), mine);
  return order;
}

std::vector<std::size_t> gpu_numbers(const PlacedNode& node) {
  std::vector<std::size_t> numbers;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) numbers.push_back(number_of(node, gpu));
  return numbers;
}

VisibleGpus visible_gpus(const PlacedNode& node, const std::string& variable, std::string_view inherited) {
  VisibleGpus visible;
  const std::vector<std::string> tokens = visible_tokens(inherited);
  const bool indices = std::ranges::all_of(tokens, is_index);
  const bool uuids_known = std::ranges::all_of(node.gpus, [](const NodeGpu& gpu) { return !gpu.uuid.empty(); });
  const bool by_position = tokens.size() == node.gpus.size() && (indices || !uuids_known);
  const std::vector<std::size_t> numbers = gpu_numbers(node);
  std::vector<std::string> sorted = tokens;
  if (indices) std::ranges::sort(sorted, {}, [](const std::string& token) { return *parse_integer(token); });
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    std::optional<std::size_t> gpu;
    if (by_position) {
      gpu = static_cast<std::size_t>(std::ranges::find(sorted, tokens[t]) - sorted.begin());
    } else if (is_index(tokens[t])) {
      const auto found = std::ranges::find(numbers, static_cast<std::size_t>(*parse_integer(tokens[t])));
      if (found != numbers.end()) gpu = static_cast<std::size_t>(found - numbers.begin());
    } else {
      const auto found = std::ranges::find_if(
          node.gpus, [&](const NodeGpu& candidate) { return same_uuid(candidate.uuid, tokens[t]); });
      if (found != node.gpus.end()) gpu = static_cast<std::size_t>(found - node.gpus.begin());
    }
    const bool beyond = tokens.size() > node.gpus.size() && is_index(tokens[t]);
    if (!gpu && beyond) continue;  // the machine is a part of its host, without this GPU
    if (!gpu) {
      throw bad_input(fmt::format("{}='{}': it is not known which GPU '{}' is", variable,
                                  printable(inherited.substr(0, 200)), printable(tokens[t])),
                      "map onto the machine as the job sees it: topowise topology live --save FILE inside the job");
    }
    if (std::ranges::find(visible.gpus, *gpu) != visible.gpus.end()) {
      throw bad_input(fmt::format("{}='{}' names GPU '{}' twice", variable, printable(inherited.substr(0, 200)),
                                  printable(tokens[t])),
                      "name each GPU once");
    }
    visible.names.push_back(tokens[t]);
    visible.gpus.push_back(*gpu);
  }
  return visible;
}

}  // namespace topowise
