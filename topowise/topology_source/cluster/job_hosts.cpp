// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/job_hosts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>

namespace topowise {
namespace {

std::vector<std::string> hosts_of_list(const std::string& where, std::string_view expression) {
  const TextLines lines(where, expression);
  std::vector<std::string> hosts;
  for (std::size_t l = 0; l < lines.size(); ++l) {  // `scontrol show hostnames` prints each host on its own line
    for (const std::string_view part : split_blanks(lines[l])) {
      std::vector<std::string> more = expand_hostlist(lines, l, part, hosts.size());
      std::ranges::move(more, std::back_inserter(hosts));
    }
  }
  if (hosts.empty()) throw bad_input(fmt::format("{} names no host", where));
  return hosts;
}

/// The host in `n01:8` or `[fe80::1]:8`. In an address without brackets all colons belong to the address.
std::string_view without_slots(std::string_view word) {
  if (word.starts_with('[') && word.find(']') != std::string_view::npos) return word.substr(1, word.find(']') - 1);
  const std::size_t colon = word.find(':');
  return colon == word.rfind(':') ? word.substr(0, colon) : word;
}

/// The whole of `text` as a number, which may follow a type, as in "a100:4"; 0 for anything else.
std::size_t count_in(std::string_view text) {
  text = text.substr(text.rfind(':') + 1);
  const std::optional<std::int64_t> value = parse_integer(text);
  return value && *value > 0 ? static_cast<std::size_t>(*value) : 0;
}

/// "7,1", "4(x2)": Slurm's numbers for each host in turn.
std::vector<std::size_t> counts_of_hosts(std::string_view text) {
  constexpr std::size_t kMostRepeats = kMostHosts;
  std::vector<std::size_t> counts;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t bracket = std::min(part.find("(x"), part.size());
    const std::size_t repeats = bracket < part.size() && part.ends_with(')')
                                    ? count_in(part.substr(bracket + 2, part.size() - bracket - 3))
                                    : 1;
    counts.insert(counts.end(), std::min(repeats, kMostRepeats - std::min(kMostRepeats, counts.size())),
                  count_in(part.substr(0, bracket)));
  }
  return counts;
}

/// Collects hosts, each once, with what several lines or components say of it together.
class Parts {
 public:
  HostPart& add(const std::string& name) {
    const auto [found, fresh] = number_.try_emplace(name, parts_.size());
    if (fresh) parts_.push_back({.name = name});
    return parts_[found->second];
  }

  /// One more slot; how many a host has counts only if some host has several.
  void add_line(const std::string& name) { ++add(name).slots; }

  /// Slots that say nothing are left away: one on each host is what launchers of several ranks get, too.
  std::vector<HostPart> finish(const std::string& source) && {
    const bool tell = std::ranges::any_of(parts_, [](const HostPart& part) { return part.slots > 1; });
    for (HostPart& part : parts_) {
      if (!tell) part.slots = 0;
      part.slots_source = source;
    }
    return std::move(parts_);
  }

 private:
  std::map<std::string, std::size_t> number_;
  std::vector<HostPart> parts_;
};

/// Adds the hosts of a Slurm job, or of one component of it, whose variables end with `suffix`.
void add_slurm(const JobWitness& witness, const std::string& list, const std::string& suffix, Parts& parts) {
  const std::vector<std::string> hosts = hosts_of_list(list, witness.value(list));
  const std::vector<std::size_t> tasks = counts_of_hosts(witness.value("SLURM_TASKS_PER_NODE" + suffix));
  const std::vector<std::size_t> cpus = counts_of_hosts(witness.value("SLURM_JOB_CPUS_PER_NODE" + suffix));
  const std::size_t gpus = count_in(witness.value("SLURM_GPUS_PER_NODE" + suffix));
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    HostPart& part = parts.add(hosts[h]);
    if (tasks.size() == hosts.size()) part.slots += tasks[h];
    if (cpus.size() == hosts.size()) part.cpus += cpus[h];
    part.gpus += gpus;
    part.devices_source = gpus > 0 ? "SLURM_GPUS_PER_NODE" : "SLURM_JOB_CPUS_PER_NODE";
  }
}

/// Slurm's answer by part. Each list of hosts is expanded once: in a large job many hosts have lines of their own.
std::vector<std::vector<std::string>> gpus_of_parts(const std::vector<SlurmGpus>& answer,
                                                    const std::vector<HostPart>& parts) {
  HostNames names;
  for (const HostPart& part : parts) names.add(part.name);
  std::vector<std::vector<std::string>> found(parts.size());
  for (const SlurmGpus& gpus : answer) {
    for (const std::string& host : hosts_in(gpus.nodes)) {
      const std::optional<std::size_t> part = names.find(host);
      if (part) found[*part].insert(found[*part].end(), gpus.gpus.begin(), gpus.gpus.end());
    }
  }
  return found;
}

