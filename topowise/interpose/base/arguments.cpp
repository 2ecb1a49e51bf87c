// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/base/symbols.hpp>

#include <algorithm>
#include <array>

namespace topowise::interpose {
namespace {

Word convert(Word (*const Mpi::*function)(int), int handle) {
  const Mpi* m = mpi();
  if (m == nullptr) return handle;
  const auto f2c = m->*function;
  return f2c != nullptr ? f2c(handle) : m->family.handle(handle);
}

/// Open MPI's MPI_IN_PLACE of Fortran under the four conventions of naming.
std::array<const void*, 4> in_place_blocks() {
  return {mpi_object("mpi_fortran_in_place_"), mpi_object("mpi_fortran_in_place"), mpi_object("mpi_fortran_in_place__"),
          mpi_object("MPI_FORTRAN_IN_PLACE")};
}
/// The same of MPI_BOTTOM.
std::array<const void*, 4> bottom_blocks() {
  return {mpi_object("mpi_fortran_bottom_"), mpi_object("mpi_fortran_bottom"), mpi_object("mpi_fortran_bottom__"),
          mpi_object("MPI_FORTRAN_BOTTOM")};
}

bool is_among(const std::array<const void*, 4>& blocks, const void* address) {
  return address != nullptr && std::find(blocks.begin(), blocks.end(), address) != blocks.end();
}

}  // namespace

TypeRef Types::operator[](int index) const {
  const auto at = static_cast<std::size_t>(index);
  return language == Language::c ? TypeRef{c::stored(data, at), language}
                                 : TypeRef{static_cast<const int*>(data)[at], language};
}

namespace c {
Word op(Word word) {
  return mpi() != nullptr ? mpi()->family.handle(word) : word;
}
Word stored(const void* address) {
  return stored(address, 0);
}
Word stored(const void* array, std::size_t index) {
  return mpi() != nullptr ? mpi()->family.handle_at(array, index) : 0;
}
}  // namespace c

namespace fortran {
Word op(const int* handle) {
  return convert(&Mpi::Op_f2c, *handle);
}
Word request(const int* handle) {
  return convert(&Mpi::Request_f2c, *handle);
}
Word session(const int* handle) {
  return convert(&Mpi::Session_f2c, *handle);
}
Word converted(const GroupRef& group) {
  const auto handle = static_cast<int>(group.word);
  return group.kind == GroupRef::Kind::window ? convert(&Mpi::Win_f2c, handle) : convert(&Mpi::Comm_f2c, handle);
}
Word converted(const TypeRef& type) {
  return convert(&Mpi::Type_f2c, static_cast<int>(type.word));
}

const void* buffer(const void* address) {
  static const std::array<const void*, 4> in_place = in_place_blocks();
  static const std::array<const void*, 4> bottom = bottom_blocks();
  if (mpi() != nullptr && is_among(in_place, address)) return mpi()->family.in_place;
  return is_among(bottom, address) ? nullptr : address;  // in C, MPI_BOTTOM is a null pointer with every library
}
const void* described_buffer(const void* descriptor) {
  return buffer(*static_cast<const void* const*>(descriptor));
}
}  // namespace fortran

}  // namespace topowise::interpose
