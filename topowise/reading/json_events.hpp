// SPDX-License-Identifier: BSD-3-Clause
// Reads JSON texts that may be larger than memory. A visitor gets their content in its order, and nothing is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/input.hpp>

namespace topowise {

/// Where in the text something stands: the keys of the objects and the places in the arrays that lead there.
class JsonPath {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The key of step `i`; empty if that step is a place in an array.
  [[nodiscard]] std::string_view key(std::size_t i) const { return i < size_ ? steps_[i].key : std::string_view(); }
  /// The place in the array of step `i`, from 0.
  [[nodiscard]] std::size_t place(std::size_t i) const { return steps_[i].place; }

  // How a reader follows the text.
  /// Values may lie in each other so deep.
  static constexpr std::size_t kDeepest = 256;
  /// Goes into an array, to its first place, or into an object; false if that is deeper than kDeepest.
  bool enter(bool array);
  /// Goes back to the array or object that is entered last.
  void leave() { --size_; }
  /// Goes to the value of that key of the object.
  void to_key(std::string_view key) { steps_[size_ - 1].key = key; }
  /// Goes behind a value.
  void next();

 private:
  struct Step {
    std::string key;
    std::size_t place = 0;
    bool array = false;
  };
  std::vector<Step> steps_;  ///< entries from `size_` on are kept only to save allocations
  std::size_t size_ = 0;
};

/// A text, a number, true, false or null.
struct JsonScalar {
  enum class Kind : std::uint8_t { null, boolean, number, text };
  Kind kind = Kind::null;
  double number = 0;      ///< 0 or 1 for a boolean
  std::string_view text;  ///< valid only during the call

  /// A whole number from 0 to 2^53, also if it is written as a text.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  /// The value as a message shows it.
  [[nodiscard]] std::string shown() const;
};

/// What a visitor found wrong. The reader adds where that is.
struct VisitorFailure {
  std::string what;
  std::string hint;
};

/// Receives what is in a text.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  /// Called when an object or array begins, and when it has ended.
  virtual void begin(const JsonPath&) {}
  virtual void end(const JsonPath&) {}
  virtual void scalar(const JsonPath& path, const JsonScalar& value) = 0;

 protected:
  /// Ends the reading with an Error(bad_input) that says where the reader is.
  [[noreturn]] static void fail(std::string what, std::string hint = {});
};

/// Reads a text to its end. `several` allows any number of values one after the other, as in JSON lines: the path
/// begins anew with each value, and end() with an empty path follows it. Throws Error(bad_input) with line and column.
/// Memory does not grow with the text; a single text or number of more than 16 MiB is an error.
enum class JsonValues : bool { one, several };
void read_json_events(Input& bytes, JsonVisitor& visitor, JsonValues values = JsonValues::one);

}  // namespace topowise
