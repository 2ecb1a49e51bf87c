// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_table.hpp"

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/device/folds.hpp>
#include <topowise/device/kernel_code.hpp>
#include <topowise/device/kernel_list.hpp>

namespace topowise::fake {
namespace {

using device::Extent;

/// A single thread; the launch runs one thread after the other.
struct OneThread {
  unsigned long long index = 0, threads = 1;
  [[nodiscard]] constexpr unsigned long long first() const { return index; }
  [[nodiscard]] constexpr unsigned long long step() const { return threads; }
};

/// Reads an argument as the launch stores it, and translates pointers to addresses that the driver can reach.
template <class T>
T read(void* argument, const Translate& translate, bool& good) {
  if constexpr (std::is_pointer_v<T>) {
    char* inside = translate(*static_cast<device::Address*>(argument));
    good = good && inside != nullptr;
    return reinterpret_cast<T>(inside);
  } else {
    return *static_cast<T*>(argument);
  }
}

/// Runs `body(thread, arguments...)` for every thread of the launch. The kernels only use the first dimension.
template <class... Arguments, class Body, std::size_t... I>
Launch prepare(Extent grid, Extent block, void** arguments, const Translate& translate, Body body,
               std::index_sequence<I...>) {
  bool good = true;
  const std::tuple<Arguments...> values{read<Arguments>(arguments[I], translate, good)...};
  if (!good) return {};
  const unsigned long long threads = static_cast<unsigned long long>(grid.x) * block.x;
  return [threads, values, body] {
    for (unsigned long long i = 0; i < threads; ++i) body(OneThread{i, threads}, std::get<I>(values)...);
  };
}

template <class Operation, class T>
Launch reduction(Extent grid, Extent block, void** arguments, const Translate& translate) {
  const auto body = [](OneThread thread, T* to, const T* from, unsigned long long count) {
    device::kernel::reduce<Operation>(thread, to, from, count);
  };
  return prepare<T*, const T*, unsigned long long>(grid, block, arguments, translate, body,
                                                   std::make_index_sequence<3>());
}

template <class T>
Launch copying(Extent grid, Extent block, void** arguments, const Translate& translate) {
  const auto body = [](OneThread thread, T* to, const T* from, unsigned long long count) {
    device::kernel::copy(thread, to, from, count);
  };
  return prepare<T*, const T*, unsigned long long>(grid, block, arguments, translate, body,
                                                   std::make_index_sequence<3>());
}

template <class T>
Launch filling(Extent grid, Extent block, void** arguments, const Translate& translate) {
  const auto body = [](OneThread thread, T* to, T value, unsigned long long count) {
    device::kernel::fill(thread, to, value, count);
  };
  return prepare<T*, T, unsigned long long>(grid, block, arguments, translate, body, std::make_index_sequence<3>());
}

struct Row {
  std::string_view name;
  Launch (*prepare)(Extent grid, Extent block, void** arguments, const Translate& translate);
};

#define REDUCTION(name, Operation, type) Row{#name, reduction<device::kernel::Operation, type>},
#define COPY(name, type) Row{#name, copying<type>},
#define FILL(name, type) Row{#name, filling<type>},
#define ROW(name, type) TOPOWISE_KERNELS_OF_TYPE(REDUCTION, COPY, FILL, name, type)
constexpr std::array kRows{TOPOWISE_ELEMENT_TYPES(ROW)};
#undef REDUCTION
#undef COPY
#undef FILL
#undef ROW

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

Launch folding(device::HostFold fold, void** arguments, const Translate& translate) {
  auto operands = *static_cast<FoldOperands*>(arguments[0]);
  const unsigned from = *static_cast<unsigned*>(arguments[1]);
  const unsigned to = *static_cast<unsigned*>(arguments[2]);
  const unsigned long long count = *static_cast<unsigned long long*>(arguments[3]);
  const bool good = translate_all(operands.from, from, translate) && translate_all(operands.to, to, translate);
  if (!good) return {};
  return [=] { fold(operands, from, to, 0, count); };
}

/// "topowise_fold_sum_f32"
device::HostFold find_fold(std::string_view name) {
  const std::vector<std::string_view> words = split(name, '_');
  if (words.size() != 4 || words[0] != "topowise" || words[1] != "fold") return nullptr;
  const auto operation = device::fold_operation(words[2]);
  const auto element = device::fold_element(words[3]);
  const bool known = operation && element && device::fold_name(*operation, *element) == name;
  return known ? device::host_fold(*operation, *element) : nullptr;
}

}  // namespace

Prepare find_host_kernel(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.prepare;
  }
  if (const device::HostFold fold = find_fold(name))
    return [fold](Extent, Extent, void** arguments, const Translate& translate) {
      return folding(fold, arguments, translate);
    };
  return nullptr;
}

}  // namespace topowise::fake
