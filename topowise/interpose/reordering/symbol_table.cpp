// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/symbol_table.hpp>

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

namespace topowise::interpose::reordering {
namespace {

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

}  // namespace topowise::interpose::reordering
