// SPDX-License-Identifier: BSD-3-Clause
// Finding the MPI library, or NCCL, that the program uses, wherever the loader has put it.
#pragma once

namespace topowise::interpose {

/// The definition of `name` that the program would have got without us: the next one in the loader's search order,
/// which is another preloaded tool's or the MPI library's own. A library that came by dlopen(RTLD_LOCAL), as MPI does
/// under Python, is not in that order and is searched for among the loaded libraries. Null if nobody has it.
[[nodiscard]] void* next_symbol(const char* name) noexcept;

/// The object `name` of the MPI library, as its own code sees it: a program that is not position independent holds the
/// only valid copy of it (copy relocation), in front of us in the search order. Null if nobody has it.
[[nodiscard]] void* mpi_object(const char* name) noexcept;

/// Fills a table of functions, one `find` each; `complete` says whether all were there.
struct FunctionFinder {
  bool complete = true;

  template <class Function>
  void find(Function*& function, const char* name) noexcept {
    function = reinterpret_cast<Function*>(next_symbol(name));
    complete = complete && function != nullptr;
  }
};

/// Path of the file that holds `address`, or an empty string.
[[nodiscard]] const char* file_of(const void* address) noexcept;

}  // namespace topowise::interpose
