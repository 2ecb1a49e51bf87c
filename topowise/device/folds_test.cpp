// SPDX-License-Identifier: BSD-3-Clause
// The host's folds are compared with the source of the kernels, element by element; and the names in the PTX are
// checked.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/device/fold_groups.hpp>
#include <topowise/device/fold_list.hpp>
#include <topowise/device/folds.hpp>

using namespace topowise;
using namespace topowise::device;

namespace {

struct AllElements {
  static constexpr unsigned long long first() { return 0; }
  static constexpr unsigned long long step() { return 1; }
};

using Bytes = std::vector<unsigned char>;

/// Random bits; for floating-point elements, numbers of modest size.
Bytes draw(Random& random, FoldElement element, std::size_t count) {
  Bytes bytes(count * size_of(element));
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  const std::string_view name = to_string(element);
  const auto fill = [&](auto number) {
    for (std::size_t i = 0; i + sizeof number <= bytes.size(); i += sizeof number) {
      number = static_cast<decltype(number)>(random.unit() * 8 - 4);
      std::memcpy(bytes.data() + i, &number, sizeof number);
    }
  };
  const std::size_t padded = name == "i16i32" ? 2 : name == "f64i32" || name == "i64i32" ? 12 : 0;
  for (std::size_t i = 0; padded > 0 && i < bytes.size(); ++i) {
    const std::size_t at = i % size_of(element);
    if (padded == 2 ? at == 2 || at == 3 : at >= padded) bytes[i] = 0;  // padding: no field has these bytes
  }
  if (name == "f32" || name == "c32" || name == "f32f32") fill(0.0F);
  if (name == "f64" || name == "c64" || name == "f64f64") fill(0.0);
  return bytes;
}

using PlainFold = void (*)(const kernel::FoldOperands&, unsigned, unsigned, unsigned long long);
template <class Operation, class T>
void plain_fold(const kernel::FoldOperands& operands, unsigned from, unsigned to, unsigned long long count) {
  kernel::fold<Operation, T>(AllElements{}, operands, from, to, count);
}

/// One of the few threads of a GPU.
struct Thread {
  static constexpr unsigned long long kThreads = 3;
  unsigned long long number;
  [[nodiscard]] constexpr unsigned long long first() const { return number; }
  static constexpr unsigned long long step() { return kThreads; }
  static kernel::Words read(unsigned long long address) {
    ++groups_read;
    return *reinterpret_cast<const kernel::Words*>(address);
  }
  static void write(unsigned long long address, kernel::Words words) {
    *reinterpret_cast<kernel::Words*>(address) = words;
  }
  static inline std::size_t groups_read = 0;
};
template <class Operation, class T>
void fold_by_threads(const kernel::FoldOperands& operands, unsigned from, unsigned to, unsigned long long count) {
  const unsigned long long before = kernel::elements_before_groups(operands, from, to, count, sizeof(T));
  for (unsigned long long number = 0; number < Thread::kThreads; ++number)
    kernel::fold_in_groups<Operation, T>(Thread{number}, operands, from, to, count, before);
}

struct PlainRow {
  const char* operation;
  const char* element;
  PlainFold fold, by_threads;
};
#define ROW(operation, Operation, element, ...)                              \
  PlainRow{#operation, #element, plain_fold<kernel::Operation, __VA_ARGS__>, \
           fold_by_threads<kernel::Operation, __VA_ARGS__>},
constexpr std::array kPlain{TOPOWISE_FOLDS(ROW)};
#undef ROW

float round_trip(float value) {
  kernel::Half half{};
  kernel::Accumulator<kernel::Half>::store(half, value);
  return kernel::Accumulator<kernel::Half>::load(half);
}

}  // namespace

TEST_CASE("the host folds in blocks what the kernels fold element by element") {
  Random random(7);
  for (const PlainRow& row : kPlain) {
    const FoldOperation operation = *fold_operation(row.operation);
    const FoldElement element = *fold_element(row.element);
    CAPTURE(std::string(row.operation));
    CAPTURE(std::string(row.element));
    constexpr std::size_t kCount = 1100;  // more than two blocks
    constexpr unsigned kInputs = 5;
    std::vector<Bytes> inputs;
    kernel::FoldOperands operands{};
    for (unsigned k = 0; k < kInputs; ++k) {
      inputs.push_back(draw(random, element, kCount));
      operands.from[k] = reinterpret_cast<unsigned long long>(inputs.back().data());
    }
    Bytes expected(inputs[0].size());
    std::array<Bytes, 2> results{expected, expected};
    operands.to[0] = reinterpret_cast<unsigned long long>(expected.data());
    row.fold(operands, kInputs, 1, kCount);
    for (std::size_t k = 0; k < 2; ++k) operands.to[k] = reinterpret_cast<unsigned long long>(results[k].data());
    const HostFold fold = host_fold(operation, element);
    REQUIRE((fold != nullptr));
    fold(operands, kInputs, 2, 0, 700);
    fold(operands, kInputs, 2, 700, kCount);
    CHECK(results[0] == expected);
    CHECK(results[1] == expected);
    operands.to[0] = operands.from[3];  // in place
    fold(operands, kInputs, 1, 0, kCount);
    CHECK(inputs[3] == expected);
  }
}

