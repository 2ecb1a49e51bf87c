// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/profile_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <string>

#include <topowise/base/file_size_limit.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/interpose/base/print_stderr.hpp>
#include <topowise/interpose/base/without_cancellation.hpp>
#include <topowise/interpose/recording/file_lock.hpp>

namespace topowise::interpose {
namespace {

// The signal handler may use only what is safe there: atomic loads, mmap, write.

struct MappedPart {
  std::uintptr_t begin;
  std::uintptr_t end;
  const char* path;
  MappedPart* next;
};

std::atomic<MappedPart*> parts{nullptr};  ///< never freed: mappings live as long as the process
std::atomic<bool> said{false};
struct sigaction before;

void say_once(const char* path) {
  if (said.exchange(true)) return;
  const auto print = [](const char* text) { return ::write(STDERR_FILENO, text, std::strlen(text)); };
  const bool printed = print("topowise: ") > 0 && print(path) > 0 &&
                       print(" was truncated while this program recorded to it; the recording is damaged\n") > 0;
  (void)printed;  // without stderr there is nobody to read it
}

/// Gives the page at `address` memory of its own if it belongs to a recording.
bool replace_page(std::uintptr_t address) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const MappedPart* part = parts.load(std::memory_order_acquire); part != nullptr; part = part->next) {
    if (address < part->begin || address >= part->end) continue;
    void* page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
    void* memory = ::mmap(page, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (memory == page) say_once(part->path);
    return memory == page;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0 && replace_page(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr)
    return before.sa_sigaction(signal, info, context);
  if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  // The default comes when this has returned: the access is tried again, or the signal is sent again.
  ::sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

/// Takes care that the program lives on if somebody truncates the file behind a mapping: writing to a page that the
/// file no longer has is SIGBUS. From the first call on, a signal handler gives such a page memory of its own, and says
/// once that the recording is damaged; every other SIGBUS goes where it went before. `path` must live as long as the
/// process.
void survive_truncation(void* begin, std::size_t bytes, const char* path) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  auto* part = new (std::nothrow) MappedPart{address, address + bytes, path, nullptr};
  if (part == nullptr) return;
  static const bool installed = [] {
    struct sigaction ours {};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    return ::sigaction(SIGBUS, nullptr, &before) == 0 && ::sigaction(SIGBUS, &ours, nullptr) == 0;
  }();
  (void)installed;  // if it is not installed, a truncated file ends the program
  part->next = parts.load(std::memory_order_relaxed);
  while (!parts.compare_exchange_weak(part->next, part, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

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

/// A new file without a name in the folder of `path`; below 0 where the file system has no such files.
int open_unnamed(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
}

bool give_name(int descriptor, const std::string& path) {
  const std::string file = "/proc/self/fd/" + std::to_string(descriptor);
  return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// The new file `path`, locked for the life of this process where the file system can; below 0 with errno. A file
/// without a lock and without a header would be one that nobody writes, which the next job removes; so the file is
/// locked before it gets its name, where the file system can do that as well.
int create_locked(const std::string& path, bool& locked) {
  if (::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  int descriptor = open_unnamed(path);
  if (descriptor >= 0) {
    const bool taken = lock_file(descriptor);
    if (give_name(descriptor, path)) {
      locked = taken && keep_for_life(descriptor);
      return descriptor;
    }
    const int error = errno;
    ::close(descriptor);
    errno = error;
    if (error == EEXIST) return -1;
  }
  descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) locked = lock_file(descriptor) && keep_for_life(descriptor);
  return descriptor;
}

}  // namespace

int ProfileFile::create(const std::string& path, const profile::Header& header, const std::string& lasting) {
  const WithoutCancellation whole;
  const std::scoped_lock lock(mutex_);
  bool locked = false;
  const int descriptor = create_locked(path, locked);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) return errno;
  path_ = lasting.empty() ? path : lasting;
  device_ = status.st_dev;
  inode_ = status.st_ino;
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
                 path_.c_str(), errno == ESTALE ? "another file has taken its place" : std::strerror(errno));
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
