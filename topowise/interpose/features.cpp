// SPDX-License-Identifier: BSD-3-Clause
// The one place that knows every feature.
#include <topowise/interpose/base/feature.hpp>

#include <array>

#include <topowise/interpose/gpu_selection.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/interpose/reordering/tally.hpp>

namespace topowise::interpose {

std::span<const Feature* const> features() noexcept {
  static constexpr Feature kGpuSelection{.before_begin = select_gpu};
  static constexpr std::array<const Feature*, 3> kAll{&kGpuSelection, &reordering::kReordering, &kRecording};
  return kAll;
}

}  // namespace topowise::interpose
