// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/verify.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/memory_policy.hpp>
#include <topowise/job/node_meeting.hpp>
#include <topowise/launch/gpu_list.hpp>
#include <topowise/launch/gpu_vendor.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise::job {
namespace {

/// True if the host has such a NUMA domain: the description of another machine may name other domains.
bool has_domain(int number) {
  std::error_code failure;
  return number >= 0 && std::filesystem::exists(fmt::format("/sys/devices/system/node/node{}", number), failure);
}

std::string describe(const NodeGpu& gpu) {
  return gpu.pci ? fmt::format("{} {}", gpu.name, gpu.pci->to_string()) : gpu.name;
}

/// The UUID without "GPU-" or "MIG-" in front, because the driver never writes "MIG-".
std::string digits_of(const std::string& uuid) {
  return lower(uuid.substr(std::min(uuid.size(), uuid.find('-'))));
}

/// Nothing if the two have no property in common that names a GPU. Older drivers name a part of a GPU by its number on
/// the GPU, "MIG-GPU-.../1/0".
std::optional<bool> is_same(const NodeGpu& gpu, const device::Device& device) {
  const bool comparable = gpu.uuid.find('/') == std::string::npos;
  if (!gpu.uuid.empty() && !device.uuid.empty() && comparable) return digits_of(gpu.uuid) == digits_of(device.uuid);
  const std::optional<PciAddress> address = PciAddress::parse(device.pci);
  if (gpu.pci && address) return *gpu.pci == *address;
  return std::nullopt;
}

constexpr std::string_view kFarRank = "; its processors are not those near the GPU (--cpu-bind numa)";
constexpr std::string_view kNoDriver = "; no driver confirms that this host has these GPUs";

/// "verify: rank 3, host n01, device GPU0 instead of GPU1: not as mapped"
std::string line_of(std::size_t rank, const std::vector<Expectation>& expectations) {
  std::string line = fmt::format("verify: rank {}", rank);
  for (const Expectation& expectation : expectations) {
    line += expectation.met
                ? fmt::format(", {} {}", expectation.what, expectation.actual)
                : fmt::format(", {} {} instead of {}", expectation.what, expectation.actual, expectation.expected);
  }
  line += std::ranges::all_of(expectations, &Expectation::met) ? ": as mapped" : ": not as mapped";
  if (std::ranges::any_of(expectations, &Expectation::far)) line += kFarRank;
  return std::ranges::any_of(expectations, &Expectation::by_lists) ? line + std::string(kNoDriver) : line;
}

// What a rank reports about itself: one of these three texts. After the second stands what was compared.
constexpr std::string_view kDiffers = "differs";
constexpr std::string_view kMet = "met ";
constexpr std::string_view kNothing = "nothing expected";
constexpr std::string_view kByLists = "by lists";  ///< added to what was compared if the device was compared by lists
constexpr std::string_view kFar = "far";           ///< added if the rank's processors are not near its device
constexpr std::string_view kNothingCompared = "nothing was compared: no host, GPU or bound processors are expected";

std::string report_of(const std::vector<Expectation>& expectations) {
  if (expectations.empty()) return std::string(kNothing);
  if (!std::ranges::all_of(expectations, &Expectation::met)) return std::string(kDiffers);
  std::vector<std::string_view> compared;
  for (const Expectation& expectation : expectations) compared.push_back(expectation.what);
  if (std::ranges::any_of(expectations, &Expectation::by_lists)) compared.push_back(kByLists);
  if (std::ranges::any_of(expectations, &Expectation::far)) compared.push_back(kFar);
  return fmt::format("{}{}", kMet, fmt::join(compared, ", "));
}

/// The node's one line, if all of its ranks are as mapped and something was compared.
void tell_all_met(const std::vector<std::string>& reports, const Notices& notices) {
  std::vector<std::string_view> compared;
  std::size_t ranks = 0;
  std::size_t far = 0;
  for (const std::string_view report : reports) {
    if (!report.starts_with(kMet)) continue;
    ++ranks;
    for (const std::string_view what : split(report.substr(kMet.size()), ',')) {
      if (trim(what) == kFar)
        ++far;
      else if (std::ranges::find(compared, trim(what)) == compared.end())
        compared.push_back(trim(what));
    }
  }
  if (ranks == 0) {
    if (!reports.empty()) notices.note(fmt::format("verify: on {} {}", host_name(), kNothingCompared));
    return;
  }
  const bool by_lists = std::erase(compared, kByLists) > 0;
  const std::string far_ranks =
      far == 0 ? "" : fmt::format("; the processors of {} of them are not those near the GPU (--cpu-bind numa)", far);
  notices.note(fmt::format("verify: {} on {}: {} as mapped{}{}", counted(ranks, "rank"), host_name(),
                           fmt::join(compared, ", "), far_ranks, by_lists ? kNoDriver : std::string_view()));
}

/// True if this host has a network device or RDMA device of this name.
bool has_nic(const std::string& name) {
  std::error_code failure;
  return std::ranges::any_of(std::array{"infiniband", "net", "cxi"}, [&](const char* kind) {
    return std::filesystem::exists(fmt::format("/sys/class/{}/{}", kind, name), failure);
  });
}

}  // namespace

