// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy (NEP 1, numpy/lib/format.py): magic, version, length of the header, a Python dictionary such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (4, 4), }, then the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void fail(const std::string& where, std::string what) {
  throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, "numpy.save() writes this format"}});
}

struct NpyHeader {
  char kind = 'f';  ///< f, i, u or b
  std::size_t item_bytes = 8;
  bool swapped = false;
  bool fortran_order = false;
  std::size_t ranks = 0;
};

/// The text after `'key':` in the dictionary, up to the end of the text.
std::string_view value_of(const std::string& where, std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::size_t found = dictionary.find(fmt::format("{0}{1}{0}", quote, key));
    if (found == std::string_view::npos) continue;
    const std::string_view rest = trim(dictionary.substr(found + key.size() + 2));
    if (rest.starts_with(':')) return trim(rest.substr(1));
  }
  fail(where, fmt::format("the .npy header has no '{}'", key));
}

void read_type(const std::string& where, std::string_view value, NpyHeader& header) {
  const std::size_t end = value.size() > 1 ? value.find(value.front(), 1) : std::string_view::npos;
  const std::string_view name = end == std::string_view::npos ? value.substr(0, 20) : value.substr(1, end - 1);
  const bool known =
      end != std::string_view::npos && name.size() == 3 &&
      std::string_view("<>=|").find(name[0]) != std::string_view::npos &&
      (name.substr(1) == "f4" || name.substr(1) == "f8" || name.substr(1) == "b1" ||
       ((name[1] == 'i' || name[1] == 'u') && std::string_view("1248").find(name[2]) != std::string_view::npos));
  if (!known)
    fail(where, fmt::format("numbers of type '{}' are not read, only f4, f8, i1 to i8, u1 to u8, b1", printable(name)));
  header.kind = name[1];
  header.item_bytes = static_cast<std::size_t>(name[2] - '0');
  header.swapped = (name[0] == '>' && std::endian::native == std::endian::little) ||
                   (name[0] == '<' && std::endian::native == std::endian::big);
}

void read_shape(const std::string& where, std::string_view value, NpyHeader& header) {
  const std::size_t close = value.find(')');
  const std::string_view shape = value.substr(0, close == std::string_view::npos ? 40 : close + 1);
  std::vector<std::size_t> extents;
  if (shape.starts_with('(') && shape.ends_with(')')) {
    for (std::string_view part : split(shape.substr(1, shape.size() - 2), ',')) {
      const std::optional<std::int64_t> extent = parse_integer(trim(part));
      if (extent && *extent >= 0) extents.push_back(static_cast<std::size_t>(*extent));
    }
  }
  if (extents.size() != 2 || extents[0] != extents[1] || extents[0] == 0)
    fail(where,
         fmt::format("an array of shape {} is no traffic matrix: rows and columns must be equal", printable(shape)));
  header.ranks = extents[0];
}

/// Reads the header and cuts it off, so that only the numbers are left in `text`.
NpyHeader read_header(const std::string& where, std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  if (text.size() < 12 || !text.starts_with(kMagic)) fail(where, "not a whole .npy header");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) fail(where, fmt::format("version {} of .npy is not known, only 1 to 3", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - prefix)
    fail(where, fmt::format("the .npy header announces {} bytes, but {} follow", length, text.size() - prefix));
  const std::string_view dictionary = text.substr(prefix, length);
  text.remove_prefix(prefix + length);

  NpyHeader header;
  read_type(where, value_of(where, dictionary, "descr"), header);
  const std::string_view order = value_of(where, dictionary, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False"))
    fail(where, "'fortran_order' is neither True nor False");
  header.fortran_order = order.starts_with("True");
  read_shape(where, value_of(where, dictionary, "shape"), header);
  return header;
}

template <class Number>
double load(const char* at, bool swapped) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, at, sizeof(Number));
  if (swapped) std::reverse(std::begin(bytes), std::end(bytes));
  Number number;
  std::memcpy(&number, bytes, sizeof(Number));
  return static_cast<double>(number);
}

using Load = double (*)(const char*, bool);

Load loader(const NpyHeader& header) {
  const bool is_signed = header.kind == 'i';
  if (header.kind == 'f') return header.item_bytes == 4 ? load<float> : load<double>;
  switch (header.item_bytes) {
    case 1:
      return is_signed ? load<std::int8_t> : load<std::uint8_t>;
    case 2:
      return is_signed ? load<std::int16_t> : load<std::uint16_t>;
    case 4:
      return is_signed ? load<std::int32_t> : load<std::uint32_t>;
    default:
      return is_signed ? load<std::int64_t> : load<std::uint64_t>;
  }
}

}  // namespace

bool looks_like_npy(std::string_view head) {
  return head.starts_with(kMagic);
}

Traffic read_npy(const std::string& where, std::string_view text) {
  const NpyHeader header = read_header(where, text);
  const double needed =
      static_cast<double>(header.ranks) * static_cast<double>(header.ranks) * static_cast<double>(header.item_bytes);
  if (needed != static_cast<double>(text.size()))
    fail(where, fmt::format("{0} x {0} numbers of {1} bytes are announced, but {2} bytes follow", header.ranks,
                            header.item_bytes, text.size()));
  const Load number = loader(header);
  TrafficBuilder entries;
  for (std::size_t i = 0; i < header.ranks * header.ranks; ++i) {
    const std::size_t row = i / header.ranks;
    const std::size_t column = i % header.ranks;
    const std::size_t at = header.fortran_order ? column * header.ranks + row : i;
    const double bytes = number(text.data() + at * header.item_bytes, header.swapped);
    if (!std::isfinite(bytes) || bytes < 0)
      fail(where, fmt::format("[{}, {}] is '{}', not a number of bytes", row, column, bytes));
    if (bytes > 0) entries.add(matrix::entry(row, column, bytes));
  }
  return std::move(entries).finish(header.ranks);
}

}  // namespace topowise
