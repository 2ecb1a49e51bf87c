// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/join.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/topology_source/merge/assumed_rates.hpp>
#include <topowise/topology_source/merge/merge.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>
#include <topowise/topology_source/merge/vendors.hpp>
#include <topowise/topology_source/smi/gpu_model.hpp>

namespace topowise {

std::vector<Place> gpu_places(const Topology& machine) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    if (machine.place(Place(p)).kind == PlaceKind::gpu) places.emplace_back(p);
  }
  return places;
}

Topology with_warnings(const Topology& machine, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return machine;
  std::vector<PlaceIdentity> all;
  for (std::size_t p = 0; p < machine.place_count(); ++p) all.push_back({Place(p), {}, {}});
  return with_places(machine, all, warnings);
}

Topology with_named_rates(Topology machine, const std::vector<std::string_view>& texts) {
  for (const std::string_view text : texts) {
    if (!has_assumed_rates(machine, LinkKind::nvlink)) break;
    const BytesPerSecond rate = nvlink_of_described_gpus(text);
    if (rate.value() > 0) machine = with_rate(machine, LinkKind::nvlink, rate);
  }
  return machine;
}

Topology with_part(const Topology& known, const Topology& part) {
  const GpuVendor vendor = vendor_of_machine(part);
  const GpuVendor known_vendor = vendor_of_machine(known);
  if (known.place_count() == part.place_count() && known_vendor == vendor) return merge(known, part);
  const auto has = [&](const std::optional<PciAddress>& pci) {
    return pci &&
           std::ranges::any_of(gpu_places(known), [&](Place place) { return known.vertex_of(place).pci == pci; });
  };
  const std::vector<Place> own = places_of_vendor(known, vendor);
  const std::vector<Place> places = gpu_places(part);
  if (std::ranges::all_of(places, [&](Place place) { return has(part.vertex_of(place).pci); }) ||
      own.size() == places.size())
    return merge(known, part);
  const bool differ = vendor != GpuVendor::unknown && known_vendor != GpuVendor::unknown && vendor != known_vendor;
  return differ ? side_by_side(known, part) : part;
}

Topology with_gpu_identities(const Topology& machine, const GpuIdentities& identities, const std::string& where) {
  std::vector<Place> gpus = gpu_places(machine);
  if (gpus.size() != identities.gpus.size()) gpus = places_of_vendor(machine, GpuVendor::nvidia);
  if (gpus.size() != identities.gpus.size())
    return with_warnings(machine, {fmt::format("{} has {} GPUs, and there are {}: it is not used", where,
                                               identities.gpus.size(), gpus.size())});
  const auto same = [&](std::size_t place, const GpuIdentities::Gpu& gpu) {
    const std::optional<PciAddress>& pci = machine.vertex_of(Place(place)).pci;
    return pci && gpu.pci && *pci == *gpu.pci;
  };
  std::vector<PlaceIdentity> all;
  std::vector<std::string> warnings = identities.warnings;
  std::size_t number = 0;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    PlaceIdentity identity{Place(p), {}, {}};
    if (std::ranges::find(gpus, Place(p)) != gpus.end()) {
      const GpuIdentities::Gpu& in_order = identities.gpus[number++];
      const auto found =
          std::ranges::find_if(identities.gpus, [&](const GpuIdentities::Gpu& gpu) { return same(p, gpu); });
      const bool known = machine.vertex_of(Place(p)).pci.has_value();
      if (found != identities.gpus.end())
        identity.uuid = found->uuid;
      else if (!known || !in_order.pci)
        identity = {Place(p), in_order.pci, in_order.uuid};
      else
        warnings.push_back(fmt::format("{} has no GPU at {}: nothing of it is used for {}", where,
                                       machine.vertex_of(Place(p)).pci->to_string(), machine.vertex_of(Place(p)).name));
    }
    all.push_back(std::move(identity));
  }
  TopologyBuilder builder(with_places(machine, all, warnings));
  for (const auto& [first, second] : identities.without_peer_access)
    builder.refuse_peer_access(gpus[first], gpus[second]);
  if (!identities.assumption.empty()) builder.assume(identities.assumption);
  return std::move(builder).build();
}

}  // namespace topowise
