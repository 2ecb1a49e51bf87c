// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/zip_archive.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

#include <topowise/base/compression.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr std::size_t kEnd = 22;     ///< bytes of the record at the end
constexpr std::size_t kListed = 46;  ///< bytes of a file in the list, without its name
constexpr std::size_t kLocal = 30;   ///< bytes before a file, without its name
constexpr std::size_t kMostMembers = 4096;
constexpr std::size_t kLongestName = 1024;

constexpr std::array<std::uint32_t, 256> kChecksums = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? 0xedb88320U ^ sum >> 1 : sum >> 1;
    table[i] = sum;
  }
  return table;
}();

std::uint32_t checksum_of(std::string_view text) {
  std::uint32_t sum = 0xffffffffU;
  for (const char c : text) sum = kChecksums[(sum ^ static_cast<unsigned char>(c)) & 0xffU] ^ sum >> 8;
  return ~sum;
}

std::string four_bytes(std::size_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace

ZipArchive::ZipArchive(std::string where, std::string_view text) : where_(std::move(where)), text_(text) {
  const std::size_t end = text.rfind("PK\x05\x06");
  if (end == std::string_view::npos || end + kEnd > text.size())
    fail("the archive is cut off: its list of files is missing");
  const std::size_t count = number(end + 10, 2);
  std::size_t at = number(end + 16, 4);
  if (count > kMostMembers) fail(fmt::format("an archive of {} files", count));
  for (std::size_t i = 0; i < count; ++i) at = read_member(at);
}

void ZipArchive::fail(std::string what) const {
  throw Error(ExitStatus::bad_input, {Diagnostic{where_, {}, std::move(what), {}, {}}});
}

std::size_t ZipArchive::number(std::size_t at, std::size_t size) const {
  if (at > text_.size() || size > text_.size() - at) fail(fmt::format("byte {}: the archive is damaged", at));
  std::size_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(text_[at + i]);
  return number;
}

std::size_t ZipArchive::read_member(std::size_t at) {
  constexpr std::size_t kListMark = 0x02014b50;
  constexpr std::size_t kLocalMark = 0x04034b50;
  if (number(at, 4) != kListMark) fail(fmt::format("byte {}: the list of files is damaged", at));
  const std::size_t flags = number(at + 8, 2);
  const std::size_t method = number(at + 10, 2);
  const std::size_t packed = number(at + 20, 4);
  const std::size_t name = number(at + 28, 2);
  const std::size_t local = number(at + 42, 4);
  Member member;
  member.checksum = static_cast<std::uint32_t>(number(at + 16, 4));
  member.size = number(at + 24, 4);
  member.deflated = method == 8;
  (void)number(at + kListed, name);
  if (name > kLongestName) fail(fmt::format("byte {}: a name of {} bytes", at, name));
  member.name = text_.substr(at + kListed, name);
  const std::string shown = printable(member.name);
  if ((flags & 1) != 0) fail(fmt::format("'{}' is encrypted", shown));
  if (method != 0 && method != 8)
    fail(fmt::format("'{}' is compressed by method {}, not stored or deflated", shown, method));
  if (packed == 0xffffffff || member.size == 0xffffffff || member.size > kLargestStream)
    fail(fmt::format("'{}' is larger than {} GiB", shown, kLargestStream >> 30));
  if (number(local, 4) != kLocalMark) fail(fmt::format("byte {}: '{}' does not begin here", local, shown));
  const std::size_t begin = local + kLocal + number(local + 26, 2) + number(local + 28, 2);
  if (begin > text_.size() || packed > text_.size() - begin) fail(fmt::format("'{}' is cut off", shown));
  member.data = text_.substr(begin, packed);
  if (!member.deflated && packed != member.size) fail(fmt::format("'{}' has two sizes", shown));
  members_.push_back(std::move(member));
  return at + kListed + name + number(at + 30, 2) + number(at + 32, 2);
}

std::string_view ZipArchive::content(const Member& member, std::string& kept) {
  const std::string shown = printable(member.name);
  if (!member.deflated) {
    if (checksum_of(member.data) != member.checksum)
      fail(fmt::format("'{}' is damaged: its checksum is another", shown));
    return member.data;
  }
  if (member.size > kLargestStream - unpacked_)
    fail(fmt::format("'{}' and the files before it have more than {} GiB in all", shown, kLargestStream >> 30));
  unpacked_ += member.size;
  // The data of a zip archive are those of gzip without its header and its end, where gzip has checksum and size.
  Decompressor decompressor(Compression::gzip, fmt::format("{}: {}", where_, shown));
  const std::string before("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  const std::string behind = four_bytes(member.checksum) + four_bytes(member.size);
  for (std::string_view part : {std::string_view(before), member.data, std::string_view(behind)}) {
    while (!part.empty()) {
      decompressor.append(part, kept, member.size + 1);
      if (kept.size() > member.size) fail(fmt::format("'{}' is larger than it says", shown));
    }
  }
  decompressor.finish();
  if (kept.size() != member.size) fail(fmt::format("'{}' is smaller than it says", shown));
  return kept;
}

}  // namespace topowise
