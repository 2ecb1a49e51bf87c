// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/folds.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <topowise/device/fold_groups.hpp>
#include <topowise/device/fold_list.hpp>

namespace topowise::device {
namespace {

constexpr std::array<std::string_view, kFoldOperations> kOperations{"sum",  "prod", "min", "max",  "land",   "lor",
                                                                    "lxor", "band", "bor", "bxor", "minloc", "maxloc"};
constexpr std::array<std::string_view, kFoldElements> kElements{
    "i8",  "u8",  "i16", "u16",    "i32",    "u32",    "i64",    "u64",    "f16",    "bf16",  "f32",
    "f64", "c32", "c64", "f32i32", "f64i32", "i64i32", "i32i32", "i16i32", "f32f32", "f64f64"};
constexpr std::array<std::size_t, kFoldElements> kSizes{1, 1, 2,  2, 4,  4,  8, 8, 2, 2, 4,
                                                        8, 8, 16, 8, 16, 16, 8, 8, 8, 16};

constexpr std::array<std::size_t, kFoldElements> kAlignments{1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4,
                                                             8, 4, 8, 4, 8, 8, 4, 4, 4, 8};

template <class Names>
std::optional<std::size_t> position(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

/// Goes through the vectors one after the other, over a block of elements that stays in the cache, so that the compiler
/// can use the processor's vector instructions; each element gets what kernel::fold() gives.
template <class Operation, class T>
void fold_on_host(const kernel::FoldOperands& operands, unsigned from, unsigned to, unsigned long long first,
                  unsigned long long end) {
  constexpr unsigned long long kBlock = 512;
  using Value = typename kernel::Accumulator<T>::Type;
  std::array<Value, kBlock> values;
  for (unsigned long long begin = first; begin < end; begin += kBlock) {
    const unsigned long long count = std::min(kBlock, end - begin);
    const auto* head = reinterpret_cast<const T*>(operands.from[0]) + begin;
    for (unsigned long long i = 0; i < count; ++i) values[i] = kernel::Accumulator<T>::load(head[i]);
    for (unsigned k = 1; k < from; ++k) {
      const auto* next = reinterpret_cast<const T*>(operands.from[k]) + begin;
      for (unsigned long long i = 0; i < count; ++i)
        values[i] = Operation::of(values[i], kernel::Accumulator<T>::load(next[i]));
    }
    for (unsigned k = 0; k < to; ++k) {
      auto* result = reinterpret_cast<T*>(operands.to[k]) + begin;
      for (unsigned long long i = 0; i < count; ++i) kernel::Accumulator<T>::store(result[i], values[i]);
    }
  }
}

struct Row {
  std::string_view name;
  std::string_view line;
  HostFold fold;
};

#define ROW(operation, Operation, element, ...)                                               \
  Row{"topowise_fold_" #operation "_" #element,                                               \
      "TOPOWISE_FOLD_KERNEL(" #operation ", " #Operation ", " #element ", " #__VA_ARGS__ ")", \
      fold_on_host<kernel::Operation, __VA_ARGS__>},
constexpr std::array kRows{TOPOWISE_FOLDS(ROW)};
#undef ROW

const Row* find_row(FoldOperation operation, FoldElement element) {
  const std::string name =
      fmt::format("topowise_fold_{}_{}", to_string(operation), to_string(kernel_element(operation, element)));
  const auto found = std::ranges::find(kRows, std::string_view(name), &Row::name);
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_string(FoldOperation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}
std::string_view to_string(FoldElement element) {
  return kElements[static_cast<std::size_t>(element)];
}
std::optional<FoldOperation> fold_operation(std::string_view name) {
  const std::optional<std::size_t> found = position(kOperations, name);
  return found ? std::optional(static_cast<FoldOperation>(*found)) : std::nullopt;
}
std::optional<FoldElement> fold_element(std::string_view name) {
  const std::optional<std::size_t> found = position(kElements, name);
  return found ? std::optional(static_cast<FoldElement>(*found)) : std::nullopt;
}
std::size_t size_of(FoldElement element) {
  return kSizes[static_cast<std::size_t>(element)];
}

std::size_t alignment_of(FoldElement element) {
  return kAlignments[static_cast<std::size_t>(element)];
}

FoldElement kernel_element(FoldOperation operation, FoldElement element) {
  const bool is_signed = element == FoldElement::i8 || element == FoldElement::i16 || element == FoldElement::i32 ||
                         element == FoldElement::i64;
  if (!is_signed || operation == FoldOperation::min || operation == FoldOperation::max) return element;
  return static_cast<FoldElement>(static_cast<std::size_t>(element) + 1);
}

std::string fold_name(FoldOperation operation, FoldElement element) {
  const Row* row = find_row(operation, element);
  return row == nullptr ? std::string() : std::string(row->name);
}

HostFold host_fold(FoldOperation operation, FoldElement element) {
  const Row* row = find_row(operation, element);
  return row == nullptr ? nullptr : row->fold;
}

std::string kernel_line(FoldOperation operation, FoldElement element) {
  const Row* row = find_row(operation, element);
  return row == nullptr ? std::string() : std::string(row->line);
}

FoldElement widest_element(std::span<const Address> addresses, std::size_t bytes) {
  for (const FoldElement element : {FoldElement::u64, FoldElement::u32, FoldElement::u16}) {
    const std::size_t size = size_of(element);
    const auto fits = [&](Address address) { return address % size == 0; };
    if (bytes % size == 0 && std::ranges::all_of(addresses, fits)) return element;
  }
  return FoldElement::u8;
}

std::string lack_of_kernels() {
  return fold_image() == nullptr ? "this build has no GPU kernels: it was made with TOPOWISE_KERNELS=OFF" : "";
}

std::string lack_of_kernels(const Driver& driver) {
  const std::string of_build = lack_of_kernels();
  return of_build.empty() ? driver.lack_of_compiler() : of_build;
}

Folds::Folds(Driver driver) : driver_(std::move(driver)) {
  if (const std::string lack = lack_of_kernels(driver_); !lack.empty())
    throw not_available(lack, "'topowise doctor' says what to do about it");
}

/// What of the kernels is loaded together.
constexpr std::string_view kAllParts, kSm80 = "bf16";

/// The kernel where each is compiled alone.
std::string Folds::part_of(FoldOperation operation, FoldElement element, int device) const {
  if (driver_.wants_code()) return fold_name(operation, element);
  constexpr int kAmpere = 8;
  const bool rounds =
      element == FoldElement::bf16 && driver_.attribute(Attribute::compute_capability_major, device) >= kAmpere;
  return std::string(rounds ? kSm80 : kAllParts);
}

Handle Folds::load(FoldOperation operation, FoldElement element, int device) const {
  if (!driver_.wants_code())
    return driver_.load_module(part_of(operation, element, device) == kSm80 ? fold_image_sm80() : fold_image());
  return driver_.load_module(driver_.compile(fold_source() + kernel_line(operation, element) + "\n", device).data());
}

/// Called under the lock.
const Folds::Module& Folds::module(FoldOperation operation, FoldElement element) {
  const int device = driver_.selected();
  const std::string part = part_of(operation, element, device);
  const auto [entry, is_new] = modules_.try_emplace({device, part});
  if (!is_new) return entry->second;
  try {
    entry->second.module = OwnedModule(driver_, device, load(operation, element, device));
  } catch (const Error& error) {
    entry->second.refusal = error.what();
  }
  return entry->second;
}

bool Folds::work(FoldOperation operation, FoldElement element, std::string& why) {
  const std::lock_guard lock(mutex_);
  const Module& loaded = module(operation, element);
  if (!loaded.refusal.empty()) why = loaded.refusal;
  return loaded.refusal.empty();
}

Handle Folds::kernel(FoldOperation operation, FoldElement element) {
  const std::lock_guard lock(mutex_);
  const Module& loaded = module(operation, element);
  if (!loaded.refusal.empty()) throw not_available(loaded.refusal);
  const std::string name = fold_name(operation, element);
  const auto [entry, is_new] = kernels_.try_emplace({driver_.selected(), name}, nullptr);
  if (is_new) entry->second = driver_.find_kernel(loaded.module.get(), name);
  return entry->second;
}

void Folds::fold(FoldOperation operation, FoldElement element, std::span<const Address> from,
                 std::span<const Address> to, std::size_t count, Handle stream) {
  constexpr unsigned kThreads = kernel::kFoldThreads;
  constexpr std::size_t kMostBlocks = 4096;  // beyond it a thread takes several groups
  if (count == 0) return;
  kernel::FoldOperands operands{};
  std::ranges::copy(from, operands.from);
  std::ranges::copy(to, operands.to);
  auto inputs = static_cast<unsigned>(from.size());
  auto outputs = static_cast<unsigned>(to.size());
  unsigned long long elements = count;
  const std::size_t size = size_of(element);
  unsigned long long before = kernel::elements_before_groups(operands, inputs, outputs, elements, size);
  std::array<void*, 5> arguments{&operands, &inputs, &outputs, &elements, &before};
  const std::size_t in_group = kernel::kGroupBytes / size;
  const std::size_t most = std::max<std::size_t>(before, (count - before) / in_group + in_group);
  const std::size_t blocks = std::min((most + kThreads - 1) / kThreads, kMostBlocks);
  driver_.launch(kernel(operation, element), {static_cast<unsigned>(blocks)}, {kThreads}, arguments.data(), stream);
}

}  // namespace topowise::device
