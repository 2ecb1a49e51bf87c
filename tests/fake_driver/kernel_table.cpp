// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_table.hpp"

#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/device/folds.hpp>

namespace topowise::fake {
namespace {

using device::Extent;

using device::kernel::FoldOperands;

/// False if one of the used pointers points nowhere.
bool translate_all(unsigned long long* pointers, unsigned count, const Translate& translate) {
  for (unsigned long long* pointer = pointers; pointer != pointers + count; ++pointer) {
    char* inside = translate(*pointer);
    if (inside == nullptr) return false;
    *pointer = reinterpret_cast<unsigned long long>(inside);
  }
  return true;
}

/// A GPU fails where an element begins at an address that is no multiple of its alignment.
bool are_aligned(const FoldOperands& operands, unsigned from, unsigned to, std::size_t alignment) {
  unsigned long long all = 0;
  for (unsigned k = 0; k < from; ++k) all |= operands.from[k];
  for (unsigned k = 0; k < to; ++k) all |= operands.to[k];
  return all % alignment == 0;
}

Launch folding(device::HostFold fold, std::size_t alignment, void** arguments, const Translate& translate) {
  auto operands = *static_cast<FoldOperands*>(arguments[0]);
  const unsigned from = *static_cast<unsigned*>(arguments[1]);
  const unsigned to = *static_cast<unsigned*>(arguments[2]);
  const unsigned long long count = *static_cast<unsigned long long*>(arguments[3]);
  if (!are_aligned(operands, from, to, alignment)) return {};
  const bool good = translate_all(operands.from, from, translate) && translate_all(operands.to, to, translate);
  if (!good) return {};
  return [=] { fold(operands, from, to, 0, count); };
}

/// "topowise_fold_sum_f32"
struct Found {
  device::HostFold fold = nullptr;
  std::size_t alignment = 1;
};
Found find_fold(std::string_view name) {
  const std::vector<std::string_view> words = split(name, '_');
  if (words.size() != 4 || words[0] != "topowise" || words[1] != "fold") return {};
  const auto operation = device::fold_operation(words[2]);
  const auto element = device::fold_element(words[3]);
  const bool known = operation && element && device::fold_name(*operation, *element) == name;
  return known ? Found{device::host_fold(*operation, *element), device::alignment_of(*element)} : Found{};
}

}  // namespace

Prepare find_host_kernel(std::string_view name) {
  const Found found = find_fold(name);
  if (found.fold != nullptr)
    return [found](Extent, Extent, void** arguments, const Translate& translate) {
      return folding(found.fold, found.alignment, arguments, translate);
    };
  return nullptr;
}

}  // namespace topowise::fake