namespace {

/// Vectors of which each begins so many bytes behind a multiple of 64.
struct Placed {
  std::vector<Bytes> memory;
  kernel::FoldOperands operands{};

  Placed(Random& random, FoldElement element, std::size_t count, const std::vector<std::size_t>& from,
         const std::vector<std::size_t>& to) {
    for (std::size_t k = 0; k < from.size() + to.size(); ++k) {
      const bool is_input = k < from.size();
      memory.emplace_back(count * size_of(element) + 256);
      auto begin = reinterpret_cast<unsigned long long>(memory.back().data() + 63) / 64 * 64;
      begin += is_input ? from[k] : to[k - from.size()];
      const Bytes drawn = draw(random, element, count);
      std::ranges::copy(drawn, reinterpret_cast<unsigned char*>(begin));
      (is_input ? operands.from[k] : operands.to[k - from.size()]) = begin;
    }
  }
};

const unsigned char* bytes_at(unsigned long long address) {
  return reinterpret_cast<const unsigned char*>(address);
}

}  // namespace

TEST_CASE("kernels fold in groups what they fold element by element, wherever vectors begin") {
  Random random(8);
  for (const PlainRow& row : kPlain) {
    const FoldElement element = *fold_element(row.element);
    const std::size_t size = size_of(element);
    CAPTURE(std::string(row.operation));
    CAPTURE(std::string(row.element));
    for (const std::size_t count : {std::size_t{1}, std::size_t{17}, std::size_t{207}}) {  // no type fills whole groups
      for (const unsigned inputs : {1U, 2U, 3U, 5U}) {
        // All vectors begin there; then one of them, an input or a result, begins an element later.
        for (const std::size_t all : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{7}}) {
          for (const std::size_t shifted : {std::size_t{9}, std::size_t{0}, std::size_t{inputs}}) {
            std::vector<std::size_t> begins(inputs + 2, all * size);
            if (shifted < begins.size()) begins[shifted] += size;
            Placed here(random, element, count, {begins.begin(), begins.begin() + inputs},
                        {begins.begin() + inputs, begins.end()});
            Bytes expected(bytes_at(here.operands.to[0]), bytes_at(here.operands.to[0]) + count * size);
            Bytes second(bytes_at(here.operands.to[1]), bytes_at(here.operands.to[1]) + count * size);
            kernel::FoldOperands plain = here.operands;
            plain.to[0] = reinterpret_cast<unsigned long long>(expected.data());
            plain.to[1] = reinterpret_cast<unsigned long long>(second.data());
            row.fold(plain, inputs, 2, count);
            row.by_threads(here.operands, inputs, 2, count);
            CHECK(std::equal(expected.begin(), expected.end(), bytes_at(here.operands.to[0])));
            CHECK(std::equal(second.begin(), second.end(), bytes_at(here.operands.to[1])));
          }
        }
      }
    }
  }
}

TEST_CASE("kernels fold in place") {
  Random random(9);
  for (const PlainRow& row : kPlain) {
    const FoldElement element = *fold_element(row.element);
    const std::size_t size = size_of(element);
    Placed here(random, element, 207, {size, size, size}, {size});
    Bytes expected(bytes_at(here.operands.from[1]), bytes_at(here.operands.from[1]) + 207 * size);
    kernel::FoldOperands plain = here.operands;
    plain.to[0] = reinterpret_cast<unsigned long long>(expected.data());
    row.fold(plain, 3, 1, 207);
    here.operands.to[0] = here.operands.from[1];
    row.by_threads(here.operands, 3, 1, 207);
    CHECK(std::equal(expected.begin(), expected.end(), bytes_at(here.operands.to[0])));
  }
}

