// SPDX-License-Identifier: BSD-3-Clause
// Folding vectors, on a GPU and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <topowise/device/driver.hpp>
#include <topowise/device/fold_code.hpp>
#include <topowise/device/owned.hpp>

namespace topowise::device {

enum class FoldOperation : std::uint8_t { sum, prod, min, max, land, lor, lxor, band, bor, bxor, minloc, maxloc };
inline constexpr std::size_t kFoldOperations = 12;
/// Numbers, complex numbers, and pairs of a value and its index.
enum class FoldElement : std::uint8_t {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64,
  c32,
  c64,  //
  f32i32,
  f64i32,
  i64i32,
  i32i32,
  i16i32,
  f32f32,
  f64f64
};
inline constexpr std::size_t kFoldElements = 21;

[[nodiscard]] std::string_view to_string(FoldOperation operation);
[[nodiscard]] std::string_view to_string(FoldElement element);
[[nodiscard]] std::optional<FoldOperation> fold_operation(std::string_view name);
[[nodiscard]] std::optional<FoldElement> fold_element(std::string_view name);
[[nodiscard]] std::size_t size_of(FoldElement element);
/// An element's address must be a multiple of this: a GPU's kernel fails at another one, and with it all that the
/// process has on the GPU.
[[nodiscard]] std::size_t alignment_of(FoldElement element);

/// The element in a kernel's name: two's complement makes signed integers fold like unsigned ones, except for min and
/// max.
[[nodiscard]] FoldElement kernel_element(FoldOperation operation, FoldElement element);
/// "topowise_fold_sum_f32"; empty for what MPI does not define either, such as the bitwise and of floating-point
/// numbers.
[[nodiscard]] std::string fold_name(FoldOperation operation, FoldElement element);

/// PTX text for compute capability 3.5 and newer; null in a build with TOPOWISE_KERNELS=OFF.
[[nodiscard]] const char* fold_image();
/// The same of the kernels of bf16, for compute capability 8.0 and newer.
[[nodiscard]] const char* fold_image_sm80();
/// What comes before kernel_line() in the source of a kernel; null as well.
[[nodiscard]] const char* fold_source();
/// "TOPOWISE_FOLD_KERNEL(sum, Sum, f32, float)"; empty where fold_name() is empty.
[[nodiscard]] std::string kernel_line(FoldOperation operation, FoldElement element);
/// Why this build has no kernels; empty if it has them.
[[nodiscard]] std::string lack_of_kernels();
/// Why no kernel folds on this driver's GPUs; empty if nothing is known to be wrong.
[[nodiscard]] std::string lack_of_kernels(const Driver& driver);

/// Folds elements [first, end) of vectors in host memory, as the kernels fold them.
using HostFold = void (*)(const kernel::FoldOperands& operands, unsigned from, unsigned to, unsigned long long first,
                          unsigned long long end);
/// Null where fold_name() is empty.
[[nodiscard]] HostFold host_fold(FoldOperation operation, FoldElement element);

/// The widest unsigned integer of which vectors at these addresses, of that many bytes, consist: to move them by. A
/// fold of one vector copies it.
[[nodiscard]] FoldElement widest_element(std::span<const Address> addresses, std::size_t bytes);

/// The fold kernels, loaded once a device. Safe for use by several threads.
class Folds {
 public:
  /// Throws Error(not_available) where lack_of_kernels() has a reason.
  explicit Folds(Driver driver);

  /// Whether the selected device's driver takes the kernel; `why` says why not. The first call for a device takes as
  /// long as the driver needs to compile PTX, or hiprtc needs for this kernel.
  [[nodiscard]] bool work(FoldOperation operation, FoldElement element, std::string& why);

  /// Folds on the selected device, asynchronously: each of `to` becomes the fold of all of `from`, at most
  /// kMostOperands of either. Any vector may be in both.
  void fold(FoldOperation operation, FoldElement element, std::span<const Address> from, std::span<const Address> to,
            std::size_t count, Handle stream);

 private:
  struct Module {
    OwnedModule module;
    std::string refusal;  ///< what the driver said instead
  };
  [[nodiscard]] const Module& module(FoldOperation operation, FoldElement element);
  [[nodiscard]] std::string part_of(FoldOperation operation, FoldElement element, int device) const;
  [[nodiscard]] Handle load(FoldOperation operation, FoldElement element, int device) const;
  [[nodiscard]] Handle kernel(FoldOperation operation, FoldElement element);

  Driver driver_;
  std::mutex mutex_;
  std::map<std::pair<int, std::string>, Module> modules_;  ///< by device, and by part_of()
  std::map<std::pair<int, std::string>, Handle> kernels_;
};

}  // namespace topowise::device
