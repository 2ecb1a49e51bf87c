// SPDX-License-Identifier: BSD-3-Clause
// Classes of paths in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/path_class.hpp>

namespace topowise {

/// A kind of class as outputs name it, "NV#" (# is a number) or "PIX", and what it means.
struct ClassWords {
  PathKind kind;
  std::string_view name;
  std::string_view meaning;
};

/// Every kind of class but the one of a place and itself.
[[nodiscard]] std::span<const ClassWords> class_words();

/// One line for each kind among the classes: "PIX: one PCIe switch at most", "NET1, NET3: between compute nodes ...".
[[nodiscard]] std::vector<std::string> classes_in_words(std::span<const PathClass> classes);

}  // namespace topowise
