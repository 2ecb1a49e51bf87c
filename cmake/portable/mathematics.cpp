// SPDX-License-Identifier: BSD-3-Clause
// Functions of which glibc 2.29 has a newer version, under the version that every glibc has. They are an archive, so
// that what needs none of them is not linked with libm.

extern "C" {

// Since 2.29 these functions no longer set errno by way of `matherr`. The older ones give the same numbers.
#define OLDER(name) __asm__(".symver older_" #name "," #name "@" TOPOWISE_OLDEST_GLIBC)
OLDER(exp);
OLDER(exp2);
OLDER(log);
OLDER(log2);
OLDER(pow);
double older_exp(double);
double older_exp2(double);
double older_log(double);
double older_log2(double);
double older_pow(double, double);
[[gnu::visibility("hidden")]] double exp(double x) noexcept {
  return older_exp(x);
}
[[gnu::visibility("hidden")]] double exp2(double x) noexcept {
  return older_exp2(x);
}
[[gnu::visibility("hidden")]] double log(double x) noexcept {
  return older_log(x);
}
[[gnu::visibility("hidden")]] double log2(double x) noexcept {
  return older_log2(x);
}
[[gnu::visibility("hidden")]] double pow(double x, double y) noexcept {
  return older_pow(x, y);
}
}
