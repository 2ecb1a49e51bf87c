// SPDX-License-Identifier: BSD-3-Clause
// Every kernel that exists. A macro, because the names of kernels in PTX are not C++'s: what a kernel is called must be
// spelled where it is defined.
#pragma once

// clang-format off: a row a line, which it does not keep in macros
/// ROW(name in topowise_..., type)
#define TOPOWISE_ELEMENT_TYPES(ROW) \
  ROW(i8, signed char)              \
  ROW(u8, unsigned char)            \
  ROW(i16, short)                   \
  ROW(u16, unsigned short)          \
  ROW(i32, int)                     \
  ROW(u32, unsigned)                \
  ROW(i64, long long)               \
  ROW(u64, unsigned long long)      \
  ROW(f32, float)                   \
  ROW(f64, double)

/// Four reductions, a copy and a fill for each type: topowise_sum_f32(to, from, count), topowise_fill_u8(to, value,
/// count). REDUCTION(kernel, Operation, type), COPY(kernel, type), FILL(kernel, type).
#define TOPOWISE_KERNELS_OF_TYPE(REDUCTION, COPY, FILL, name, type) \
  REDUCTION(topowise_sum_##name, Sum, type)                         \
  REDUCTION(topowise_prod_##name, Prod, type)                       \
  REDUCTION(topowise_min_##name, Min, type)                         \
  REDUCTION(topowise_max_##name, Max, type)                         \
  COPY(topowise_copy_##name, type)                                  \
  FILL(topowise_fill_##name, type)
// clang-format on
