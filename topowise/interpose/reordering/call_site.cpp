// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/call_site.hpp>

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include <topowise/interpose/reordering/settings.hpp>
#include <topowise/interpose/reordering/symbol_table.hpp>

namespace topowise::interpose::reordering {
namespace {

std::string with_offset(const std::string& name, std::uint64_t offset) {
  char text[32];
  std::snprintf(text, sizeof(text), "+0x%llx", static_cast<unsigned long long>(offset));
  return name + text;
}

/// The program's own file: the loader knows it by the name under which it was started.
std::string path_of(const Dl_info& found, const link_map& map) {
  return map.l_name == nullptr || *map.l_name == '\0' ? "/proc/self/exe" : found.dli_fname;
}

}  // namespace

std::string SiteNames::text() const {
  return place_in_function.empty() ? place : place + " (" + place_in_function + ")";
}

bool SiteNames::in(const char* list) const {
  const std::string all = list;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    const std::string pattern = all.substr(begin, end - begin);
    for (const std::string* name : {&mpi_function, &file, &place, &function, &place_in_function}) {
      if (!pattern.empty() && !name->empty() && ::fnmatch(pattern.c_str(), name->c_str(), 0) == 0) return true;
    }
    begin = end + 1;
  }
  return false;
}

SiteNames names_of(const CallSite& site) {
  SiteNames names{.mpi_function = site.function, .file = "an unknown file", .place = "an unknown place"};
  Dl_info found{};
  link_map* map = nullptr;
  // The return address may be another line's.
  const auto* inside = reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(site.address) - 1);
  if (site.address == nullptr || ::dladdr1(inside, &found, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
      map == nullptr || found.dli_fname == nullptr)
    return names;
  const char* slash = std::strrchr(found.dli_fname, '/');
  names.file = slash == nullptr ? found.dli_fname : slash + 1;
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(inside) - map->l_addr;
  names.place = with_offset(names.file, offset);
  if (const std::optional<Symbol> symbol = function_at(path_of(found, *map).c_str(), offset)) {
    names.function = symbol->name;
    names.place_in_function = with_offset(symbol->name, symbol->offset);
  }
  return names;
}

bool permitted(const CallSite& site) {
  if (!site.possible) return false;
  const Settings& lists = settings();
  if (lists.only == nullptr && lists.except == nullptr) return true;
  const SiteNames names = names_of(site);
  if (lists.only != nullptr && !names.in(lists.only)) return false;
  return lists.except == nullptr || !names.in(lists.except);
}

}  // namespace topowise::interpose::reordering
