// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/gpu_script.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/launch/gpu_vendor.hpp>

namespace topowise {

void require_gpus(const Placement& placement) {
  const bool has_gpus = std::ranges::any_of(placement.nodes, [](const PlacedNode& node) { return !node.gpus.empty(); });
  // The message names the place, not the rank, because the function is also called before there is a mapping.
  for (const PlacedRank& rank : placement.ranks) {
    if (rank.gpu) continue;
    throw bad_input((rank.place.empty() ? "a place" : rank.place) + " is no GPU",
                    has_gpus                                ? "--places gpu, or --emit openmpi-rankfile"
                    : placement.nodes[rank.node].is_place() ? "--emit rank-order|cray-rank-order|flux-taskmap"
                    : rank.cpus.empty()
                        ? "--emit openmpi-rankfile"
                        : "--emit openmpi-rankfile, or 'topowise run --mapping FILE -- ./app' (--save FILE)");
  }
  require_known_variables(placement);
}

void refuse_several_vendors(const Placement& placement, std::string_view format) {
  for (const PlacedNode& node : placement.nodes) {
    if (vendors_of(node).size() < 2) continue;
    throw bad_input(fmt::format("{} has GPUs of several vendors, each of which counts its own, and {} has one number "
                                "for each GPU",
                                node.name.empty() ? "the node" : node.name, format),
                    "--emit shell, or 'topowise run --mapping FILE' in front of the program");
  }
}

namespace {

/// "0,2,3"; "2," for one GPU, so that it is no count.
std::string list_of(const PlacedNode& node) {
  std::vector<std::size_t> numbers;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) numbers.push_back(number_of(node, gpu));
  return fmt::format("{}{}", fmt::join(numbers, ","), numbers.size() == 1 ? "," : "");
}

/// The vendor's name as one word of sh.
std::string word_of(GpuVendor vendor) {
  std::string word(to_string(vendor));
  std::erase(word, ' ');
  return word;
}

}  // namespace

std::string gpu_in_shell(const PlacedNode& node, std::size_t gpu) {
  const GpuVendor vendor = vendor_of(node.gpus[gpu]);
  const PlacedNode own = gpus_of_vendor(node, vendor).node;
  const std::string gpus = has_gaps(own) ? list_of(own) : std::to_string(own.gpus.size());
  std::string text = fmt::format("gpu={} gpus={}", own_number(node, gpu), gpus);
  if (vendor != GpuVendor::unknown) text += fmt::format(" vendor={}", word_of(vendor));
  if (vendor == GpuVendor::intel) text += fmt::format(" mask={}", affinity_mask(node, gpu));
  return text;
}

namespace {

/// `all` lists every GPU of the node. `choose` makes a list from the GPUs that a variable names, or from all, with the
/// rank's GPU at the position of its local rank. CUDA ignores all entries after a negative one.
constexpr std::string_view kCount = R"sh(all=0 next=1
while [ $next -lt $gpus ]; do
  all=$all,$next next=$((next + 1))
done
)sh";

/// The same where the numbers of some node's GPUs have gaps: `gpus` is then a list.
constexpr std::string_view kCountOrList = R"sh(case "$gpus" in
*,*) all=$gpus ;;
*)
  all=0 next=1
  while [ $next -lt $gpus ]; do
    all=$all,$next next=$((next + 1))
  done
  ;;
esac
)sh";

constexpr std::string_view kChoose = R"sh(choose() {
  rest= count=1 found= IFS=', '
  for item in $2; do
    case "$item" in
    -*) break ;;
    $gpu) found=yes ;;
    *) rest="$rest $item" count=$((count + 1)) ;;
    esac
  done
  unset IFS
  if [ -z "$found" ]; then
    echo "$0: rank $rank is mapped to GPU $gpu, but $1='$2' hides it ('topowise run' also knows UUIDs)" >&2; exit 3
  fi
  list= position=0
  for item in $rest end; do
    [ $position -eq $((local_rank % count)) ] && list=$list${list:+,}$gpu
    [ "$item" = end ] || list=$list${list:+,}$item
    position=$((position + 1))
  done
}
choose_hip() {
  if [ "${ROCR_VISIBLE_DEVICES-$all}" != $all ]; then
    echo "$0: HIP counts inside ROCR_VISIBLE_DEVICES='$ROCR_VISIBLE_DEVICES', which only 'topowise run' does too" >&2; exit 3
  fi
  choose HIP_VISIBLE_DEVICES "${HIP_VISIBLE_DEVICES-$all}"
}
)sh";

constexpr std::string_view kBoth = R"sh(if [ -n "${CUDA_VISIBLE_DEVICES+set}" ]; then
  choose CUDA_VISIBLE_DEVICES "$CUDA_VISIBLE_DEVICES"
else
  choose_hip
fi
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$list HIP_VISIBLE_DEVICES=$list
)sh";

constexpr std::string_view kNvidia = R"sh(choose CUDA_VISIBLE_DEVICES "${CUDA_VISIBLE_DEVICES-$all}"
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$list
)sh";

constexpr std::string_view kAmd = R"sh(choose_hip
export HIP_VISIBLE_DEVICES=$list
)sh";

constexpr std::string_view kIntel = R"sh(case ",${ZE_AFFINITY_MASK:-$mask}," in
*,$mask,* | *,${mask%%.*},*) ;;
*) echo "$0: rank $rank is mapped to Intel GPU $mask, but ZE_AFFINITY_MASK='$ZE_AFFINITY_MASK' hides it" >&2; exit 3 ;;
esac
export ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE ZE_ENABLE_PCI_ID_DEVICE_ORDER=1 ZE_AFFINITY_MASK=$mask
)sh";

}  // namespace

std::string gpu_list_in_shell(const Placement& placement) {
  std::set<GpuVendor> vendors;
  bool gaps = false;
  for (const PlacedNode& node : placement.nodes) {
    for (const GpuVendor vendor : vendors_of(node)) {
      vendors.insert(vendor);
      gaps = gaps || has_gaps(gpus_of_vendor(node, vendor).node);
    }
  }
  const std::string begin = fmt::format("set -f\n{}{}", gaps ? kCountOrList : kCount, kChoose);
  if (vendors == std::set{GpuVendor::unknown}) return fmt::format("{}{}exec \"$@\"\n", begin, kBoth);
  std::string cases = fmt::format("NVIDIA)\n{};;\nAMD)\n{};;\nIntel)\n{};;\n", kNvidia, kAmd, kIntel);
  for (const GpuVendor vendor : vendors) {
    if (vendor <= GpuVendor::intel || visible_devices_of(vendor).empty()) continue;
    cases += fmt::format("{0})\nchoose {1} \"${{{1}-$all}}\"\nexport {1}=$list\n;;\n", word_of(vendor),
                         visible_devices_of(vendor));
  }
  return fmt::format("{}case \"$vendor\" in\n{}*)\n{};;\nesac\nexec \"$@\"\n", begin, cases, kBoth);
}

}  // namespace topowise
