// SPDX-License-Identifier: BSD-3-Clause
// A machine, a host, a place or a list of processors may have any name: each launcher's file says what the placement
// says and nothing else, or topowise refuses to write it. The real reader reads the file: a shell where the launcher
// uses one, else a parser of the grammar in the launcher's manual.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/random.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/launcher.hpp>

using namespace topowise;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRanks = 3;
constexpr int kSeconds = 300;  // a guard against a hang

const std::vector<std::string> kHostile{"n0\ntouch owned\n",
                                        "n0\r\nrank 9=evil slot=0",
                                        "$(touch owned)",
                                        "`touch owned`",
                                        "';touch owned;'",
                                        "\";touch owned;\"",
                                        "\\",
                                        "'\\",
                                        "n0; touch owned #",
                                        "a b",
                                        "n0:4",
                                        "n0 slot=0-99",
                                        "n0,n1",
                                        "#n0",
                                        "-n0",
                                        "+n0",
                                        "../n0",
                                        "*",
                                        "%s%n",
                                        "\033]0;owned\007\033[2J",
                                        "\xc2\x9b"
                                        "2J",
                                        "n\xe2\x80\xae"
                                        "0",
                                        "K\xc3\xb6ln \xe6\x9c\xba\xe5\x99\xa8",
                                        "\xff\xfe",
                                        std::string("n\0o", 3),
                                        "0-3\ntouch owned",
                                        "0-3 rank",
                                        std::string(5000, 'a')};

std::string random_name(Random& random) {
  constexpr std::string_view kLetters = "an07.-_ \n\r\t$()`'\";\\&|<>{}[]*?!#=:,@/~%\x1b\x7f\xc3\xb6";
  std::string name;
  for (std::uint32_t length = 1 + random.below(12); length > 0; --length)
    name += kLetters[random.below(static_cast<std::uint32_t>(kLetters.size()))];
  return name;
}

/// Three ranks on two nodes of two GPUs; `position` says what has that name.
Placement placement_with(const std::string& name, int position) {
  Placement placement;
  placement.topology = position == 0 ? name : "machine";
  for (const char* node : {"n0", "n1"}) {
    const std::string host = position == 1 ? name + (name == "n1" ? "" : node) : node;
    NodeGpu gpu{position == 2 ? name : "GPU", PciAddress{0, 1, 0, 0}, position == 2 ? name : "", "0-3", 0};
    placement.nodes.push_back({host, {gpu, gpu}});
    placement.nodes.back().gpus[1].pci = PciAddress{0, 2, 0, 0};
    if (position == 4) placement.nodes.back().gpus[1].partitions = {name};
  }
  const std::string cpus = position == 3 ? name : "0-3,8";
  const std::string place = position == 2 ? name : "GPU";
  placement.ranks = {{1, 0, 1, place, cpus}, {0, 0, 1, place, cpus}, {1, 1, 0, place, cpus}};
  return placement;
}

/// A folder with the file and a program that prints its arguments.
class Sandbox {
 public:
  Sandbox() : path_(fs::temp_directory_path() / fmt::format("topowise-hostile-{}", ::getpid())) {
    fs::create_directory(path_);
    write_file(path_ / "stub", "printf '<%s>' \"$CUDA_VISIBLE_DEVICES\" \"$@\"\n");
  }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  ~Sandbox() { fs::remove_all(path_); }

  /// The output of the command in this folder, with the text as FILE. The check fails if the command leaves anything
  /// behind.
  [[nodiscard]] std::string run(const std::string& text, const std::string& command) const {
    write_file(path_ / "FILE", text);
    const std::optional<std::string> printed =
        program_output({"env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", "cd \"$0\" && " + command, path_}, kSeconds);
    std::set<std::string> left;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) left.insert(entry.path().filename());
    CHECK(left == std::set<std::string>{"FILE", "stub"});
    return printed.value_or("failed");
  }

 private:
  fs::path path_;
};

std::vector<std::string> content_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with('#')) lines.emplace_back(line);
  }
  REQUIRE(lines.back().empty());
  lines.pop_back();
  return lines;
}

std::vector<std::string> lines_for(const Placement& placement, const auto& line_of) {
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    lines.push_back(line_of(rank, placement.nodes[placement.ranks[rank].node].name));
  return lines;
}

/// The grammars are strict about host names: no launcher would read back another name as it was written.
void check_hosts(const Placement& placement) {
  for (const PlacedNode& node : placement.nodes) {
    CHECK(std::ranges::all_of(
        node.name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; }));
    CHECK(std::isalnum(static_cast<unsigned char>(node.name.front())) != 0);
  }
}

