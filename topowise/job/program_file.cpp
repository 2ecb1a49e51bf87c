// SPDX-License-Identifier: BSD-3-Clause
// ELF: the program headers name the loader (PT_INTERP) and the table of what is linked (PT_DYNAMIC). In that table each
// DT_NEEDED is the place of a library's name in the string table, whose address in memory is DT_STRTAB. PT_LOAD says
// which part of the file is at which address.
#include <topowise/job/program_file.hpp>

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {
namespace {

/// Structures as this machine writes them.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(open_input(path)) {
    Elf64_Ehdr header{};
    if (!read_at(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
      return;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr part{};
      if (!read_at(header.e_phoff + i * sizeof part, part)) return;
      parts_.push_back(part);
    }
    whole_ = true;
  }

  /// Whether all parts are known.
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] const Elf64_Phdr* part(std::uint32_t type) const {
    const auto found = std::ranges::find(parts_, type, &Elf64_Phdr::p_type);
    return found == parts_.end() ? nullptr : &*found;
  }

  /// Up to a byte 0.
  [[nodiscard]] std::string text_at(std::uint64_t offset) const {
    constexpr std::size_t kLongest = 4096;  // of a path
    std::string text(kLongest, '\0');
    const ssize_t count = ::pread(file_.number(), text.data(), text.size(), static_cast<off_t>(offset));
    text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return text.substr(0, text.find('\0'));
  }

  [[nodiscard]] std::vector<std::string> libraries() const {
    std::vector<std::uint64_t> names;
    std::optional<std::uint64_t> strings;
    const Elf64_Phdr* table = part(PT_DYNAMIC);
    const std::uint64_t count = table == nullptr ? 0 : table->p_filesz / sizeof(Elf64_Dyn);
    for (std::uint64_t i = 0; i < count; ++i) {
      Elf64_Dyn entry{};
      if (!read_at(table->p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
    }
    std::vector<std::string> libraries;
    for (const std::uint64_t name : names)
      if (strings) libraries.push_back(text_at(*strings + name));
    return libraries;
  }

 private:
  template <class Structure>
  [[nodiscard]] bool read_at(std::uint64_t offset, Structure& structure) const {
    return ::pread(file_.number(), &structure, sizeof structure, static_cast<off_t>(offset)) == sizeof structure;
  }

  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& part : parts_)
      if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
        return address - part.p_vaddr + part.p_offset;
    return std::nullopt;
  }

  Descriptor file_;
  std::vector<Elf64_Phdr> parts_;
  bool whole_ = false;
};

/// What the first line of a script names: `#!/usr/bin/env -S python3 -u` names env and python3.
std::vector<std::string> interpreters_of(const std::string& begin) {
  if (!begin.starts_with("#!")) return {};
  const std::vector<std::string_view> words = split_blanks(std::string_view(begin).substr(2, begin.find('\n') - 2));
  if (words.empty()) return {};
  std::vector<std::string> names{std::string(words.front())};
  if (std::filesystem::path(words.front()).filename() != "env") return names;
  const auto is_program = [](std::string_view word) {
    return !word.starts_with('-') && word.find('=') == std::string_view::npos;
  };
  const auto program = std::find_if(words.begin() + 1, words.end(), is_program);
  if (program != words.end()) names.emplace_back(*program);
  return names;
}

ProgramFile program_file(const std::string& command, int scripts) {
  const std::optional<std::string> path = file_of_command(command, environment("PATH").value_or("/bin:/usr/bin"));
  // A program may be executable and not readable.
  if (!path || ::access(path->c_str(), R_OK) != 0) return {};
  const ElfFile file(*path);
  if (!file.whole()) {
    for (const std::string& name : scripts > 0 ? interpreters_of(file.text_at(0)) : std::vector<std::string>()) {
      ProgramFile interpreter = program_file(name, scripts - 1);
      if (interpreter.loader != Loader::musl) continue;
      if (interpreter.interpreter.empty()) interpreter.interpreter = name;
      return interpreter;
    }
    return {};
  }
  const Elf64_Phdr* loader = file.part(PT_INTERP);
  if (loader == nullptr) return {Loader::none, {}, {}};
  const std::string name = std::filesystem::path(file.text_at(loader->p_offset)).filename().string();
  return {name.starts_with("ld-musl") ? Loader::musl : Loader::glibc, file.libraries(), {}};
}

}  // namespace

std::optional<std::string> file_of_command(const std::string& command, const std::string& search_path) {
  std::error_code failure;
  if (command.find('/') != std::string::npos)
    return std::filesystem::is_regular_file(command, failure) ? std::optional(command) : std::nullopt;
  for (const std::string_view folder : split(search_path, ':')) {
    std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, command);
    if (std::filesystem::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

ProgramFile program_file(const std::string& command) {
  constexpr int kMostScripts = 5;  // Linux goes no further from one to the next
  return program_file(command, kMostScripts);
}

bool is_address_sanitizer(const std::string& library) {
  const std::string name = std::filesystem::path(library).filename().string();
  return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
}

}  // namespace topowise::job
