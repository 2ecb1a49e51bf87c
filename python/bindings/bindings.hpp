// SPDX-License-Identifier: BSD-3-Clause
// The parts of the Python module. The functions that users call are written in Python (python/topowise). These C++
// files contain only what needs the library.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <topowise/mapping.hpp>
#include <topowise/traffic.hpp>

namespace topowise::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_traffic(nb::module_& module);
void bind_topology(nb::module_& module);
void bind_mapping(nb::module_& module);
void bind_congestion(nb::module_& module);
void bind_reorder(nb::module_& module);
void bind_started(nb::module_& module);

/// A read-only array of one dimension, without gaps in memory.
template <class Number>
using Column = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Square = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The path that open() would take. @throws as open() does: TypeError, or ValueError for a null character
[[nodiscard]] std::string path_of(nb::handle given);
/// The text as a message shows it. It may contain names of files, which need not be UTF-8.
[[nodiscard]] nb::str to_text(const std::string& bytes);
/// A NumPy array that owns the values.
template <class Number>
nb::object to_array(std::vector<Number> values) {
  auto* kept = new std::vector<Number>(std::move(values));
  nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<Number>*>(memory); });
  const nb::object array = nb::cast(nb::ndarray<nb::numpy, Number, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
  // NumPy has two integer types of eight bytes. The one that nanobind's arrays have is not the one that numpy.int64
  // names.
  if constexpr (std::is_same_v<Number, std::int64_t>) return array.attr("view")("int64");
  return array;
}

/// Throws if a table of all pairs of so many `things` would not fit into memory.
void check_table(std::size_t count, const char* things);
/// The place of every rank; a negative number is an error.
[[nodiscard]] Mapping mapping_of(const Column<std::int64_t>& places);
/// The places of all ranks as numbers.
[[nodiscard]] std::vector<std::int64_t> numbers_of(const Mapping& mapping);

}  // namespace topowise::python
