// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/wire.hpp>

namespace topowise::training {
namespace {

std::optional<std::uint64_t> take_little_endian(std::string_view& bytes, std::size_t count) {
  if (bytes.size() < count) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(count);
  return number;
}

}  // namespace

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  constexpr std::size_t kLongest = 10;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size() && i < kLongest; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    number |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return number;
    }
  }
  return std::nullopt;
}

bool WireMessage::next() {
  number_.reset();
  bytes_.reset();
  if (damaged_ || rest_.empty()) return false;
  damaged_ = true;  // until the field is whole
  const std::optional<std::uint64_t> tag = take_varint(rest_);
  if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1fffffff) return false;
  field_ = static_cast<std::uint32_t>(*tag >> 3);
  switch (*tag & 7) {
    case 0:
      number_ = take_varint(rest_);
      break;
    case 1:
      number_ = take_little_endian(rest_, 8);
      break;
    case 2: {
      const std::optional<std::uint64_t> length = take_varint(rest_);
      if (!length || *length > rest_.size()) return false;
      bytes_ = rest_.substr(0, *length);
      rest_.remove_prefix(*length);
      break;
    }
    case 5:
      number_ = take_little_endian(rest_, 4);
      break;
    default:
      return false;
  }
  damaged_ = !number_ && !bytes_;
  return !damaged_;
}

}  // namespace topowise::training
