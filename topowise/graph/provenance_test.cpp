// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/provenance.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

TEST_CASE("a provenance is what its text says, and its text is what was read") {
  struct Case {
    const char* text;
    const char* origin;
    GpuVendor vendor;
    Basis basis;
    Trust trust;
  };
  for (const Case& each : {
           Case{"", "", GpuVendor::unknown, Basis::stated, Trust::stated},
           Case{"tree", "tree", GpuVendor::unknown, Basis::stated, Trust::stated},
           Case{"nvidia-smi (nominal)", "nvidia-smi", GpuVendor::nvidia, Basis::nominal, Trust::tool},
           Case{"nvidia-smi (assumed)", "nvidia-smi", GpuVendor::nvidia, Basis::assumed, Trust::tool},
           Case{"amd-smi (as printed)", "amd-smi", GpuVendor::amd, Basis::printed, Trust::tool},
           Case{"amd-smi (assumed)", "amd-smi", GpuVendor::amd, Basis::assumed, Trust::wiring},
           Case{"nvml (as printed)", "nvml", GpuVendor::nvidia, Basis::printed, Trust::tool},
           Case{"cuda SIMULATED (nominal)", "cuda SIMULATED", GpuVendor::nvidia, Basis::nominal, Trust::wiring},
           Case{"hwloc-xml (constant)", "hwloc-xml", GpuVendor::unknown, Basis::constant, Trust::placeholder},
           Case{"nccl-xml (width not known)", "nccl-xml", GpuVendor::unknown, Basis::unknown_width, Trust::placeholder},
           Case{"nccl-log (nccl)", "nccl-log", GpuVendor::unknown, Basis::nccl, Trust::backend},
           Case{"preset (measured)", "preset", GpuVendor::unknown, Basis::measured, Trust::preset},
           Case{"measured:p2pBandwidthLatencyTest (HIP)", "measured:p2pBandwidthLatencyTest (HIP)", GpuVendor::amd,
                Basis::stated, Trust::measured},
           Case{"measured:probe (GPU memory by cuda)", "measured:probe (GPU memory by cuda)", GpuVendor::unknown,
                Basis::stated, Trust::measured},
       }) {
    const Provenance read(each.text);
    CAPTURE(each.text);
    CHECK(read.origin() == each.origin);
    CHECK(read.vendor() == each.vendor);
    CHECK(read.basis() == each.basis);
    CHECK(read.trust() == each.trust);
    CHECK(to_string(read) == each.text);
    CHECK(Provenance(to_string(read)) == read);
  }
}

TEST_CASE("words that only begin like a program's name are a user's own") {
  for (const char* words : {"site survey 2026 by Ann", "nvidia-smi, copied by Ann", "nccl tests by Ann", "nccl",
                            "preset of the vendor's sales", "hwloc, drawn by hand", "measuredly guessed",
                            "Ann (as printed)", "cudaXSIMULATED"}) {
    const Provenance read(words);
    CAPTURE(words);
    CHECK(read.trust() == Trust::stated);
    CHECK(read.vendor() == GpuVendor::unknown);
    CHECK(to_string(read) == words);
  }
}

TEST_CASE("an origin keeps its vendor when its basis changes") {
  const Provenance source = Provenance(origin::kCuda).simulated();
  CHECK(source.with(Basis::nominal) == "cuda SIMULATED (nominal)");
  CHECK(source.with(Basis::nominal).vendor() == GpuVendor::nvidia);
  CHECK(source.with(Basis::unknown_width).with(Basis::nominal).trust() == Trust::wiring);
  CHECK(Provenance(origin::kNvml).with(Basis::printed).with(Basis::nominal).trust() == Trust::backend);
}
