// SPDX-License-Identifier: BSD-3-Clause
// A cluster given by words. The first line of the input is what a user types, the rest is the fabric that `f` names;
// `n` and `m` are nodes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/cluster/cluster.hpp>
#include <topowise/topology_source/cluster/job_hosts.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

namespace {

using namespace topowise;

Topology read(const std::string& word, std::string_view fabric) {
  static const Topology node = read_preset("hgx-h100");
  static const Topology other = read_preset("dgx-a100");
  if (word == "f") {
    constexpr std::size_t kLargest = 64;  // a short list can name many hosts
    Topology network = read_topology_text("f", fabric);
    if (network.place_count() <= kLargest) return network;
  }
  if (word == "n") return node;
  if (word == "m") return other;
  throw usage_error("no such word, or too large");
}

void compose(std::string_view words, std::string_view fabric) {
  if (words.find_first_of("@/") != std::string_view::npos || fabric.size() > 2000) return;  // no files, nothing large
  const Topology machine = read_cluster(words, [&](const std::string& word) { return read(word, fabric); });
  const Place first(0);
  const Place last(machine.place_count() - 1);
  if (machine.route(first, last).size() != machine.route(last, first).size()) std::abort();
  if (machine.level(first, last) != machine.level(last, first)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t end = std::min(text.find('\n'), size);
  try {
    compose(text.substr(0, end), text.substr(std::min(end + 1, size)));
  } catch (const Error&) {  // refused
  }
  try {
    (void)parts_of_file("hosts", text);
  } catch (const Error&) {  // refused
  }
  return 0;
}
