// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/located_yaml.hpp>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <topowise/base/units.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {
namespace {

/// Builds the tree while the library reads, so that a text which must not be read stops it before it takes memory.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const TextLines& lines, std::deque<std::string>& rewritten) : lines_(lines), rewritten_(rewritten) {}

  [[nodiscard]] bool is_complete() const { return root_.has_value(); }
  [[nodiscard]] YamlValue take() { return std::move(*root_); }

  /// Throws what the library says about `mark`, or the more likely mistake.
  [[noreturn]] void not_yaml(const YAML::Mark& mark, const std::string& message) const {
    const std::string_view line = line_of(mark);
    const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
    if (indentation.find('\t') != std::string_view::npos)
      wrong(mark, line.substr(indentation.find('\t')), "YAML does not allow TABs as indentation");
    wrong(mark, from(mark), fmt::format("not YAML: {}", message));
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (is_complete()) wrong(mark, from(mark), "a second document begins: only one is read");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    // The library reports a missing value at the place of the next thing, but the value belongs to the line of its key.
    attach({.line = awaits_value() ? open_.back().key_line : number(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    wrong(mark, from(mark), "aliases are not read: write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override {
    attach({.line = number(mark), .scalar = in_text(mark, value)});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlValue value;
    bool is_map = false;
    std::size_t key_line = 0;
  };

  static std::size_t number(const YAML::Mark& mark) { return static_cast<std::size_t>(std::max(mark.line, 0)); }
  std::string_view line_of(const YAML::Mark& mark) const {
    return number(mark) < lines_.size() ? lines_[number(mark)] : std::string_view();
  }
  /// The rest of the line from the mark on; empty if the mark is after its end.
  std::string_view from(const YAML::Mark& mark) const {
    const std::string_view line = line_of(mark);
    return line.substr(std::min(line.size(), static_cast<std::size_t>(std::max(mark.column, 0))));
  }
  [[noreturn]] void wrong(const YAML::Mark& mark, std::string_view cell, std::string what) const {
    fail(lines_.at(number(mark), cell, std::move(what)));
  }

  /// The scalar as a view into its line, so that messages can point at it.
  std::string_view in_text(const YAML::Mark& mark, const std::string& value) {
    std::string_view rest = from(mark);
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    if (rest.starts_with(value)) return rest.substr(0, value.size());
    return rewritten_.emplace_back(value);
  }

  [[nodiscard]] bool awaits_key() const {
    return !open_.empty() && open_.back().is_map && open_.back().value.keys.size() == open_.back().value.items.size();
  }
  [[nodiscard]] bool awaits_value() const { return !open_.empty() && open_.back().is_map && !awaits_key(); }

  void open(const YAML::Mark& mark, bool is_map) {
    if (awaits_key()) wrong(mark, from(mark), "a key must be a word");
    if (open_.size() == LocatedYaml::kDeepest) {
      wrong(mark, from(mark), fmt::format("values are nested more than {} deep", LocatedYaml::kDeepest));
    }
    open_.push_back({.value = {.line = number(mark)}, .is_map = is_map});
  }
  void close() {
    YamlValue value = std::move(open_.back().value);
    open_.pop_back();
    attach(std::move(value));
  }
  void attach(YamlValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (awaits_key()) {
      open_.back().key_line = value.line;
      open_.back().value.keys.push_back(value.scalar);
    } else {
      open_.back().value.items.push_back(std::move(value));
    }
  }

  const TextLines& lines_;
  std::deque<std::string>& rewritten_;
  std::vector<Open> open_;
  std::optional<YamlValue> root_;
};

std::string joined(const TextLines& lines) {
  std::string text;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    text.append(lines[l]).append("\n");
    if (text.size() > LocatedYaml::kLargest) {
      fail(lines.at(
          l, {},
          fmt::format("the text is too large: at most {} are read as YAML", to_string(Bytes(LocatedYaml::kLargest)))));
    }
  }
  return text;
}

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

std::string_view YamlValue::scalar_of(std::string_view key) const {
  const YamlValue* value = find(key);
  return value == nullptr ? std::string_view() : value->scalar;
}

LocatedYaml::LocatedYaml(const TextLines& lines) {
  std::istringstream text(joined(lines));
  TreeBuilder tree(lines, rewritten_);
  try {
    YAML::Parser parser(text);
    while (parser.HandleNextDocument(tree)) continue;
  } catch (const YAML::Exception& error) {
    tree.not_yaml(error.mark, error.msg);
  }
  if (!tree.is_complete()) fail({lines.where(), {}, "no values found", {}, {}});
  root_ = tree.take();
}

}  // namespace topowise
