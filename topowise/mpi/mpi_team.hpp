// SPDX-License-Identifier: BSD-3-Clause
// The team of an MPI job. The MPI library, of any family, is opened at run time.
#pragma once

#include <string_view>

#include <topowise/base/shared_library.hpp>
#include <topowise/mpi/family.hpp>
#include <topowise/mpi/messages.hpp>
#include <topowise/mpi/team.hpp>

namespace topowise::mpi {

/// Starts MPI when it is made, and ends MPI when it goes. A process can have only one.
class MpiTeam : public Team, public Messages {
 public:
  /// `library` is an MPI library, or one that was linked with it. Throws Error(not_available).
  explicit MpiTeam(const SharedLibrary& library);
  ~MpiTeam() override;
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] void* communicator() const override;
  [[noreturn]] void abort(ExitStatus status) const override;
  void broadcast_bytes(std::vector<std::byte>& bytes, int root) const override;
  [[nodiscard]] std::vector<std::vector<std::byte>> exchange_bytes(
      std::vector<std::vector<std::byte>> outgoing) const override;

  void send(const void* buffer, std::size_t bytes, int to) const override;
  void receive(void* buffer, std::size_t bytes, int from) const override;
  void send_and_receive(const void* out, void* in, std::size_t bytes, int other) const override;
  void exchange(std::span<const OutgoingMessage> outgoing, std::span<const IncomingMessage> incoming) const override;
  void wait_for_all() const override;
  /// Asks MPIX_Query_cuda_support, MPIX_Query_rocm_support or MPIX_Query_hip_support.
  [[nodiscard]] bool takes_device_memory(std::string_view driver) const override;
  /// First line of MPI_Get_library_version.
  [[nodiscard]] std::string version() const;

 private:
  void wait_for(Word request) const;

  SharedLibrary library_;
  Family family_;
  int (*finalize_)();
  int (*abort_)(Word, int);
  int (*bcast_)(void*, int, Word, int, Word);
  int (*alltoallv_)(const void*, const int*, const int*, Word, void*, const int*, const int*, Word, Word);
  int (*send_)(const void*, int, Word, int, int, Word);
  int (*recv_)(void*, int, Word, int, int, Word, void*);
  int (*sendrecv_)(const void*, int, Word, int, int, void*, int, Word, int, int, Word, void*);
  int (*isend_)(const void*, int, Word, int, int, Word, Word*);
  int (*irecv_)(void*, int, Word, int, int, Word, Word*);
  int (*ibarrier_)(Word, Word*);
  int (*test_)(Word*, int*, void*);
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace topowise::mpi
