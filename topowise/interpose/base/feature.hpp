// SPDX-License-Identifier: BSD-3-Clause
// What the library does inside a program is a set of features: recording is one, making a GPU current another. Features
// use this folder, which finds MPI and follows its life; this folder knows of features only what is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace topowise::interpose {

/// What a feature is called for; null for what it does not need. Each may be called more than once, by the Fortran and
/// by the C form of one call.
struct Feature {
  void (*before_begin)() noexcept = nullptr;         ///< MPI_Init or MPI_Session_init is about to be called
  void (*begun)() noexcept = nullptr;                ///< it has succeeded
  void (*world_ending)() noexcept = nullptr;         ///< MPI_COMM_WORLD is about to go; sessions may stay
  void (*ending)() noexcept = nullptr;               ///< the last of MPI_COMM_WORLD and the sessions is about to go
  void (*aborting)() noexcept = nullptr;             ///< MPI_Abort is about to be called
  void (*controlled)(int level) noexcept = nullptr;  ///< MPI_Pcontrol
  void (*reordered)() noexcept = nullptr;            ///< this process is in a communicator whose ranks we reordered
};

/// All features in the order in which they are called: interpose/features.cpp.
[[nodiscard]] std::span<const Feature* const> features() noexcept;

/// What a feature keeps with a communicator: it goes when the communicator is freed.
class Attachment {
 public:
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  virtual ~Attachment() = default;
};
/// The owner of an attachment. One for each feature that keeps something.
enum class AttachedBy : std::uint8_t { recording, allreduce };
inline constexpr std::size_t kAttachments = 2;

}  // namespace topowise::interpose
