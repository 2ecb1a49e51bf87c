// SPDX-License-Identifier: BSD-3-Clause
// The team of an MPI job. MPI is that of PT-Scotch, opened with it at run time.
#pragma once

#include <topowise/base/shared_library.hpp>
#include <topowise/mapper/distributed/team.hpp>

namespace topowise::distributed {

/// Opens PT-Scotch and the MPI library that it was built on. Throws Error(not_available).
[[nodiscard]] SharedLibrary open_pt_scotch();

/// MPI begins with the object and ends with it: one in the life of a process.
class MpiTeam : public Team {
 public:
  explicit MpiTeam(const SharedLibrary& pt_scotch);
  ~MpiTeam() override;
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] void* communicator() const override { return world_; }
  [[noreturn]] void abort(ExitStatus status) const override;
  void broadcast_bytes(std::vector<std::byte>& bytes, int root) const override;
  [[nodiscard]] std::vector<std::vector<std::byte>> exchange_bytes(
      std::vector<std::vector<std::byte>> outgoing) const override;

 private:
  int (*finalize_)();
  int (*abort_)(void*, int);
  int (*bcast_)(void*, int, void*, int, void*);
  int (*alltoallv_)(const void*, const int*, const int*, void*, void*, const int*, const int*, void*, void*);
  void* world_;
  void* byte_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace topowise::distributed
