// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/source.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <tests/fixtures/opened.hpp>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>

using namespace topowise;

namespace {

/// A file that lives as long as the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& name = "source")
      : path_(std::filesystem::temp_directory_path() / ("topowise-test-" + name + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  void grow(std::uintmax_t size) const { std::filesystem::resize_file(path_, size); }

 private:
  std::filesystem::path path_;
};

Diagnostic first_error(const std::string& argument, ExitStatus status, std::string_view format = {}) {
  try {
    (void)read_topology(argument, format);
  } catch (const Error& error) {
    CHECK(error.status() == status);
    return error.diagnostics().front();
  }
  FAIL("no error for " << argument);
  return {};
}

}  // namespace

TEST_CASE("presets and trees by name") {
  CHECK(read_topology("preset:helios-k80").place_count() == 16);
  CHECK(read_topology("tree:2:2:2:2").place_count() == 16);
}

TEST_CASE("what is no source is said, with the nearest that is") {
  CHECK(first_error("preset:dgx1v100", ExitStatus::bad_input).what ==
        "unknown preset 'dgx1v100', did you mean 'dgx1-v100'?");
  const Diagnostic forgotten = first_error("helios-k80", ExitStatus::bad_input);
  CHECK(forgotten.what == "cannot read 'helios-k80': No such file or directory");
  CHECK(forgotten.hint == "did you mean 'preset:helios-k80'?");
  CHECK(first_error("tre:2:2", ExitStatus::bad_input).hint == "did you mean 'tree:2:2'?");
  CHECK(first_error("tours:4x4@1GB/s", ExitStatus::bad_input).hint == "did you mean 'torus:4x4@1GB/s'?");
  CHECK(first_error("/", ExitStatus::bad_input).what.find("directory") != std::string::npos);
}

TEST_CASE("what a quote or a parallel shell puts before every line is no part of the text") {
  const std::string lines[] = {"-[0000:00]-+-01.0-[01]----00.0  NVIDIA Corporation GH100 [H100 SXM5 80GB]",
                               "           \\-02.0-[02]----00.0  NVIDIA Corporation GH100 [H100 SXM5 80GB]"};
  for (const std::string prefix : {"> ", "node1: ", "0: "}) {
    CHECK(read_topology_text("t", prefix + lines[0] + "\n" + prefix + lines[1] + "\n").place_count() == 2);
    const TemporaryFile tree(prefix + "SwitchName=s1 Nodes=n[1-2]\n" + prefix + "SwitchName=s2 Nodes=n[3-4]\n");
    CHECK(read_topology(tree.path()).place_count() == 4);
    const TemporaryFile links(prefix + "LINK TYPE TABLE:\n" + prefix + "             0000:05:00.0 0000:15:00.0\n" +
                              prefix + "0000:05:00.0 SELF         XGMI\n" + prefix +
                              "0000:15:00.0 XGMI         SELF\n");
    CHECK(to_string(read_topology(links.path()).path_class(Place(0), Place(1))) == "XGMI1");
  }
}

TEST_CASE("noise of two gigabytes ends after its head") {
  const TemporaryFile noise("\x01\x02 no machine \xff");
  noise.grow(std::uintmax_t{2} << 30);
  const Diagnostic error = first_error(noise.path(), ExitStatus::bad_input);
  CHECK(error.where == noise.path());
  CHECK(error.what.starts_with("this is no text: byte "));
  const TemporaryFile empty("");
  CHECK(first_error(empty.path(), ExitStatus::bad_input).what == "the input is empty");
}

TEST_CASE("what was saved is read back, whatever the file is called") {
  const TemporaryFile saved(to_json(read_topology("preset:cs-storm-t2")));
  const Topology machine = read_topology(saved.path());
  CHECK(machine.name() == "cs-storm-t2");
  CHECK(machine.levels().size() == 3);
  CHECK(read_topology(saved.path(), "json").place_count() == 8);
}

TEST_CASE("sources are joined with '+'") {
  const TemporaryFile saved(to_json(read_topology("preset:dgx1-v100")));
  const Topology joined = read_topology("preset:dgx1-v100+" + saved.path());
  CHECK(joined.place_count() == 8);
  CHECK(joined.levels().size() == 3);
  CHECK(first_error("preset:dgx1-v100+", ExitStatus::usage).what ==
        "'preset:dgx1-v100+' joins sources, but one is empty");
  CHECK(first_error("preset:dgx1-v100+preset:helios-k80", ExitStatus::bad_input).hint ==
        "join descriptions of one machine");
  const TemporaryFile plus(to_json(read_topology("preset:dgx1-v100")), "a+b");
  CHECK(read_topology(plus.path()).place_count() == 8);
}

TEST_CASE("what names GPUs but not how they are joined is added to a machine") {
  const TemporaryFile matrix("  GPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\n", "matrix");
  const TemporaryFile p2p("  GPU0 GPU1\n GPU0 X CNS\n GPU1 OK X\n", "p2p");
  const TemporaryFile xml(
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n"
      "<gpu id=\"00000000:18:00.0\"><uuid>GPU-a</uuid></gpu><gpu id=\"00000000:3A:00.0\"><uuid>GPU-b</uuid></gpu>\n"
      "</nvidia_smi_log>\n",
      "xml");
  const Topology machine = read_topology(p2p.path() + "+" + matrix.path() + "+" + xml.path());
  CHECK(to_string(machine.path_class(Place(0), Place(1))) == "PHB");
  CHECK(machine.vertex_of(Place(1)).pci->to_string() == "0000:3a:00.0");
  CHECK(machine.vertex_of(Place(1)).uuid == "GPU-b");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].ends_with(
      ": 1 of 1 pairs of GPUs cannot read each other's memory (GPU0-GPU1 CNS): their copies are staged in host memory, "
      "so their class and route are those by way of the host"));
  CHECK(machine.without_peer_access().size() == 1);
  CHECK(machine.assumptions().back().starts_with("the table of 'topo -p2p' in "));
  const TemporaryFile both("  GPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\n\n  GPU0 GPU1\n GPU0 X CNS\n GPU1 OK X\n", "both");
  REQUIRE(read_topology(both.path()).warnings().size() == 1);
  CHECK(read_topology(both.path()).warnings()[0].substr(both.path().size()) ==
        machine.warnings()[0].substr(p2p.path().size()));
  CHECK(first_error(xml.path(), ExitStatus::bad_input).what.starts_with("this is the XML of 'nvidia-smi -q -x'"));
  CHECK(first_error(p2p.path() + "+" + xml.path(), ExitStatus::bad_input).what.starts_with("nothing in '"));
  CHECK(read_topology("preset:dgx-a100+" + p2p.path())
            .warnings()
            .back()
            .ends_with(" has 2 GPUs, and there are 8: it is not used"));
  const TemporaryFile other("<nvidia_smi_log><gpu id=\"00000000:99:00.0\"/><gpu id=\"x\"/></nvidia_smi_log>", "other");
  CHECK(first_error(matrix.path() + "+" + other.path(), ExitStatus::bad_input).what == "'x' is not a PCI bus id");
}

