// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/kernels.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace topowise::device {

std::string_view to_string(Operation operation) {
  constexpr std::array<std::string_view, 4> kNames{"sum", "prod", "min", "max"};
  return kNames[static_cast<std::size_t>(operation)];
}

std::string_view to_string(Element element) {
  constexpr std::array<std::string_view, 10> kNames{"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"};
  return kNames[static_cast<std::size_t>(element)];
}

Kernels::Kernels(Driver driver) : driver_(std::move(driver)) {
  if (kernel_image() != nullptr) return;
  throw not_available("this build has no GPU kernels: there was no clang when it was built",
                      "install clang and build again");
}

Handle Kernels::kernel(const std::string& name) {
  const int device = driver_.selected();
  if (modules_.find(device) == modules_.end()) {
    modules_[device] = OwnedModule(driver_, device, driver_.load_module(kernel_image()));
  }
  const auto [entry, is_new] = kernels_.try_emplace({device, name}, nullptr);
  if (is_new) entry->second = driver_.find_kernel(modules_[device].get(), name);
  return entry->second;
}

void Kernels::launch(const std::string& name, Address to, Address from, std::size_t count, Handle stream) {
  constexpr unsigned kThreads = 256;
  constexpr std::size_t kMostBlocks = 4096;  // beyond it a thread takes several elements
  if (count == 0) return;
  const std::size_t blocks = std::min((count + kThreads - 1) / kThreads, kMostBlocks);
  unsigned long long elements = count;
  std::array<void*, 3> arguments{&to, &from, &elements};
  driver_.launch(kernel(name), {static_cast<unsigned>(blocks)}, {kThreads}, arguments.data(), stream);
}

void Kernels::reduce(Operation operation, Element element, Address to, Address from, std::size_t count, Handle stream) {
  launch(fmt::format("topowise_{}_{}", to_string(operation), to_string(element)), to, from, count, stream);
}

void Kernels::copy(Element element, Address to, Address from, std::size_t count, Handle stream) {
  launch(fmt::format("topowise_copy_{}", to_string(element)), to, from, count, stream);
}

}  // namespace topowise::device
