// SPDX-License-Identifier: BSD-3-Clause
// The driver's results, with the numbers and names of NVIDIA's public reference.
#pragma once

#include <optional>
#include <string_view>

namespace topowise::fake::result {

inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNotInitialized = 3;
inline constexpr int kDeinitialized = 4;
inline constexpr int kNoDevice = 100;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kInvalidImage = 200;
inline constexpr int kInvalidContext = 201;
inline constexpr int kPeerAccessUnsupported = 217;
inline constexpr int kOperatingSystem = 304;
inline constexpr int kInvalidHandle = 400;
inline constexpr int kNotFound = 500;
inline constexpr int kNotReady = 600;
inline constexpr int kPeerAccessAlreadyEnabled = 704;
inline constexpr int kPeerAccessNotEnabled = 705;
inline constexpr int kHostMemoryAlreadyRegistered = 712;
inline constexpr int kHostMemoryNotRegistered = 713;
inline constexpr int kSystemNotReady = 802;
inline constexpr int kUnknown = 999;

/// "CUDA_ERROR_NO_DEVICE"; null for an unknown number.
[[nodiscard]] const char* name(int code);
[[nodiscard]] const char* description(int code);
[[nodiscard]] std::optional<int> code(std::string_view name);

}  // namespace topowise::fake::result
