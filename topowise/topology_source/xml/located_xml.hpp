// SPDX-License-Identifier: BSD-3-Clause
// An XML text whose elements know their line and column. Only *_xml.cpp files see the XML library.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>

namespace pugi {
class xml_document;
class xml_node;
}  // namespace pugi

namespace topowise {

class LocatedXml {
 public:
  /// Elements that are nested deeper than this, which no description of a machine needs, are refused, so that readers
  /// may recurse.
  static constexpr int kDeepest = 128;
  /// Most elements, attributes and texts together. The largest machines known have a tenth of them.
  static constexpr std::size_t kMost = std::size_t{1} << 19;

  /// `text` must outlive it. Throws Error(bad_input) at the place where the text is not XML.
  LocatedXml(std::string where, std::string_view text);
  ~LocatedXml();
  LocatedXml(LocatedXml&&) noexcept;
  LocatedXml& operator=(LocatedXml&&) noexcept;

  /// The outermost element.
  [[nodiscard]] pugi::xml_node root() const;
  /// A diagnostic at `cell` if the element's text contains it, else at the beginning of the element.
  [[nodiscard]] Diagnostic at(const pugi::xml_node& element, std::string what, std::string hint = {},
                              std::string_view cell = {}) const;
  /// "line 12" for an element, used in warnings.
  [[nodiscard]] std::string line_of(const pugi::xml_node& element) const;

 private:
  [[nodiscard]] Diagnostic at_offset(std::size_t offset, std::string what, std::string hint) const;
  void check_count() const;
  void check_depth() const;

  std::string where_;
  std::string_view text_;
  std::unique_ptr<pugi::xml_document> document_;
};

}  // namespace topowise
