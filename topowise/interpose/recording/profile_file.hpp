// SPDX-License-Identifier: BSD-3-Clause
// The growing, mapped file that this process counts into. See profile/format.hpp for its bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <mutex>
#include <span>
#include <string>

#include <topowise/profile/format.hpp>

namespace topowise::interpose {

/// Safe for many threads. A mapping is never moved or taken back: rows stay where they are until the process ends, and
/// the kernel writes them to the file whatever becomes of the process. The file is opened anew for each growth, so that
/// a program which closes all descriptors does no harm.
class ProfileFile {
 public:
  ProfileFile() = default;
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;

  /// Creates `path`, which must not be there, with this header, and locks it for the life of this process where the
  /// file system can. Later it is opened as `lasting`, if that is another path to it. Returns 0 or the system's error
  /// number.
  [[nodiscard]] int create(const std::string& path, const profile::Header& header, const std::string& lasting = {});

  [[nodiscard]] bool is_open() const { return header_ != nullptr; }
  [[nodiscard]] profile::Header& header() { return *header_; }

  /// A new row at the end of the rows of `kind`, visible to readers with `row` as its first content. Null if the disk
  /// is full; the first time that is said on stderr.
  template <class Row>
  [[nodiscard]] Row* append(profile::SegmentKind kind, const Row& row) {
    return static_cast<Row*>(append_bytes(kind, sizeof(Row), {reinterpret_cast<const std::byte*>(&row), sizeof(Row)}));
  }
  /// Several rows of `row_bytes` at once, next to each other in one segment.
  [[nodiscard]] void* append_bytes(profile::SegmentKind kind, std::size_t row_bytes, std::span<const std::byte> rows);

  /// A segment for one thread to fill by itself. Null as above.
  [[nodiscard]] profile::Segment* new_segment(profile::SegmentKind kind, std::size_t row_bytes, std::size_t bytes);

 private:
  struct Open {
    profile::Segment* segment = nullptr;
    std::size_t next_bytes = 0;  ///< size of the next segment of this kind
  };

  profile::Segment* grow(profile::SegmentKind kind, std::size_t row_bytes, std::size_t bytes);
  /// A descriptor of the file under its name, or -1 with errno set.
  [[nodiscard]] int open_again() const;
  /// Adds `bytes` to the file, with their blocks on the disk, and maps them; null if there is no room. Closes the
  /// descriptor.
  void* extend(int descriptor, std::size_t bytes);

  std::mutex mutex_;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  profile::Header* header_ = nullptr;
  std::size_t end_ = 0;
  bool full_ = false;
  Open open_[profile::kSegmentKinds];
};

}  // namespace topowise::interpose