void a_host_a_line(const Sandbox&, const Placement& placement, const std::string& text) {
  check_hosts(placement);
  CHECK(content_lines(text) == lines_for(placement, [](std::size_t, const std::string& host) { return host; }));
}

/// The placement's machine: each node has a switch, with the node's GPUs and a NIC below it. All have that name.
Topology machine_of(const Placement& placement, const std::string& name) {
  TopologyBuilder builder("machine");
  for (const PlacedNode& node : placement.nodes) {
    const VertexId top = builder.add_vertex(
        {.kind = VertexKind::pcie_switch, .name = name, .numa = 0, .node = node.name, .cpus = placement.ranks[0].cpus});
    for (std::uint8_t i = 1; i <= 3; ++i)
      builder.add_vertex({.kind = i < 3 ? VertexKind::gpu : VertexKind::nic,
                          .name = name,
                          .pci = PciAddress{0, i, 0, 0},
                          .node = node.name,
                          .parent = top});
  }
  builder.add_place(PlaceKind::gpu, VertexId(1));
  return std::move(builder).build();
}

/// Follows the parser of NCCL: it knows no entities, and allows only blanks and line ends between elements.
void nccl_elements(const Sandbox&, const Placement&, const std::string& text) {
  std::vector<std::string> elements;
  for (std::string_view line : split(text, '\n')) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) continue;
    CHECK((line.starts_with('<') && line.ends_with('>')));
    const std::string_view inside = line.substr(1, line.size() - 2);
    CHECK(inside.find_first_of("<>") == std::string_view::npos);
    if (inside.starts_with("!--")) {
      CHECK(inside.find("--", 3) == inside.size() - 2);
      continue;
    }
    CHECK(std::ranges::all_of(inside, [](unsigned char c) { return c >= ' ' && c < 0x7f; }));
    CHECK(inside.find('&') == std::string_view::npos);
    CHECK(std::ranges::count(inside, '"') % 2 == 0);
    const std::string word(inside.substr(0, inside.find(' ')));
    if (word != "/pci" && word != "net" && word != "nic" && word != "/nic")
      elements.push_back(word);  // the name of the NIC may differ
  }
  CAPTURE(text);
  CHECK(elements == std::vector<std::string>{"system", "cpu", "pci", "pci", "pci", "pci", "/cpu", "/system"});
}

using Check = void (*)(const Sandbox&, const Placement&, const std::string&);

