// SPDX-License-Identifier: BSD-3-Clause
// GPU memory of test programs that call the driver TOPOWISE_CUDA_LIBRARY themselves, and what they count.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

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

static void load(int gpus) {
  void* library = dlopen(getenv("TOPOWISE_CUDA_LIBRARY"), RTLD_NOW);
  if (library == NULL) fail(dlerror(), 0);
  *(void**)&init = dlsym(library, "cuInit");
  *(void**)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void**)&set_current = dlsym(library, "cuCtxSetCurrent");
  *(void**)&get_current = dlsym(library, "cuCtxGetCurrent");
  *(void**)&alloc = dlsym(library, "cuMemAlloc_v2");
  *(void**)&release = dlsym(library, "cuMemFree_v2");
  *(void**)&to_gpu = dlsym(library, "cuMemcpyHtoD_v2");
  *(void**)&to_host = dlsym(library, "cuMemcpyDtoH_v2");
  CHECK(init(0));
  CHECK(retain(&context, rank % gpus));
  CHECK(set_current(context));
}

static void* make(size_t size) {
  Address address = 0;
  CHECK(alloc(&address, size));
  return (void*)address;
}
