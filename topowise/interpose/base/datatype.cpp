// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/datatype.hpp>

#include <mutex>
#include <unordered_map>

namespace topowise::interpose {
namespace {

struct Known {
  std::mutex mutex;
  std::unordered_multimap<std::uint64_t, std::uint64_t> fortran_names;  // by the name of the C handle
};
Known& known() {
  static Known& all = *new Known;  // never destroyed: threads may outlive the program's static objects
  return all;
}

void remember(const TypeRef& type, Word handle, std::uint64_t size) noexcept try {
  const std::uint64_t name = detail::name_of(type);
  const std::scoped_lock lock(known().mutex);
  if (detail::type_sizes.find(name) != nullptr) return;  // another thread was faster
  if (type.language == Language::fortran) known().fortran_names.emplace(detail::name_of(c::type(handle)), name);
  detail::type_sizes.insert(name, size);
} catch (const std::bad_alloc&) {  // asked again the next time
}

}  // namespace

std::uint64_t detail::ask_type_size(const TypeRef& type) noexcept {
  const Mpi& m = *mpi();
  const Word handle = type.language == Language::fortran ? fortran::converted(type) : defined_part(type.word);
  Count size = 0;
  if (handle == m.family.type_null) return 0;  // asking would call the program's error handler
  if (m.Type_size_x(handle, &size) != 0 || size < 0) return 0;
  remember(type, handle, static_cast<std::uint64_t>(size));
  return static_cast<std::uint64_t>(size);
}

void forget_type(Word handle) noexcept {
  const std::scoped_lock lock(known().mutex);
  const std::uint64_t name = detail::name_of(c::type(handle));
  detail::type_sizes.erase(name);
  const auto [first, last] = known().fortran_names.equal_range(name);
  for (auto other = first; other != last; ++other) detail::type_sizes.erase(other->second);
  known().fortran_names.erase(first, last);
}

}  // namespace topowise::interpose
