// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/host_names.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

TEST_CASE("addresses are never shortened") {
  for (const char* address : {"10.0.0.1", "fe80::1%eth0.100", "::ffff:10.0.0.1"}) {
    CAPTURE(address);
    CHECK(without_domain(address) == address);
  }
  CHECK(without_domain("gpu01.example.org") == "gpu01");
  CHECK(is_same_host("10.0.0.1", "10.0.0.1"));
  CHECK_FALSE(is_same_host("10.0.0.1", "10.0.0.2"));
  CHECK_FALSE(is_same_host("10.0.0.1", "10"));
}

TEST_CASE("of two names of one host, one may leave the domain out") {
  CHECK(is_same_host("gpu01", "GPU01.example.org"));
  CHECK(is_same_host("gpu01.example.org", "gpu01"));
  CHECK_FALSE(is_same_host("gpu01.example.org", "gpu01.example.com"));
  CHECK_FALSE(is_same_host("gpu01", "gpu011"));
}

TEST_CASE("hosts that are alike but for the domain are distinguished") {
  HostNames names;
  for (const char* host : {"gpu01.a", "gpu01.b", "gpu02.a", "gpu03", "10.0.0.1", "10.0.0.2"}) names.add(host);
  CHECK(names.find("gpu01.b") == 1);
  CHECK_FALSE(names.find("gpu01"));  // ambiguous: gpu01.a or gpu01.b
  CHECK_FALSE(names.find("gpu01.c"));
  CHECK(names.find("gpu02") == 2);
  CHECK_FALSE(names.find("gpu02.b"));
  CHECK(names.find("gpu03.b") == 3);
  CHECK(names.find("10.0.0.2") == 5);
  CHECK_FALSE(names.find("10.0.0.9"));
  CHECK_FALSE(names.find("10"));
  CHECK_FALSE(names.is_alone("gpu01.a"));
  CHECK_FALSE(names.is_alone("gpu01"));
  CHECK(names.is_alone("gpu02.a"));
  CHECK(names.is_alone("gpu03"));
  CHECK_FALSE(names.is_alone("gpu03.a"));
  CHECK(names.is_alone("10.0.0.1"));
}

TEST_CASE("what may be the name of a host") {
  for (const char* name : {"n01", "gpu-5.cluster.example", "a_b", "10.0.0.1"}) CHECK(is_host_name(name));
  for (const char* name : {"", "(none)", "-n", "a b", "a\nb", "a:1"}) CHECK_FALSE(is_host_name(name));
  CHECK_FALSE(is_host_name(std::string(254, 'a')));
  CHECK_FALSE(host_name().empty());
}
