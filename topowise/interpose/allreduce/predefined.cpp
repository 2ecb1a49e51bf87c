// SPDX-License-Identifier: BSD-3-Clause
// Operations are known by their handles, which are constants of the family. Types are known by their names, which every
// MPI library states and the standard fixes; a type that a program has made has parts, which a predefined one has not.
#include <topowise/interpose/allreduce/predefined.hpp>

#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include <topowise/interpose/allreduce/allreduce_settings.hpp>
#include <topowise/interpose/allreduce/calls.hpp>
#include <topowise/interpose/allreduce/vectors.hpp>
#include <topowise/interpose/base/handle_table.hpp>
#include <topowise/interpose/base/symbols.hpp>

namespace topowise::interpose::allreduce {
namespace {

struct Operation {
  const char* name;  ///< ours
  const char* openmpi;
  Word mpich, standard;
};
constexpr std::array<Operation, 12> kOperations{{
    {"max", "ompi_mpi_op_max", 0x58000001, 0x23},
    {"min", "ompi_mpi_op_min", 0x58000002, 0x22},
    {"sum", "ompi_mpi_op_sum", 0x58000003, 0x21},
    {"prod", "ompi_mpi_op_prod", 0x58000004, 0x24},
    {"land", "ompi_mpi_op_land", 0x58000005, 0x30},
    {"band", "ompi_mpi_op_band", 0x58000006, 0x28},
    {"lor", "ompi_mpi_op_lor", 0x58000007, 0x31},
    {"bor", "ompi_mpi_op_bor", 0x58000008, 0x29},
    {"lxor", "ompi_mpi_op_lxor", 0x58000009, 0x32},
    {"bxor", "ompi_mpi_op_bxor", 0x5800000a, 0x2a},
    {"minloc", "ompi_mpi_op_minloc", 0x5800000b, 0x38},
    {"maxloc", "ompi_mpi_op_maxloc", 0x5800000c, 0x39},
}};

struct Type {
  std::string_view mpi;  ///< without "MPI_"
  const char* name;      ///< ours
  Only only = Only::anything;
};
constexpr auto kTypes = std::to_array<Type>({
    {"CHAR", "i8"},
    {"SIGNED_CHAR", "i8"},
    {"UNSIGNED_CHAR", "u8"},
    {"BYTE", "u8", Only::bitwise},
    {"SHORT", "i16"},
    {"UNSIGNED_SHORT", "u16"},
    {"INT", "i32"},
    {"UNSIGNED", "u32"},
    {"UNSIGNED_INT", "u32"},
    {"LONG", "i64"},
    {"UNSIGNED_LONG", "u64"},
    {"LONG_LONG", "i64"},
    {"LONG_LONG_INT", "i64"},
    {"UNSIGNED_LONG_LONG", "u64"},
    {"INT8_T", "i8"},
    {"INT16_T", "i16"},
    {"INT32_T", "i32"},
    {"INT64_T", "i64"},
    {"UINT8_T", "u8"},
    {"UINT16_T", "u16"},
    {"UINT32_T", "u32"},
    {"UINT64_T", "u64"},
    {"AINT", "i64"},
    {"COUNT", "i64"},
    {"OFFSET", "i64"},
    {"C_BOOL", "u8", Only::logical},
    {"CXX_BOOL", "u8", Only::logical},
    {"FLOAT", "f32"},
    {"DOUBLE", "f64"},
    {"C_COMPLEX", "c32"},
    {"C_FLOAT_COMPLEX", "c32"},
    {"C_DOUBLE_COMPLEX", "c64"},
    {"CXX_FLOAT_COMPLEX", "c32"},
    {"CXX_DOUBLE_COMPLEX", "c64"},
    {"C_FLOAT16", "f16"},
    {"FLOAT_INT", "f32i32"},
    {"DOUBLE_INT", "f64i32"},
    {"LONG_INT", "i64i32"},
    {"SHORT_INT", "i16i32"},
    {"2INT", "i32i32"},
    {"INTEGER", "i32"},
    {"INTEGER1", "i8"},
    {"INTEGER2", "i16"},
    {"INTEGER4", "i32"},
    {"INTEGER8", "i64"},
    {"REAL", "f32"},
    {"REAL2", "f16"},
    {"REAL4", "f32"},
    {"REAL8", "f64"},
    {"DOUBLE_PRECISION", "f64"},
    {"COMPLEX", "c32"},
    {"COMPLEX8", "c32"},
    {"COMPLEX16", "c64"},
    {"DOUBLE_COMPLEX", "c64"},
    {"2REAL", "f32f32"},
    {"2DOUBLE_PRECISION", "f64f64"},
    {"2INTEGER", "i32i32"},
    {"SHORT_FLOAT", "f16"},
    {"BFLOAT16", "bf16"},
    {"C_BF16", "bf16"},
});

constinit HandleTable<Element> elements;  ///< of predefined types, whose handles last
std::mutex& elements_mutex() {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: threads may outlive the program's static objects
  return mutex;
}

bool has_no_parts(const Calls& mpi, Word type) {
  int integers = -1;
  int addresses = -1;
  int types = -1;
  int combiner = 0;
  return mpi.Type_get_envelope(type, &integers, &addresses, &types, &combiner) == 0 && integers == 0 &&
         addresses == 0 && types == 0;
}

/// "MPI_INT" and "MPIX_C_FLOAT16" without what comes before the first '_'.
std::string_view name_in(const char* text) {
  const std::string_view whole(text);
  const std::size_t end = whole.find('_');
  return end == std::string_view::npos ? std::string_view() : whole.substr(end + 1);
}

Element look_up(const Calls& mpi, Word type) {
  char text[512] = "";  // more than any family's MPI_MAX_OBJECT_NAME
  int length = 0;
  if (mpi.Type_get_name(type, text, &length) != 0) return {};
  const std::string_view name = name_in(text);
  for (const Type& known : kTypes) {
    if (known.mpi != name) continue;
    const std::int32_t number = reducer()->element(known.name);
    Count lower = 0;
    Count extent = 0;
    const bool same_size = number >= 0 && mpi.Type_get_extent(type, &lower, &extent) == 0 && lower == 0 &&
                           static_cast<std::size_t>(extent) == reducer()->element_size(number);
    return same_size ? Element{number, known.only} : Element{};
  }
  return {};
}

Word handle_of(const Mpi& m, const Operation& operation) {
  if (std::strcmp(m.family.name, "openmpi") == 0) return reinterpret_cast<Word>(mpi_object(operation.openmpi));
  return std::strcmp(m.family.name, "mpich") == 0 ? operation.mpich : operation.standard;
}

bool is_one_of(std::int32_t operation, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (reducer()->operation(name) == operation) return true;
  return false;
}

}  // namespace

Word operation_handle(const Mpi& m, const char* name) noexcept {
  for (const Operation& known : kOperations)
    if (std::strcmp(known.name, name) == 0) return handle_of(m, known);
  return 0;
}

std::int32_t operation_number(const Mpi& m, Word operation) noexcept {
  const Word handle = m.family.handle(operation);
  for (const Operation& known : kOperations) {
    const Word its = handle_of(m, known);
    if (its == handle && its != 0) return reducer()->operation(known.name);
  }
  return kUnknown;
}

Element element_of(Word type) noexcept try {
  const Word handle = mpi()->family.handle(type);
  const auto name = static_cast<std::uint64_t>(handle);
  if (const Element* known = elements.find(name)) return *known;
  if (calls() == nullptr || !has_no_parts(*calls(), handle)) return {};
  const Element found = look_up(*calls(), handle);
  const std::scoped_lock lock(elements_mutex());
  if (elements.find(name) == nullptr) elements.insert(name, found);
  return found;
} catch (const std::bad_alloc&) {
  return {};
}

bool is_predefined(Word type) noexcept {
  const Word handle = mpi()->family.handle(type);
  if (elements.find(static_cast<std::uint64_t>(handle)) != nullptr) return true;
  return calls() != nullptr && has_no_parts(*calls(), handle);
}

Count detail::ask_begin_of_data(Word type) noexcept {
  const Word handle = mpi()->family.handle(type);
  const auto is_known = [&] { return elements.find(static_cast<std::uint64_t>(handle)) != nullptr; };
  if (handle == mpi()->family.type_null || calls() == nullptr) return 0;
  if (!is_known()) static_cast<void>(element_of(type));
  if (is_known()) {
    plain_type = type;
    return 0;
  }
  Count lower = 0;
  Count extent = 0;
  return calls()->Type_get_true_extent(handle, &lower, &extent) == 0 ? lower : 0;
}

bool can_reduce(std::int32_t operation, const Element& element) noexcept {
  if (operation < 0 || element.number < 0) return false;
  if (element.only == Only::logical && !is_one_of(operation, {"land", "lor", "lxor"})) return false;
  if (element.only == Only::bitwise && !is_one_of(operation, {"band", "bor", "bxor"})) return false;
  return reducer()->can_reduce(operation, element.number);
}

}  // namespace topowise::interpose::allreduce