TEST_CASE("an unknown format is a usage error") {
  const TemporaryFile any("x");
  CHECK(first_error(any.path(), ExitStatus::usage, "nvidia").what.starts_with("unknown topology format 'nvidia'"));
}

TEST_CASE("an assumed rate of NVLink gives way to whatever in a join knows the GPUs") {
  const TemporaryFile matrix("\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n", "matrix");
  const auto rate_with = [&](const std::string& text) {
    const TemporaryFile other(text, "other");
    const Topology machine = read_topology(matrix.path() + "+" + other.path());
    CHECK(to_string(machine.path_class(Place(0), Place(1))) == "NV18");
    const Topology turned = read_topology(other.path() + "+" + matrix.path());
    CHECK(turned.bandwidth(Place(0), Place(1)) == machine.bandwidth(Place(0), Place(1)));
    return machine.bandwidth(Place(0), Place(1)).value() / 1e9;
  };
  const auto smi = [](const std::string& facts) {
    std::string text = "<nvidia_smi_log>";
    for (const std::string bus : {"18", "3A"}) text += "<gpu id=\"00000000:" + bus + ":00.0\">" + facts + "</gpu>";
    return text + "</nvidia_smi_log>";
  };
  CHECK(rate_with(smi("<product_name>NVIDIA B200</product_name>")) == 900);
  CHECK(rate_with(smi("<product_name>NVIDIA H100 80GB HBM3</product_name>")) == 450);
  CHECK(rate_with(smi("<product_name>NVIDIA Z9</product_name>"
                      "<product_architecture>Blackwell</product_architecture>")) == 900);
  CHECK(rate_with(smi("<product_name>NVIDIA Z9</product_name>")) == 450);  // the generation is unknown
  const auto nccl = [](const std::string& pci, const std::string& gpu) {
    return "<system><cpu><pci busid=\"0000:18:00.0\" class=\"0x030200\" " + pci + "><gpu dev=\"0\" " + gpu +
           "/></pci><pci busid=\"0000:3a:00.0\" class=\"0x030200\" " + pci + "><gpu dev=\"1\" " + gpu +
           "/></pci></cpu></system>";
  };
  CHECK(rate_with(nccl("", "sm=\"100\"")) == 900);
  CHECK(rate_with(nccl("vendor=\"0x10de\" device=\"0x2901\"", "")) == 900);
  CHECK(rate_with("P2P Connectivity Matrix\nDevice: 0, NVIDIA B200, pciBusID: 18, pciDeviceID: 0, pciDomainID:0\n"
                  "Device: 1, NVIDIA B200, pciBusID: 3a, pciDeviceID: 0, pciDomainID:0\n"
                  "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1\n     0 1e3 50\n     1 50 "
                  // The measured rate; the link itself has its peak rate.
                  "1e3\n") == doctest::Approx(50));
}

