// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/profile_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

#include <topowise/base/file_size_limit.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/without_cancellation.hpp>
#include <topowise/interpose/recording/file_lock.hpp>
#include <topowise/interpose/recording/truncation.hpp>

namespace topowise::interpose {
namespace {

/// Room for 21 partners, or 250 rows of the other kinds; a process with few partners stays below 40 KiB in all.
constexpr std::size_t kFirstSegment = std::size_t{8} << 10;
constexpr std::size_t kLargestSegment = std::size_t{4} << 20;

std::size_t unit() {
  static const std::size_t bytes = std::max(profile::kPage, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  return bytes;
}
std::size_t round_up(std::size_t bytes) {
  return (bytes + unit() - 1) / unit() * unit();
}

/// Takes room on the disk for `bytes` from `begin`; returns 0 or the system's error number.
int allocate(int descriptor, std::size_t begin, std::size_t bytes) {
  if (!keeps_file_size_limit(begin + bytes)) return EFBIG;
  return ::posix_fallocate(descriptor, static_cast<off_t>(begin), static_cast<off_t>(bytes));
}

}  // namespace

int ProfileFile::create(const std::string& path, const profile::Header& header, const std::string& lasting) {
  const WithoutCancellation whole;
  const std::scoped_lock lock(mutex_);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return errno;
  path_ = lasting.empty() ? path : lasting;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  const bool locked = lock_for_life(descriptor);
  void* page = extend(descriptor, round_up(sizeof(profile::Header)));
  if (page == nullptr) {
    const int error = errno;
    ::unlink(path.c_str());
    return error;
  }
  header_ = static_cast<profile::Header*>(page);
  std::memcpy(header_, &header, sizeof(header));
  header_->header_bytes = round_up(sizeof(profile::Header));
  header_->locked = locked ? 1 : 0;
  return 0;
}

int ProfileFile::open_again() const {
  const int descriptor = open_regular(path_.c_str(), O_RDWR);
  struct stat status {};
  if (descriptor < 0 || (::fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_))
    return descriptor;
  ::close(descriptor);
  errno = ESTALE;
  return -1;
}

void* ProfileFile::extend(int descriptor, std::size_t bytes) {
  // This does not use ftruncate: a hole has no blocks yet, and writing to it on a full disk is SIGBUS.
  int error = allocate(descriptor, end_, bytes);
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, static_cast<off_t>(end_));
    if (memory == MAP_FAILED) error = errno;
  }
  // Gives back what a failed allocation has already got, so that the file ends with its last segment.
  if (error != 0 && ::ftruncate(descriptor, static_cast<off_t>(end_)) != 0) full_ = true;
  ::close(descriptor);
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  end_ += bytes;
  survive_truncation(memory, bytes, path_.c_str());
  return memory;
}

profile::Segment* ProfileFile::grow(profile::SegmentKind kind, std::size_t row_bytes, std::size_t bytes) {
  if (full_) return nullptr;
  const WithoutCancellation whole;
  bytes = round_up(bytes);
  const int descriptor = open_again();
  auto* segment = descriptor >= 0 ? static_cast<profile::Segment*>(extend(descriptor, bytes)) : nullptr;
  if (segment == nullptr) {
    full_ = true;
    print_stderr(header_->rank, "cannot enlarge the profile %s: %s; what is new from here on is not recorded",
                 path_.c_str(), std::strerror(errno));
    return nullptr;
  }
  segment->row_bytes = static_cast<std::uint32_t>(row_bytes);
  segment->bytes = bytes;
  std::atomic_ref(segment->kind).store(kind, std::memory_order_release);
  return segment;
}

profile::Segment* ProfileFile::new_segment(profile::SegmentKind kind, std::size_t row_bytes, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  return grow(kind, row_bytes, bytes);
}

void* ProfileFile::append_bytes(profile::SegmentKind kind, std::size_t row_bytes, std::span<const std::byte> rows) {
  const std::scoped_lock lock(mutex_);
  Open& open = open_[static_cast<std::size_t>(kind)];
  const auto used_bytes = [&] { return sizeof(profile::Segment) + open.segment->used * row_bytes; };
  if (open.segment == nullptr || used_bytes() + rows.size() > open.segment->bytes) {
    open.next_bytes = std::clamp(open.next_bytes * 2, kFirstSegment, kLargestSegment);
    const std::size_t needed = sizeof(profile::Segment) + rows.size();
    open.segment = grow(kind, row_bytes, std::max(open.next_bytes, needed));
  }
  if (open.segment == nullptr) {
    ++header_->rows_lost;
    return nullptr;
  }
  std::byte* place = reinterpret_cast<std::byte*>(open.segment) + used_bytes();
  std::memcpy(place, rows.data(), rows.size());
  // The count comes after the content, also for a reader that looks while we write or after we were killed in between.
  std::atomic_ref(open.segment->used).store(open.segment->used + rows.size() / row_bytes, std::memory_order_release);
  return place;
}

}  // namespace topowise::interpose
