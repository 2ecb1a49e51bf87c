// SPDX-License-Identifier: BSD-3-Clause
// A zip archive in memory, by the list of its files at its end (APPNOTE 6.3): stored and deflated files, also those
// whose local headers have the sizes of ZIP64, as NumPy writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

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

}  // namespace topowise
