// SPDX-License-Identifier: BSD-3-Clause
// Every fold kernel that exists: what MPI's predefined operations do to its types of fixed size. A macro, because the
// names of kernels in PTX are not C++'s: what a kernel is called must be spelled where it is defined. Signed integers
// fold like unsigned ones, except for the smaller and the larger: see kernel_element().
#pragma once

// clang-format off: a row a line, which it does not keep in macros
/// ROW(operation, Operation, element, type)
#define TOPOWISE_ORDERED_FOLDS(ROW, element, type) \
  ROW(min, Min, element, type)                     \
  ROW(max, Max, element, type)

#define TOPOWISE_NUMBER_FOLDS(ROW, element, type) \
  ROW(sum, Sum, element, type)                    \
  ROW(prod, Prod, element, type)

#define TOPOWISE_BIT_FOLDS(ROW, element, type) \
  ROW(land, LogicalAnd, element, type)         \
  ROW(lor, LogicalOr, element, type)           \
  ROW(lxor, LogicalXor, element, type)         \
  ROW(band, BitAnd, element, type)             \
  ROW(bor, BitOr, element, type)               \
  ROW(bxor, BitXor, element, type)

#define TOPOWISE_UNSIGNED_FOLDS(ROW, element, type) \
  TOPOWISE_NUMBER_FOLDS(ROW, element, type)         \
  TOPOWISE_ORDERED_FOLDS(ROW, element, type)        \
  TOPOWISE_BIT_FOLDS(ROW, element, type)

#define TOPOWISE_REAL_FOLDS(ROW, element, type) \
  TOPOWISE_NUMBER_FOLDS(ROW, element, type)     \
  TOPOWISE_ORDERED_FOLDS(ROW, element, type)

#define TOPOWISE_PAIR_FOLDS(ROW, element, value, index)          \
  ROW(minloc, MinLocation, element, TOPOWISE_PAIR(value, index)) \
  ROW(maxloc, MaxLocation, element, TOPOWISE_PAIR(value, index))

/// All folds. The types are in the namespace kernel.
#define TOPOWISE_FOLDS(ROW)                                                  \
  TOPOWISE_UNSIGNED_FOLDS(ROW, u8, unsigned char)                            \
  TOPOWISE_UNSIGNED_FOLDS(ROW, u16, unsigned short)                          \
  TOPOWISE_UNSIGNED_FOLDS(ROW, u32, unsigned)                                \
  TOPOWISE_UNSIGNED_FOLDS(ROW, u64, unsigned long long)                      \
  TOPOWISE_ORDERED_FOLDS(ROW, i8, signed char)                               \
  TOPOWISE_ORDERED_FOLDS(ROW, i16, short)                                    \
  TOPOWISE_ORDERED_FOLDS(ROW, i32, int)                                      \
  TOPOWISE_ORDERED_FOLDS(ROW, i64, long long)                                \
  TOPOWISE_REAL_FOLDS(ROW, f16, topowise::device::kernel::Half)              \
  TOPOWISE_REAL_FOLDS(ROW, bf16, topowise::device::kernel::Bfloat)           \
  TOPOWISE_REAL_FOLDS(ROW, f32, float)                                       \
  TOPOWISE_REAL_FOLDS(ROW, f64, double)                                      \
  TOPOWISE_NUMBER_FOLDS(ROW, c32, topowise::device::kernel::Complex<float>)  \
  TOPOWISE_NUMBER_FOLDS(ROW, c64, topowise::device::kernel::Complex<double>) \
  TOPOWISE_PAIR_FOLDS(ROW, f32i32, float, int)                               \
  TOPOWISE_PAIR_FOLDS(ROW, f64i32, double, int)                              \
  TOPOWISE_PAIR_FOLDS(ROW, i64i32, long long, int)                           \
  TOPOWISE_PAIR_FOLDS(ROW, i32i32, int, int)                                 \
  TOPOWISE_PAIR_FOLDS(ROW, i16i32, short, int)                               \
  TOPOWISE_PAIR_FOLDS(ROW, f32f32, float, float)                             \
  TOPOWISE_PAIR_FOLDS(ROW, f64f64, double, double)
// clang-format on

#define TOPOWISE_COMMA ,
#define TOPOWISE_PAIR(value, index) topowise::device::kernel::Pair<value TOPOWISE_COMMA index>
