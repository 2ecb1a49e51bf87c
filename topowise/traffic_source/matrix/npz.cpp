// SPDX-License-Identifier: BSD-3-Clause
// Archives of NumPy's arrays: those of numpy.savez() and numpy.savez_compressed(), and the sparse matrices of
// scipy.sparse.save_npz() in the forms COO, CSR and CSC.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/compression.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/matrix/npy_array.hpp>

namespace topowise {
namespace {

// A zip archive in memory, by the list of its files at its end (APPNOTE 6.3): stored and deflated files, also those
// whose local headers have the sizes of ZIP64, as NumPy writes them.

class ZipArchive {
 public:
  struct Member {
    std::string name;
    std::size_t size = 0;  ///< decompressed
    std::string_view data;
    std::uint32_t checksum = 0;
    bool deflated = false;
  };

  /// Throws Error(bad_input) for damage, for encrypted files and for other compressions. `text` must stay.
  ZipArchive(std::string where, std::string_view text);

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  /// The content of a file: a part of the archive, or `kept` if it is decompressed. Throws Error(bad_input) for damage,
  /// and if what was decompressed of the archive would be larger than what Input reads of a stream.
  [[nodiscard]] std::string_view content(const Member& member, std::string& kept);

 private:
  [[noreturn]] void fail(std::string what) const;
  [[nodiscard]] std::size_t number(std::size_t at, std::size_t size) const;
  [[nodiscard]] std::size_t read_member(std::size_t at);

  std::string where_;
  std::string_view text_;
  std::vector<Member> members_;
  std::size_t unpacked_ = 0;  ///< bytes of all that was decompressed
};

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

constexpr std::string_view kSuffix = ".npy";
constexpr std::array<std::string_view, 4> kBytes{"bytes", "weight", "size", "volume"};
constexpr std::array<std::string_view, 2> kMessages{"messages", "count"};
constexpr double kMostMessages = 0x1p53;
/// Bytes of the form and of the shape of a sparse matrix: a header and two numbers or a word.
constexpr std::size_t kLargestSmall = 4096;

class NpzReader {
 public:
  NpzReader(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings)
      : where_(where), archive_(where, text), warnings_(warnings) {
    for (const ZipArchive::Member& member : archive_.members()) {
      std::string_view name = member.name;
      if (!name.ends_with(kSuffix)) continue;
      name.remove_suffix(kSuffix.size());
      if (!members_.emplace(name, &member).second) fail(fmt::format("two arrays are called '{}'", printable(name)));
    }
    if (archive_.members().empty()) fail("the archive is empty: no array was given to numpy.savez()");
    if (members_.empty()) fail("no arrays are in the archive");
  }

  Traffic read() {
    if (members_.contains("format") && members_.contains("data") && members_.contains("shape")) return read_sparse();
    return read_matrices();
  }

 private:
  [[noreturn]] void fail(std::string what, std::string hint = {}) const {
    throw Error(ExitStatus::bad_input, {Diagnostic{where_, {}, std::move(what), {}, std::move(hint)}});
  }

  /// An array, with the text that it was decompressed to, of at most that many bytes.
  npy::Array array(std::string_view name, std::size_t most = kLargestStream) {
    const auto member = members_.find(name);
    if (member == members_.end()) fail(fmt::format("the array '{}' is missing", name));
    if (const std::size_t bytes = member->second->size; bytes > most)
      fail(fmt::format("'{}' has {} bytes, and {} bytes at most are expected", name, bytes, most));
    std::string& kept = kept_.emplace_back();
    const std::string_view text = archive_.content(*member->second, kept);
    return {fmt::format("{}: {}", where_, printable(member->second->name)), text};
  }

  std::string names() const {
    std::string all;
    for (const auto& [name, member] : members_) all += (all.empty() ? "'" : ", '") + printable(name) + "'";
    return all;
  }

  double amount(const npy::Array& data, std::size_t index, double value, std::string_view name) const {
    if (!std::isfinite(value) || value < 0)
      fail(
          fmt::format("number {} of '{}' of {} is '{}', not a number of bytes", index, name, data.shape_text(), value));
    return value;
  }

  void add(std::size_t row, std::size_t column, double bytes, double messages = 0) {
    if (!(messages >= 0 && messages <= kMostMessages) || std::floor(messages) != messages)
      fail(fmt::format("[{}, {}] has '{}' messages", row, column, messages));
    if (bytes > 0 || messages > 0)
      entries_.add({Rank(row), Rank(column), Bytes(bytes), static_cast<std::uint64_t>(messages)});
  }

