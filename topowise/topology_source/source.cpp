// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/source.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include <topowise/base/encoding.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/reading/line_prefix.hpp>
#include <topowise/reading/quoted_text.hpp>
#include <topowise/topology_source/cluster/cluster.hpp>
#include <topowise/topology_source/cluster/shared_switches.hpp>
#include <topowise/topology_source/fabric/ibnetdiscover.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>
#include <topowise/topology_source/fabric/slurm_conf.hpp>
#include <topowise/topology_source/foreign_input.hpp>
#include <topowise/topology_source/live/job_share.hpp>
#include <topowise/topology_source/live/live.hpp>
#include <topowise/topology_source/matrix/pair_matrix.hpp>
#include <topowise/topology_source/merge/assumed_rates.hpp>
#include <topowise/topology_source/merge/merge.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>
#include <topowise/topology_source/merge/vendors.hpp>
#include <topowise/topology_source/node/gpu_identities.hpp>
#include <topowise/topology_source/node/on_node.hpp>
#include <topowise/topology_source/pci/lspci.hpp>
#include <topowise/topology_source/pci/lstopo_text.hpp>
#include <topowise/topology_source/smi/amd_smi.hpp>
#include <topowise/topology_source/smi/gpu_model.hpp>
#include <topowise/topology_source/smi/nccl_log.hpp>
#include <topowise/topology_source/smi/nvidia_smi.hpp>
#include <topowise/topology_source/smi/nvidia_smi_p2p.hpp>
#include <topowise/topology_source/smi/rocm_smi.hpp>
#include <topowise/topology_source/synthetic/network.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/topology_source/synthetic/tree.hpp>
#include <topowise/topology_source/xml/hwloc_xml.hpp>
#include <topowise/topology_source/xml/nccl_xml.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>

