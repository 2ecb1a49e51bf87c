// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a communicator come to share memory: two exchanges over MPI (or whatever brings them together).
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/file_size_limit.hpp>
#include <topowise/collective/node/node_ranks.hpp>

namespace topowise::collective {

/// What each rank tells the others first. Plain bytes; `version` shows ranks of other builds.
struct NodeRanks::Handshake {
  std::uint64_t version = 0;
  std::uint64_t space = 0;  ///< process_space()
  ProcessMark process;
  std::int32_t file = -1;  ///< rank 0's descriptor of the memory, in its process; below 0: there is none
  std::int32_t user = 0;
  std::uint64_t nonce = 0;  ///< what rank 0 has written into the memory
};

namespace {

/// Changes with the layout of the memory.
constexpr std::uint64_t kVersion = 0x100000000ULL + sizeof(RankLine) * 4096 + sizeof(DirectoryHead);

struct Joined {
  std::int32_t good = 0;
  char why[124] = {};
};

std::size_t directory_bytes(int size, std::size_t staging) {
  const std::size_t page = 4096;
  const std::size_t lines =
      sizeof(DirectoryHead) + alignof(RankLine) + static_cast<std::size_t>(size) * sizeof(RankLine);
  return (lines + page - 1) / page * page + staging;
}

/// Makes the memory, at rank 0. Below 0 if it cannot be made, which all ranks hear.
int make_memory(std::size_t bytes) {
  if (!keeps_file_size_limit(bytes)) {
    errno = EFBIG;
    return -1;
  }
  const int file = ::memfd_create("topowise-allreduce", MFD_CLOEXEC);
  if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    ::close(file);
    return -1;
  }
  return file;
}

int open_memory(pid_t process, int file) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, file);
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

using Mapping = std::shared_ptr<void>;

Mapping map(int file, std::size_t bytes) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) != bytes) return nullptr;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {memory, [bytes](void* address) { ::munmap(address, bytes); }};
}

/// The mappings of this process. Ranks may be threads of one process: they use the mapping of the first.
class OwnMappings {
 public:
  void add(std::uint64_t nonce, const Mapping& mapping) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    known_[nonce] = mapping;
  }
  [[nodiscard]] Mapping find(std::uint64_t nonce) {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(nonce);
    return found == known_.end() ? nullptr : found->second.lock();
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<void>> known_;
};
OwnMappings& own_mappings() {
  static OwnMappings& all = *new OwnMappings;  // never destroyed: threads may outlive the program's static objects
  return all;
}

/// Why these ranks cannot share memory; empty if they may.
template <class Handshake>
std::string obstacle(const std::vector<Handshake>& all) {
  for (const Handshake& handshake : all) {
    if (handshake.version != all[0].version) return "its ranks run different versions of topowise";
    if (handshake.space != all[0].space) return "its ranks are on several nodes, or in containers of their own";
    if (handshake.user != all[0].user) return "its ranks belong to several users";
  }
  if (all[0].file < 0) return "rank 0 can make no shared memory";
  return {};
}

}  // namespace

/// Rank 0 makes an empty directory, which the others find by its handshake.
std::unique_ptr<NodeRanks> NodeRanks::make(int size, std::size_t staging, const Descriptor& file, std::size_t bytes,
                                           std::uint64_t nonce) {
  const Mapping memory = file ? map(file.number(), bytes) : nullptr;
  if (memory == nullptr) return nullptr;
  auto* head = new (memory.get()) DirectoryHead;
  head->magic = DirectoryHead::kMagic;
  head->nonce = nonce;
  head->ranks = size;
  std::unique_ptr<NodeRanks> ranks(new NodeRanks(0, size, memory, bytes, staging));
  for (int rank = 0; rank < size; ++rank) new (&ranks->line(rank)) RankLine;
  own_mappings().add(nonce, memory);
  return ranks;
}

/// The other ranks open the directory. Null with a reason if that fails.
std::unique_ptr<NodeRanks> NodeRanks::join(int rank, int size, std::size_t staging, const Handshake& first,
                                           std::size_t bytes, std::string& why) {
  Mapping memory = first.process.pid == ::getpid() ? own_mappings().find(first.nonce) : nullptr;
  const Descriptor file(memory ? -1 : open_memory(first.process.pid, first.file));
  if (file) memory = map(file.number(), bytes);
  if (memory == nullptr) {
    why = fmt::format("rank {} cannot open rank 0's shared memory: {}", rank, std::strerror(errno));
    return nullptr;
  }
  std::unique_ptr<NodeRanks> ranks(new NodeRanks(rank, size, memory, bytes, staging));
  if (ranks->head().magic == DirectoryHead::kMagic && ranks->head().nonce == first.nonce) return ranks;
  why = fmt::format("rank {} finds other shared memory than rank 0's", rank);
  return nullptr;
}

std::unique_ptr<NodeRanks> NodeRanks::meet(int rank, int size, std::size_t staging, const Exchange& exchange) {
  const std::size_t bytes = directory_bytes(size, staging);
  Handshake handshake{.version = kVersion,
                      .space = process_space(),
                      .process = this_process_mark(),
                      .user = static_cast<std::int32_t>(::geteuid())};
  const Descriptor made(rank == 0 ? make_memory(bytes) : -1);
  std::unique_ptr<NodeRanks> ranks;
  if (rank == 0 && ::getrandom(&handshake.nonce, sizeof handshake.nonce, 0) == sizeof handshake.nonce)
    ranks = make(size, staging, made, bytes, handshake.nonce);
  if (ranks) handshake.file = made.number();
  std::vector<Handshake> all(static_cast<std::size_t>(size));
  exchange(&handshake, all.data(), sizeof handshake);
  std::string why = obstacle(all);
  // The process of each rank must be known before any rank waits for it.
  for (int other = 0; why.empty() && rank == 0 && other < size; ++other)
    ranks->line(other).process = all[static_cast<std::size_t>(other)].process;
  if (why.empty() && rank != 0) ranks = join(rank, size, staging, all[0], bytes, why);
  if (!why.empty()) ranks.reset();
  // All ranks exchange equally often, whatever goes wrong, because ranks of other nodes may take part.
  Joined joined{.good = ranks ? 1 : 0};
  why.copy(joined.why, sizeof joined.why - 1);
  std::vector<Joined> told(static_cast<std::size_t>(size));
  exchange(&joined, told.data(), sizeof joined);
  for (const Joined& one : told) {
    if (one.good == 0) throw not_available(std::string(one.why));
  }
  return ranks;
}

}  // namespace topowise::collective
