// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/call_site.hpp>

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

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

std::vector<std::string> entries_of(const char* list) {
  constexpr const char* kBlanks = " \t\n\r";
  std::vector<std::string> entries;
  const std::string all = list == nullptr ? "" : list;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    const std::string entry = all.substr(begin, end - begin);
    const std::size_t first = entry.find_first_not_of(kBlanks);
    if (first != std::string::npos) entries.push_back(entry.substr(first, entry.find_last_not_of(kBlanks) - first + 1));
    begin = end + 1;
  }
  return entries;
}

std::uint64_t SiteNames::in(const char* list) const {
  std::uint64_t found = 0;
  std::size_t number = 0;
  for (const std::string& entry : entries_of(list)) {
    const std::uint64_t bit = std::uint64_t{1} << std::min(number++, std::size_t{63});
    for (const std::string* name : {&mpi_function, &file, &place, &function, &place_in_function}) {
      if (!name->empty() && ::fnmatch(entry.c_str(), name->c_str(), 0) == 0) found |= bit;
    }
  }
  return found;
}

SiteNames names_of(const CallSite& site) {
  SiteNames names{.mpi_function = site.function, .file = "an unknown file", .place = "an unknown place"};
  Dl_info found{};
  link_map* map = nullptr;
  // The return address may be another line's, so the address before it is looked up.
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

std::string about(const CallSite& site, const std::string& what) {
  const std::string place = site.address == nullptr ? "" : " at " + names_of(site).text();
  return site.function + place + ": " + what;
}

namespace {

/// The names of a call, which are looked up in a file, are kept: a library makes many communicators in one place.
SiteNames remembered_names(const CallSite& site) {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: threads may outlive the program's static objects
  static auto& known = *new std::map<const void*, SiteNames>;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(site.address);
  SiteNames names = found != known.end() ? found->second : known.emplace(site.address, names_of(site)).first->second;
  names.mpi_function = site.function;
  return names;
}

}  // namespace

Permission permission(const CallSite& site) {
  const Settings& lists = settings();
  const bool listed = lists.only != nullptr || lists.except != nullptr || lists.include != nullptr;
  if (!site.possible || (!listed && !is_known_call(site.function))) return {.given = site.possible};
  const SiteNames names = remembered_names(site);
  Permission found{.only = names.in(lists.only), .except = names.in(lists.except), .include = names.in(lists.include)};
  found.given = (lists.only == nullptr || found.only != 0) && found.except == 0;
  if (found.given && found.include == 0)
    found.known = known_library(names.mpi_function.c_str(), names.file.c_str(), names.function.c_str());
  if (found.known != nullptr) found.given = false;
  return found;
}

}  // namespace topowise::interpose::reordering