namespace topowise {
namespace {

/// A format is recognised by so many bytes of the text.
constexpr std::size_t kHead = std::size_t{64} << 10;
/// True for an object that no other reader of JSON claims.
bool is_json(std::string_view head) {
  return trim(head).starts_with('{') && !kRocmSmiFormat.recognises(head);
}

/// Formats with an unmistakable beginning come first. A plain matrix comes last, because any numbers can be one.
const std::vector<TopologyFormat> kFormats{
    {"json", "topowise's own description (topology --save)", is_json, topology_from_json, kLargestCluster},
    kNcclXmlFormat,
    kHwlocXmlFormat,
    kNcclLogFormat,
    kNvidiaSmiFormat,
    kRocmSmiFormat,
    kAmdSmiFormat,
    kIbnetdiscoverFormat,
    kSlurmFormat,
    kLspciFormat,
    kLstopoTextFormat,
    kPairMatrixFormat};

std::vector<std::string> format_names() {
  return names_of(kFormats);
}

const TopologyFormat& format_named(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &TopologyFormat::name);
  if (found != kFormats.end()) return *found;
  const std::vector<std::string> names = format_names();
  throw usage_error(unknown_name("topology format", name, names), fmt::format("--format {}", fmt::join(names, "|")));
}

/// The format that claims the beginning of a text.
const TopologyFormat& format_of(std::string_view head, const std::string& where) {
  if (const std::optional<ForeignInput> foreign = foreign_input(head)) {
    Diagnostic diagnostic;
    diagnostic.where = where;
    diagnostic.what = fmt::format("this is {}", foreign->what);
    diagnostic.hint = foreign->hint;
    throw Error(ExitStatus::bad_input, {std::move(diagnostic)});
  }
  const auto found =
      std::ranges::find_if(kFormats, [&](const TopologyFormat& format) { return format.recognises(head); });
  if (found != kFormats.end()) return *found;
  Diagnostic diagnostic;
  diagnostic.where = where;
  diagnostic.what = head.empty() ? "the input is empty" : why_no_text(head);
  if (diagnostic.what.empty()) {
    diagnostic.what = fmt::format("format not recognised; known are {}", fmt::join(format_names(), ", "));
    diagnostic.hint = "topowise topology FILE --format NAME forces one";
  }
  throw Error(ExitStatus::bad_input, {std::move(diagnostic)});
}

Error no_such_source(const std::string& argument, const Error& reason) {
  if (argument.starts_with("pattern:"))
    return bad_input(fmt::format("'{}' is traffic, where a machine is asked for", argument),
                     "TRAFFIC comes first, then TOPOLOGY");
  std::string hint = "a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE";
  const std::vector<std::string> names = names_of(presets());
  std::error_code ignored;
  if (!std::filesystem::exists(argument, ignored)) {
    if (const std::optional<std::string> guess = did_you_mean(argument, names)) hint = "preset:" + *guess;
  }
  return bad_input(reason.what(), std::move(hint));
}

/// The content of a file, however it was saved and quoted.
std::string lines_of(std::string raw) {
  return unquoted(without_line_prefix(as_utf8_lines(std::move(raw))));
}

/// Throws if the head has bytes that no text has, also where the format is forced: devices, noise and binary files have
/// them.
void check_text(std::string_view head, const std::string& where) {
  if (std::string why = why_no_text(head); !why.empty())
    throw Error(ExitStatus::bad_input, {{where, {}, std::move(why), {}, {}}});
}

/// Reads a file. Of a file or a stream in no known format only the head is read.
Topology read_from_file(const std::string& path, std::string_view format) {
  const std::string where = input_name(path);
  const TopologyFormat* forced = format.empty() ? nullptr : &format_named(format);
  std::optional<InputFile> input;
  try {
    input.emplace(path);
  } catch (const Error& error) {
    throw no_such_source(path, error);
  }
  const std::string head = lines_of(input->head(kHead).substr(0, kHead));
  const TopologyFormat& chosen = forced != nullptr ? *forced : format_of(head, where);
  check_text(head, where);
  return chosen.read(where, lines_of((*std::move(input)).whole(chosen.largest)));
}

/// True if `path` can be read more than once: not for standard input, even if a file is called "-".
bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

bool is_forwarding(const std::string& path) {
  if (!is_regular_file(path)) return false;
  return looks_like_forwarding(lines_of(InputFile(path).head(kHead).substr(0, kHead)));
}

/// The text of a regular file; empty for anything else.
std::string text_of_file(const std::string& path) {
  if (!is_regular_file(path)) return {};
  return lines_of(InputFile(path).whole(kLargestCluster));
}

/// Reads `ibnetdiscover.txt+lfts.txt`. The tables belong to the fabric before them, so both are read as one text.
Topology read_with_tables(const std::string& fabric, std::span<const std::string> tables, std::string_view format) {
  const bool is_file = is_regular_file(fabric);
  std::string text = text_of_file(fabric);
  const TopologyFormat* chosen = nullptr;
  if (is_file)
    chosen = format.empty() ? &format_of(std::string_view(text).substr(0, kHead), fabric) : &format_named(format);
  if (chosen == nullptr || chosen->name != kIbnetdiscoverFormat.name)
    throw bad_input(fmt::format("'{}' holds forwarding tables, which belong to a fabric of ibnetdiscover, not to '{}'",
                                tables.front(), fabric),
                    "ibnetdiscover > fabric.txt, then fabric.txt+lfts.txt");
  for (const std::string& table : tables) text.append("\n").append(text_of_file(table));
  return chosen->read(fabric, text);
}

std::vector<Place> gpu_places(const Topology& machine) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    if (machine.place(Place(p)).kind == PlaceKind::gpu) places.emplace_back(p);
  }
  return places;
}

/// The places of `machine` that are in the list, in its order. If its places have no bus ids, all of them, with what
/// the list knows.
Topology only_listed(const Topology& machine, const std::vector<LiveGpu>& list) {
  std::vector<PlaceIdentity> keep;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const Place place : gpu_places(machine)) {
      const std::optional<PciAddress>& pci = machine.vertex_of(place).pci;
      if (pci ? *pci == list[i].pci : place.index() == i) keep.push_back({place, list[i].pci, list[i].uuid});
    }
  }
  return keep.size() == list.size() && !keep.empty() ? with_places(machine, keep) : machine;
}

