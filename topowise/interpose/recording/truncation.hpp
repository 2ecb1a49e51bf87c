// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace topowise::interpose {

/// Takes care that the program lives on if somebody truncates the file behind a mapping: writing to a page that the
/// file no longer has is SIGBUS. From the first call on, a signal handler gives such a page memory of its own, and says
/// once that the recording is damaged; every other SIGBUS goes where it went before. `path` must live as long as the
/// process.
void survive_truncation(void* begin, std::size_t bytes, const char* path) noexcept;

}  // namespace topowise::interpose
