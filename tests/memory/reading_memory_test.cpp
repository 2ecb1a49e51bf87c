// SPDX-License-Identifier: BSD-3-Clause
// For any content, reading a file takes at most four times its size, plus the result itself (a host, a pair of ranks)
// and a constant. The four times are the text and three times as much beside it. The constant is there because some
// readers stop at a number of things and not before. It says nothing about large files: the test therefore reads texts
// of two sizes, and memory may grow from one to the other by at most three times as much as the text.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/cluster/cluster.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/source.hpp>

#include "counted_memory.hpp"
#include "texts.hpp"

using namespace topowise;
using test::LargeText;
using test::MemoryPeak;

namespace {

constexpr std::size_t kSmall = std::size_t{2} << 20;
constexpr std::size_t kLarge = std::size_t{4} << 20;
constexpr std::size_t kConstant = std::size_t{64} << 20;

template <class Read>
std::size_t peak_of(const LargeText& large, std::size_t size, const Read& read) {
  const std::string text = large.make(size);
  const MemoryPeak peak;
  try {
    read(text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
  }
  return peak.bytes();
}

template <class Read>
void check(std::string_view format, const LargeText& large, const Read& read) {
  CAPTURE(format);
  CAPTURE(large.begin);
  CAPTURE(large.part);
  const std::size_t small = peak_of(large, kSmall, read);
  const std::size_t much = peak_of(large, kLarge, read);
  const std::size_t own = large.own * large.parts(kSmall);
  const std::size_t more = large.own * large.parts(kLarge) - own;
  CHECK(small <= 3 * kSmall + own + kConstant);
  CHECK(much <= small + 3 * (kLarge - kSmall) + more + (kConstant >> 6));
}

/// Checks the format's own texts; there must be some.
template <class Read>
void check_own(std::string_view format, std::span<const LargeText> texts, const Read& read) {
  std::size_t own = 0;
  for (const LargeText& large : texts) {
    if (large.format != format) continue;
    check(format, large, read);
    ++own;
  }
  CAPTURE(format);
  CHECK(own > 0);  // a new format needs large texts in texts.cpp
}

}  // namespace

TEST_CASE("every format of topologies is read in four times its size") {
  for (const TopologyFormat& format : topology_formats())
    check_own(format.name, test::large_topology_texts(),
              [&](const std::string& text) { (void)format.read("t", text); });
}

TEST_CASE("every format of traffic is read in four times its size") {
  for (const TrafficFormatHelp& format : traffic_format_help()) {
    TrafficOptions options;
    options.format = format.name;
    check_own(format.name, test::large_traffic_texts(),
              [&](const std::string& text) { (void)read_traffic_text("t", text, options); });
  }
}

TEST_CASE("so is what is no such format" * doctest::test_suite("wide")) {
  for (const LargeText& large : test::large_texts()) {
    for (const TopologyFormat& format : topology_formats())
      check(format.name, large, [&](const std::string& text) { (void)format.read("t", text); });
    for (const TrafficFormatHelp& format : traffic_format_help()) {
      TrafficOptions options;
      options.format = format.name;
      check(format.name, large, [&](const std::string& text) { (void)read_traffic_text("t", text, options); });
    }
  }
}

TEST_CASE("so are the other texts") {
  for (const LargeText& large : test::large_texts()) {
    check("mapping", large, [](const std::string& text) { (void)mapping_from_json("t", text); });
    check("exchange", large, [](const std::string& text) { (void)exchange_from_json("t", text); });
    check("nvidia-smi -q -x", large, [](const std::string& text) { (void)read_nvidia_smi_xml("t", text); });
  }
}

namespace {

/// A matrix with at most two bytes for each pair: `cell` makes a cell from the number of row and column.
std::string full_matrix(std::string_view format, std::size_t ranks,
                        const std::function<std::string(std::size_t)>& cell) {
  const std::string_view separator = format == "csv" ? "," : format == "matrix-market" ? "\n" : " ";
  std::string text;
  if (format == "qaplib") text = fmt::format("{}\n", ranks);
  if (format == "matrix-market") text = fmt::format("%%MatrixMarket matrix array real general\n{0} {0}\n", ranks);
  const std::size_t rows = format == "qaplib" ? 2 * ranks : ranks;
  for (std::size_t i = 0; i < rows * ranks; ++i) text.append(cell(i)).append((i + 1) % ranks == 0 ? "\n" : separator);
  return text;
}

/// Reads the text in four times its size, including the text, plus a constant.
void check_full(std::string_view format, const std::string& text, std::size_t pairs) {
  constexpr std::size_t kAlways = std::size_t{4} << 20;
  CAPTURE(format);
  CAPTURE(text.size());
  TrafficOptions options;
  options.format = format;
  const MemoryPeak peak;
  const Traffic traffic = read_traffic_text("t", text, options).traffic;
  CHECK(traffic.entries().size() == pairs);
  CHECK(peak.bytes() <= 3 * text.size() + kAlways);
}

constexpr std::size_t kFull = 1400;

}  // namespace

TEST_CASE("a full matrix of digits is read in four times its size") {
  const auto digits = [](std::size_t i) { return std::to_string(1 + i * 7919 % 9); };
  for (const std::string_view format : {"matrix", "csv", "qaplib", "matrix-market"})
    check_full(format, full_matrix(format, kFull, digits), kFull * kFull);
}

TEST_CASE("so is one of few digits and some large numbers, of many different ones, and of fractions") {
  const auto some = [](std::size_t i) { return i % 97 == 0 ? fmt::format("{}", i * 1000) : std::string("1"); };
  const auto all = [](std::size_t i) { return std::to_string(i * 7919 % 999983 + 1); };
  const auto fractions = [](std::size_t i) { return fmt::format("{}.5", i % 10); };
  for (const std::string_view format : {"matrix", "csv", "matrix-market"}) {
    for (const auto& cell : {std::function<std::string(std::size_t)>(some), {all}, {fractions}}) {
      const std::string text = full_matrix(format, kFull, cell);
      check_full(format, text, kFull * kFull - (cell(0) == "0" ? 1 : 0));
    }
  }
}

TEST_CASE("so are a NumPy array of bytes in either order, a full METIS graph, and every pair once in a list") {
  for (const std::string_view order : {"False", "True"}) {
    std::string dictionary = fmt::format("{{'descr': '|u1', 'fortran_order': {0}, 'shape': ({1}, {1})}}", order, kFull);
    dictionary.resize(117, ' ');
    std::string text = "\x93NUMPY\x01";
    text.append(1, '\0').append(1, 118).append(1, '\0').append(dictionary).append("\n");
    text.append(kFull * kFull, '\x05');
    check_full("npy", text, kFull * kFull);
  }
  std::string graph = fmt::format("{} {}\n", kFull, kFull * (kFull - 1) / 2);
  std::string list = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  list += fmt::format("{0} {0} {1}\n", kFull, kFull * (kFull - 1) / 2);
  for (std::size_t row = 1; row <= kFull; ++row) {
    for (std::size_t column = 1; column <= kFull; ++column) {
      if (column != row) graph += fmt::format("{} ", column);
      if (column < row) list += fmt::format("{} {}\n", row, column);
    }
    graph.back() = '\n';
  }
  check_full("metis", graph, kFull * (kFull - 1));
  check_full("matrix-market", list, kFull * (kFull - 1));
}

TEST_CASE("long lists of pairs, and those that name a pair again and again, are added up") {
  for (const std::size_t ranks : {10U, 1000U}) {
    CAPTURE(ranks);
    std::string text = "source,destination,bytes\n";
    std::size_t count = 0;
    for (; text.size() < kLarge; ++count) text += fmt::format("{},{},1\n", count * 7919 % ranks, count / 7 % ranks);
    TrafficOptions options;
    options.format = "csv";
    const MemoryPeak peak;
    const Traffic traffic = read_traffic_text("t", text, options).traffic;
    CHECK(traffic.total_bytes().value() == static_cast<double>(count));
    CHECK(peak.bytes() <= 3 * text.size() + (std::size_t{4} << 20));
  }
}

TEST_CASE("a cluster takes the four times of its fabric, and its own size and a quarter") {
  constexpr std::size_t kRails = 8;
  constexpr std::size_t kHosts = 800;
  std::string text;
  for (std::size_t h = 0; h < kHosts; ++h) {
    for (std::size_t rail = 0; rail < kRails; ++rail)
      text +=
          fmt::format("CA {} 1 0xb8cef6{:010x} 4x NDR - SW {} {} 0xfc6a1c{:010x} ( 'gpu{:05} mlx5_{}' - 'leaf{}' )\n",
                      h * kRails + rail + 1, h * kRails + rail, rail + 1, h + 1, rail, h, rail, rail);
  }
  for (std::size_t rail = 1; rail < kRails; ++rail)
    text += fmt::format("SW {} 900 0xfc6a1c{:010x} 4x NDR - SW 1 {} 0xfc6a1c{:010x} ( 'leaf{}' - 'leaf0' )\n", rail + 1,
                        rail, 900 + rail, 0, rail);
  const MemoryPeak peak;
  const Topology machine = read_cluster("fabric,preset:hgx-h100", [&](const std::string& part) {
    return part == "fabric" ? read_topology_text(part, text) : read_topology(part);
  });
  CHECK(machine.place_count() == kHosts * 8);
  CHECK(peak.bytes() <= peak.held() + peak.held() / 4 + 3 * text.size());
}
