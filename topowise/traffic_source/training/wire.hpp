// SPDX-License-Identifier: BSD-3-Clause
// The wire format of protocol buffers, as far as it is needed to read a few fields. A message is a sequence of fields.
// Each field is a number and a varint, 4 bytes, 8 bytes, or a length with so many bytes. Fields that are not asked for
// are skipped. (The library would bring a code generator into the build and a shared library into every program, for
// six fields.)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace topowise::training {

class WireMessage {
 public:
  explicit WireMessage(std::string_view bytes) : rest_(bytes) {}

  /// Goes to the next field; false at the end and where the message is damaged.
  [[nodiscard]] bool next();
  [[nodiscard]] bool damaged() const { return damaged_; }

  [[nodiscard]] std::uint32_t field() const { return field_; }
  /// The value of a varint, or the bits of a field of 4 or 8 bytes.
  [[nodiscard]] std::optional<std::uint64_t> number() const { return number_; }
  /// The bytes of a field with a length.
  [[nodiscard]] std::optional<std::string_view> bytes() const { return bytes_; }

 private:
  std::string_view rest_;
  std::uint32_t field_ = 0;
  std::optional<std::uint64_t> number_;
  std::optional<std::string_view> bytes_;
  bool damaged_ = false;
};

/// Takes a varint from the begin of `bytes`. Nothing if there is none, or it is cut or too long.
[[nodiscard]] std::optional<std::uint64_t> take_varint(std::string_view& bytes);

}  // namespace topowise::training
