// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/topics.hpp>

#include <array>

#include <topowise/cli/help.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/report/class_words.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>

namespace topowise::cli {
namespace {

constexpr auto kVariables = std::to_array<Variable>({
    {"TOPOWISE_INTERPOSE", "path of the recording library, if it is not beside the program"},
    {"TOPOWISE_PROFILE", "set by 'run --profile' for the recording library: where it writes"},
    {"TOPOWISE_PROFILE_PROCESS", "set by 'run --profile' for the recording library: the process that it started"},
    {"TOPOWISE_PROFILE_WITNESS",
     "set by 'run --profile' for the recording library: where rank 0 says how far it has come"},
    {"TOPOWISE_MATCH_NODES",
     "for the script of 'map --emit torchrun', as --match-nodes of 'run': name, or order (node rank i is the mapping's "
     "node i)"},
    {"TOPOWISE_TRACE", "set by 'run --trace' for the recording library: record every message"},
    {"TOPOWISE_PROFILES", "folder in which 'run --auto' keeps the profiles of earlier runs"},
    {"TOPOWISE_GPU", "set by 'run --gpu-bind set-device': the GPU to make current when MPI starts"},
    {"TOPOWISE_VERIFY_GPU",
     "set by 'run --verify': the mapped GPU, which the preloaded library compares when MPI ends"},
    {"TOPOWISE_REORDER", "set by 'run --reorder': asked, always, report or world"},
    {"TOPOWISE_REORDER_TOPOLOGY", "set by 'run --reorder-topology': the TOPOLOGY to reorder for"},
    {"TOPOWISE_REORDER_NETWORK",
     "set by 'run --reorder' for rank 0 of a job of several hosts: the network that the site's programs describe; off "
     "does not ask them"},
    {"TOPOWISE_REORDER_METRIC", "set by 'run --reorder-metric': what a byte costs between two places"},
    {"TOPOWISE_REORDER_PROFILE", "set by 'run --reorder-profile': the TRAFFIC that gives the weights"},
    {"TOPOWISE_REORDER_LOADS", "set by 'run --reorder-loads': the work of each rank"},
    {"TOPOWISE_REORDER_SECONDS", "set by 'run --reorder-time': seconds for each mapping"},
    {"TOPOWISE_REORDER_ONLY", "set by 'run --reorder-only': the calls that reorder"},
    {"TOPOWISE_REORDER_EXCEPT", "set by 'run --reorder-except': the calls that do not"},
    {"TOPOWISE_REORDER_INCLUDE", "set by 'run --reorder-include': calls of libraries known to ignore their new ranks"},
    {"TOPOWISE_ALLREDUCE", "set by 'run --allreduce': auto, or the name of an algorithm"},
    {"TOPOWISE_COLLECTIVES_ON_GPU",
     "set by 'run --collectives-on-gpu': the functions of MPI that are done on GPUs; without it allreduce"},
    {"TOPOWISE_ALLREDUCE_TUNING", "file of 'bench allreduce --tune' that 'run --allreduce' chooses by, or off"},
    {"TOPOWISE_ALLREDUCE_INIT", "set by 'run --allreduce-init start': the ranks meet in MPI_Init"},
    {"TOPOWISE_ALLREDUCE_REPORT", "set by 'run --allreduce-report': 1 says at the end what was done"},
    {"TOPOWISE_CUDA_LIBRARY", "opened instead of libcuda.so.1"},
    {"TOPOWISE_HIP_LIBRARY", "opened instead of libamdhip64.so"},
    {"TOPOWISE_MPI_LIBRARY", "opened by probe in an MPI job instead of the launcher's own libmpi"},
    {"TOPOWISE_NVML_LIBRARY", "opened instead of libnvidia-ml.so.1"},
    {"TOPOWISE_FAKE_PACE", "of simulated GPUs: their copies take the model's time; 'bench' says so"},
    {"TOPOWISE_FAKE_PACE_SCALE", "factor for those times"},
    {"SOURCE_DATE_EPOCH", "the date that report writes, in seconds since 1970, instead of now"},
    {"NO_COLOR", "if set to anything: no colour"},
    {"TERM", "if 'dumb': no colour"},
    {"COLUMNS", "how wide the help is, if it is not printed on a terminal"},
    {"CUDA_VISIBLE_DEVICES", "'run --mapping' takes it as the set of GPUs to choose from, and sets it"},
    {"HIP_VISIBLE_DEVICES", "the same for AMD GPUs"},
    {"ROCR_VISIBLE_DEVICES",
     "the set that HIP_VISIBLE_DEVICES counts in; read, never set: both orders would permute twice"},
    {"ZE_AFFINITY_MASK", "'run --mapping' sets it for Intel GPUs: a rank sees its own alone"},
    {"LD_PRELOAD", "'run --profile' puts the recording library before what is there"},
});

std::string text_of(const Table& table, const Terminal& terminal) {
  return table.text(terminal.begin_bold(), terminal.end_bold(), text_width(terminal.width()));
}

void show_formats(Terminal& terminal) {
  Table machines({{"topology format"}, {"what it is"}});
  for (const TopologyFormat& format : topology_formats())
    machines.add({std::string(format.name), std::string(format.help)});
  Table patterns({{"traffic format"}, {"what it is"}});
  for (const TrafficFormatHelp& format : traffic_format_help())
    patterns.add({std::string(format.name), std::string(format.help)});
  const std::size_t width = text_width(terminal.width());
  terminal.print("{}\n\n", wrap("Files are recognised by their content; --format NAME forces a format. '-' reads the "
                                "standard input.",
                                width, 0));
  terminal.print("{}\n{}", text_of(machines, terminal), text_of(patterns, terminal));
  terminal.print("\n{}\n",
                 wrap("A directory that 'run --profile' wrote is traffic too. Topologies may be joined with '+' "
                      "(node.xml+measured.txt): by PCI bus id, with contradictions reported. 'cluster:FABRIC,NODE' "
                      "(cluster:topology.conf,node.xml) is a network with NODE as every host.",
                      width, 0));
}

void show_patterns(Terminal& terminal) {
  terminal.print("pattern:NAME:DIMS[:KEY=VALUE...], for example pattern:torus3d:4x2x2:w=3:heavy=0\n\n");
  Table names({{"pattern"}, {"DIMS"}, {"what it is"}, {"keys"}});
  for (const PatternHelp& pattern : pattern_help())
    names.add(
        {std::string(pattern.name), std::string(pattern.dims), std::string(pattern.help), std::string(pattern.keys)});
  Table keys({{"key"}, {"meaning"}});
  for (const PatternKeyHelp& key : pattern_key_help()) keys.add({std::string(key.name), std::string(key.help)});
  terminal.print("{}\n{}", text_of(names, terminal), text_of(keys, terminal));
}

void show_launchers(Terminal& terminal) {
  constexpr std::size_t kIndent = 6;
  const std::size_t width = text_width(terminal.width());
  terminal.print("{}\n\n",
                 wrap("'topowise run --mapping FILE -- ./app' works under every launcher. 'topowise map --emit "
                      "LAUNCHER' prints what a launcher reads by itself:",
                      width, 0));
  for (const Launcher& launcher : launchers()) {
    terminal.print("  {}\n      {}\n      {}\n", terminal.bold(launcher.name),
                   wrap(launcher.help, width - kIndent, kIndent), launcher.use);
  }
}

void show_environment(Terminal& terminal) {
  Table table({{"variable"}, {"meaning"}});
  for (const Variable& variable : kVariables) table.add({std::string(variable.name), std::string(variable.help)});
  terminal.print("{}", text_of(table, terminal));
  terminal.print(
      "\n{}\n",
      wrap("Rank and local rank are read from the variables of torchrun and DeepSpeed (RANK, LOCAL_RANK), "
           "Open MPI (OMPI_COMM_WORLD_RANK), MVAPICH, hydra (PMI_RANK, MPI_LOCALRANKID), PALS, Flux, Slurm "
           "(SLURM_PROCID, SLURM_LOCALID) and PMIx, in this order.\nThe GPUs of the job are read from the lists "
           "above, SLURM_STEP_GPUS, SLURM_JOB_GPUS, SLURM_GPUS_ON_NODE, PBS_GPUFILE and SGE_HGR_gpu.",
           text_width(terminal.width()), 0));
}

void show_classes(Terminal& terminal) {
  terminal.print("How two places reach each other. # is a number.\n\n");
  Table table({{"class"}, {"what the path is"}});
  for (const ClassWords& words : class_words()) table.add({std::string(words.name), std::string(words.meaning)});
  terminal.print("{}", text_of(table, terminal));
}

constexpr std::array<Topic, 6> kTopics{{
    {"formats", "files that are read, and how they are recognised", show_formats},
    {"patterns", "communication patterns by name", show_patterns},
    {"presets", "machines by name", show_presets},
    {"classes", "NV12, PIX, SYS, NET1: how two places reach each other", show_classes},
    {"launchers", "ways to put a mapping into effect", show_launchers},
    {"environment", "variables that are read and set", show_environment},
}};

}  // namespace

void show_presets(Terminal& terminal) {
  Table table({{"preset"}, {"machine"}});
  for (const Preset& preset : all_presets())
    table.add({"preset:" + std::string(preset.name), std::string(preset.help)});
  terminal.print("{}", text_of(table, terminal));
}

std::span<const Topic> topics() {
  return kTopics;
}
std::span<const Variable> variables() {
  return kVariables;
}

}  // namespace topowise::cli
