// SPDX-License-Identifier: BSD-3-Clause
// The one place that knows every feature.
#include <topowise/interpose/base/feature.hpp>

#include <array>

#include <topowise/interpose/allreduce/reduce.hpp>
#include <topowise/interpose/gpu_selection.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/interpose/reordering/reordered_world.hpp>
#include <topowise/interpose/reordering/tally.hpp>

namespace topowise::interpose {

std::span<const Feature* const> features() noexcept {
  static constexpr Feature kGpuSelection{.before_begin = select_gpu, .ending = verify_gpu};
  static constexpr std::array<const Feature*, 5> kAll{&kGpuSelection, &reordering::kWorldOrder,
                                                      &reordering::kReordering, &kRecording, &allreduce::kAllreduce};
  return kAll;
}

}  // namespace topowise::interpose
