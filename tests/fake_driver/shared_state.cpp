// SPDX-License-Identifier: BSD-3-Clause
// Every process holds a shared flock on the state file. A process that gets the exclusive lock is alone. When it joins,
// it makes the state anew, which clears what killed jobs left; when it leaves, it removes the files.
#include "shared_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <utility>

#include <topowise/base/error.hpp>

namespace topowise::fake {
namespace {

Error refused(const char* verb, const std::string& path) {
  return not_available(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(errno)));
}

/// Below 0 if the folder has been removed meanwhile.
int open_file(const PrivateFolder& folder, const std::string& name) {
  const int file = ::openat(folder.number(), name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0 && errno != ENOENT) throw refused("open", name);
  return file;
}

void make_state(void* memory) {
  auto* state = new (memory) SharedState();
  state->mutex.initialize();
  state->pace_mutex.initialize();
  for (SharedGpu& gpu : state->gpus) gpu.mutex.initialize();
  state->magic = SharedState::kMagic;
}

}  // namespace

Nanoseconds now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool alive(pid_t process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

void SharedMutex::initialize() {
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  ::pthread_mutex_init(&mutex_, &attributes);
  ::pthread_mutexattr_destroy(&attributes);
}

void SharedMutex::lock() {
  if (::pthread_mutex_lock(&mutex_) == EOWNERDEAD) ::pthread_mutex_consistent(&mutex_);
}

void SharedMutex::unlock() {
  ::pthread_mutex_unlock(&mutex_);
}

SharedNode::SharedNode(const std::string& folder, const std::string& name, std::size_t memory_size) {
  const std::string stem = fmt::format("{:016x}", std::hash<std::string>{}(name));
  place_ = folder;
  folder_name_ = fmt::format("topowise-fake-{}", ::geteuid());
  state_name_ = stem + ".state";
  memory_name_ = stem + ".memory";
  while (!join(memory_size)) {  // the last process of the former node has removed the files meanwhile
    if (state_file_ >= 0) ::close(std::exchange(state_file_, -1));
  }
  void* memory = ::mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, state_file_, 0);
  if (memory == MAP_FAILED) throw refused("map", state_name_);
  state_ = static_cast<SharedState*>(memory);
  if (state_->magic != SharedState::kMagic) throw not_available("'" + state_name_ + "' is of another version");
}

bool SharedNode::join(std::size_t memory_size) {
  folder_ = PrivateFolder::make(place_, folder_name_);
  if (!folder_ && errno == ENOENT && ::access(place_.c_str(), F_OK) == 0) return false;
  if (!folder_) throw refused("make", place_ + "/" + folder_name_);
  state_file_ = open_file(folder_, state_name_);
  if (state_file_ < 0) return false;
  const bool alone = ::flock(state_file_, LOCK_EX | LOCK_NB) == 0;
  if (!alone && ::flock(state_file_, LOCK_SH) != 0) throw refused("lock", state_name_);
  struct stat status {};
  if (::fstat(state_file_, &status) != 0) throw refused("read", state_name_);
  if (status.st_nlink == 0) return false;
  memory_file_ = open_file(folder_, memory_name_);
  if (memory_file_ < 0) return false;
  if (!alone) return true;
  if (::ftruncate(state_file_, 0) != 0 || ::ftruncate(state_file_, sizeof(SharedState)) != 0 ||
      ::ftruncate(memory_file_, 0) != 0 || ::ftruncate(memory_file_, static_cast<off_t>(memory_size)) != 0) {
    throw refused("make", state_name_);
  }
  void* memory = ::mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, state_file_, 0);
  if (memory == MAP_FAILED) throw refused("map", state_name_);
  make_state(memory);
  ::munmap(memory, sizeof(SharedState));
  if (::flock(state_file_, LOCK_SH) != 0) throw refused("lock", state_name_);
  return true;
}

void SharedNode::leave() {
  // Unlock first: otherwise two processes that leave together would each see the other's lock.
  ::flock(state_file_, LOCK_UN);
  if (::flock(state_file_, LOCK_EX | LOCK_NB) == 0) {
    folder_.remove(memory_name_);
    folder_.remove(state_name_);
    remove_private_folder(place_, folder_name_);
  }
  ::close(state_file_);
}

}  // namespace topowise::fake
