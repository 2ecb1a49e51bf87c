// SPDX-License-Identifier: BSD-3-Clause
// Code that the fuzz targets of topology formats share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/formats.hpp>

namespace topowise {

/// Reads the input as `format`. Either the reader refuses it with an Error, or the resulting machine must answer
/// queries about its places.
inline int fuzz_format(const TopologyFormat& format, const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)format.recognises(text.substr(0, 65536));
  try {
    const Topology topology = format.read("fuzz", text);
    const Place first(0);
    const Place last(topology.place_count() - 1);
    if (first != last && topology.level(first, last) != topology.level(last, first)) std::abort();
    (void)topology.route(first, last);
    (void)topology.bandwidth(first, last);
    (void)topology.latency(first, last);
  } catch (const Error&) {  // refused
  }
  return 0;
}

}  // namespace topowise