const std::map<std::string_view, Check> kReaders{
    {"cray-rank-order",
     [](const Sandbox&, const Placement&, const std::string& text) {
       CHECK(content_lines(text) == std::vector<std::string>{"1", "2,0"});
     }},
    {"deepspeed-hostfile",
     [](const Sandbox&, const Placement& placement, const std::string& text) {
       check_hosts(placement);
       CHECK(content_lines(text) ==
             std::vector<std::string>{placement.nodes[1].name + " slots=2", placement.nodes[0].name + " slots=2"});
     }},
    {"rank-order",
     [](const Sandbox&, const Placement&, const std::string& text) {
       CHECK(content_lines(text) == std::vector<std::string>{"2", "0", "1"});
     }},
    {"torchrun",
     [](const Sandbox& sandbox, const Placement& placement, const std::string& text) {
       check_hosts(placement);
       CHECK(sandbox.run(text, "sh -n FILE && echo fine") == "fine\n");
       const std::string process =
           "TOPOWISE_MATCH_NODES=order WORLD_SIZE=3 GROUP_RANK=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 RANK=1 "
           "TORCHELASTIC_USE_AGENT_STORE=True sh FILE ";
       CHECK(sandbox.run(text, process + "sh ./stub one 'two words'") == "<1,0><one><two words>");
       CHECK(sandbox.run(text, process + "printenv RANK") == "0\n");
     }},
    {"gpu-env",
     [](const Sandbox& sandbox, const Placement&, const std::string& text) {
       CHECK(content_lines(text).size() == kRanks);
       for (const int rank : {1, 2}) {
         const std::string printed =
             sandbox.run(text, fmt::format("env $(sed -n {}p FILE) sh ./stub one 'two words'", rank + 1));
         CHECK(printed.ends_with("<one><two words>"));
       }
     }},
    {"mpich-hostfile",
     [](const Sandbox&, const Placement& placement, const std::string& text) {
       check_hosts(placement);
       CHECK(content_lines(text) ==
             lines_for(placement, [](std::size_t, const std::string& host) { return host + ":1"; }));
     }},
    {"nccl-topo", nccl_elements},
    {"openmpi-rankfile",
     [](const Sandbox&, const Placement& placement, const std::string& text) {
       check_hosts(placement);
       for (const PlacedRank& rank : placement.ranks)
         CHECK(rank.cpus.find_first_not_of("0123456789,-") == std::string::npos);
       CHECK(content_lines(text) == lines_for(placement, [&](std::size_t rank, const std::string& host) {
               return fmt::format("rank {}={} slot={}", rank, host, placement.ranks[rank].cpus);
             }));
     }},
    {"shell",
     [](const Sandbox& sandbox, const Placement&, const std::string& text) {
       CHECK(sandbox.run(text, "sh -n FILE && echo fine") == "fine\n");
       CHECK(sandbox.run(text, "OMPI_COMM_WORLD_RANK=0 sh FILE sh ./stub one 'two words'") == "<1,0><one><two words>");
       CHECK(sandbox.run(text, "OMPI_COMM_WORLD_RANK=2 sh FILE sh ./stub '$(touch owned)'") == "<1,0><$(touch owned)>");
     }},
    {"slurm-gpu-map",
     [](const Sandbox& sandbox, const Placement&, const std::string& text) {
       CHECK(sandbox.run(text, "sh ./stub $(cat FILE) ./app") == "<><--gpu-bind=map_gpu:1><./app>");
     }},
    {"flux-taskmap",
     [](const Sandbox& sandbox, const Placement&, const std::string& text) {
       CHECK(sandbox.run(text, "sh ./stub $(cat FILE) ./app") == "<><--taskmap=manual:[[1,1,1,1],[0,2,1,1]]><./app>");
     }},
    {"hydra-rankmap",
     [](const Sandbox& sandbox, const Placement& placement, const std::string& text) {
       check_hosts(placement);
       CHECK(sandbox.run(text, "sh ./stub $(cat FILE) ./app") ==
             fmt::format("<><-hosts><{}:1,{}:2><-rankmap><1,0,1><./app>", placement.nodes[0].name,
                         placement.nodes[1].name));
     }},
    {"pbs-nodefile", a_host_a_line},
    {"slurm-hostfile", a_host_a_line}};

/// The file must be right, or the error must be one that a terminal can show. Returns whether there was a file.
bool written_or_refused(const Sandbox& sandbox, const Launcher& launcher, Placement placement) {
  // Slurm has one map for all nodes.
  if (launcher.name == "slurm-gpu-map") placement.ranks.pop_back();
  try {
    const std::string text = launcher.text != nullptr
                                 ? launcher.text(placement)
                                 : launcher.machine_text(placement, machine_of(placement, placement.ranks[0].place));
    CHECK(printable_lines(text) == text);
    kReaders.at(launcher.name)(sandbox, placement, text);
    return true;
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    const std::string shown = error.diagnostics().front().render("error");
    CHECK(printable_lines(shown) == shown);
    CHECK(shown.size() < 400);
    return false;
  }
}

}  // namespace

TEST_CASE("hostile names: every launcher's file is right, or refused") {
  const Sandbox sandbox;
  for (const Launcher& launcher : launchers()) {
    CAPTURE(launcher.name);
    REQUIRE(kReaders.contains(launcher.name));
    CHECK(written_or_refused(sandbox, launcher, placement_with("plain", 0)));
    CHECK(written_or_refused(sandbox, launcher, placement_with("n1.example.org", 1)));
    for (int position = 0; position < 5; ++position) {
      for (const std::string& name : kHostile) {
        CAPTURE(position);
        CAPTURE(name);
        const bool written = written_or_refused(sandbox, launcher, placement_with(name, position));
        if (position == 0) CHECK(written);  // a comment may hold any name
      }
    }
  }
}

TEST_CASE("random names in files without a shell") {
  const Sandbox sandbox;
  Random random(1);
  const std::set<std::string_view> kWithShell{"shell",        "gpu-env",       "slurm-gpu-map",
                                              "flux-taskmap", "hydra-rankmap", "torchrun"};
  std::size_t files = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string name = random_name(random);
    for (const Launcher& launcher : launchers()) {
      if (kWithShell.contains(launcher.name)) continue;
      CAPTURE(name);
      files += written_or_refused(sandbox, launcher, placement_with(name, round % 4)) ? 1 : 0;
    }
  }
  CHECK(files > 1000);
}
