// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/job_hosts.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise {
namespace {

using Texts = std::map<std::string, std::string>;

JobWitness job(const Texts& variables, const Texts& files = {}, const std::string& scontrol = {}) {
  const auto in = [](const Texts& table) {
    return [table](const std::string& name) -> std::optional<std::string> {
      const auto found = table.find(name);
      return found == table.end() ? std::nullopt : std::optional(found->second);
    };
  };
  JobWitness witness{in(variables), in(files), {}, "n1"};
  if (!scontrol.empty())
    witness.program = [scontrol](const std::vector<std::string>&) { return std::optional(scontrol); };
  return witness;
}

/// "n1 7 slots 3 cpus, n2", "n1 gpus 3,4".
std::string words_of(const std::vector<HostPart>& parts) {
  std::string text;
  for (const HostPart& part : parts) {
    text += (text.empty() ? "" : ", ") + part.name;
    if (part.slots > 0) text += fmt::format(" {} slots", part.slots);
    if (part.cpus > 0) text += fmt::format(" {} cpus", part.cpus);
    if (!part.gpu_list.empty())
      text += fmt::format(" gpus {}", fmt::join(part.gpu_list, ","));
    else if (part.gpus > 0)
      text += fmt::format(" {} gpus", part.gpus);
  }
  return text;
}

std::string cluster_of(const std::vector<HostPart>& parts) {
  const Topology cluster = read_topology("cluster:tree:2:2,preset:dgx1-v100,hosts=n[1-4]");
  const Topology part = limited_to_parts(cluster, parts);
  std::map<std::string, std::string> found;
  for (std::size_t p = 0; p < part.place_count(); ++p) {
    const std::string& name = part.vertex_of(Place(p)).name;
    found[name.substr(0, 2)] += name.back();
  }
  std::string text;
  for (const auto& [host, gpus] : found) text += host + ":" + gpus + " ";
  return text + (part.warnings().size() > cluster.warnings().size() ? part.warnings().back() : "");
}

/// "n1 n2; f: 1 node is left out, down: n3".
std::string words_of_table(std::string_view text) {
  const std::optional<NamedHosts> found = hosts_of_table("f", text);
  if (!found) return "no table";
  std::string words = fmt::format("{}", fmt::join(names_of(found->parts), " "));
  for (const HostPart& part : found->parts) CHECK(part.slots == 0);
  for (const std::string& warning : found->warnings) words += "; " + warning;
  return words;
}

}  // namespace

