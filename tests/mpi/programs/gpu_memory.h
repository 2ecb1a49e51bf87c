// SPDX-License-Identifier: BSD-3-Clause
// GPU memory of test programs that call the driver TOPOWISE_CUDA_LIBRARY or TOPOWISE_HIP_LIBRARY themselves, and what
// they count.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check_driver.h"

typedef uint64_t Address;

static int checks, wrong;
static void* context;

static int (*init)(unsigned);
static int (*retain)(void**, int);
static int (*set_current)(void*);
static int (*get_current)(void**);
static int (*alloc)(Address*, size_t);
static int (*release)(Address);
static int (*to_gpu)(Address, const void*, size_t);
static int (*to_host)(void*, Address, size_t);

// With HIP, the number of the current device, from 1, stands for a context. A thread always has a device.
static int (*hip_set_device)(int);
static int (*hip_get_device)(int*);
static int hip_retain(void** made, int device) {
  *made = (void*)((uintptr_t)device + 1);
  return 0;
}
static int hip_set_current(void* of_device) {
  return hip_set_device(of_device == NULL ? 0 : (int)(uintptr_t)of_device - 1);
}
static int hip_get_current(void** of_device) {
  int device = 0;
  const int status = hip_get_device(&device);
  hip_retain(of_device, device);
  return status;
}

static void* opened;
static void* driver_function(const char* name) {
  return dlsym(opened, name);
}

static void load_hip(void) {
  void* library = opened = dlopen(getenv("TOPOWISE_HIP_LIBRARY"), RTLD_NOW);
  if (library == NULL) fail(dlerror(), 0);
  *(void**)&init = dlsym(library, "hipInit");
  *(void**)&hip_set_device = dlsym(library, "hipSetDevice");
  *(void**)&hip_get_device = dlsym(library, "hipGetDevice");
  retain = hip_retain;
  set_current = hip_set_current;
  get_current = hip_get_current;
  *(void**)&alloc = dlsym(library, "hipMalloc");
  *(void**)&release = dlsym(library, "hipFree");
  *(void**)&to_gpu = dlsym(library, "hipMemcpyHtoD");
  *(void**)&to_host = dlsym(library, "hipMemcpyDtoH");
}

static void load_cuda(void) {
  void* library = opened = dlopen(getenv("TOPOWISE_CUDA_LIBRARY"), RTLD_NOW);
  if (library == NULL) fail(dlerror(), 0);
  *(void**)&init = dlsym(library, "cuInit");
  *(void**)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void**)&set_current = dlsym(library, "cuCtxSetCurrent");
  *(void**)&get_current = dlsym(library, "cuCtxGetCurrent");
  *(void**)&alloc = dlsym(library, "cuMemAlloc_v2");
  *(void**)&release = dlsym(library, "cuMemFree_v2");
  *(void**)&to_gpu = dlsym(library, "cuMemcpyHtoD_v2");
  *(void**)&to_host = dlsym(library, "cuMemcpyDtoH_v2");
}

static void load(int gpus) {
  const char* cuda = getenv("TOPOWISE_CUDA_LIBRARY");
  if (cuda == NULL || strcmp(cuda, "/nowhere") == 0)
    load_hip();
  else
    load_cuda();
  CHECK(init(0));
  CHECK(retain(&context, rank % gpus));
  CHECK(set_current(context));
}

static void* make(size_t size) {
  Address address = 0;
  CHECK(alloc(&address, size));
  return (void*)address;
}
