// SPDX-License-Identifier: BSD-3-Clause
// What a back-end is: a name, a library and a way to fill the table from it.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>

#include <topowise/base/shared_library.hpp>
#include <topowise/device/functions.hpp>
#include <topowise/device/library_names.hpp>

namespace topowise::device {

struct Backend {
  const LibraryNames& names;
  std::string_view help;
  Functions (*fill)(const SharedLibrary& library);
};

/// Binds `call` to the first of `symbols` that the library has; leaves it empty without one.
template <class... Arguments>
void bind(Call<Arguments...>& call, const SharedLibrary& library, std::initializer_list<const char*> symbols) {
  for (const char* symbol : symbols) {
    call.name = symbol;
    if (auto* function = library.function<int(Arguments...)>(symbol)) {
      call.function = function;
      return;
    }
  }
}

}  // namespace topowise::device
