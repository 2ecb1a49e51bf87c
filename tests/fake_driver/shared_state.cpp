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

#include <topowise/base/error.hpp>

namespace topowise::fake {
namespace {

Error refused(const char* verb, const std::string& path) {
  return not_available(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(errno)));
}

int open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) throw refused("open", path);
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
  const std::string stem =
      fmt::format("{}/topowise-fake-{}-{:016x}", folder, ::geteuid(), std::hash<std::string>{}(name));
  state_path_ = stem + ".state";
  memory_path_ = stem + ".memory";
  while (!join(memory_size)) {
    ::close(state_file_);  // the last process of the former node removed it between our open and our lock
  }
  void* memory = ::mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, state_file_, 0);
  if (memory == MAP_FAILED) throw refused("map", state_path_);
  state_ = static_cast<SharedState*>(memory);
  if (state_->magic != SharedState::kMagic) throw not_available("'" + state_path_ + "' is of another version");
}

bool SharedNode::join(std::size_t memory_size) {
  state_file_ = open_file(state_path_);
  const bool alone = ::flock(state_file_, LOCK_EX | LOCK_NB) == 0;
  if (!alone && ::flock(state_file_, LOCK_SH) != 0) throw refused("lock", state_path_);
  struct stat status {};
  if (::fstat(state_file_, &status) != 0) throw refused("read", state_path_);
  if (status.st_nlink == 0) return false;
  memory_file_ = open_file(memory_path_);
  if (!alone) return true;
  if (::ftruncate(state_file_, 0) != 0 || ::ftruncate(state_file_, sizeof(SharedState)) != 0 ||
      ::ftruncate(memory_file_, 0) != 0 || ::ftruncate(memory_file_, static_cast<off_t>(memory_size)) != 0) {
    throw refused("make", state_path_);
  }
  void* memory = ::mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, state_file_, 0);
  if (memory == MAP_FAILED) throw refused("map", state_path_);
  make_state(memory);
  ::munmap(memory, sizeof(SharedState));
  if (::flock(state_file_, LOCK_SH) != 0) throw refused("lock", state_path_);
  return true;
}

void SharedNode::leave() {
  // Unlock first: otherwise two processes that leave together would each see the other's lock.
  ::flock(state_file_, LOCK_UN);
  if (::flock(state_file_, LOCK_EX | LOCK_NB) == 0) {
    ::unlink(memory_path_.c_str());
    ::unlink(state_path_.c_str());
  }
  ::close(state_file_);
}

}  // namespace topowise::fake