TEST_CASE("all but the edges of vectors is read 16 bytes at once, also where they begin elsewhere") {
  Random random(10);
  for (const PlainRow& row : kPlain) {
    const FoldElement element = *fold_element(row.element);
    const std::size_t size = size_of(element);
    CAPTURE(std::string(row.element));
    constexpr std::size_t kCount = 1000;
    for (std::size_t begin = 0; begin < 16; begin += size) {
      Placed here(random, element, kCount, {begin, begin, begin}, {begin});
      Thread::groups_read = 0;
      row.by_threads(here.operands, 3, 1, kCount);
      const std::size_t edges = begin == 0 ? 1 : 2;
      CHECK(Thread::groups_read >= 3 * (kCount * size / kernel::kGroupBytes - edges));
    }
  }
  kernel::FoldOperands operands{};
  operands.from[0] = operands.to[0] = 0x1006;
  CHECK(kernel::elements_before_groups(operands, 1, 1, 100, 2) == 5);
  CHECK(kernel::elements_before_groups(operands, 1, 1, 4, 2) == 4);      // no group fits
  CHECK(kernel::elements_before_groups(operands, 1, 1, 100, 4) == 100);  // no element begins where a group does
  operands.to[0] = 0x1008;
  CHECK(kernel::elements_before_groups(operands, 1, 1, 100, 2) == 100);
}

TEST_CASE("what is only moved is moved in the widest elements that fit") {
  const auto widest = [](std::vector<Address> addresses, std::size_t bytes) {
    return widest_element(addresses, bytes);
  };
  CHECK(widest({0x1000, 0x2008}, 24) == FoldElement::u64);
  CHECK(widest({0x1000, 0x2004}, 24) == FoldElement::u32);
  CHECK(widest({0x1000, 0x2008}, 20) == FoldElement::u32);
  CHECK(widest({0x1002, 0x2000}, 24) == FoldElement::u16);
  CHECK(widest({0x1000, 0x2000}, 25) == FoldElement::u8);
}

TEST_CASE("signed integers fold by the unsigned kernels, except for the smaller and the larger") {
  CHECK(fold_name(FoldOperation::sum, FoldElement::i32) == "topowise_fold_sum_u32");
  CHECK(fold_name(FoldOperation::band, FoldElement::i8) == "topowise_fold_band_u8");
  CHECK(fold_name(FoldOperation::min, FoldElement::i64) == "topowise_fold_min_i64");
  std::array<int, 2> a{-5, 3};
  std::array<int, 2> b{2, -7};
  kernel::FoldOperands operands{};
  operands.from[0] = operands.to[0] = reinterpret_cast<unsigned long long>(a.data());
  operands.from[1] = reinterpret_cast<unsigned long long>(b.data());
  host_fold(FoldOperation::prod, FoldElement::i32)(operands, 2, 1, 0, 2);
  CHECK(a == std::array<int, 2>{-10, -21});
  host_fold(FoldOperation::max, FoldElement::i32)(operands, 2, 1, 0, 2);
  CHECK(a == std::array<int, 2>{2, -7});
}

TEST_CASE("what MPI does not define has no kernel") {
  CHECK(fold_name(FoldOperation::band, FoldElement::f32).empty());
  CHECK(fold_name(FoldOperation::max, FoldElement::c64).empty());
  CHECK(fold_name(FoldOperation::minloc, FoldElement::i32).empty());
  CHECK(fold_name(FoldOperation::sum, FoldElement::f64i32).empty());
  CHECK((host_fold(FoldOperation::lor, FoldElement::f64) == nullptr));
}

TEST_CASE("16-bit numbers: every one of them is loaded and stored as itself") {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    kernel::Half half{static_cast<unsigned short>(bits)};
    const float value = kernel::Accumulator<kernel::Half>::load(half);
    kernel::Half stored{};
    kernel::Accumulator<kernel::Half>::store(stored, value);
    if (std::isnan(value))
      CHECK((stored.bits & 0x7fffU) > 0x7c00U);
    else
      CHECK(stored.bits == half.bits);
    kernel::Bfloat brain{static_cast<unsigned short>(bits)};
    kernel::Bfloat again{};
    kernel::Accumulator<kernel::Bfloat>::store(again, kernel::Accumulator<kernel::Bfloat>::load(brain));
    if (!std::isnan(kernel::Accumulator<kernel::Bfloat>::load(brain))) CHECK(again.bits == brain.bits);
  }
}

