// SPDX-License-Identifier: BSD-3-Clause
// The MPI library is opened again with its symbols global in the process, because Open MPI's own plug-ins look for them
// there.
#include <topowise/mpi/mpi_team.hpp>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <topowise/base/text.hpp>

namespace topowise::mpi {
namespace {

constexpr int kTag = 0;

template <class Function>
void find(const SharedLibrary& library, const char* name, Function*& function) {
  function = library.function<Function>(name);
  if (function == nullptr)
    throw not_available(fmt::format("'{}' comes without {}", library.name(), name),
                        "it needs an MPI library of version 3");
}

/// The file that holds MPI itself.
const char* file_of(const SharedLibrary& library) {
  Dl_info found{};
  const void* function = library.symbol("MPI_Comm_rank");
  return function != nullptr && ::dladdr(function, &found) != 0 ? found.dli_fname : "";
}

void check(int status, const char* what) {
  constexpr int kSuccess = 0;
  if (status != kSuccess)
    throw not_available(std::string(what) + " failed", "mpirun -n 2 hostname shows whether MPI works");
}

/// The most bytes for one process in one call, because MPI counts in int.
std::size_t most_bytes_in_one_call(int size) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  return kMost / static_cast<std::size_t>(size);
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  return offsets;
}

}  // namespace

