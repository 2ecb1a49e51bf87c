// SPDX-License-Identifier: BSD-3-Clause
// An array as NumPy's .npy holds it, alone or in an archive.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace topowise::npy {

/// The header of an array, and its numbers in the text. Types: f4, f8, i1 to i8, u1 to u8, b1, and texts (S, U).
class Array {
 public:
  /// Throws Error(bad_input) for a damaged header, another type, or another number of bytes than the shape needs.
  Array(const std::string& where, std::string_view text);

  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }
  /// The shape as NumPy writes it: "(4, 4)".
  [[nodiscard]] const std::string& shape_text() const { return shape_text_; }
  [[nodiscard]] bool is_square() const { return shape_.size() == 2 && shape_[0] == shape_[1] && shape_[0] > 0; }
  [[nodiscard]] bool is_text() const { return kind_ == 'S' || kind_ == 'U'; }
  /// How many numbers it has.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Number `index` in the order of the file.
  [[nodiscard]] double at(std::size_t index) const { return load_(numbers_.data() + index * item_bytes_, swapped_); }
  /// The number in that row and column of an array of two dimensions.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return at(fortran_order_ ? column * shape_[0] + row : row * shape_[1] + column);
  }
  /// The first text of an array of texts, in ASCII.
  [[nodiscard]] std::string text() const;

 private:
  void read_type(const std::string& where, std::string_view value);
  void read_shape(const std::string& where, std::string_view value);
  void check_size(const std::string& where);

  char kind_ = 'f';  ///< f, i, u, b, S or U
  std::size_t item_bytes_ = 8;
  bool swapped_ = false;
  bool fortran_order_ = false;
  std::vector<std::size_t> shape_;
  std::string shape_text_;
  std::size_t size_ = 1;
  std::string_view numbers_;
  double (*load_)(const char* at, bool swapped) = nullptr;
};

}  // namespace topowise::npy
