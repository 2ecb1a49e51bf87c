# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests with all vectors in the memory of a simulated GPU:  mpi4py_on_gpus.py MAIN [ARGUMENT...]  where MAIN is main.py of its tests.
TOPOWISE_CUDA_LIBRARY names the driver. With TOPOWISE_FAKE_COHERENT=1 the host reads that memory too, so that functions that no GPU does work as well."""

import ctypes
import os
import pathlib
import runpy
import sys

main = pathlib.Path(sys.argv[1])
del sys.argv[0]
sys.path.insert(0, str(main.parent))

import arrayimpl

driver = ctypes.CDLL(os.environ["TOPOWISE_CUDA_LIBRARY"])
NUMBERS = {code: getattr(ctypes, "c_" + name) for code, name in (
    ("b", "byte"), ("h", "short"), ("i", "int"), ("l", "long"), ("q", "longlong"), ("B", "ubyte"), ("H", "ushort"), ("I", "uint"), ("L", "ulong"),
    ("Q", "ulonglong"), ("f", "float"), ("d", "double"))}


def call(name, *arguments):
    code = getattr(driver, name)(*arguments)
    if code != 0:
        raise RuntimeError(f"{name}: {code}")


call("cuInit", 0)
context = ctypes.c_void_p()
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)


class GpuArray(arrayimpl.BaseFakeGPUArray, arrayimpl.BaseArray):
    backend = "simulated GPU"
    TypeMap = arrayimpl.make_typemap([*arrayimpl.TypeMapInteger.items(), *arrayimpl.TypeMapUnsigned.items(),
                                      *((code, kind) for code, kind in arrayimpl.TypeMapFloat.items() if code != "g")])

    def __init__(self, arg, typecode, shape=None, readonly=False):
        if isinstance(arg, (int, float)):
            shape = (1,) if shape is None else arrayimpl.mkshape(shape if hasattr(shape, "__iter__") else (shape,))
            arg = [arg] * arrayimpl.product(shape)
        number = NUMBERS[typecode]
        self.typecode, self.size, self.itemsize = typecode, len(arg), ctypes.sizeof(number)
        self.memory = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(max(1, self.size * self.itemsize)))
        self.array = (number * self.size).from_address(self.memory.value)
        self.array[:] = [number(value).value for value in arg]  # as numpy casts: -1 is the largest unsigned number
        self.set_interface((self.size,), readonly)

    def __del__(self):
        if self.memory.value:
            driver.cuMemFree_v2(self.memory)

    @property
    def address(self):
        return self.memory.value

    @property
    def flat(self):
        return self.array


arrayimpl.ArrayBackends[:] = [GpuArray]
runpy.run_path(str(main), run_name="__main__")
