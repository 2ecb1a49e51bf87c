#!/usr/bin/env python3
"""check_layers.py finds each kind of breach, and nothing in a clean tree."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"


class CheckLayers(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
            return run.returncode, run.stdout

    def test_clean_tree(self):
        status, out = self.check({"topowise/graph/a.cpp": "#include <topowise/base/id.hpp>\n#include <vector>\n"})
        self.assertEqual(status, 0, out)

    def test_arrow_up(self):
        status, out = self.check({"topowise/base/a.cpp": "#include <topowise/graph/topology.hpp>\n"})
        self.assertEqual(status, 1)
        self.assertIn("topowise/base/a.cpp:1: 'base' must not include 'graph'", out)

    def test_sideways(self):
        status, out = self.check({"topowise/predict/a.cpp": "\n#include <topowise/launch/launcher.hpp>\n"})
        self.assertEqual(status, 1)
        self.assertIn("predict/a.cpp:2:", out)

    def test_family_members_are_strangers(self):
        status, out = self.check({"topowise/mapper/search/tabu.cpp": "#include <topowise/mapper/construct/greedy.hpp>\n"})
        self.assertEqual(status, 1)
        self.assertIn("'tabu' must not include 'greedy'", out)

    def test_third_party(self):
        status, out = self.check({"topowise/graph/a.cpp": "#include <nlohmann/json.hpp>\n",
                                  "topowise/graph/json.cpp": "#include <nlohmann/json.hpp>\n"})
        self.assertEqual(status, 1)
        self.assertIn("graph/a.cpp:1: <nlohmann/json.hpp>", out)
        self.assertNotIn("graph/json.cpp", out)

    def test_long_file(self):
        status, out = self.check({"topowise/base/a.cpp": "\n" * 501})
        self.assertEqual(status, 1)
        self.assertIn("501 lines", out)


if __name__ == "__main__":
    unittest.main()