/// Which GPUs the hosts' parts have: as Slurm answers, else as its list for the host of the batch script.
void add_slurm_gpus(const JobWitness& witness, std::vector<HostPart>& parts) {
  if (slurm_gpu_request(witness).empty()) return;
  const std::vector<SlurmGpus> answer = ask_slurm(witness);
  const std::vector<std::vector<std::string>> answered = gpus_of_parts(answer, parts);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    HostPart& part = parts[p];
    std::vector<std::string> numbers = answered[p];
    part.devices_source = numbers.empty() ? part.devices_source : std::string(kAskSlurm);
    const std::string of_batch_host = witness.value("SLURM_JOB_GPUS");
    if (answer.empty() && &part == &parts.front() && !of_batch_host.empty()) {
      for (const std::string_view number : split(of_batch_host, ',')) numbers.emplace_back(number);
      part.devices_source = "SLURM_JOB_GPUS";
    }
    for (const std::string& number : numbers)
      if (const std::optional<std::int64_t> value = parse_integer(number); value && *value >= 0)
        part.gpu_list.push_back(static_cast<std::size_t>(*value));
    if (!part.gpu_list.empty()) part.gpus = part.gpu_list.size();
  }
}

std::optional<std::vector<HostPart>> parts_of_slurm(const JobWitness& witness) {
  Parts parts;
  const std::size_t components = std::min(count_in(witness.value("SLURM_HET_SIZE")), kMostHosts);
  for (std::size_t c = 0; c < components; ++c) {
    const std::string suffix = fmt::format("_HET_GROUP_{}", c);
    if (!witness.value("SLURM_JOB_NODELIST" + suffix).empty())
      add_slurm(witness, "SLURM_JOB_NODELIST" + suffix, suffix, parts);
  }
  std::vector<HostPart> found = std::move(parts).finish("SLURM_TASKS_PER_NODE");
  for (const char* list : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    if (!found.empty() || witness.value(list).empty()) continue;
    Parts single;
    add_slurm(witness, list, "", single);
    found = std::move(single).finish("SLURM_TASKS_PER_NODE");
  }
  if (found.empty()) return std::nullopt;
  add_slurm_gpus(witness, found);
  return found;
}

/// The number of slots that a line of a hostfile states; 0 if it states none.
std::size_t slots_of_line(const std::vector<std::string_view>& words, std::string_view host) {
  for (const std::string_view word : words)
    if (word.starts_with("slots=")) return count_in(word.substr(6));
  if (words.size() > 1 && count_in(words[1]) > 0 && words[1].find(':') == std::string_view::npos)
    return count_in(words[1]);
  const std::string_view behind =
      words.front().substr(std::min(words.front().size(), words.front().rfind(host) + host.size()));
  return count_in(behind.substr(behind.find(':') == std::string_view::npos ? behind.size() : behind.find(':') + 1));
}

}  // namespace

std::vector<HostPart> parts_of_file(const std::string& where, std::string_view text) {
  Parts parts;
  std::map<std::string, std::size_t> stated;
  const TextLines lines(where, text);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::vector<std::string_view> words = split_blanks(lines[l].substr(0, lines[l].find('#')));
    if (words.empty()) continue;
    const std::string host(without_slots(words.front()));
    if (host.empty()) throw Error(ExitStatus::bad_input, {lines.at(l, words.front(), "this line names no host")});
    parts.add_line(host);
    if (const std::size_t slots = slots_of_line(words, host); slots > 0) stated[host] += slots;
  }
  std::vector<HostPart> found = std::move(parts).finish(where);
  if (found.empty()) throw bad_input(fmt::format("'{}' names no host", where));
  for (HostPart& part : found) {
    if (const auto own = stated.find(part.name); own != stated.end())
      part.slots = own->second;
    else if (!stated.empty())
      part.slots = 0;
  }
  return found;
}

std::vector<HostPart> parts_of_job(const JobWitness& witness) {
  if (std::optional<std::vector<HostPart>> slurm = parts_of_slurm(witness)) return *std::move(slurm);
  for (const char* variable :
       {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "LSB_DJOB_RANKFILE", "PE_HOSTFILE", "COBALT_NODEFILE"}) {
    const std::string file = witness.value(variable);
    if (file.empty()) continue;
    const std::optional<std::string> text = witness.file(file);
    return parts_of_file(file, text ? *text : read_text(file, kLargestHostfile));  // or says why it cannot be read
  }
  Parts parts;
  const std::string pairs = witness.value("LSB_MCPU_HOSTS");  // "n01 16 n02 16"
  const std::vector<std::string_view> words = split_blanks(pairs);
  for (std::size_t w = 0; w + 1 < words.size(); w += 2)
    parts.add(std::string(words[w])).slots += count_in(words[w + 1]);
  if (!words.empty()) return std::move(parts).finish("LSB_MCPU_HOSTS");
  const std::string list = witness.value("LSB_HOSTS");
  for (const std::string_view host : split_blanks(list)) parts.add_line(std::string(host));
  if (!split_blanks(list).empty()) return std::move(parts).finish("LSB_HOSTS");
  throw not_available(
      "hosts=job: no batch system names the hosts of this job (SLURM_JOB_NODELIST, PBS_NODEFILE, LSB_DJOB_HOSTFILE)",
      "hosts=n[01-16], or hosts=@HOSTFILE");
}

