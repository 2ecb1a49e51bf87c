// SPDX-License-Identifier: BSD-3-Clause
// As much of the CUDA runtime as MPICH's test suite calls, on the driver that TOPOWISE_CUDA_LIBRARY names. No function
// there looks at results, so each ends the program where it fails.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cudaMemAttachGlobal = 1, cudaMemcpyDefault = 4 };

static inline void* shim_function(const char* name) {
  static void* library = NULL;
  if (library == NULL) library = dlopen(getenv("TOPOWISE_CUDA_LIBRARY"), RTLD_NOW);
  void* function = library == NULL ? NULL : dlsym(library, name);
  if (function == NULL) {
    fprintf(stderr, "no %s: %s\n", name, dlerror());
    abort();
  }
  return function;
}

static inline int shim_check(int code) {
  if (code != 0) {
    fprintf(stderr, "the driver fails: %d\n", code);
    abort();
  }
  return 0;
}

static inline int cudaSetDevice(int device) {
  void* context = NULL;
  shim_check(((int (*)(unsigned))shim_function("cuInit"))(0));
  shim_check(((int (*)(void**, int))shim_function("cuDevicePrimaryCtxRetain"))(&context, device));
  return shim_check(((int (*)(void*))shim_function("cuCtxSetCurrent"))(context));
}

static inline int cudaGetDeviceCount(int* count) {
  shim_check(((int (*)(unsigned))shim_function("cuInit"))(0));
  return shim_check(((int (*)(int*))shim_function("cuDeviceGetCount"))(count));
}

static inline int cudaMalloc(void** address, size_t size) {
  return shim_check(
      ((int (*)(uint64_t*, size_t))shim_function("cuMemAlloc_v2"))((uint64_t*)address, size > 0 ? size : 1));
}
static inline int cudaFree(void* address) {
  return shim_check(((int (*)(uint64_t))shim_function("cuMemFree_v2"))((uint64_t)address));
}

// The suite is asked for device memory only: the host's need not be pinned, and nothing is managed.
static inline int cudaMallocHost(void** address, size_t size) {
  *address = malloc(size > 0 ? size : 1);
  return *address == NULL;
}
static inline int cudaFreeHost(void* address) {
  free(address);
  return 0;
}
static inline int cudaMallocManaged(void** address, size_t size, int flags) {
  (void)address, (void)size, (void)flags;
  return shim_check(1);
}

static inline int shim_is_device(const void* address) {
  uint64_t base = 0;
  size_t size = 0;
  return ((int (*)(uint64_t*, size_t*, uint64_t))shim_function("cuMemGetAddressRange_v2"))(&base, &size,
                                                                                           (uint64_t)address) == 0;
}

static inline int cudaMemcpy(void* to, const void* from, size_t size, int kind) {
  (void)kind;
  const int to_device = shim_is_device(to);
  const int from_device = shim_is_device(from);
  if (!to_device && !from_device) return memcpy(to, from, size) == NULL;
  if (to_device && from_device)
    return shim_check(
        ((int (*)(uint64_t, uint64_t, size_t))shim_function("cuMemcpyDtoD_v2"))((uint64_t)to, (uint64_t)from, size));
  if (to_device)
    return shim_check(
        ((int (*)(uint64_t, const void*, size_t))shim_function("cuMemcpyHtoD_v2"))((uint64_t)to, from, size));
  return shim_check(((int (*)(void*, uint64_t, size_t))shim_function("cuMemcpyDtoH_v2"))(to, (uint64_t)from, size));
}
