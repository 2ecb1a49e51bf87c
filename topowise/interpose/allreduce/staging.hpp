// SPDX-License-Identifier: BSD-3-Clause
// A call whose vectors in GPU memory have copies on the host, for the MPI library to work on.
#pragma once

#include <vector>

#include <topowise/interpose/allreduce/host_copy.hpp>

namespace topowise::interpose::allreduce {

/// A call whose vectors in GPU memory have copies on the host, for the MPI library to work on.
class StagedCall {
 public:
  // All are false, after saying so, if there is no memory for the copies, MPI does not say what the type takes, or the
  // driver refuses. Where a vector cannot be read the MPI library's collective must follow all the same: the other
  // ranks are in it.
  [[nodiscard]] bool make(const Call& call, const OnGpu& on_gpu) noexcept;
  [[nodiscard]] bool read() noexcept;         ///< before the MPI library reduces
  [[nodiscard]] bool write() const noexcept;  ///< when it has
  [[nodiscard]] const Call& on_host() const { return on_host_; }
  [[nodiscard]] Word comm() const { return call_.comm; }

 private:
  Call call_{}, on_host_{};
  HostCopy send_, receive_;
  std::vector<plugin_interface::Run> written_;  ///< what is written back to the receive buffer
  bool reads_receive_ = false;
};

}  // namespace topowise::interpose::allreduce
