// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/gpu_model.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/gpu_models.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/node/pci_class.hpp>

namespace topowise {
namespace {

struct Model {
  std::string_view name;
  int compute_capability;  ///< ten times its value
};

/// GPUs with NVLink, by the word of their names that distinguishes them.
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

/// GPUs without NVLink that have a slot of sixteen lanes.
constexpr std::array<Model, 9> kOnPcieAlone{{{"K80", 37},
                                             {"P4", 61},
                                             {"P40", 61},
                                             {"T4", 75},
                                             {"A10", 86},
                                             {"A10G", 86},
                                             {"L4", 89},
                                             {"L40", 89},
                                             {"L40S", 89}}};

/// The model that a whole word of letters and digits names: "Tesla V100-SXM2-32GB" names a V100, but "NVIDIA GB200"
/// names no B200.
const Model* model_named(std::span<const Model> models, std::string_view word) {
  const auto found = std::ranges::find(models, word, &Model::name);
  return found == models.end() ? nullptr : &*found;
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

/// The rate that all added rates share; 0 if they differ.
class OneRate {
 public:
  void add(BytesPerSecond rate) {
    differ_ = differ_ || (rate_.value() > 0 && rate != rate_);
    rate_ = rate;
  }
  void add_named(std::string_view text) {
    std::string_view before;
    for_each_word(text, [&](std::string_view word) {
      if (const Model* model = model_named(kModels, word)) add(nvlink_bandwidth(model->compute_capability));
      if (before == "RTX" && word == "3090") add(nvlink_bandwidth(86));  // the number alone may mean anything
      before = word;
    });
  }
  [[nodiscard]] bool told() const { return rate_.value() > 0; }
  [[nodiscard]] BytesPerSecond value() const { return differ_ ? BytesPerSecond() : rate_; }

 private:
  BytesPerSecond rate_;
  bool differ_ = false;
};

/// Calls `visit` with the text between each `begin` and the next `end`.
template <class Visit>
void for_each_between(std::string_view text, std::string_view begin, std::string_view end, const Visit& visit) {
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at)) {
    at += begin.size();
    visit(text.substr(at, text.find(end, at) - at));
  }
}

/// Architectures with one rate of NVLink. Ampere is left to the names, because A40 and its like have links of half the
/// width.
constexpr std::array<Model, 4> kArchitectures{{{"Pascal", 60}, {"Volta", 70}, {"Hopper", 90}, {"Blackwell", 100}}};

void add_architectures(std::string_view text, OneRate& rate) {
  const auto add = [&](std::string_view word) {
    const auto found = std::ranges::find(kArchitectures, trim(word), &Model::name);
    if (found != kArchitectures.end()) rate.add(nvlink_bandwidth(found->compute_capability));
  };
  for_each_between(text, "<product_architecture>", "<", add);
  for_each_between(text, "Product Architecture", "\n",
                   [&](std::string_view rest) { add(rest.substr(std::min(rest.size(), rest.find(':') + 1))); });
}

/// Adds `device="0x2901"` of NCCL's XML and `pci_type="0302 [10de:2901]` of hwloc's. The names of their models are
/// words of kModels.
void add_pci_ids(std::string_view text, OneRate& rate) {
  constexpr int kNvidia = 0x10de;
  const auto add = [&](std::string_view device) {
    const std::optional<GpuModel> model = gpu_model(kNvidia, parse_pci_class({}, device).vendor);
    if (model && model->bond) rate.add_named(model->name);
  };
  for_each_between(text, "device=\"", "\"", add);
  for_each_between(text, "[10de:", "]", add);
}

}  // namespace

BytesPerSecond nvlink_of_named_gpus(std::string_view text) {
  OneRate rate;
  rate.add_named(text);
  return rate.value();
}

BytesPerSecond nvlink_of_described_gpus(std::string_view text) {
  OneRate rate;
  rate.add_named(text);
  if (!rate.told()) add_architectures(text, rate);
  if (!rate.told())
    for_each_between(text, " sm=\"", "\"", [&](std::string_view sm) {
      if (const std::optional<std::int64_t> number = parse_integer(sm);
          number && *number > 0 && *number < 130)  // RCCL writes 228
        rate.add(nvlink_bandwidth(static_cast<int>(*number)));
    });
  if (!rate.told()) add_pci_ids(text, rate);
  return rate.value();
}

BytesPerSecond slot_of_named_gpus(std::string_view text) {
  OneRate rate;
  for_each_word(text, [&](std::string_view word) {
    for (const std::span<const Model> models : {std::span<const Model>(kModels), std::span<const Model>(kOnPcieAlone)})
      if (const Model* model = model_named(models, word)) rate.add(slot_bandwidth(model->compute_capability));
  });
  return rate.value();
}

bool may_have_nvlink(std::string_view text) {
  constexpr std::array<std::string_view, 3> kOthersWithout{"A2", "GeForce", "GTX"};
  bool with = false;
  bool without = false;
  for_each_word(text, [&](std::string_view word) {
    with = with || model_named(kModels, word) != nullptr;
    without = without || model_named(kOnPcieAlone, word) != nullptr ||
              std::ranges::find(kOthersWithout, word) != kOthersWithout.end();
  });
  return with || !without;
}

}  // namespace topowise
