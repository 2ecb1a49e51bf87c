// SPDX-License-Identifier: BSD-3-Clause
// A variable of glibc 2.32 and newer that inline functions of the C++ library read.

extern "C" {

/// False is always correct; it costs an atomic operation if there is only one thread.
[[gnu::visibility("hidden")]] extern const char __libc_single_threaded;
const char __libc_single_threaded = 0;
}
