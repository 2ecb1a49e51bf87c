// SPDX-License-Identifier: BSD-3-Clause
// Compressed files: for any bytes, the reader returns as many bytes as requested, or throws an Error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <topowise/base/compression.hpp>
#include <topowise/base/error.hpp>

namespace {

constexpr std::size_t kMost = 1 << 20;

/// Reads pieces of `piece` bytes.
std::string decompressed(topowise::Compression kind, std::string_view bytes, std::size_t piece) {
  topowise::Decompressor decompressor(kind, "fuzz");
  std::string output;
  while (!bytes.empty() && output.size() < kMost) {
    std::string_view input = bytes.substr(0, piece);
    bytes.remove_prefix(input.size());
    decompressor.append(input, output, kMost);
  }
  if (output.size() > kMost) std::abort();
  return output;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const topowise::Compression kind = topowise::compression_of(bytes);
  if (kind == topowise::Compression::none) return 0;
  try {
    if (decompressed(kind, bytes, size) != decompressed(kind, bytes, 7)) std::abort();
  } catch (const topowise::Error&) {  // refused
  }
  return 0;
}
