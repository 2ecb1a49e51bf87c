# Compiles for aarch64 on an x86-64 machine (the preset `aarch64`), with Debian 12's compiler. tools/install-old-glibc.sh .deps/glibc-2.31-aarch64 arm64
# unpacks the libraries, and qemu runs the programs that were made.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(libraries ${CMAKE_CURRENT_LIST_DIR}/../.deps/glibc-2.31-aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${libraries})
set(CMAKE_FIND_ROOT_PATH ${libraries})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
