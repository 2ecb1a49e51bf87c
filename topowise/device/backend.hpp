// SPDX-License-Identifier: BSD-3-Clause
// What a back-end is: a name, a library and a way to fill the table from it.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
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

/// What usually is behind an error, and the vendor's tool that shows it. Hints go by number, because the vendors share
/// most numbers and spell none of the names alike.
struct Hint {
  int first, last;  ///< numbers of the driver's results
  std::string_view text;
};
inline constexpr std::string_view kSharingHint =
    "processes that share memory need the same IPC and PID namespaces: docker run --ipc=host --pid=host";

template <std::size_t N>
[[nodiscard]] std::string_view hint_in(const std::array<Hint, N>& hints, int code) {
  for (const Hint& hint : hints) {
    if (code >= hint.first && code <= hint.last) return hint.text;
  }
  return {};
}

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

// Calls that both vendors have with the same arguments, of which ours leave some out.

inline void bind_initialize(Functions& table, const SharedLibrary& library, const char* symbol) {
  table.initialize.name = symbol;
  if (auto* function = library.function<int(unsigned)>(symbol)) {
    table.initialize.function = [function] { return function(0); };
  }
}

inline void bind_register_host(Functions& table, const SharedLibrary& library, const char* symbol) {
  table.register_host.name = symbol;
  if (auto* function = library.function<int(void*, std::size_t, unsigned)>(symbol)) {
    constexpr unsigned kPortable = 1;  // pinned for all contexts
    table.register_host.function = [function](void* begin, std::size_t size) {
      return function(begin, size, kPortable);
    };
  }
}

inline void bind_import_memory(Functions& table, const SharedLibrary& library,
                               std::initializer_list<const char*> symbols) {
  Call<Address*, IpcHandle, unsigned> open;
  bind(open, library, symbols);
  table.import_memory.name = open.name;
  if (open.function) {
    constexpr unsigned kLazyEnablePeerAccess = 1;
    table.import_memory.function = [function = open.function](Address* address, IpcHandle handle) {
      return function(address, handle, kLazyEnablePeerAccess);
    };
  }
}

inline void bind_launch(Functions& table, const SharedLibrary& library, const char* symbol) {
  using Launch =
      int(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**);
  table.launch.name = symbol;
  if (auto* function = library.function<Launch>(symbol)) {
    table.launch.function = [function](Handle kernel, Extent grid, Extent block, Handle stream, void** arguments) {
      return function(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, 0, stream, arguments, nullptr);
    };
  }
}

}  // namespace topowise::device