/// Adds warnings about the whole machine.
Topology with_warnings(const Topology& machine, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return machine;
  std::vector<PlaceIdentity> all;
  for (std::size_t p = 0; p < machine.place_count(); ++p) all.push_back({Place(p), {}, {}});
  return with_places(machine, all, warnings);
}

/// Replaces an assumed rate of NVLink by that of the GPUs that some part of a join names. A part is read only if that
/// can help.
Topology with_named_rates(Topology machine, std::size_t parts, const std::function<std::string(std::size_t)>& text_of) {
  for (std::size_t i = 0; i < parts && has_assumed_rates(machine, LinkKind::nvlink); ++i) {
    const BytesPerSecond rate = nvlink_of_described_gpus(text_of(i));
    if (rate.value() > 0) machine = with_rate(machine, LinkKind::nvlink, rate);
  }
  return machine;
}

/// Joins what one vendor's software says with what is known. The part may describe the same GPUs, one vendor's GPUs
/// among others, or GPUs beside those of another vendor.
Topology with_part(const Topology& known, const Topology& part) {
  const std::string_view vendor = vendor_of_machine(part);
  const std::string_view known_vendor = vendor_of_machine(known);
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
  const bool differ = !vendor.empty() && !known_vendor.empty() && vendor != known_vendor;
  return differ ? side_by_side(known, part) : part;
}

/// The same machine without graphics inside the processor, if that leaves a GPU. A driver may list it among its GPUs.
Topology without_integrated(const Topology& machine, const std::vector<PciAddress>& integrated) {
  std::vector<PlaceIdentity> keep;
  for (const Place place : gpu_places(machine)) {
    const std::optional<PciAddress>& pci = machine.vertex_of(place).pci;
    if (!pci || std::ranges::find(integrated, *pci) == integrated.end()) keep.push_back({place, {}, {}});
  }
  const bool some = !keep.empty() && keep.size() < machine.place_count();
  return some ? with_places(machine, keep) : machine;
}

/// Joins the PCI tree of hwloc, else of sysfs, and the driver's bonds, for the GPUs that may be used here.
Topology join_parts(LiveMachine& found) {
  const auto is_integrated = [&](const LiveGpu& gpu) {
    return std::ranges::find(found.integrated, gpu.pci) != found.integrated.end();
  };
  if (!std::ranges::all_of(found.gpus, is_integrated)) std::erase_if(found.gpus, is_integrated);
  std::optional<Topology> host;
  if (found.hwloc) host = format_named(found.hwloc->format).read(found.hwloc->where, found.hwloc->text);
  std::optional<Topology> joined;
  if (host && !gpu_places(*host).empty())
    joined = only_listed(*host, found.gpus);
  else if (found.bus)
    joined = only_listed(*found.bus, found.gpus);
  const auto join = [&](const Topology& machine) { joined = joined ? with_part(*joined, machine) : machine; };
  for (const Topology& driver : found.drivers) join(without_integrated(driver, found.integrated));
  for (const LiveReport& report : found.tools)
    join(only_listed(format_named(report.format).read(report.where, report.text), found.gpus));
  if (!joined) joined = host;
  if (joined && found.hwloc)
    joined = with_named_rates(*std::move(joined), 1, [&](std::size_t) { return found.hwloc->text; });
  if (joined) return on_node(with_warnings(*joined, found.warnings), found.host);
  throw not_available(fmt::format("nothing here can describe this machine: {}", fmt::join(found.missing, "; ")),
                      "apt-get install libhwloc15");
}

/// Reads a file of a join that tells of GPUs, but not how they are joined.
std::optional<GpuIdentities> read_gpu_identities(const std::string& path) {
  if (!is_regular_file(path)) return std::nullopt;
  InputFile input(path);
  const std::string head = lines_of(input.head(kHead).substr(0, kHead));
  if (!is_nvidia_smi_xml(head)) return read_smi_p2p(path, head);
  return read_nvidia_smi_xml(path, lines_of(std::move(input).whole(kLargestNode)));
}

