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

/// Words of letters and digits: "Tesla V100-SXM2-32GB" names a V100, and "NVIDIA GB200" no B200.
const Model* model_named(std::string_view word) {
  const auto found = std::ranges::find(kModels, word, &Model::name);
  return found == kModels.end() ? nullptr : &*found;
}

template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_letter_or_digit(text[end])) ++end;
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

BytesPerSecond nvlink_of_named_gpus(std::string_view text) {
  BytesPerSecond rate;
  bool differ = false;
  for_each_word(text, [&](std::string_view word) {
    const Model* model = model_named(word);
    if (model == nullptr) return;
    const BytesPerSecond named = nvlink_bandwidth(model->compute_capability);
    differ = differ || (rate.value() > 0 && named != rate);
    rate = named;
  });
  return differ ? BytesPerSecond() : rate;
}

bool may_have_nvlink(std::string_view text) {
  constexpr std::array<std::string_view, 12> kWithout{"T4",   "L4",  "L40", "L40S", "A2",      "A10",
                                                      "A10G", "K80", "P4",  "P40",  "GeForce", "GTX"};
  bool with = false;
  bool without = false;
  for_each_word(text, [&](std::string_view word) {
    with = with || model_named(word) != nullptr;
    without = without || std::ranges::find(kWithout, word) != kWithout.end();
  });
  return with || !without;
}

}  // namespace topowise
