// SPDX-License-Identifier: BSD-3-Clause
// The recording library beside this program.
#pragma once

#include <string>
#include <string_view>

namespace topowise::job {

/// Absolute path of libtopowise_interpose.so: TOPOWISE_INTERPOSE, else where the build or the installation puts it as
/// seen from this program. Throws Error(not_available).
[[nodiscard]] std::string find_interpose_library();

/// The value of LD_PRELOAD with `library` in front of the inherited value. Throws Error(not_available) where the path
/// of `library` has a blank or a colon.
[[nodiscard]] std::string preload_list(std::string_view inherited, std::string_view library);

/// The entries of LD_PRELOAD but for `library`.
[[nodiscard]] std::string list_without(std::string_view inherited, std::string_view library);

/// The value of ASAN_OPTIONS with which AddressSanitizer starts although it is not the first library. It would end the
/// program otherwise.
[[nodiscard]] std::string without_order_check(const std::string& inherited);

/// The variable that names the profiler plugin of NCCL and RCCL; the recording library is such a plugin.
inline constexpr const char* kNcclPlugin = "NCCL_PROFILER_PLUGIN";
/// The name under which the loader knows the recording library once it is preloaded, wherever the file is. A path would
/// not do: NCCL cuts long paths, and NCCL 2.27.3 takes none.
inline constexpr const char* kPreloadedPlugin = "libtopowise_interpose.so";

/// These functions set variables for the program that this process becomes.
void set_variable(const std::string& name, const std::string& value);
void preload_interpose_library();
/// For a program that cannot load it.
void drop_interpose_library();

}  // namespace topowise::job
