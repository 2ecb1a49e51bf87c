// SPDX-License-Identifier: BSD-3-Clause
// SimGrid's max-min model for comparison, on the trees T1 and T2 of the SC'16 paper. Reads "T1" or "T2", then one
// message on each line, "FROM TO BYTES". A source sends its messages one after the other. Prints the end of each
// message in ms, and to the standard error how long the simulation took, without the start of the process. Built only
// with libsimgrid-dev.
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

constexpr double kBandwidth = 11.6 * 1024 * 1024 * 1024;

struct Message {
  int from, to;
  double bytes;
  double end = 0;
};

/// Names of the switches above a GPU, lowest first.
std::vector<std::string> above(int gpu, bool t2) {
  std::vector<std::string> names{"K" + std::to_string(gpu / 2)};
  names.push_back(t2 ? (gpu < 4 ? "A" : "B") : "S");
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/TCP-gamma:0");
  std::string tree;
  std::cin >> tree;
  const bool t2 = tree == "T2";
  std::vector<Message> messages;
  for (Message m; std::cin >> m.from >> m.to >> m.bytes;) messages.push_back(m);

  sg4::NetZone* zone = sg4::create_full_zone("machine");
  std::map<std::string, const sg4::Link*> links;
  const auto link = [&](const std::string& name) {
    if (!links.contains(name)) links[name] = zone->create_link(name, kBandwidth)->set_latency(0)->seal();
    return links[name];
  };
  std::vector<sg4::Host*> hosts;
  for (int g = 0; g < 8; ++g) hosts.push_back(zone->create_host("GPU" + std::to_string(g), 1e9)->seal());
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      if (a == b) continue;
      std::vector<sg4::LinkInRoute> route{sg4::LinkInRoute(link("up GPU" + std::to_string(a)))};
      std::vector<sg4::LinkInRoute> down{sg4::LinkInRoute(link("down GPU" + std::to_string(b)))};
      const auto up_names = above(a, t2);
      const auto down_names = above(b, t2);
      for (std::size_t level = 0; level < up_names.size() && up_names[level] != down_names[level]; ++level) {
        route.emplace_back(link("up " + up_names[level]));
        down.insert(down.begin(), sg4::LinkInRoute(link("down " + down_names[level])));
      }
      route.insert(route.end(), down.begin(), down.end());
      zone->add_route(hosts[a]->get_netpoint(), hosts[b]->get_netpoint(), nullptr, nullptr, route, false);
    }
  }
  zone->seal();
  for (int g = 0; g < 8; ++g) {
    sg4::Actor::create("sender", hosts[g], [&, g] {
      for (Message& m : messages) {
        if (m.from != g) continue;
        sg4::Comm::sendto(hosts[m.from], hosts[m.to], static_cast<std::uint64_t>(m.bytes));
        m.end = sg4::Engine::get_clock();
      }
    });
  }
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  for (const Message& m : messages) std::printf("%d->%d %.3f\n", m.from, m.to, m.end * 1e3);
  std::fprintf(stderr, "simulated in %.0f us\n", spent.count());
}
