// SPDX-License-Identifier: BSD-3-Clause
// A recorded profile of two processes. The first byte decides whether the input has its own header or follows a valid
// one. Both processes get the same segments: their communicators and calls match.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/profile/format.hpp>
#include <topowise/traffic_source/recorded/recorded.hpp>

namespace {

std::string sound_header(std::int32_t rank, std::int32_t world_size) {
  const topowise::profile::Header header = topowise::profile::new_header(rank, world_size);
  std::string bytes(sizeof(header), '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int world_size = std::max(1, data[0] & 127);
  std::vector<topowise::ProfileFile> files;
  if (data[0] >= 128) {
    files.push_back({"fuzz", body});
  } else {
    for (std::int32_t rank = 0; rank < std::min(world_size, 2); ++rank)
      files.push_back({"fuzz", sound_header(rank, world_size) + body});
  }
  for (const char* model : {"openmpi", "mpich", "linear"}) {
    std::vector<topowise::Diagnostic> warnings;
    try {
      (void)topowise::merge_profile("fuzz", files, model, "all", warnings);
    } catch (const topowise::Error&) {
    }
  }
  return 0;
}
