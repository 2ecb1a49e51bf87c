// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy (NEP 1, numpy/lib/format.py): magic, version, length of the header, a Python dictionary such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (4, 4), }, then the numbers.
#include <topowise/traffic_source/matrix/npy_array.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise::npy {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void fail(const std::string& where, std::string what) {
  throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, "numpy.save() writes this format"}});
}

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

/// Cuts the dictionary of the header off, so that only the numbers are left in `text`.
std::string_view take_dictionary(const std::string& where, std::string_view& text) {
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
  return dictionary;
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

Load loader(char kind, std::size_t item_bytes) {
  const bool is_signed = kind == 'i';
  if (kind == 'f') return item_bytes == 4 ? load<float> : load<double>;
  switch (item_bytes) {
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

/// Bytes of a text of type S3 or U3; nothing for another type.
std::optional<std::size_t> text_bytes(std::string_view name) {
  if (name.size() < 3 || (name[1] != 'S' && name[1] != 'U')) return std::nullopt;
  const std::optional<std::int64_t> length = parse_integer(name.substr(2));
  if (!length || *length < 1 || *length > 4096) return std::nullopt;
  return static_cast<std::size_t>(*length) * (name[1] == 'U' ? 4 : 1);
}

}  // namespace

Array::Array(const std::string& where, std::string_view text) {
  const std::string_view dictionary = take_dictionary(where, text);
  read_type(where, value_of(where, dictionary, "descr"));
  const std::string_view order = value_of(where, dictionary, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False"))
    fail(where, "'fortran_order' is neither True nor False");
  fortran_order_ = order.starts_with("True");
  read_shape(where, value_of(where, dictionary, "shape"));
  numbers_ = text;
  load_ = loader(kind_, item_bytes_);
  check_size(where);
}

void Array::read_type(const std::string& where, std::string_view value) {
  const std::size_t end = value.size() > 1 ? value.find(value.front(), 1) : std::string_view::npos;
  const std::string_view name = end == std::string_view::npos ? value.substr(0, 20) : value.substr(1, end - 1);
  const bool ordered = end != std::string_view::npos && name.size() >= 3 &&
                       std::string_view("<>=|").find(name[0]) != std::string_view::npos;
  const std::optional<std::size_t> text = ordered ? text_bytes(name) : std::nullopt;
  const bool known =
      ordered && name.size() == 3 &&
      (name.substr(1) == "f4" || name.substr(1) == "f8" || name.substr(1) == "b1" ||
       ((name[1] == 'i' || name[1] == 'u') && std::string_view("1248").find(name[2]) != std::string_view::npos));
  if (!known && !text)
    fail(where, fmt::format("numbers of type '{}' are not read, only f4, f8, i1 to i8, u1 to u8, b1",
                            printable(name.substr(0, 20))));
  kind_ = name[1];
  item_bytes_ = text ? *text : static_cast<std::size_t>(name[2] - '0');
  swapped_ = (name[0] == '>' && std::endian::native == std::endian::little) ||
             (name[0] == '<' && std::endian::native == std::endian::big);
}

void Array::read_shape(const std::string& where, std::string_view value) {
  const std::size_t close = value.find(')');
  const std::string_view shape = value.substr(0, close == std::string_view::npos ? 40 : close + 1);
  shape_text_ = printable(shape.substr(0, 80));
  if (!shape.starts_with('(') || !shape.ends_with(')')) fail(where, fmt::format("no shape: '{}'", shape_text_));
  for (const std::string_view part : split(shape.substr(1, shape.size() - 2), ',')) {
    if (trim(part).empty()) continue;
    const std::optional<std::int64_t> extent = parse_integer(trim(part));
    if (!extent || *extent < 0 || shape_.size() == 32) fail(where, fmt::format("no shape: '{}'", shape_text_));
    shape_.push_back(static_cast<std::size_t>(*extent));
  }
}

void Array::check_size(const std::string& where) {
  double needed = static_cast<double>(item_bytes_);
  for (const std::size_t extent : shape_) needed *= static_cast<double>(extent);
  if (needed != static_cast<double>(numbers_.size()))
    fail(where,
         fmt::format("{} numbers of {} bytes are announced, but {} bytes follow",
                     shape_.empty() ? "1" : fmt::format("{}", fmt::join(shape_, " x ")), item_bytes_, numbers_.size()));
  size_ = numbers_.size() / item_bytes_;
}

std::string Array::text() const {
  std::string text;
  const std::size_t step = kind_ == 'U' ? 4 : 1;
  for (std::size_t at = 0; at + step <= std::min(item_bytes_, numbers_.size()); at += step) {
    const char c = numbers_[kind_ == 'U' && swapped_ ? at + 3 : at];
    if (c != '\0') text += c;
  }
  return text;
}

}  // namespace topowise::npy
