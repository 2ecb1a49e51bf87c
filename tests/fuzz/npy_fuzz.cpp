// SPDX-License-Identifier: BSD-3-Clause
// NumPy files: the magic number is fixed, and the input varies the header.
#include <cstddef>
#include <cstdint>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = "\x93NUMPY" + std::string(reinterpret_cast<const char*>(data), size);
  try {
    (void)topowise::read_npy("fuzz", text);
  } catch (const topowise::Error&) {
  }
  return 0;
}
