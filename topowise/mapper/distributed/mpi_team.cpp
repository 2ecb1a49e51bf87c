// SPDX-License-Identifier: BSD-3-Clause
// Handles of Open MPI are addresses of its global objects, so a communicator is a machine word here. libptscotch names
// the MPI library that it needs; symbols are looked up through it, so both are always of one build. MPI itself becomes
// global in the process, because Open MPI's own plug-ins look for its symbols there.
#include <topowise/mapper/distributed/mpi_team.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace topowise::distributed {
namespace {

constexpr const char* kHint = "apt-get install libptscotch-7.0, or map without --distributed";

template <class Function>
void find(const SharedLibrary& library, const char* name, Function*& function) {
  function = library.function<Function>(name);
  if (function == nullptr) throw not_available("'" + library.name() + "' comes without " + name, kHint);
}

void make_global(void* mpi_function) {
  Dl_info found{};
  if (::dladdr(mpi_function, &found) != 0) ::dlopen(found.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

void check(int status, const char* what) {
  constexpr int kSuccess = 0;
  if (status != kSuccess)
    throw not_available(std::string(what) + " failed", "mpirun -n 2 hostname shows whether MPI works");
}

/// Bytes for one process in one call: MPI counts in int.
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

SharedLibrary open_pt_scotch() {
  const std::array<std::string, 2> names{"libptscotch-7.0.so", "libptscotch.so"};
  std::string reason;
  std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (!library) throw not_available("libptscotch cannot be opened: " + reason, kHint);
  if (library->symbol("ompi_mpi_comm_world") == nullptr)
    throw not_available(
        "'" + library->name() + "' is not built on Open MPI: other MPI libraries are not supported here", kHint);
  return *library;
}

MpiTeam::MpiTeam(const SharedLibrary& pt_scotch)
    : world_(pt_scotch.symbol("ompi_mpi_comm_world")), byte_(pt_scotch.symbol("ompi_mpi_byte")) {
  int (*init)(int*, char***, int, int*) = nullptr;
  int (*comm_rank)(void*, int*) = nullptr;
  int (*comm_size)(void*, int*) = nullptr;
  find(pt_scotch, "MPI_Init_thread", init);
  find(pt_scotch, "MPI_Comm_rank", comm_rank);
  find(pt_scotch, "MPI_Comm_size", comm_size);
  find(pt_scotch, "MPI_Finalize", finalize_);
  find(pt_scotch, "MPI_Abort", abort_);
  find(pt_scotch, "MPI_Bcast", bcast_);
  find(pt_scotch, "MPI_Alltoallv", alltoallv_);
  make_global(reinterpret_cast<void*>(init));
  // With a higher level PT-Scotch works in several threads, and its result depends on their timing.
  constexpr int kFunneled = 1;
  int provided = 0;
  check(init(nullptr, nullptr, kFunneled, &provided), "MPI_Init_thread");
  check(comm_rank(world_, &rank_), "MPI_Comm_rank");
  check(comm_size(world_, &size_), "MPI_Comm_size");
}

MpiTeam::~MpiTeam() {
  finalize_();
}

void MpiTeam::abort(ExitStatus status) const {
  abort_(world_, static_cast<int>(status));
  std::_Exit(static_cast<int>(status));
}

void MpiTeam::broadcast_bytes(std::vector<std::byte>& bytes, int root) const {
  std::uint64_t count = bytes.size();
  check(bcast_(&count, sizeof(count), byte_, root, world_), "MPI_Bcast");
  bytes.resize(count);
  const std::size_t most = most_bytes_in_one_call(1);
  for (std::size_t at = 0; at < count; at += most)
    check(bcast_(bytes.data() + at, static_cast<int>(std::min<std::size_t>(most, count - at)), byte_, root, world_),
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
    check(alltoallv_(sent.data(), put.data(), put_at.data(), byte_, received.data(), got.data(), got_at.data(), byte_,
                     world_),
          "MPI_Alltoallv");
    for (std::size_t p = 0; p < processes; ++p)
      incoming[p].insert(incoming[p].end(), received.begin() + got_at[p], received.begin() + got_at[p] + got[p]);
  }
  return incoming;
}

}  // namespace topowise::distributed
