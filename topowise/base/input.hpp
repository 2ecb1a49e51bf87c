// SPDX-License-Identifier: BSD-3-Clause
// One input: a file, standard input or a text. It is opened once. Its beginning says what it is; then the rest is read
// block by block, or as a whole. What gzip, xz or zstd has compressed is decompressed; limits count decompressed bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>

namespace topowise {

/// The most bytes that are read from one input: a larger topology or traffic matrix is a mistake.
inline constexpr std::size_t kLargestInput = std::size_t{4} << 30;
/// The same limit for an input of unknown size that may never end: a pipe, a device, decompressed data.
inline constexpr std::size_t kLargestStream = std::size_t{1} << 30;

/// Called now and then with the bytes of a file that are read so far, and its size, both as on the disk (size 0: not
/// known). What it throws ends the reading.
using ReadProgress = std::function<void(const std::string& where, std::size_t done, std::size_t size)>;

/// What messages call an input: its path, or "stdin" for "-".
[[nodiscard]] std::string input_name(const std::string& path);
/// Opens a file to read it, or standard input if `path` is "-". Throws Error(bad_input) that names the path and the
/// system's reason.
[[nodiscard]] Descriptor open_input(const std::string& path);

class Input {
 public:
  /// A format is recognised by so many bytes.
  static constexpr std::size_t kHead = std::size_t{64} << 10;

  /// A file, or standard input if `path` is "-". Throws Error(bad_input) that names the path and the system's reason,
  /// and so do the member functions.
  explicit Input(const std::string& path, ReadProgress progress = {});
  /// A regular file, or a link of this user to one (open_found_input): throws for a pipe or a device, and waits for
  /// neither.
  [[nodiscard]] static Input of_regular_file(const std::string& path, ReadProgress progress = {});
  /// A file that was found in a directory and that the user did not name: throws also for a link.
  [[nodiscard]] static Input of_found_file(const std::string& path);
  /// A file that is open already.
  [[nodiscard]] static Input of_open_file(std::string where, Descriptor file, ReadProgress progress = {});
  /// The bytes of a text, which the caller must keep.
  [[nodiscard]] static Input of_text(std::string where, std::string_view text);

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  /// One more descriptor of it, for who reads at places of their choice; none if it is no regular file. Its position is
  /// that of this input.
  [[nodiscard]] Descriptor regular_file() const;
  /// What messages call it.
  [[nodiscard]] const std::string& where() const;
  /// At most `count` bytes from the beginning; next() and whole() give them once more. May be called until then.
  [[nodiscard]] std::string_view head(std::size_t count = kHead);
  /// The next bytes, none at the end. They stay valid until the next call.
  [[nodiscard]] std::string_view next();
  /// All bytes; an error beyond `limit`, and for a stream beyond `stream_limit`.
  [[nodiscard]] std::string whole(std::size_t limit = kLargestInput, std::size_t stream_limit = kLargestStream) &&;

  /// The beginning as a text in UTF-8 with line feeds, as encoding.hpp defines it.
  [[nodiscard]] std::string text_head();
  /// The whole as such a text.
  [[nodiscard]] std::string text(std::size_t limit = kLargestInput) &&;

 private:
  class Source;
  explicit Input(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace topowise
