// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_table.hpp"

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include <topowise/device/kernel_code.hpp>
#include <topowise/device/kernel_list.hpp>

namespace topowise::fake {
namespace {

using device::Extent;

/// One thread after the other.
struct OneThread {
  unsigned long long index = 0, threads = 1;
  [[nodiscard]] constexpr unsigned long long first() const { return index; }
  [[nodiscard]] constexpr unsigned long long step() const { return threads; }
};

/// An argument as the launch stores it: pointers by where the driver reaches them.
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
  Prepare prepare;
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

}  // namespace

Prepare find_host_kernel(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.prepare;
  }
  return nullptr;
}

}  // namespace topowise::fake
