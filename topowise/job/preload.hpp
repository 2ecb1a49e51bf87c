// SPDX-License-Identifier: BSD-3-Clause
// The recording library beside this program.
#pragma once

#include <string>
#include <string_view>

namespace topowise::job {

/// Absolute path of libtopowise_interpose.so: TOPOWISE_INTERPOSE, else where the build or the installation puts it as
/// seen from this program. Throws Error(not_available).
[[nodiscard]] std::string find_interpose_library();

/// LD_PRELOAD with `library` before what stands there already. Throws Error(not_available) where the path of `library`
/// has a blank or a colon.
[[nodiscard]] std::string preload_list(std::string_view inherited, std::string_view library);

/// Names the profiler plugin of NCCL and RCCL; the recording library is one.
inline constexpr const char* kNcclPlugin = "NCCL_PROFILER_PLUGIN";
/// The recording library by the name that the loader knows it under once it is preloaded, wherever it lies. NCCL cuts
/// long paths, and 2.27.3 takes none.
inline constexpr const char* kPreloadedPlugin = "libtopowise_interpose.so";

/// For the program that this process is going to be.
void set_variable(const std::string& name, const std::string& value);
void preload_interpose_library();

}  // namespace topowise::job
