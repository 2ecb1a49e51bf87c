// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/call_site.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string_view>

#include <topowise/interpose/reordering/settings.hpp>

namespace topowise::interpose::reordering {
namespace {

/// Where the function's own name begins: the names of templates have the type of the result before it, and a blank.
const char* without_result(const char* function) noexcept {
  const char* begin = function;
  std::size_t depth = 0;
  for (const char* at = function; *at != '\0'; ++at) {
    if (*at == '<' || *at == '(') ++depth;
    if ((*at == '>' || *at == ')') && depth > 0) --depth;
    if (*at == ' ' && depth == 0) begin = at + 1;
  }
  return begin;
}

/// A file in memory as long as this lives. All that is read of it is checked against its size: a program may have been
/// replaced on disk while it runs.
class ElfFile {
 public:
  explicit ElfFile(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      begin_ = mapped == MAP_FAILED ? nullptr : static_cast<const std::byte*>(mapped);
    }
    if (file >= 0) ::close(file);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (begin_ != nullptr) ::munmap(const_cast<std::byte*>(begin_), size_);
  }

  /// `count` objects at `offset`; none if that is not in the file.
  template <class T>
  [[nodiscard]] std::span<const T> at(std::uint64_t offset, std::uint64_t count) const {
    if (begin_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T) || offset % alignof(T) != 0)
      return {};
    return {reinterpret_cast<const T*>(begin_ + offset), static_cast<std::size_t>(count)};
  }

  [[nodiscard]] std::span<const ElfW(Shdr)> sections() const {
    const auto header = at<ElfW(Ehdr)>(0, 1);
    if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
        header[0].e_shentsize != sizeof(ElfW(Shdr)))
      return {};
    return at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  }

 private:
  const std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

/// "f(int)" -> "f", but "(anonymous namespace)::f(int)" -> "(anonymous namespace)::f".
std::string without_parameters(const std::string& name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::size_t open = name.find('(');
  while (open != std::string::npos && name.compare(open, kAnonymous.size(), kAnonymous) == 0)
    open = name.find('(', open + 1);
  return name.substr(0, open);
}

std::string demangled(const char* name) {
  int status = 0;
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && plain != nullptr ? plain : name;
  std::free(plain);
  return without_parameters(result);
}

std::optional<Symbol> find_in(const ElfFile& file, const ElfW(Shdr) & table, const ElfW(Shdr) & strings,
                              std::uint64_t address) {
  const auto names = file.at<char>(strings.sh_offset, strings.sh_size);
  if (names.empty() || names.back() != '\0') return {};
  for (const ElfW(Sym) & symbol : file.at<ElfW(Sym)>(table.sh_offset, table.sh_size / sizeof(ElfW(Sym)))) {
    const bool holds = symbol.st_value <= address && address - symbol.st_value < symbol.st_size;
    if (holds && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_name < names.size())
      return Symbol{demangled(names.data() + symbol.st_name), address - symbol.st_value};
  }
  return {};
}

}  // namespace

bool is_known_call(const char* mpi_function) noexcept {
  return std::ranges::any_of(kKnownLibraries,
                             [&](const KnownLibrary& row) { return ::fnmatch(row.calls, mpi_function, 0) == 0; });
}

const KnownLibrary* known_library(const char* mpi_function, const char* file, const char* function) noexcept {
  for (const KnownLibrary& row : kKnownLibraries) {
    if (::fnmatch(row.calls, mpi_function, 0) != 0) continue;
    if (::fnmatch(row.file, file, 0) == 0 || ::fnmatch(row.functions, without_result(function), 0) == 0) return &row;
  }
  return nullptr;
}

std::optional<Symbol> function_at(const char* path, std::uint64_t address) {
  const ElfFile file(path);
  const auto sections = file.sections();
  for (const unsigned type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const ElfW(Shdr) & section : sections) {
      if (section.sh_type != type || section.sh_link >= sections.size()) continue;
      if (std::optional<Symbol> found = find_in(file, section, sections[section.sh_link], address)) return found;
    }
  }
  return {};
}

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
