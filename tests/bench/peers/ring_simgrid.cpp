// The ring of bench_network.cpp on SimGrid's fluid model (max-min sharing): hosts of a fat tree, every chunk
// a transfer of its own. ring_simgrid HOSTS, with HOSTS a multiple of 64.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 64;
  std::vector<sg::Host*> host;
  auto* root = sg::create_full_zone("root");
  const sg::FatTreeParams tree(2, {8, hosts / 8}, {1, 4}, {1, 1});  // leaves of 8 hosts on four spines
  auto* zone = sg::create_fatTree_zone(
      "tree", root, tree,
      {[&](sg::NetZone* in, const std::vector<unsigned long>&, unsigned long id) {
         auto* h = in->create_host("h" + std::to_string(id), 1e12)->seal();
         host.push_back(h);
         return std::make_pair(h->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
       },
       {},
       {}},
      50e9, 1e-6, sg::Link::SharingPolicy::SPLITDUPLEX);
  zone->seal();
  root->seal();
  static int payload = 0;
  const double chunk = 1e9 / hosts;
  long flows = 0;
  for (unsigned r = 0; r < hosts; ++r) {
    sg::Actor::create("rank" + std::to_string(r), host[r], [&, r] {
      auto* mine = sg::Mailbox::by_name(std::to_string(r));
      auto* next = sg::Mailbox::by_name(std::to_string((r + 1) % hosts));
      for (unsigned step = 0; step < 2 * (hosts - 1); ++step) {
        int* in = nullptr;
        const auto receive = mine->get_async<int>(&in);
        const auto send = next->put_async(&payload, static_cast<std::uint64_t>(chunk));
        send->wait();
        receive->wait();
        ++flows;
      }
    });
  }
  const auto start = std::chrono::steady_clock::now();
  engine.run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("SimGrid ring, %u hosts: %ld flows, %.6f s simulated, %.3f s\n", hosts, flows,
              sg::Engine::get_clock(), seconds);
}