Expectation listed_device(const PlacedNode& whole, std::size_t gpu_of_node, std::size_t local_rank,
                          const Inherited& environment) {
  const GpuVendor vendor = vendor_of(whole.gpus[gpu_of_node]);
  const auto [node, in_node] = gpus_of_vendor(whole, vendor);
  const auto mine = static_cast<std::size_t>(std::ranges::find(in_node, gpu_of_node) - in_node.begin());
  Expectation gpu{"list of visible GPUs", describe(node.gpus[mine]), "none", false, true};
  if (vendor == GpuVendor::intel) {
    gpu.met = environment("ZE_AFFINITY_MASK") == affinity_mask(node, mine);
    if (gpu.met) gpu.actual = gpu.expected;
    return gpu;
  }
  VisibleGpus visible;
  const auto of_vendor = [&](GpuVendor other, const char* name) {
    return vendor == other || vendor == GpuVendor::unknown ? environment(name) : std::nullopt;
  };
  const std::string own_list(vendor > GpuVendor::intel ? visible_devices_of(vendor) : std::string_view());
  const std::optional<std::string> listed = own_list.empty() ? std::nullopt : environment(own_list);
  const std::optional<std::string> cuda = of_vendor(GpuVendor::nvidia, "CUDA_VISIBLE_DEVICES");
  const std::optional<std::string> hip = of_vendor(GpuVendor::amd, "HIP_VISIBLE_DEVICES");
  if (listed) {
    visible = visible_gpus(node, own_list, *listed);
  } else if (cuda || hip) {
    visible = cuda ? visible_gpus(node, "CUDA_VISIBLE_DEVICES", *cuda)
                   : visible_gpus_of_hip(node, environment("ROCR_VISIBLE_DEVICES"), hip);
  } else {
    visible = visible_gpus_of_hip(node, of_vendor(GpuVendor::amd, "ROCR_VISIBLE_DEVICES"), std::nullopt);
  }
  if (visible.gpus.empty()) return gpu;
  std::size_t actual = visible.gpus[local_rank % visible.gpus.size()];
  const std::optional<std::string> selected = environment(kGpuVariable);  // with set-device the list keeps its order
  if (selected && std::ranges::find(visible.gpus, mine) != visible.gpus.end() &&
      *selected == name_for_preloaded(node.gpus[mine], visible, mine))
    actual = mine;
  gpu.actual = describe(node.gpus[actual]);
  gpu.met = actual == mine;
  std::error_code failure;
  if (gpu.met && node.gpus[mine].pci &&
      !std::filesystem::exists("/sys/bus/pci/devices/" + node.gpus[mine].pci->to_string(), failure)) {
    gpu.actual = "no such device on this host";
    gpu.met = false;
  }
  return gpu;
}

std::optional<int> device_of(const RankTarget& target, GpuBinding binding, const device::Driver& driver) {
  const std::vector<device::Device>& devices = driver.devices();
  if (!target.gpu || devices.empty()) return std::nullopt;
  if (binding != GpuBinding::set_device) return devices[target.local_rank % devices.size()].ordinal;
  const auto chosen = std::ranges::find_if(
      devices, [&](const device::Device& device) { return is_same(*target.gpu, device).value_or(false); });
  return chosen == devices.end() ? std::nullopt : std::optional(chosen->ordinal);
}

std::optional<Expectation> driven_device(const RankTarget& target, GpuBinding binding,
                                         const std::optional<device::Driver>& driver) {
  if (!target.gpu || !driver) return std::nullopt;
  Expectation gpu{"device", describe(*target.gpu), "none", false};
  const std::optional<int> ordinal = device_of(target, binding, *driver);
  if (!ordinal) return gpu;
  const device::Device& device = driver->devices()[static_cast<std::size_t>(*ordinal)];
  const std::optional<bool> met = is_same(*target.gpu, device);
  if (!met) return std::nullopt;
  gpu.actual = fmt::format("{} {}", device.uuid, device.pci);
  gpu.met = *met;
  return gpu;
}