NamedHosts named_hosts(const std::string& words) {
  if (words == "job") return {parts_of_job(this_witness()), {}};
  if (words.starts_with('@')) {
    const std::string file = words.substr(1);
    const std::string text = read_text(file, kLargestHostfile);
    if (std::optional<NamedHosts> table = hosts_of_table(file, text)) return *std::move(table);
    return {parts_of_file(file, text), {}};
  }
  try {
    NamedHosts named;
    for (std::string& name : hosts_of_list("hosts", words)) named.parts.push_back({.name = std::move(name)});
    return named;
  } catch (const Error& error) {
    throw Error(ExitStatus::usage, error.diagnostics());  // the user typed it as a part of `cluster:`, like nic=RATE
  }
}

std::vector<std::string> names_of(const std::vector<HostPart>& parts) {
  std::vector<std::string> names;
  for (const HostPart& part : parts) names.push_back(part.name);
  return names;
}

namespace {

bool is_limit(const HostPart& part) {
  return part.slots > 0 || part.cpus > 0 || part.gpus > 0;
}

/// Those of a host's places that its part has.
struct Kept {
  std::vector<Place> places;
  bool first_ones = false;  ///< which of them is not known
  std::set<std::string> sources;
};

Kept kept_of(const Topology& cluster, const std::vector<Place>& places, const HostPart& part) {
  Kept kept{places, false, {}};
  const PlaceKind kind = cluster.place(places.front()).kind;
  const std::size_t devices = kind == PlaceKind::gpu ? part.gpus : kind == PlaceKind::core ? part.cpus : 0;
  const bool listed = kind == PlaceKind::gpu && !part.gpu_list.empty() &&
                      std::ranges::all_of(part.gpu_list, [&](std::size_t gpu) { return gpu < places.size(); });
  if (devices > 0 && devices < kept.places.size()) {
    kept.sources.insert(part.devices_source);
    kept.first_ones = !listed;
    if (listed) {
      kept.places.clear();
      for (std::size_t p = 0; p < places.size(); ++p)
        if (std::ranges::find(part.gpu_list, p) != part.gpu_list.end()) kept.places.push_back(places[p]);
    } else {
      kept.places.erase(kept.places.begin() + static_cast<std::ptrdiff_t>(devices), kept.places.end());
    }
  }
  if (part.slots > 0 && part.slots < kept.places.size()) {
    kept.sources.insert(part.slots_source);
    kept.places.erase(kept.places.begin() + static_cast<std::ptrdiff_t>(part.slots), kept.places.end());
  }
  return kept;
}

}  // namespace

Topology limited_to_parts(const Topology& cluster, const std::vector<HostPart>& parts) {
  if (std::ranges::none_of(parts, is_limit)) return cluster;
  HostNames names;
  for (const HostPart& part : parts) names.add(part.name);
  std::map<std::size_t, std::vector<Place>> places_of;  // by part
  std::vector<PlaceIdentity> keep;
  for (std::size_t p = 0; p < cluster.place_count(); ++p) {
    const std::optional<std::size_t> part = names.find(node_name(cluster, cluster.place(Place(p)).vertex));
    if (part)
      places_of[*part].emplace_back(p);
    else
      keep.push_back({Place(p), {}, {}});
  }
  std::vector<std::string> told;
  std::set<std::string> sources;
  bool first_ones = false;
  for (const auto& [part, places] : places_of) {
    const Kept kept = kept_of(cluster, places, parts[part]);
    for (const Place place : kept.places) keep.push_back({place, {}, {}});
    if (kept.places.size() == places.size()) continue;
    told.push_back(
        fmt::format("{} of {} places of {}", kept.places.size(), places.size(), printable(parts[part].name)));
    sources.insert(kept.sources.begin(), kept.sources.end());
    first_ones = first_ones || kept.first_ones;
  }
  if (told.empty()) return cluster;
  constexpr std::size_t kMostTold = 4;
  const std::size_t more = told.size() - std::min(told.size(), kMostTold);
  told.resize(told.size() - more);
  const std::string warning =
      fmt::format("the job has {}{} ({}){}", fmt::join(told, ", "),
                  more > 0 ? fmt::format(", and so on for {}", counted(more, "host")) : "", fmt::join(sources, ", "),
                  first_ones ? "; which of them is not stated, and the first ones are taken" : "");
  std::ranges::sort(keep, {}, &PlaceIdentity::place);
  return with_places(cluster, keep, {warning});
}

}  // namespace topowise