TEST_CASE("what one vendor's tool prints belongs to its GPUs of a node with those of two vendors") {
  std::string text = "<system><cpu>";
  for (int i = 0; i < 5; ++i)
    text += "<pci busid=\"0000:1" + std::to_string(i) + ":00.0\" class=\"0x030200\" vendor=\"" +
            (i % 2 == 0 ? "0x1002" : "0x10de") + "\"/>";
  const TemporaryFile node(text + "</cpu></system>", "node");
  const TemporaryFile nvidia("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n", "nvidia");
  const TemporaryFile facts(
      "<nvidia_smi_log><gpu id=\"00000000:11:00.0\"><uuid>GPU-a</uuid></gpu>"
      "<gpu id=\"00000000:13:00.0\"><uuid>GPU-b</uuid></gpu></nvidia_smi_log>",
      "facts");
  const Topology machine = read_topology(node.path() + "+" + nvidia.path() + "+" + facts.path());
  REQUIRE(machine.place_count() == 5);
  CHECK(to_string(machine.path_class(Place(1), Place(3))) == "NV4");
  CHECK(to_string(machine.path_class(Place(0), Place(2))) == "PHB");
  CHECK(machine.vertex_of(Place(3)).name == "NVIDIA GPU1");
  CHECK(machine.vertex_of(Place(3)).uuid == "GPU-b");
  CHECK(machine.vertex_of(Place(2)).uuid.empty());
  CHECK(std::ranges::any_of(machine.warnings(), [](const std::string& warning) {
    return warning.starts_with("the NVIDIA GPUs of '") &&
           warning.find("are joined by their order") != std::string::npos;
  }));
  CHECK(std::ranges::none_of(machine.warnings(), [](const std::string& warning) {
    return warning.find("does not know") != std::string::npos || warning.find("is not used") != std::string::npos;
  }));
}

TEST_CASE("a machine with NVLink and one with xGMI are not one by the order of their GPUs") {
  for (const char* argument : {"preset:mi300x+preset:hgx-h100", "preset:hgx-h100+preset:mi300x"})
    CHECK_THROWS_WITH_AS((void)read_topology(argument), doctest::Contains("these are two machines"), Error);
}

TEST_CASE("a description in a container's log, a string or a page is the description") {
  for (const std::string text :
       {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n",
        "{\"log\":\"\\tGPU0\\tGPU1\\n\",\"stream\":\"stdout\"}\n{\"log\":\"GPU0\\t X \\tNV4\\n\"}\n"
        "{\"log\":\"GPU1\\tNV4\\t X \\n\"}\n",
        "2026-11-26T06:00:00.1Z stdout F \tGPU0\tGPU1\n2026-11-26T06:00:00.1Z stdout F GPU0\t X \tNV4\n"
        "2026-11-26T06:00:00.1Z stdout F GPU1\tNV4\t X \n",
        "'\\tGPU0\\tGPU1\\nGPU0\\t X \\tNV4\\nGPU1\\tNV4\\t X \\n'\n",
        "&#9;GPU0&#9;GPU1\nGPU0&#9; X &#9;NV4\nGPU1&#9;NV4&#9; X \n",
        "\t\u200bGPU0\t\u200bGPU1\nGPU0\t X\u2060 \u3000NV4\n\ufeffGPU1\u2003NV4\t X \n"}) {
    CAPTURE(text);
    CHECK(to_string(read_topology_text("f", text).path_class(Place(0), Place(1))) == "NV4");
    CHECK(to_string(read_topology(TemporaryFile(text).path()).path_class(Place(0), Place(1))) == "NV4");
  }
}

TEST_CASE("each file is opened once, whatever it is joined with") {
  const TemporaryFile matrix("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n", "matrix");
  const TemporaryFile p2p("  GPU0 GPU1\n GPU0 X CNS\n GPU1 OK X\n", "p2p");
  const TemporaryFile tree("SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=r Switches=s1,s2\n",
                           "tree");
  const test::Opened opened(matrix.path());
  const test::Opened opened_p2p(p2p.path());
  const test::Opened opened_tree(tree.path());
  for (const std::string& argument :
       {matrix.path(), matrix.path() + "+" + p2p.path(), p2p.path() + "+" + matrix.path(),
        matrix.path() + "+" + matrix.path(), "cluster:" + tree.path() + "," + matrix.path(),
        "cluster:" + tree.path() + "," + matrix.path() + "+" + p2p.path()}) {
    CAPTURE(argument);
    (void)read_topology(argument);
    CHECK(opened.count() == 1);
    CHECK(opened_p2p.count() == (argument.find(p2p.path()) != std::string::npos ? 1 : 0));
    CHECK(opened_tree.count() == (argument.starts_with("cluster:") ? 1 : 0));
  }
}