TEST_CASE("binary16 rounds to the nearest, of two the even one") {
  CHECK(round_trip(1.0F) == 1.0F);
  CHECK(round_trip(2049.0F) == 2048.0F);  // between 2048 and 2050
  CHECK(round_trip(2051.0F) == 2052.0F);
  CHECK(round_trip(65519.0F) == 65504.0F);
  CHECK(std::isinf(round_trip(65520.0F)));
  CHECK(std::isinf(round_trip(1e30F)));
  CHECK(round_trip(0x1p-24F) == 0x1p-24F);
  CHECK(round_trip(0x1p-25F) == 0.0F);
  CHECK(round_trip(0x1.8p-24F) == 0x1p-23F);
  CHECK(std::signbit(round_trip(-0.0F)));
  CHECK(std::isnan(round_trip(std::nanf(""))));
}

TEST_CASE("16-bit numbers are accumulated as 32-bit ones and rounded once") {
  constexpr unsigned kInputs = 64;
  std::array<kernel::Half, kInputs> ones{};
  kernel::FoldOperands operands{};
  for (unsigned k = 0; k < kInputs; ++k) {
    kernel::Accumulator<kernel::Half>::store(ones[k], k == 0 ? 2048.0F : 1.0F);  // 2048 + 1 alone would round to 2048
    operands.from[k] = reinterpret_cast<unsigned long long>(&ones[k]);
  }
  kernel::Half sum{};
  operands.to[0] = reinterpret_cast<unsigned long long>(&sum);
  host_fold(FoldOperation::sum, FoldElement::f16)(operands, kInputs, 1, 0, 1);
  CHECK(kernel::Accumulator<kernel::Half>::load(sum) == 2112.0F);  // 2111 to the nearest even
}

TEST_CASE("of equal values MINLOC and MAXLOC give the smallest index, and leave the padding alone") {
  using DoubleInt = kernel::Pair<double, int>;
  const DoubleInt a{2, 7};
  const DoubleInt b{2, 3};
  CHECK(kernel::MinLocation::of(a, b).index == 3);
  CHECK(kernel::MaxLocation::of(b, a).index == 3);
  CHECK(kernel::MaxLocation::of(DoubleInt{5, 9}, b).index == 9);
  CHECK(kernel::MinLocation::of(DoubleInt{5, 9}, b).index == 3);
  CHECK(size_of(FoldElement::f64i32) == sizeof(DoubleInt));
  CHECK(size_of(FoldElement::i16i32) == sizeof(kernel::Pair<short, int>));
}

TEST_CASE("elements lie where C puts them") {
#define ROW(operation, Operation, element, ...) CHECK(alignment_of(*fold_element(#element)) == alignof(__VA_ARGS__));
  TOPOWISE_FOLDS(ROW)
#undef ROW
}

TEST_CASE("integers wrap around") {
  using namespace kernel;
  CHECK(Sum::of(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
  CHECK(Prod::of(static_cast<unsigned short>(65535), static_cast<unsigned short>(65535)) == 1);
  CHECK(Prod::of(static_cast<signed char>(-128), static_cast<signed char>(-1)) == -128);
  CHECK(Sum::of(std::numeric_limits<long long>::min(), -1LL) == std::numeric_limits<long long>::max());
}

TEST_CASE("of a number and NaN the first operand remains") {
  const double nan = std::nan("");
  CHECK(kernel::Min::of(1.0, nan) == 1.0);
  CHECK(std::isnan(kernel::Max::of(nan, 1.0)));
}

TEST_CASE("the PTX has every fold, needs no local memory, and runs on old drivers") {
  REQUIRE(fold_image() != nullptr);
  const std::string_view image = fold_image();
  CHECK(image.find(".target sm_35") != std::string_view::npos);
  for (const PlainRow& row : kPlain) {
    const std::string name = fold_name(*fold_operation(row.operation), *fold_element(row.element));
    CAPTURE(name);
    CHECK(image.find(".entry " + name + "(") != std::string_view::npos);
  }
  // A copy of the operands in each thread's local memory would cost more than the vectors.
  CHECK(image.find(".local") == std::string_view::npos);
}

TEST_CASE("bf16 has kernels of its own for GPUs that round to it") {
  REQUIRE(fold_image_sm80() != nullptr);
  const std::string_view image = fold_image_sm80();
  CHECK(image.find(".target sm_80") != std::string_view::npos);
  CHECK(image.find("cvt.rn.bf16.f32") != std::string_view::npos);
  CHECK(image.find(".local") == std::string_view::npos);
  for (const FoldOperation operation :
       {FoldOperation::sum, FoldOperation::prod, FoldOperation::min, FoldOperation::max})
    CHECK(image.find(".entry " + fold_name(operation, FoldElement::bf16) + "(") != std::string_view::npos);
}