MpiTeam::MpiTeam(const SharedLibrary& library)
    : library_(library), family_(family_of(file_of(library), [&](const char* name) { return library.symbol(name); })) {
  int (*init)(int*, char***, int, int*) = nullptr;
  int (*comm_rank)(Word, int*) = nullptr;
  int (*comm_size)(Word, int*) = nullptr;
  find(library, "MPI_Init_thread", init);
  find(library, "MPI_Comm_rank", comm_rank);
  find(library, "MPI_Comm_size", comm_size);
  find(library, "MPI_Finalize", finalize_);
  find(library, "MPI_Abort", abort_);
  find(library, "MPI_Bcast", bcast_);
  find(library, "MPI_Alltoallv", alltoallv_);
  find(library, "MPI_Send", send_);
  find(library, "MPI_Recv", recv_);
  find(library, "MPI_Sendrecv", sendrecv_);
  find(library, "MPI_Isend", isend_);
  find(library, "MPI_Irecv", irecv_);
  find(library, "MPI_Ibarrier", ibarrier_);
  find(library, "MPI_Test", test_);
  ::dlopen(file_of(library), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  // A higher thread level would let PT-Scotch work in several threads, and its result would depend on their timing.
  int provided = 0;
  check(init(nullptr, nullptr, family_.thread_funneled, &provided), "MPI_Init_thread");
  check(comm_rank(family_.comm_world, &rank_), "MPI_Comm_rank");
  check(comm_size(family_.comm_world, &size_), "MPI_Comm_size");
}

MpiTeam::~MpiTeam() {
  finalize_();
}

void* MpiTeam::communicator() const {
  return reinterpret_cast<void*>(family_.comm_world);  // NOLINT(performance-no-int-to-ptr): a handle of any family
}

void MpiTeam::abort(ExitStatus status) const {
  abort_(family_.comm_world, static_cast<int>(status));
  std::_Exit(static_cast<int>(status));
}

void MpiTeam::send(const void* buffer, std::size_t bytes, int to) const {
  check(send_(buffer, static_cast<int>(bytes), family_.type_byte, to, kTag, family_.comm_world), "MPI_Send");
}

void MpiTeam::receive(void* buffer, std::size_t bytes, int from) const {
  check(
      recv_(buffer, static_cast<int>(bytes), family_.type_byte, from, kTag, family_.comm_world, family_.status_ignore),
      "MPI_Recv");
}

void MpiTeam::send_and_receive(const void* out, void* in, std::size_t bytes, int other) const {
  const auto count = static_cast<int>(bytes);
  check(sendrecv_(out, count, family_.type_byte, other, kTag, in, count, family_.type_byte, other, kTag,
                  family_.comm_world, family_.status_ignore),
        "MPI_Sendrecv");
}

void MpiTeam::exchange(std::span<const OutgoingMessage> outgoing, std::span<const IncomingMessage> incoming) const {
  std::vector<Word> requests;
  requests.reserve(outgoing.size() + incoming.size());
  for (const IncomingMessage& message : incoming) {
    Word& request = requests.emplace_back(0);
    check(irecv_(message.buffer, static_cast<int>(message.bytes), family_.type_byte, message.from, kTag,
                 family_.comm_world, &request),
          "MPI_Irecv");
  }
  for (const OutgoingMessage& message : outgoing) {
    Word& request = requests.emplace_back(0);
    check(isend_(message.buffer, static_cast<int>(message.bytes), family_.type_byte, message.to, kTag,
                 family_.comm_world, &request),
          "MPI_Isend");
  }
  for (const Word request : requests) wait_for(request);
}

/// Avoids MPI_Wait, which keeps its processor in most libraries: with more ranks than processors it would take the
/// processor from the rank that it waits for.
void MpiTeam::wait_for(Word request) const {
  constexpr int kBusyTries = 1000;
  int done = 0;
  for (int tries = 0; done == 0; ++tries) {
    check(test_(&request, &done, family_.status_ignore), "MPI_Test");
    if (done == 0 && tries >= kBusyTries) ::sched_yield();
  }
}

void MpiTeam::wait_for_all() const {
  constexpr std::chrono::microseconds kPause{100};
  Word request = 0;
  check(ibarrier_(family_.comm_world, &request), "MPI_Ibarrier");
  for (int all_here = 0; all_here == 0;) {
    check(test_(&request, &all_here, family_.status_ignore), "MPI_Test");
    if (all_here == 0) std::this_thread::sleep_for(kPause);
  }
}

bool MpiTeam::takes_device_memory(std::string_view driver) const {
  using Names = std::vector<const char*>;
  const Names names =
      driver == "cuda" ? Names{"MPIX_Query_cuda_support"} : Names{"MPIX_Query_rocm_support", "MPIX_Query_hip_support"};
  return std::ranges::any_of(names, [&](const char* name) {
    auto* supports = library_.function<int()>(name);
    return supports != nullptr && supports() == 1;
  });
}

std::string MpiTeam::version() const {
  constexpr std::size_t kLongest = 8192 + 1;  // MPI_MAX_LIBRARY_VERSION_STRING of every family
  std::vector<char> text(kLongest, 0);
  int length = 0;
  auto* get = library_.function<int(char*, int*)>("MPI_Get_library_version");
  if (get == nullptr || get(text.data(), &length) != 0) return family_.name;
  const std::string whole(text.data());
  std::string line;
  for (const std::string_view word : split_blanks(std::string_view(whole).substr(0, whole.find_first_of("\n,"))))
    line += (line.empty() ? "" : " ") + std::string(word);
  return line;
}

void MpiTeam::broadcast_bytes(std::vector<std::byte>& bytes, int root) const {
  std::uint64_t count = bytes.size();
  check(bcast_(&count, sizeof(count), family_.type_byte, root, family_.comm_world), "MPI_Bcast");
  bytes.resize(count);
  const std::size_t most = most_bytes_in_one_call(1);
  for (std::size_t at = 0; at < count; at += most)
    check(bcast_(bytes.data() + at, static_cast<int>(std::min<std::size_t>(most, count - at)), family_.type_byte, root,
                 family_.comm_world),
          "MPI_Bcast");
}

std::vector<std::vector<std::byte>> MpiTeam::exchange_bytes(std::vector<std::vector<std::byte>> outgoing) const {
  const auto processes = static_cast<std::size_t>(size_);
  const std::size_t most = most_bytes_in_one_call(size_);
  std::vector<std::uint64_t> own(processes);
  for (std::size_t p = 0; p < processes; ++p) own[p] = outgoing[p].size();
  const std::vector<std::vector<std::uint64_t>> sizes = gather_at_all(own);
  std::uint64_t largest = 0;
  for (const std::vector<std::uint64_t>& row : sizes) largest = std::max(largest, *std::ranges::max_element(row));

  std::vector<std::vector<std::byte>> incoming(processes);
  for (std::size_t at = 0; at < largest; at += most) {
    const auto part = [&](std::uint64_t whole) {
      return static_cast<int>(whole > at ? std::min<std::uint64_t>(most, whole - at) : 0);
    };
    std::vector<int> put(processes);
    std::vector<int> got(processes);
    std::vector<std::byte> sent;
    for (std::size_t p = 0; p < processes; ++p) {
      put[p] = part(own[p]);
      got[p] = part(sizes[p][static_cast<std::size_t>(rank_)]);
      if (put[p] > 0)
        sent.insert(sent.end(), outgoing[p].begin() + static_cast<std::ptrdiff_t>(at),
                    outgoing[p].begin() + static_cast<std::ptrdiff_t>(at) + put[p]);
    }
    const std::vector<int> put_at = offsets_of(put);
    const std::vector<int> got_at = offsets_of(got);
    std::vector<std::byte> received(static_cast<std::size_t>(got_at.back() + got.back()));
    check(alltoallv_(sent.data(), put.data(), put_at.data(), family_.type_byte, received.data(), got.data(),
                     got_at.data(), family_.type_byte, family_.comm_world),
          "MPI_Alltoallv");
    for (std::size_t p = 0; p < processes; ++p)
      incoming[p].insert(incoming[p].end(), received.begin() + got_at[p], received.begin() + got_at[p] + got[p]);
  }
  return incoming;
}

}  // namespace topowise::mpi
