// SPDX-License-Identifier: BSD-3-Clause
// Arguments of MPI calls as the recording code sees them, whether they came from C or from Fortran. The generated
// wrappers build these; nothing here calls MPI except the conversions of handles that are not on the way of a message.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose {

/// Whose numbering a handle is of. Fortran handles are converted only when they are seen for the first time.
enum class Language : std::uint8_t { c, fortran };

/// A communicator or a window, as the program named it.
struct GroupRef {
  enum class Kind : std::uint8_t { communicator, window };
  Word word;
  Language language;
  Kind kind;
};

/// A datatype, as the program named it.
struct TypeRef {
  Word word;
  Language language;
};

/// sendcounts and the like: int, or MPI_Count in large-count functions.
struct Counts {
  const void* data;
  bool wide;
  [[nodiscard]] Count operator[](int index) const {
    return wide ? static_cast<const Count*>(data)[index] : Count{static_cast<const int*>(data)[index]};
  }
};

/// sendtypes of alltoallw.
struct Types {
  const void* data;
  Language language;
  [[nodiscard]] TypeRef operator[](int index) const;
};

/// Handles that C code passes: in registers, and by address.
namespace c {
inline GroupRef comm(Word word) {
  return {word, Language::c, GroupRef::Kind::communicator};
}
inline GroupRef win(Word word) {
  return {word, Language::c, GroupRef::Kind::window};
}
inline TypeRef type(Word word) {
  return {word, Language::c};
}
inline Types types(const void* data) {
  return {data, Language::c};
}
[[nodiscard]] Word op(Word word);
[[nodiscard]] Word stored(const void* address);                   ///< any handle that MPI wrote or will read
[[nodiscard]] Word stored(const void* array, std::size_t index);  ///< a handle in an array
}  // namespace c

/// Handles that Fortran code passes: integers by address. type(MPI_Comm) of mpi_f08 is such an integer too.
namespace fortran {
inline GroupRef comm(const int* handle) {
  return {*handle, Language::fortran, GroupRef::Kind::communicator};
}
inline GroupRef win(const int* handle) {
  return {*handle, Language::fortran, GroupRef::Kind::window};
}
inline TypeRef type(const int* handle) {
  return {*handle, Language::fortran};
}
inline Types types(const void* data) {
  return {data, Language::fortran};
}
[[nodiscard]] Word op(const int* handle);
[[nodiscard]] Word request(const int* handle);
[[nodiscard]] Word session(const int* handle);
/// The C handle.
[[nodiscard]] Word converted(const GroupRef& group);
[[nodiscard]] Word converted(const TypeRef& type);
/// A choice buffer; MPI_IN_PLACE of Fortran is the address of a common block and becomes that of C.
[[nodiscard]] const void* buffer(const void* address);
/// A choice buffer of the mpi_f08 functions whose names end in f08ts: the address is first in the array descriptor.
[[nodiscard]] const void* described_buffer(const void* descriptor);
}  // namespace fortran

}  // namespace topowise::interpose
