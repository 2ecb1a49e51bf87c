// SPDX-License-Identifier: BSD-3-Clause
// Is this pointer device memory? A library that lives inside somebody else's program asks, so this never throws, never
// loads a driver, and allocates nothing.
#pragma once

#include <topowise/device/functions.hpp>

namespace topowise::device {

/// cuPointerGetAttributes and hipDrvPointerGetAttributes: number of attributes, their numbers, where to put them, the
/// pointer. Both vendors use the same numbers.
using PointerQuery = int(unsigned, const int*, void**, Address);

/// The vendor's number of a memory type, in our words.
using MemoryKindOf = MemoryKind(unsigned type, bool managed) noexcept;
[[nodiscard]] MemoryKind cuda_memory_kind(unsigned type, bool managed) noexcept;
[[nodiscard]] MemoryKind hip5_memory_kind(unsigned type, bool managed) noexcept;  ///< up to ROCm 5
[[nodiscard]] MemoryKind hip6_memory_kind(unsigned type, bool managed) noexcept;  ///< from ROCm 6 on
/// hipRuntimeGetVersion; may be null.
using HipVersion = int(int*);
/// The function that goes with this version of the runtime.
[[nodiscard]] MemoryKindOf* hip_memory_kind(HipVersion* version) noexcept;

/// Asks all attributes by one call. The driver's result; a pointer that it does not know is host memory and a success.
int query_pointer(PointerQuery* query, MemoryKindOf* kind_of, const void* pointer, PointerAttributes& result) noexcept;

/// True once the program has loaded a GPU driver: without one there is no device memory. Notices a driver that is
/// loaded later; costs some ten nanoseconds until then and nothing after.
[[nodiscard]] bool driver_in_program() noexcept;
/// What the driver that the program itself has loaded says of a pointer; host memory if there is none, or if it says
/// no.
[[nodiscard]] PointerAttributes pointer_attributes(const void* pointer) noexcept;

/// The same with the driver's result, which tells a driver that failed from memory that it does not know.
int ask_pointer(const void* pointer, PointerAttributes& result) noexcept;
/// PointerAttributes::buffer alone, from the same driver: it tells an allocation from the next one at its address, for
/// less than all attributes. 0 if the driver does not know the pointer or the number.
[[nodiscard]] std::uint64_t buffer_number(const void* pointer) noexcept;
/// The PCI bus id of a device of that driver ("0000:0a:00.0"), ended by 0; empty if it does not say.
void write_bus_id(int device, char* text, int size) noexcept;
/// The calling thread's GPU; -1 if it has none.
[[nodiscard]] int current_gpu() noexcept;

}  // namespace topowise::device