/// Adds the GPUs' identities to the machine. GPUs are matched by bus id where both sides have one, else by order.
Topology with_gpu_identities(const Topology& machine, const GpuIdentities& identities, const std::string& where) {
  std::vector<Place> gpus = gpu_places(machine);
  if (gpus.size() != identities.gpus.size()) gpus = places_of_vendor(machine, "NVIDIA");
  if (gpus.size() != identities.gpus.size())
    return with_warnings(machine, {fmt::format("{} tells of {} GPUs, and there are {}: it is not used", where,
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
  return with_places(machine, all, warnings);
}

Topology read_one(const std::string& argument, std::string_view format) {
  constexpr std::string_view kPreset = "preset:";
  constexpr std::string_view kTree = "tree:";
  if (argument == kLive) return limited_to_share(read_live().topology, job_share(this_witness(), ShareOf::job));
  if (argument == kLiveNode) return read_live().topology;
  if (argument.starts_with(kPreset)) return read_preset(std::string_view(argument).substr(kPreset.size()));
  if (argument.starts_with(kTree)) return read_synthetic_tree(std::string_view(argument).substr(kTree.size()));
  if (std::optional<Topology> network = read_synthetic_network(argument)) return *std::move(network);
  return read_from_file(argument, format);
}

}  // namespace

std::span<const TopologyFormat> topology_formats() {
  return kFormats;
}

LiveTopology read_live() {
  LiveMachine found = look_around();
  return {join_parts(found), std::move(found.nvml), std::move(found.limits)};
}

Topology read_topology_text(const std::string& where, std::string_view text, std::string_view format) {
  const std::string plain = unquoted(without_line_prefix(std::string(text)));
  text = plain;
  return (format.empty() ? format_of(text.substr(0, kHead), where) : format_named(format)).read(where, text);
}

namespace {

/// Reads whatever read_topology() takes.
Topology read_joined(const std::string& argument, std::string_view format) {
  if (!format.empty()) (void)format_named(format);  // checked even if nothing is read that has a format
  if (argument.starts_with(kClusterPrefix)) {
    return read_cluster(std::string_view(argument).substr(kClusterPrefix.size()),
                        [&](const std::string& part) { return read_joined(part, format); });
  }
  std::error_code ignored;
  if (argument.find('+') == std::string::npos || std::filesystem::exists(argument, ignored))
    return read_one(argument, format);
  std::vector<std::string> parts;
  for (const std::string_view part : split(argument, '+')) parts.emplace_back(part);
  std::optional<Topology> joined;
  std::vector<std::pair<std::string, GpuIdentities>> all_identities;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty())
      throw usage_error(fmt::format("'{}' joins sources, but one is empty", printable(argument)), "NODE.xml+P2P.txt");
    if (std::optional<GpuIdentities> identities = read_gpu_identities(parts[i])) {
      all_identities.emplace_back(parts[i], *std::move(identities));
      continue;
    }
    const std::size_t first = i + 1;
    while (i + 1 < parts.size() && is_forwarding(parts[i + 1])) ++i;
    const Topology next =
        i < first ? read_one(parts[i], format)
                  : read_with_tables(parts[first - 1], std::span(parts).subspan(first, i + 1 - first), format);
    joined = joined ? merge(*joined, next) : next;
  }
  if (!joined)
    throw bad_input(fmt::format("nothing in '{}' tells how the GPUs are joined", printable(argument)),
                    "nvidia-smi topo -m > topo.txt");
  for (const auto& [where, identities] : all_identities) joined = with_gpu_identities(*joined, identities, where);
  return with_named_rates(*std::move(joined), parts.size(), [&](std::size_t i) { return text_of_file(parts[i]); });
}

}  // namespace

Topology read_topology(const std::string& argument, std::string_view format) {
  return with_shared_switches_told(read_joined(argument, format));
}

}  // namespace topowise
