// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <string_view>

#include <topowise/base/text.hpp>

#include "process.hpp"

namespace topowise::fake {
namespace {

/// The device that a GPU's own name stands for: its first part if the GPU is cut, else the whole GPU.
VisibleDevice whole(const Gpu& gpu) {
  return {&gpu, gpu.instances.empty() ? nullptr : &gpu.instances.front()};
}

std::optional<VisibleDevice> by_name(const std::vector<Gpu>& gpus, std::string_view name) {
  const std::optional<std::int64_t> index = parse_integer(name);
  if (index && *index >= 0 && *index < static_cast<std::int64_t>(gpus.size())) {
    return whole(gpus[static_cast<std::size_t>(*index)]);
  }
  std::optional<VisibleDevice> found;
  const auto take = [&](const std::string& uuid, VisibleDevice device) {
    if (name.size() <= 4 || !uuid.starts_with(name)) return true;
    if (found) return false;  // two devices begin so
    found = device;
    return true;
  };
  for (const Gpu& gpu : gpus) {
    if (!take(gpu.uuid, whole(gpu))) return std::nullopt;
    for (const Instance& instance : gpu.instances) {
      if (!take(instance.uuid, {&gpu, &instance})) return std::nullopt;
    }
  }
  return found;
}

/// CUDA uses one part of a GPU, and then no other device.
std::vector<VisibleDevice> one_instance_at_most(std::vector<VisibleDevice> devices) {
  const auto instance =
      std::find_if(devices.begin(), devices.end(), [](auto& each) { return each.instance != nullptr; });
  if (instance == devices.end()) return devices;
  return {*instance};
}

}  // namespace

std::vector<VisibleDevice> visible_devices(const std::vector<Gpu>& gpus, const char* visible) {
  std::vector<VisibleDevice> devices;
  if (visible == nullptr) {
    for (const Gpu& gpu : gpus) devices.push_back(whole(gpu));
    return one_instance_at_most(std::move(devices));
  }
  for (const std::string_view entry : split(visible, ',')) {
    const std::optional<VisibleDevice> device = by_name(gpus, trim(entry));
    if (!device) break;
    const bool twice = std::any_of(devices.begin(), devices.end(), [&](const VisibleDevice& each) {
      return each.gpu == device->gpu && each.instance == device->instance;
    });
    if (twice) return {};  // the real driver then sees nothing
    devices.push_back(*device);
  }
  return one_instance_at_most(std::move(devices));
}

bool can_access(const std::string& peers, int from, int to) {
  if (from == to || peers == "none") return false;
  if (peers == "all") return true;
  for (const std::string_view pair : split(peers, ',')) {
    const std::vector<std::string_view> ends = split(pair, '-');
    if (ends.size() != 2) continue;
    const auto a = parse_integer(ends[0]);
    const auto b = parse_integer(ends[1]);
    if ((a == from && b == to) || (a == to && b == from)) return true;
  }
  return false;
}

}  // namespace topowise::fake
