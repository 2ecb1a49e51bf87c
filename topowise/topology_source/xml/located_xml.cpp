// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/xml/located_xml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <pugixml.hpp>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// Makes the XML library take its memory by operator new, like all other code.
void use_new() {
  [[maybe_unused]] static const bool done = [] {
    pugi::set_memory_management_functions([](std::size_t size) { return ::operator new(size, std::nothrow); },
                                          [](void* memory) { ::operator delete(memory); });
    return true;
  }();
}

/// True if a text between elements follows a '>'; `rest` is what is after it.
bool begins_text(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && rest[at] != '<';
}

}  // namespace

LocatedXml::LocatedXml(std::string where, std::string_view text) : where_(std::move(where)), text_(text) {
  use_new();
  document_ = std::make_unique<pugi::xml_document>();
  check_count();
  // The library is told that the text is UTF-8. It would convert another encoding first, and offsets would no longer be
  // those of the text.
  const pugi::xml_parse_result result =
      document_->load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    std::string reason = result.description();
    if (!reason.empty()) reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
    throw Error(ExitStatus::bad_input,
                {at_offset(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                           fmt::format("not well-formed XML: {}", reason), "is the file complete?")});
  }
  for (pugi::xml_node other = root().next_sibling(); other; other = other.next_sibling()) {
    if (other.type() != pugi::node_element) continue;
    throw Error(ExitStatus::bad_input,
                {at(other,
                    fmt::format("a second <{}> begins here: a file describes one machine",
                                printable(std::string_view(other.name()).substr(0, 80))),
                    "give each as a file of its own; A.xml+B.xml joins files that describe one machine")});
  }
  check_depth();
}

LocatedXml::~LocatedXml() = default;
LocatedXml::LocatedXml(LocatedXml&&) noexcept = default;
LocatedXml& LocatedXml::operator=(LocatedXml&&) noexcept = default;

pugi::xml_node LocatedXml::root() const {
  return document_->document_element();
}

/// Refuses a text with too many elements, attributes and texts. The library keeps 40 to 64 bytes of each, and some
/// files have one in four bytes.
void LocatedXml::check_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < text_.size(); ++i) {
    const char c = text_[i];
    const bool one = (c == '<' && text_[i + 1] != '/') || c == '=' || (c == '>' && begins_text(text_.substr(i + 1)));
    if (one && ++count > kMost) {
      throw Error(ExitStatus::bad_input,
                  {at_offset(i, fmt::format("more than {} elements, attributes and texts", kMost), {})});
    }
  }
}

void LocatedXml::check_depth() const {
  int depth = 0;
  for (pugi::xml_node node = root(); node;) {
    if (node.first_child()) {
      if (++depth > kDeepest)
        throw Error(ExitStatus::bad_input, {at(node, fmt::format("elements are nested deeper than {}", kDeepest))});
      node = node.first_child();
      continue;
    }
    while (node && !node.next_sibling() && node != root()) {
      node = node.parent();
      --depth;
    }
    if (node == root()) return;
    node = node.next_sibling();
  }
}

Diagnostic LocatedXml::at(const pugi::xml_node& element, std::string what, std::string hint,
                          std::string_view cell) const {
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug(), 0));
  std::size_t offset = begin;
  if (!cell.empty()) {
    const std::size_t end = std::min(text_.find('>', begin), text_.size());
    const std::size_t found = text_.substr(begin, end - begin).find(cell);
    if (found != std::string_view::npos) offset = begin + found;
  }
  return at_offset(offset, std::move(what), std::move(hint));
}

std::string LocatedXml::line_of(const pugi::xml_node& element) const {
  return fmt::format("line {}", at(element, {}).position.line);
}

Diagnostic LocatedXml::at_offset(std::size_t offset, std::string what, std::string hint) const {
  offset = std::min(offset, text_.size());
  const std::string_view before = text_.substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t line_end = std::min(text_.find('\n', offset), text_.size());
  Diagnostic diagnostic;
  diagnostic.where = where_;
  diagnostic.position = {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1, offset - line_begin + 1};
  diagnostic.what = std::move(what);
  diagnostic.source_line = std::string(text_.substr(line_begin, std::min<std::size_t>(line_end - line_begin, 4096)));
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

}  // namespace topowise
