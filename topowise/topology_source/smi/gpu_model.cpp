// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/gpu_model.hpp>

#include <algorithm>
#include <array>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/link_rate.hpp>

namespace topowise {
namespace {

struct Model {
  std::string_view name;
  int compute_capability;  ///< ten times
};

/// GPUs with NVLink, by the word of their names that tells them apart.
constexpr std::array<Model, 17> kModels{{{"P100", 60},
                                         {"V100", 70},
                                         {"A100", 80},
                                         {"A800", 80},
                                         {"A30", 80},
                                         {"A40", 86},
                                         {"A6000", 86},
                                         {"H100", 90},
                                         {"H200", 90},
                                         {"H800", 90},
                                         {"H20", 90},
                                         {"GH200", 90},
                                         {"B100", 100},
                                         {"B200", 100},
                                         {"GB200", 100},
                                         {"B300", 103},
                                         {"GB300", 103}}};

bool is_part_of_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Words of letters and digits: "Tesla V100-SXM2-32GB" names a V100, and "NVIDIA GB200" no B200.
const Model* model_named(std::string_view word) {
  const auto found = std::ranges::find(kModels, word, &Model::name);
  return found == kModels.end() ? nullptr : &*found;
}

}  // namespace

BytesPerSecond nvlink_of_named_gpus(std::string_view text) {
  BytesPerSecond rate;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_part_of_word(text[end])) ++end;
    if (const Model* model = model_named(text.substr(begin, end - begin))) {
      const BytesPerSecond named = nvlink_bandwidth(model->compute_capability);
      if (rate.value() > 0 && named != rate) return {};
      rate = named;
    }
    begin = end + 1;
  }
  return rate;
}

}  // namespace topowise