TEST_CASE("tables of nodes: those that no job gets are left out") {
  // sinfo -N: a line for each partition of a node.
  CHECK(words_of_table(
            "NODELIST   NODES PARTITION STATE \nn1             1      gpu* idle  \nn1             1     all idle\n"
            "n2             1      gpu* mix-\nn3             1      gpu* down* \nn4             1      gpu* drain\n"
            "n5             1      gpu* drain\nn6             1      gpu* alloc*\nn7             1 gpu* idle~\n") ==
        "n1 n2 n7; f: 1 node is left out, down: n3; f: 2 nodes are left out, drain: n4 and others; f: 1 node is left "
        "out, not responding: n6");
  CHECK(
      words_of_table("Sat Nov 28 16:00:00 2026\nNODELIST NODES PARTITION STATE CPUS S:C:T MEMORY TMP_DISK WEIGHT "
                     "AVAIL_FE REASON\nn1 1 gpu* allocated 8 2:4:1 1 0 1 (null) none\nn2 1 gpu* drained 8 2:4:1 1 0 1 "
                     "(null) bad fan\n") == "n1; f: 1 node is left out, drained: n2");
  // Without -N: lists of nodes; without titles; flux resource list; bhosts; kubectl get nodes; pbsnodes -aS.
  CHECK(words_of_table("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ngpu*  up infinite 2 idle n[1-2]\n"
                       "gpu* up infinite 1 maint n3\n") == "n1 n2; f: 1 node is left out, maint: n3");
  CHECK(words_of_table("n1 1 gpu* idle\nn2 1 gpu* down\n") == "n1; f: 1 node is left out, down: n2");
  CHECK(words_of_table("n1 idle\nn2 drng\n") == "n1; f: 1 node is left out, drng: n2");
  CHECK(words_of_table("     STATE NNODES NCORES NGPUS NODELIST\n      free 2 8 0 n[1-2]\n allocated 0 0 0 \n      "
                       "down 1 4 0 n3\n") == "n1 n2; f: 1 node is left out, down: n3");
  CHECK(words_of_table(
            "HOST_NAME STATUS JL/U MAX NJOBS RUN SSUSP USUSP RSV\na ok - 16 0 0 0 0 0\nb unavail - 1 0 0 0 0 0\n"
            "c closed_Adm - 1 0 0 0 0 0\n") ==
        "a; f: 1 node is left out, closed_adm: c; f: 1 node is left out, unavail: b");
  CHECK(words_of_table("NAME STATUS ROLES AGE VERSION\na Ready <none> 5d v1\nb NotReady <none> 5d v1\n"
                       "c Ready,SchedulingDisabled <none> 5d v1\n") ==
        "a; f: 1 node is left out, notready: b; f: 1 node is left out, schedulingdisabled: c");
  CHECK(words_of_table("vnode state OS hardware host\n----- ----- -- -------- ----\na free -- -- a\nb "
                       "state-unknown,down -- -- b\n") == "a; f: 1 node is left out, state-unknown: b");
  CHECK(words_of_table("HOSTNAMES STATE\na IDLE+DRAIN\nb mixed+cloud\nc odd\n") ==
        "b c; f: 1 node is left out, drain: a; f: whether nodes in the state 'odd' get jobs is not known; they are "
        "taken");
  for (const char* hostfile : {"n1\nn2\n", "n1 slots=4\n", "n1 8 q@n1 UNDEFINED\n", "n1:4\n", "n1 4\nn2 2\n"})
    CHECK(words_of_table(hostfile) == "no table");
  CHECK_THROWS_WITH_AS((void)hosts_of_table("f", "n1 down\nn2 drain\n"),
                       "'f': no job gets any of the nodes: they are down or drain", Error);
}

TEST_CASE("lists of hosts: hostfiles and batch systems") {
  CHECK(words_of(parts_of_file("f", "n2 slots=4 # big\n\n# n9\nn1:8\nn2\nn3 4 all.q\nn5\n")) ==
        "n2 4 slots, n1 8 slots, n3 4 slots, n5");
  CHECK(words_of(parts_of_file("f", "10.0.0.1:8\nfe80::1 slots=8\n[fe80::2]:8\n")) ==
        "10.0.0.1 8 slots, fe80::1 8 slots, fe80::2 8 slots");
  CHECK(words_of(parts_of_file("f", "n1\nn1\nn2\n")) == "n1 2 slots, n2 1 slots");
  CHECK(words_of(parts_of_file("f", "n1\nn2\n")) == "n1, n2");
  CHECK_THROWS_WITH_AS((void)parts_of_file("f", "# nothing\n"), "'f' names no host", Error);
  CHECK(words_of(parts_of_job(job({{"SLURM_JOB_NODELIST", "n[01-02],m7"}}))) == "n01, n02, m7");
  CHECK(words_of(parts_of_job(job({{"LSB_HOSTS", "a a b a"}}))) == "a 3 slots, b 1 slots");
  CHECK(words_of(parts_of_job(job({{"LSB_MCPU_HOSTS", "a 7 b 1"}, {"LSB_HOSTS", "a"}}))) == "a 7 slots, b 1 slots");
  CHECK(words_of(parts_of_job(job({{"LSB_DJOB_RANKFILE", "f"}}, {{"f", "a\na\nb\n"}}))) == "a 2 slots, b 1 slots");
  CHECK(words_of(parts_of_job(job({{"PBS_NODEFILE", "f"}}, {{"f", "a.org\na.org\nb.org\nb.org\n"}}))) ==
        "a.org 2 slots, b.org 2 slots");
  CHECK(words_of(parts_of_job(job({{"PE_HOSTFILE", "f"}}, {{"f", "a 2 q@a UNDEFINED\nb 6 q@b UNDEFINED\n"}}))) ==
        "a 2 slots, b 6 slots");
  CHECK_THROWS_AS((void)parts_of_job(job({{"PBS_NODEFILE", "/no/such/file"}})), Error);
  try {
    (void)parts_of_job(job({}));
    FAIL("there is no job");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::not_available);
  }
}

