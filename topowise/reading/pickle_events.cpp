// SPDX-License-Identifier: BSD-3-Clause
// A pickle is a program for a machine with a stack: opcodes push values, and put those above a mark into the list or
// dictionary below it (CPython's Lib/pickletools.py). Of that machine only what builds data is here. Values live in two
// arenas and are freed together, so lists that contain themselves do no harm until they are walked, where depth and
// number of values are limited.
#include <topowise/reading/pickle_events.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostContainers = std::size_t{1} << 20;
constexpr std::size_t kMostTexts = std::size_t{1} << 19;
constexpr std::size_t kMostOnStack = std::size_t{1} << 18;
constexpr std::size_t kMostRemembered = std::size_t{1} << 20;
constexpr std::size_t kLongestText = std::size_t{16} << 20;
/// Values that a walk may meet for each byte of the pickle, beside kAlways. Shared lists are met as often as they are
/// named: the name of a frame of a stack takes two bytes, and the frame has six values.
constexpr std::size_t kValuesOfByte = 16;
constexpr std::size_t kAlways = 4096;
constexpr std::string_view kHint = "only dictionaries, lists, tuples, texts and numbers are read; nothing is executed";

enum class Kind : std::uint8_t { none, truth, number, text, array, object, mark };

struct Value {
  Kind kind = Kind::none;
  std::uint32_t index = 0;  ///< of a text or a container in its arena
  double number = 0;
};

/// The bytes of a pickle, one after the other.
class Bytes {
 public:
  explicit Bytes(Input& input) : input_(input) {}

  [[nodiscard]] std::size_t offset() const { return received_ - block_.size(); }

  std::uint8_t byte() {
    if (block_.empty()) refill();
    const auto first = static_cast<std::uint8_t>(block_.front());
    block_.remove_prefix(1);
    return first;
  }

  /// A number of `size` bytes, the lowest first.
  std::uint64_t number(std::size_t size) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < size; ++i) number |= std::uint64_t{byte()} << (8 * i);
    return number;
  }

  std::string text(std::uint64_t size) {
    if (size > kLongestText) fail(fmt::format("a text of {} bytes", size));
    std::string text;
    while (text.size() < size) {
      if (block_.empty()) refill();
      const std::string_view part = block_.substr(0, size - text.size());
      text += part;
      block_.remove_prefix(part.size());
    }
    return text;
  }

  std::string line() {
    std::string line;
    for (char c = static_cast<char>(byte()); c != '\n'; c = static_cast<char>(byte())) {
      if (line.size() == 4096) fail("a line of more than 4096 bytes");
      line += c;
    }
    return line;
  }

  [[noreturn]] void fail(std::string what, std::string_view hint = {}) const {
    throw Error(ExitStatus::bad_input,
                {Diagnostic{input_.where(), {}, fmt::format("byte {}: {}", opcode_at_, what), {}, std::string(hint)}});
  }

  /// The opcode that begins here is the one that messages name.
  void opcode_begins() { opcode_at_ = offset(); }

 private:
  void refill() {
    block_ = input_.next();
    received_ += block_.size();
    if (block_.empty()) fail("the pickle ends here, in the middle of it");
  }

  Input& input_;
  std::string_view block_;
  std::size_t received_ = 0;
  std::size_t opcode_at_ = 0;
};

class Machine {
 public:
  explicit Machine(Input& input) : bytes_(input) {}

  /// Runs to the end of the pickle, and returns what is left.
  Value run() {
    while (true) {
      bytes_.opcode_begins();
      const std::uint8_t opcode = bytes_.byte();
      if (opcode == '.') break;
      if (!push_scalar(opcode) && !push_text(opcode) && !build(opcode) && !remember(opcode)) refuse(opcode);
    }
    if (stack_.size() != 1) bytes_.fail(fmt::format("{} values are left at its end, not one", stack_.size()));
    return stack_.back();
  }

  /// The bytes of the pickle.
  [[nodiscard]] std::size_t size() const { return bytes_.offset(); }
  [[nodiscard]] const std::string& text(Value value) const { return texts_[value.index]; }
  [[nodiscard]] const std::vector<Value>& items(Value value) const { return containers_[value.index]; }

 private:
  void push(Value value) {
    if (stack_.size() == kMostOnStack) bytes_.fail("too many values that belong to no list yet");
    stack_.push_back(value);
  }
  void push_number(double number) { push({Kind::number, 0, number}); }

  void push_words(std::string words) {
    if (texts_.size() == kMostTexts) bytes_.fail(fmt::format("more than {} texts", kMostTexts));
    texts_.push_back(std::move(words));
    push({Kind::text, static_cast<std::uint32_t>(texts_.size() - 1), 0});
  }

