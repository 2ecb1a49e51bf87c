// SPDX-License-Identifier: BSD-3-Clause
// Trouble inside somebody else's program: one line on stderr, never an exception, never an exit.
#pragma once

namespace topowise::interpose {

/// "topowise: rank R: TEXT" and a newline on standard error, in one write so that lines of many ranks do not mix.
/// Control characters, which names of files may hold, become '?'. `rank` < 0 leaves the rank out. printf-like: nothing
/// here may allocate or throw. All messages of the preloaded library go this way: a write where nobody reads any more,
/// or beyond the limit of a file's size, raises a signal that would end the program, and here it is held back.
[[gnu::format(printf, 2, 3)]] void print_stderr(int rank, const char* format, ...) noexcept;

/// Whether this process speaks for its machine: rank 0, and on every other machine the first local rank. Troubles that
/// all processes of a machine share (an unwritable directory) are reported by this one only.
[[nodiscard]] bool speaks_for_machine(int rank) noexcept;

}  // namespace topowise::interpose
