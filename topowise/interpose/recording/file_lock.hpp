// SPDX-License-Identifier: BSD-3-Clause
// Whether the process that records to a file still lives. A process number would not show it: numbers are used again,
// and mean nothing on another host. A lock does: the kernel takes it back when the process is gone, however that came,
// and most file systems that hosts share carry it to all of them. (NFS, Lustre, GPFS and Ceph do where they are mounted
// so.)
#pragma once

#include <string>
#include <string_view>

#include <topowise/profile/format.hpp>

namespace topowise::interpose {

/// Takes the lock of this process on an open file. It lasts as long as one of these: a descriptor of it, a mapping made
/// by way of `descriptor` (not on every file system), a forked child. False if the file system has none.
[[nodiscard]] bool lock_file(int descriptor) noexcept;

/// Keeps a descriptor of the open file, and so its lock, for the life of this process. False if there is none left.
[[nodiscard]] bool keep_for_life(int descriptor) noexcept;

/// Whether the file's process ran on this host.
[[nodiscard]] bool is_this_host(const profile::Header& header) noexcept;

/// What is known of the process that wrote a file.
enum class Writer : unsigned char {
  done,     ///< it finalized or aborted, or is gone
  alive,    ///< it records
  unknown,  ///< it has not said that it is done, and there is no lock that could say whether it lives
};
[[nodiscard]] Writer writer_of(const std::string& path, const profile::Header& header) noexcept;

/// Whether another process that this host's kernel knows of holds the lock of an open file.
[[nodiscard]] bool is_locked(int descriptor) noexcept;

/// Whether a lock that one host holds in a file system with this type and these mount options (as in /proc/mounts) is
/// seen by all.
[[nodiscard]] bool is_locked_for_all_hosts(std::string_view type, std::string_view options) noexcept;

}  // namespace topowise::interpose