  void push_container(Kind kind, std::vector<Value> items) {
    if (containers_.size() == kMostContainers)
      bytes_.fail(fmt::format("more than {} lists and dictionaries", kMostContainers));
    containers_.push_back(std::move(items));
    push({kind, static_cast<std::uint32_t>(containers_.size() - 1), 0});
  }

  Value pop() {
    if (stack_.empty()) bytes_.fail("a value is missing");
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }

  /// The values above the last mark, which is taken away.
  std::vector<Value> above_mark() {
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(), [](Value v) { return v.kind == Kind::mark; });
    if (mark == stack_.rend()) bytes_.fail("a mark is missing");
    std::vector<Value> values(mark.base(), stack_.end());
    stack_.erase(mark.base() - 1, stack_.end());
    return values;
  }

  std::vector<Value> last(std::size_t count) {
    std::vector<Value> values(count);
    for (std::size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }

  bool push_scalar(std::uint8_t opcode) {
    switch (opcode) {
      case 'N':  // NONE
        push({});
        return true;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push({Kind::truth, 0, opcode == 0x88 ? 1.0 : 0.0});
        return true;
      case 'J':  // BININT
        push_number(static_cast<std::int32_t>(bytes_.number(4)));
        return true;
      case 'K':  // BININT1
        push_number(static_cast<double>(bytes_.number(1)));
        return true;
      case 'M':  // BININT2
        push_number(static_cast<double>(bytes_.number(2)));
        return true;
      case 0x8a:  // LONG1
        push_long(bytes_.number(1));
        return true;
      case 'G': {  // BINFLOAT, the highest byte first
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 8; ++i) bits = bits << 8 | bytes_.number(1);
        push_number(std::bit_cast<double>(bits));
        return true;
      }
      default:
        return false;
    }
  }

  /// A number of `size` bytes in two's complement.
  void push_long(std::uint64_t size) {
    if (size > 8) bytes_.fail(fmt::format("a number of {} bytes", size));
    std::uint64_t bits = bytes_.number(size);
    if (size > 0 && size < 8 && (bits >> (8 * size - 1) & 1) != 0) bits |= ~std::uint64_t{0} << (8 * size);
    push_number(static_cast<double>(static_cast<std::int64_t>(bits)));
  }

  bool push_text(std::uint8_t opcode) {
    switch (opcode) {
      case 'U':   // SHORT_BINSTRING
      case 'C':   // SHORT_BINBYTES
      case 0x8c:  // SHORT_BINUNICODE
        push_words(bytes_.text(bytes_.number(1)));
        return true;
      case 'T':  // BINSTRING
      case 'B':  // BINBYTES
      case 'X':  // BINUNICODE
        push_words(bytes_.text(bytes_.number(4)));
        return true;
      case 0x8d:  // BINUNICODE8
      case 0x8e:  // BINBYTES8
        push_words(bytes_.text(bytes_.number(8)));
        return true;
      default:
        return false;
    }
  }

  void add_to_last(Kind kind, const std::vector<Value>& values) {
    if (kind == Kind::object && values.size() % 2 != 0) bytes_.fail("a key of a dictionary without its value");
    if (stack_.empty() || stack_.back().kind != kind)
      bytes_.fail(kind == Kind::array ? "what gets entries is no list" : "what gets keys is no dictionary");
    std::vector<Value>& items = containers_[stack_.back().index];
    items.insert(items.end(), values.begin(), values.end());
  }

  bool build(std::uint8_t opcode) {
    switch (opcode) {
      case '(':  // MARK
        push({Kind::mark, 0, 0});
        return true;
      case '0':  // POP
        (void)pop();
        return true;
      case '1':  // POP_MARK
        (void)above_mark();
        return true;
      case '}':  // EMPTY_DICT
        push_container(Kind::object, {});
        return true;
      case ']':  // EMPTY_LIST
      case ')':  // EMPTY_TUPLE
        push_container(Kind::array, {});
        return true;
      case 'a':  // APPEND
        add_to_last(Kind::array, last(1));
        return true;
      case 'e':  // APPENDS
        add_to_last(Kind::array, above_mark());
        return true;
      case 's':  // SETITEM
        add_to_last(Kind::object, last(2));
        return true;
      case 'u':  // SETITEMS
        add_to_last(Kind::object, above_mark());
        return true;
      case 't':  // TUPLE
        push_container(Kind::array, above_mark());
        return true;
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        push_container(Kind::array, last(opcode - 0x84U));
        return true;
      default:
        return false;
    }
  }

  void put(std::uint64_t place) {
    if (stack_.empty()) bytes_.fail("a value is missing");
    if (place >= kMostRemembered) bytes_.fail(fmt::format("more than {} values to remember", kMostRemembered));
    if (place >= memo_.size()) memo_.resize(place + 1, {Kind::mark, 0, 0});
    memo_[place] = stack_.back();
  }

  void get(std::uint64_t place) {
    if (place >= memo_.size() || memo_[place].kind == Kind::mark)
      bytes_.fail(fmt::format("value {} was not remembered", place));
    push(memo_[place]);
  }

  bool remember(std::uint8_t opcode) {
    switch (opcode) {
      case 'q':  // BINPUT
        put(bytes_.number(1));
        return true;
      case 'r':  // LONG_BINPUT
        put(bytes_.number(4));
        return true;
      case 0x94:  // MEMOIZE
        put(memo_.size());
        return true;
      case 'h':  // BINGET
        get(bytes_.number(1));
        return true;
      case 'j':  // LONG_BINGET
        get(bytes_.number(4));
        return true;
      case 0x80: {  // PROTO
        const std::uint64_t protocol = bytes_.number(1);
        if (protocol < 2 || protocol > 5) bytes_.fail(fmt::format("protocol {} of pickle", protocol), kHint);
        return true;
      }
      case 0x95:  // FRAME
        (void)bytes_.number(8);
        return true;
      default:
        return false;
    }
  }

  [[noreturn]] void refuse(std::uint8_t opcode) {
    if (opcode == 'c') {  // GLOBAL
      const std::string module = bytes_.line();
      const std::string name = bytes_.line();
      bytes_.fail(fmt::format("the pickle names the function or class '{}.{}'", printable(module), printable(name)),
                  kHint);
    }
    bytes_.fail(fmt::format("opcode 0x{:02x}, which makes an object or is not known", opcode), kHint);
  }

  Bytes bytes_;
  std::vector<Value> stack_;
  std::vector<Value> memo_;
  std::deque<std::string> texts_;
  std::deque<std::vector<Value>> containers_;  ///< of a dictionary: key, value, key, value
};