  Traffic read_matrices() {
    const auto named = [&](const auto& words) -> std::string_view {
      for (const std::string_view word : words)
        if (members_.contains(word)) return word;
      return {};
    };
    std::string_view name = named(kBytes);
    const std::string_view count = named(kMessages);
    if (name.empty() && members_.size() == (count.empty() ? 1U : 2U))
      name = members_.begin()->first == count ? members_.rbegin()->first : members_.begin()->first;
    if (name.empty())
      fail(fmt::format("which of its arrays is the traffic? {}", names()), "call it 'bytes', and 'messages' beside it");
    const npy::Array bytes = array(name);
    if (bytes.is_text()) fail(fmt::format("'{}' holds texts, and no traffic", printable(name)));
    if (!bytes.is_square())
      fail(fmt::format("'{}' of shape {} is no traffic matrix: rows and columns must be equal", printable(name),
                       bytes.shape_text()));
    std::vector<npy::Array> messages;
    if (!count.empty()) messages.push_back(array(count));
    if (!messages.empty() && messages[0].is_text())
      fail(fmt::format("'{}' holds texts, and no numbers of messages", count));
    if (!messages.empty() && messages[0].shape() != bytes.shape())
      fail(fmt::format("'{}' has shape {}, and '{}' {}", count, messages[0].shape_text(), name, bytes.shape_text()));
    if (const std::size_t others = members_.size() - 1 - messages.size(); others > 0)
      warnings_.push_back(
          {where_, {}, fmt::format("of its arrays only '{}' is used: {}", printable(name), names()), {}, {}});
    const std::size_t ranks = bytes.shape()[0];
    for (std::size_t i = 0; i < ranks * ranks; ++i) {
      const std::size_t row = i / ranks;
      const std::size_t column = i % ranks;
      add(row, column, amount(bytes, i, bytes.at(row, column), name),
          messages.empty() ? 0 : messages[0].at(row, column));
    }
    return std::move(entries_).finish(ranks);
  }

  /// The whole number of an array of indices, below `most`.
  std::size_t index(const npy::Array& numbers, std::size_t at, std::size_t most, std::string_view name) const {
    const double number = numbers.at(at);
    if (!(number >= 0 && number < static_cast<double>(most)) || std::floor(number) != number)
      fail(fmt::format("number {} of '{}' is {}, not an index below {}", at, name, number, most));
    return static_cast<std::size_t>(number);
  }

  npy::Array numbers(std::string_view name, std::size_t size, std::size_t most = kLargestStream) {
    npy::Array found = array(name, most);
    if (found.is_text() || found.shape().size() != 1 || found.size() != size)
      fail(fmt::format("'{}' has shape {}, and {} numbers are expected", name, found.shape_text(), size));
    return found;
  }

  Traffic read_sparse() {
    const npy::Array format = array("format", kLargestSmall);
    const std::string form = format.is_text() ? format.text() : "";
    if (form != "coo" && form != "csr" && form != "csc")
      fail(fmt::format("a sparse matrix in the form '{}', which is not read", printable(form)),
           "scipy.sparse.save_npz(FILE, matrix.tocsr())");
    const npy::Array shape = numbers("shape", 2, kLargestSmall);
    const std::size_t ranks = index(shape, 0, matrix::kMostRanks, "shape");
    if (ranks == 0 || index(shape, 1, matrix::kMostRanks, "shape") != ranks)
      fail(fmt::format("a matrix of {} x {} is no traffic: rows and columns must be equal", shape.at(0), shape.at(1)));
    const npy::Array data = array("data");
    if (data.is_text() || data.shape().size() != 1) fail(fmt::format("'data' has shape {}", data.shape_text()));
    if (form == "coo") {
      const npy::Array row = numbers("row", data.size());
      const npy::Array column = numbers("col", data.size());
      for (std::size_t i = 0; i < data.size(); ++i)
        add(index(row, i, ranks, "row"), index(column, i, ranks, "col"), amount(data, i, data.at(i), "data"));
    } else {
      read_compressed(data, ranks, form == "csr");
    }
    return std::move(entries_).finish(ranks);
  }

  void read_compressed(const npy::Array& data, std::size_t ranks, bool by_row) {
    const npy::Array indices = numbers("indices", data.size());
    const npy::Array begins = numbers("indptr", ranks + 1);
    std::size_t at = index(begins, 0, 1, "indptr");
    for (std::size_t line = 0; line < ranks; ++line) {
      const std::size_t end = index(begins, line + 1, data.size() + 1, "indptr");
      if (end < at) fail(fmt::format("number {} of 'indptr' is less than the one before", line + 1));
      for (; at < end; ++at) {
        const std::size_t other = index(indices, at, ranks, "indices");
        add(by_row ? line : other, by_row ? other : line, amount(data, at, data.at(at), "data"));
      }
    }
    if (at != data.size()) fail(fmt::format("'indptr' ends at {}, and 'data' has {} numbers", at, data.size()));
  }

  const std::string& where_;
  ZipArchive archive_;
  std::vector<Diagnostic>& warnings_;
  std::map<std::string, const ZipArchive::Member*, std::less<>> members_;
  std::deque<std::string> kept_;  ///< what is decompressed
  TrafficBuilder entries_;
};

}  // namespace

bool looks_like_npz(std::string_view head) {
  // A local header of 30 bytes, then the name.
  constexpr std::size_t kHeader = 30;
  if (head.starts_with("PK\x05\x06")) return true;  // the end of an archive that holds nothing
  if (!head.starts_with("PK\x03\x04") || head.size() < kHeader) return false;
  const std::size_t length = static_cast<unsigned char>(head[26]) + 256U * static_cast<unsigned char>(head[27]);
  return head.substr(kHeader, length).ends_with(kSuffix);
}

Traffic read_npz(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings) {
  return NpzReader(where, text, warnings).read();
}

}  // namespace topowise
