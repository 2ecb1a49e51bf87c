// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

using namespace topowise;

namespace {

std::string file(const std::string& dictionary, const std::string& numbers, char version = 1) {
  const std::string length{static_cast<char>(dictionary.size() & 255), static_cast<char>(dictionary.size() >> 8)};
  return std::string("\x93NUMPY") + version + '\0' + length + (version > 1 ? std::string(2, '\0') : "") + dictionary +
         numbers;
}

template <class Number>
std::string raw(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::string dictionary(const char* type, bool fortran = false, const char* shape = "(2, 2)") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}   \n", type, fortran ? "True" : "False",
                     shape);
}

std::string refusal(const std::string& text) {
  try {
    (void)read_npy("file", text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().what;
  }
  return "accepted";
}

}  // namespace

TEST_CASE(".npy of every type gives the same matrix") {
  const std::vector<std::string> files{
      file(dictionary("<f8"), raw<double>({0, 3, 4, 0})),
      file(dictionary("<f4"), raw<float>({0, 3, 4, 0})),
      file(dictionary("<i8"), raw<std::int64_t>({0, 3, 4, 0})),
      file(dictionary("<i4"), raw<std::int32_t>({0, 3, 4, 0})),
      file(dictionary("<u2"), raw<std::uint16_t>({0, 3, 4, 0})),
      file(dictionary("|u1"), raw<std::uint8_t>({0, 3, 4, 0})),
      file(dictionary("<f8"), raw<double>({0, 3, 4, 0}), 2),
      file(dictionary("<f8"), raw<double>({0, 3, 4, 0}), 3),
      file(dictionary("<f8", true), raw<double>({0, 4, 3, 0})),
      file(dictionary(">i4"), std::string("\0\0\0\0\0\0\0\3\0\0\0\4\0\0\0\0", 16)),
  };
  for (const std::string& text : files) {
    CAPTURE(text);
    CHECK(looks_like_npy(text));
    const Traffic traffic = read_npy("file", text);
    CHECK(traffic.ranks() == 2);
    CHECK(traffic.bytes(Rank(0), Rank(1)) == Bytes(3));
    CHECK(traffic.bytes(Rank(1), Rank(0)) == Bytes(4));
    CHECK(traffic.entries().size() == 2);
  }
}

TEST_CASE(".npy: damage") {
  const std::string numbers = raw<double>({0, 3, 4, 0});
  CHECK(refusal(file(dictionary("<f8"), numbers.substr(1))) ==
        "2 x 2 numbers of 8 bytes are announced, but 31 bytes follow");
  CHECK(refusal(file(dictionary("<f8", false, "(4000000000, 4000000000)"), numbers)).find("are announced") !=
        std::string::npos);
  CHECK(refusal(file(dictionary("<f8", false, "(2, 3)"), raw<double>({0, 3, 4, 0, 5, 6})))
            .find("shape (2, 3) is no traffic matrix") != std::string::npos);
  CHECK(refusal(file(dictionary("<f8", false, "(4,)"), numbers)).find("shape (4,)") != std::string::npos);
  CHECK(refusal(file(dictionary("<c8"), numbers)).find("type '<c8' are not read") != std::string::npos);
  CHECK(refusal(file("{}", numbers)) == "the .npy header has no 'descr'");
  CHECK(refusal(file(dictionary("<f8"), numbers, 9)) == "version 9 of .npy is not known, only 1 to 3");
  CHECK(refusal(file(dictionary("<f8"), raw<double>({0, -3, 4, 0}))) == "[0, 1] is '-3', not a number of bytes");
  CHECK(refusal(std::string("\x93NUMPY\1\0\xff\xff....", 14)).find("announces 65535 bytes") != std::string::npos);
  CHECK(refusal("\x93NUMPY") == "not a whole .npy header");
}
