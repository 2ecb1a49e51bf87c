#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of emulated networks: they are read, refused with the line of the error, and routed."""

import contextlib
import io
import json
import pathlib
import unittest

import fabric
import lab

FABRICS = pathlib.Path(__file__).resolve().parent / "fabrics"


class Descriptions(unittest.TestCase):
    def test_those_that_come_along(self):
        files = sorted(FABRICS.glob("*.fabric"))
        self.assertGreaterEqual(len(files), 2)
        for file in files:
            self.assertTrue(fabric.parse(file.read_text(), file.name).is_tree(), file)

    def test_what_is_wrong_is_told_with_its_line(self):
        good = "host a\nhost b\nlink a b 1gbit\n"
        for text, message in (
                (good + "link a c 1gbit", "a link names 'c', which is neither a host nor a switch"),
                (good + "host a", "f:4: 'a' is there already"),
                (good + "link a b fast", "f:4: 'fast' is no rate"),
                (good + "link a b 0gbit", "f:4: '0gbit' is no rate"),
                (good + "hots c", "f:4: 'hots c' is none of"),
                (good + "host c;reboot", "f:4: 'host c;reboot' is none of"),
                (good + "host c", "no link leads to c"),
                (good + "route a b c", "'c' no neighbour of 'a'"),
                ("switch s\n", "there is no host")):
            with self.assertRaises(fabric.FabricError, msg=text) as caught:
                fabric.parse(text, "f")
            self.assertIn(message, str(caught.exception))


class Arguments(unittest.TestCase):
    def test_options_stand_before_the_verb_and_behind_it(self):
        for words in (["--name", "other", "up", "torus:3x3:1gbit"], ["up", "torus:3x3:1gbit", "--name", "other"]):
            given = lab.arguments(words)
            self.assertEqual((given.name, given.verb, given.words), ("other", "up", ["torus:3x3:1gbit"]))
        self.assertEqual(lab.arguments(["down", "--name", "other"]).name, "other")
        self.assertEqual(lab.arguments(["down"]).name, "lab")

    def test_what_stands_behind_a_command_is_its_own(self):
        given = lab.arguments(["--option=-x", "mpirun", "openmpi4", "8", "app", "--name", "n"])
        self.assertEqual((given.name, given.option, given.words), ("lab", ["-x"], ["openmpi4", "8", "app", "--name", "n"]))

    def test_too_much(self):
        for words in (["down", "other"], ["up"], ["up", "a", "b"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                lab.arguments(words)


class Routes(unittest.TestCase):
    def assert_routes_are_shortest(self, network):
        for source in network.hosts:
            distance = network.distances(source)
            for destination in network.hosts:
                route = network.route(source, destination)
                self.assertEqual(len(route), distance[destination])
                self.assertEqual([one for one, _ in route[1:]], [other for _, other in route[:-1]])

    def test_fat_tree(self):
        network = fabric.fat_tree(4, 2, 2, "400mbit", "200mbit")
        self.assertEqual(len(network.hosts), 8)
        self.assertFalse(network.is_tree())
        self.assert_routes_are_shortest(network)
        self.assertEqual({network.route("h0", f"h{i}")[1][1] for i in range(2, 8)}, {"s0", "s1"}, "both spines are used")

    def test_torus(self):
        network = fabric.torus([3, 4], "1gbit")
        self.assertEqual((len(network.kinds), len(network.links)), (12, 24))
        self.assert_routes_are_shortest(network)
        self.assertEqual(len(fabric.torus([2, 2], "1gbit").links), 4)

    def test_a_route_that_is_given(self):
        ring = "host a\nhost b\nhost c\nlink a b 1gbit\nlink b c 1gbit\nlink c a 1gbit\nroute a b c\n"
        self.assertEqual(fabric.parse(ring).route("a", "b"), [("a", "c"), ("c", "b")])
        with self.assertRaisesRegex(fabric.FabricError, "circle"):
            fabric.parse(ring + "route c b a\n").route("a", "b")

    def test_as_a_machine(self):
        machine = json.loads(fabric.fat_tree(2, 2, 1, "400mbit", "100mbit").topology("lab"))
        self.assertEqual([place["name"] for place in machine["places"]], ["h0", "h1", "h2", "h3"])
        self.assertEqual({link["bandwidth_bytes_per_s"] for link in machine["links"]}, {50e6, 12.5e6})
        self.assertEqual(len(machine["links"]), 2 * 6)


if __name__ == "__main__":
    unittest.main()