/// "entries[12].state"
std::string words_of(const JsonPath& path, const std::vector<bool>& arrays) {
  std::string words;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (arrays[i])
      words += fmt::format("[{}]", path.place(i));
    else
      words += (words.empty() ? "" : ".") + printable(path.key(i).substr(0, 40));
  }
  return words.empty() ? "the pickle" : words;
}

/// Passes what a machine has built to a visitor.
class Walk {
 public:
  Walk(const Machine& machine, JsonVisitor& visitor) : machine_(machine), visitor_(visitor) {}

  void value(Value value) {
    if (++values_ > kValuesOfByte * machine_.size() + kAlways)
      throw VisitorFailure{"lists that name other lists too often", {}};
    if (value.kind != Kind::array && value.kind != Kind::object) {
      visitor_.scalar(path_, scalar(value));
      return path_.next();
    }
    visitor_.begin(path_);
    const bool array = value.kind == Kind::array;
    if (!path_.enter(array))
      throw VisitorFailure{fmt::format("more than {} values within each other", JsonPath::kDeepest), {}};
    arrays_.push_back(array);
    const std::vector<Value>& items = machine_.items(value);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!array) path_.to_key(key(items[i++]));
      this->value(items[i]);
    }
    path_.leave();
    arrays_.pop_back();
    visitor_.end(path_);
    path_.next();
  }

  [[nodiscard]] std::string where() const { return words_of(path_, arrays_); }

 private:
  JsonScalar scalar(Value value) {
    switch (value.kind) {
      case Kind::truth:
        return {JsonScalar::Kind::boolean, value.number, {}};
      case Kind::number:
        return {JsonScalar::Kind::number, value.number, {}};
      case Kind::text:
        return {JsonScalar::Kind::text, 0, machine_.text(value)};
      default:
        return {};
    }
  }

  /// A key as JSON has it: a text.
  std::string_view key(Value value) {
    if (value.kind == Kind::text) return machine_.text(value);
    key_ = value.kind == Kind::number ? fmt::format("{}", value.number) : "?";
    return key_;
  }

  const Machine& machine_;
  JsonVisitor& visitor_;
  JsonPath path_;
  std::vector<bool> arrays_;  ///< of each step of the path
  std::string key_;
  std::size_t values_ = 0;
};

}  // namespace

bool looks_like_pickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

void read_pickle_events(Input& bytes, JsonVisitor& visitor) {
  Machine machine(bytes);
  const Value whole = machine.run();
  Walk walk(machine, visitor);
  try {
    walk.value(whole);
  } catch (const VisitorFailure& failure) {
    throw Error(ExitStatus::bad_input,
                {Diagnostic{bytes.where(), {}, walk.where() + ": " + failure.what, {}, failure.hint}});
  }
}

}  // namespace topowise