TEST_CASE("the parts of a Slurm job: ranks, processors and GPUs of each host, and all components") {
  const auto of = [](Texts variables, const std::string& scontrol = {}) {
    variables.insert({"SLURM_JOB_NODELIST", "n[1-2]"});
    return words_of(parts_of_job(job(variables, {}, scontrol)));
  };
  CHECK(of({{"SLURM_TASKS_PER_NODE", "7,1"}, {"SLURM_JOB_CPUS_PER_NODE", "8(x2)"}}) ==
        "n1 7 slots 8 cpus, n2 1 slots 8 cpus");
  CHECK(of({{"SLURM_TASKS_PER_NODE", "4(x2)"}}) == "n1 4 slots, n2 4 slots");
  CHECK(of({{"SLURM_TASKS_PER_NODE", "1(x2)"}}) == "n1, n2");  // torchrun, too, is one task on each
  CHECK(of({{"SLURM_TASKS_PER_NODE", "4(x3)"}}) == "n1, n2");  // of other hosts
  CHECK(of({{"SLURM_TASKS_PER_NODE", "4(x99999999999),x"}}) == "n1, n2");
  CHECK(of({{"SLURM_GPUS_PER_NODE", "a100:4"}}) == "n1 4 gpus, n2 4 gpus");
  CHECK(of({{"SLURM_JOB_ID", "7"}, {"SLURM_GPUS_PER_NODE", "2"}, {"SLURM_JOB_GPUS", "3,4"}}) ==
        "n1 gpus 3,4, n2 2 gpus");
  CHECK(of({{"SLURM_JOB_ID", "7"}, {"SLURM_GPUS_PER_NODE", "2"}, {"SLURM_JOB_GPUS", "3,4"}},
           "  Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:2(IDX:3-4)\n  Nodes=n2 CPU_IDs=0 Mem=0 GRES=gpu:2(IDX:0,6)\n") ==
        "n1 gpus 3,4, n2 gpus 0,6");
  const Texts two{{"SLURM_HET_SIZE", "2"},
                  {"SLURM_TASKS_PER_NODE", "3,1"},
                  {"SLURM_JOB_NODELIST_HET_GROUP_0", "n[1-2]"},
                  {"SLURM_TASKS_PER_NODE_HET_GROUP_0", "3,1"},
                  {"SLURM_GPUS_PER_NODE_HET_GROUP_0", "2"},
                  {"SLURM_JOB_NODELIST_HET_GROUP_1", "n4"},
                  {"SLURM_TASKS_PER_NODE_HET_GROUP_1", "1"},
                  {"SLURM_GPUS_PER_NODE_HET_GROUP_1", "1"}};
  CHECK(of(two) == "n1 3 slots 2 gpus, n2 1 slots 2 gpus, n4 1 slots 1 gpus");
}

TEST_CASE("the places of a cluster are those of the job") {
  CHECK(cluster_of({{.name = "n1"}}) == "n1:01234567 n2:01234567 n3:01234567 n4:01234567 ");
  CHECK(cluster_of({{.name = "n1", .slots = 7, .slots_source = "SLURM_TASKS_PER_NODE"},
                    {.name = "n2", .slots = 1, .slots_source = "SLURM_TASKS_PER_NODE"}}) ==
        "n1:0123456 n2:0 n3:01234567 n4:01234567 the job has 7 of 8 places of n1, 1 of 8 places of n2 "
        "(SLURM_TASKS_PER_NODE)");
  CHECK(cluster_of({{.name = "n1", .cpus = 2, .gpus = 2, .gpu_list = {3, 6}, .devices_source = "scontrol"},
                    {.name = "n3", .gpus = 8}}) ==
        "n1:36 n2:01234567 n3:01234567 n4:01234567 the job has 2 of 8 places of n1 (scontrol)");
  CHECK(
      cluster_of({{.name = "n4", .gpus = 3, .devices_source = "SLURM_GPUS_PER_NODE"}}) ==
      "n1:01234567 n2:01234567 n3:01234567 n4:012 the job has 3 of 8 places of n4 (SLURM_GPUS_PER_NODE); which of them "
      "is not stated, and the first ones are taken");
}

}  // namespace topowise