std::string name_at_end(const RankTarget& target, const Inherited& environment) {
  if (!target.gpu) return {};
  if (std::optional<std::string> selected = environment(kGpuVariable)) return *selected;
  const NodeGpu& gpu = *target.gpu;
  const bool part = gpu.uuid.starts_with("MIG-");  // several parts of a GPU share one bus id
  return gpu.pci && !part ? gpu.pci->to_string() : gpu.uuid;
}

std::optional<std::vector<std::size_t>> ranks_here(const Process& process, Seconds timeout) {
  if (!process.local_size) return std::nullopt;
  if (*process.local_size < 2) return std::vector<std::size_t>{process.rank};
  try {
    const auto join = [](const std::vector<std::string>& reports) {
      return std::vector<std::string>(reports.size(), fmt::format("{}", fmt::join(reports, ",")));
    };
    const std::string all =
        meet(node_meeting(process, job_of(process), "ranks", timeout), std::to_string(process.rank), join);
    std::vector<std::size_t> ranks;
    for (const std::string_view rank : split(all, ',')) {
      const std::optional<std::int64_t> number = parse_integer(rank);
      if (!number || *number < 0) return std::nullopt;
      ranks.push_back(static_cast<std::size_t>(*number));
    }
    std::ranges::sort(ranks);
    return ranks;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Expectation ranks_of_node(const Placement& placement, std::size_t rank, const std::vector<std::size_t>& here) {
  const std::vector<std::size_t> mapped = placement.ranks_by_node()[placement.ranks[rank].node];
  return {"ranks of the node", to_cpu_list(mapped), to_cpu_list(here), mapped == here};
}

std::vector<Expectation> surroundings(const RankTarget& target, bool check_cpus) {
  std::vector<Expectation> all;
  if (!target.host.empty()) all.push_back({"host", target.host, host_name(), is_same_host(target.host, host_name())});
  if (!target.nics.empty()) {
    std::vector<std::string> missing;
    std::ranges::remove_copy_if(target.nics, std::back_inserter(missing), has_nic);
    const std::string names = fmt::format("{}", fmt::join(missing.empty() ? target.nics : missing, ", "));
    all.push_back({"NIC", names, missing.empty() ? names : "none of this name", missing.empty()});
  }
  if (const std::vector<int> wanted = cpus_near(target); check_cpus && !wanted.empty()) {
    const std::vector<int> allowed = allowed_cpus();
    all.push_back({"processors", to_cpu_list(wanted), to_cpu_list(allowed), std::ranges::includes(wanted, allowed)});
  }
  const int wanted = target.gpu ? target.gpu->numa : -1;
  if (const std::optional<MemoryPolicy> policy = memory_policy(); policy && has_domain(wanted)) {
    all.push_back({"memory", fmt::format("node {}", wanted), policy->words(), policy->reaches(wanted)});
  }
  return all;
}

bool verify_node(const std::vector<Expectation>& expectations, const Process& process, Seconds timeout,
                 const Notices& notices) {
  const std::string mine = report_of(expectations);
  const bool met = mine != kDiffers;
  if (!met) notices.note(line_of(process.rank, expectations));
  const auto alone = [&] {
    if (mine.starts_with(kMet)) notices.note(line_of(process.rank, expectations));
    if (mine == kNothing) notices.note(fmt::format("verify: rank {}: {}", process.rank, kNothingCompared));
    return met;
  };
  if (process.local_size.value_or(1) < 2) return alone();
  try {
    const std::string yes = "yes";
    std::vector<std::string> all;  // in the first process, if all are as mapped
    const auto decide = [&](const std::vector<std::string>& reports) {
      const bool all_met = std::ranges::find(reports, kDiffers) == reports.end();
      if (all_met) all = reports;
      return std::vector<std::string>(reports.size(), all_met ? yes : "no");
    };
    const std::string decision = meet(node_meeting(process, job_of(process), "decision", timeout), mine, decide);
    tell_all_met(all, notices);
    return decision.empty() ? alone() : decision == yes;
  } catch (const Error&) {
    return alone();  // there is no launcher, or a rank did not come: no other rank can be asked
  }
}

}  // namespace topowise::job
