// SPDX-License-Identifier: BSD-3-Clause
// Whatever a file holds, reading it takes at most four times its size: the text, and three times as much beside it,
// what is read itself (a host, a pair of ranks), and a constant, because some readers stop at a number of things and
// not before. The constant says nothing of large files, so texts of two sizes are read: from one to the other memory
// may grow by three times as much as the text.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <tuple>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/xml/nvidia_smi_xml.hpp>
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

/// All texts for a format: those of any, and its own, of which there must be some.
template <class Read>
void check_all(std::string_view format, std::span<const LargeText> texts, const Read& read) {
  for (const LargeText& large : test::large_texts()) check(format, large, read);
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
    check_all(format.name, test::large_topology_texts(),
              [&](const std::string& text) { (void)format.read("t", text); });
}

TEST_CASE("every format of traffic is read in four times its size") {
  for (const TrafficFormat& format : traffic_formats()) {
    TrafficOptions options;
    options.format = format.name;
    check_all(format.name, test::large_traffic_texts(),
              [&](const std::string& text) { (void)read_traffic_text("t", text, options); });
  }
}

TEST_CASE("so are the other texts") {
  for (const LargeText& large : test::large_texts()) {
    check("mapping", large, [](const std::string& text) { (void)mapping_from_json("t", text); });
    check("exchange", large, [](const std::string& text) { (void)exchange_from_json("t", text); });
    check("nvidia-smi -q -x", large, [](const std::string& text) { (void)read_nvidia_smi_xml("t", text); });
  }
}

TEST_CASE("a full matrix takes 24 bytes a pair beside its text") {
  constexpr std::size_t kRanks = 1200;
  for (const auto& [format, separator, begin] :
       {std::tuple("matrix", " ", ""), {"csv", ",", ""}, {"qaplib", " ", "1200\n"}, {"matrix-market", "\n", ""}}) {
    CAPTURE(format);
    std::string text = begin;
    if (std::string_view(format) == "matrix-market")
      text = fmt::format("%%MatrixMarket matrix array real general\n{0} {0}\n", kRanks);
    const std::size_t rows = std::string_view(format) == "qaplib" ? 2 * kRanks : kRanks;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < kRanks; ++column)
        text += column + 1 < kRanks ? std::string("1") + separator : "1\n";
    }
    TrafficOptions options;
    options.format = format;
    const MemoryPeak peak;
    const Traffic traffic = read_traffic_text("t", text, options).traffic;
    CHECK(traffic.entries().size() == kRanks * kRanks);
    CHECK(peak.bytes() <= kRanks * kRanks * sizeof(TrafficEntry) + text.size());
  }
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
    CHECK(peak.bytes() <= traffic.entries().size() * sizeof(TrafficEntry) + 3 * text.size());
  }
}
