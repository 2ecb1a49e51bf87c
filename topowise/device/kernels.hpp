// SPDX-License-Identifier: BSD-3-Clause
// Our kernels on a GPU.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <topowise/device/driver.hpp>
#include <topowise/device/owned.hpp>

namespace topowise::device {

/// PTX text for compute capability 5.0 and newer; null if no clang was there when topowise was built.
[[nodiscard]] const char* kernel_image();

enum class Operation : unsigned char { sum, prod, min, max };
enum class Element : unsigned char { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };
[[nodiscard]] std::string_view to_string(Operation operation);
[[nodiscard]] std::string_view to_string(Element element);

/// Loads the kernels once a device. Not to be shared between threads.
class Kernels {
 public:
  /// Throws Error(not_available) if this build has none.
  explicit Kernels(Driver driver);

  /// Reduces on the selected device, asynchronously: to[i] = operation(to[i], from[i]).
  void reduce(Operation operation, Element element, Address to, Address from, std::size_t count,
              Handle stream = nullptr);
  void copy(Element element, Address to, Address from, std::size_t count, Handle stream = nullptr);

 private:
  [[nodiscard]] Handle kernel(const std::string& name);
  void launch(const std::string& name, Address to, Address from, std::size_t count, Handle stream);

  Driver driver_;
  std::map<int, OwnedModule> modules_;
  std::map<std::pair<int, std::string>, Handle> kernels_;
};

}  // namespace topowise::device
