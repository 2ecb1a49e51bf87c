#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report page as a browser shows it: nothing is cut off at 500 px, words are readable in light and dark mode, drawings keep their letters inside,
pages print on two sheets, and pages look as in pictures/ (see picture.py).
Usage: browser_test.py TOPOWISE, or TOPOWISE_UPDATE=1 browser_test.py TOPOWISE to take the pictures anew"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import picture  # noqa: E402

SKIPPED = 77
SECONDS = 300  # a guard against hangs
PAGES = {
    "16": ["pattern:stencil2d:4x4:w=3:heavy=0:bytes=1MiB", "preset:helios-k80"],
    "nvlink": ["pattern:ring:8:bytes=8MiB", "preset:dgx1-v100", "--mapping", "random"],
    "128": ["pattern:halo3d:4x4x8", "cluster:tree:2:8,preset:hgx-h100,nic=50GB/s", "--mapping", "cyclic"],
    "1024": ["pattern:halo3d:8x8x16", "cluster:tree:8:16,preset:hgx-h100,nic=50GB/s", "--mapping", "cyclic"],
    "torus": ["pattern:torus2d:8x8", "torus:8x8@10GB/s"],
    "nvswitch": ["pattern:alltoall:8", "preset:hgx-h100"],  # no mapping can help
    "2 nodes": ["pattern:stencil2d:4x8", "cluster:tree:2,preset:dgx-a100,nic=25GB/s", "--ranks-per-place", "2"],
    "levels": ["pattern:torus3d:8x8x8", "torus:8x8x8", "--mapping", "random"],
    "warnings": ["pattern:ring:32", "warned.json", "--mapping", "random"],
    "hosts": ["pattern:torus2d:4x8", "cluster:fabric.conf,preset:l40s-8,nic=25GB/s", "--mapping", "random"],
}
WARNING = "the rate of this link is stated twice, and the statements differ; the first one counts, since its source measured it"
FABRIC = "SwitchName=leaf-of-rack-7 Nodes=gpu-node-017.cluster.example,gpu-node-018.cluster.example\n" \
         "SwitchName=leaf-of-rack-8 Nodes=gpu-node-117.cluster.example,nid004711\nSwitchName=spine Switches=leaf-of-rack-7,leaf-of-rack-8\n"
# Name, page, window, further arguments of the browser.
PICTURES = [("16-light", "16", "1200,1600", []), ("16-dark", "16", "1200,1600", ["--force-dark-mode"]),
            ("128-light", "128", "1200,2400", []), ("1024-light", "1024", "1200,2400", []), ("1024-narrow", "1024", "500,2400", []), ("16-narrow", "16", "500,2900", []),
            ("1024-dark", "1024", "1200,2400", ["--force-dark-mode"])]
FOLDER = Path(__file__).parent / "pictures"
PROGRAM = str(Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else ""
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MEASURE = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "fabric.conf").write_text(FABRIC, encoding="ascii")
        warned = json.loads(subprocess.run([PROGRAM, "topology", "cluster:tree:4,preset:l40s-8,nic=25GB/s", "--json"], check=True, capture_output=True).stdout)
        warned["warnings"] = [f"line {i}: {WARNING}" for i in range(40)]
        (cls.folder / "warned.json").write_text(json.dumps(warned), encoding="ascii")
        for name, arguments in PAGES.items():
            subprocess.run([PROGRAM, "report", *arguments, "--time-limit", "2", "--save", str(cls.folder / f"{name}.html")],
                           check=True, capture_output=True, cwd=cls.folder, env={**os.environ, "SOURCE_DATE_EPOCH": "1790000000"})
            page = (cls.folder / f"{name}.html").read_text(encoding="utf-8")
            (cls.folder / f"{name}-measured.html").write_text(page.replace("</body>", f"<script>{MEASURE}</script></body>"), encoding="utf-8")

    def browse(self, *arguments):
        return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.folder}/profile",
                               *arguments], check=True, capture_output=True, text=True, timeout=SECONDS).stdout

    def measured(self, name, width, *arguments):
        dom = self.browse(f"--window-size={width},900", *arguments, "--dump-dom", f"file://{self.folder}/{name}-measured.html")
        return json.loads(html.unescape(re.search('<pre id="measured">(.*?)</pre>', dom, re.S).group(1)))

    def check_page(self, name, width, *arguments):
        with self.subTest(page=name, width=width, arguments=arguments):
            found = self.measured(name, width, *arguments)
            self.assertEqual(found["width"], width)
            self.assertLessEqual(found["scroll"], width)
            self.assertEqual(found["wide"], [])
            self.assertEqual(found["cut"], [])
            self.assertEqual(found["clipped"], [])
            if width <= 640:
                self.assertEqual(found["sideways"], [])
            self.assertEqual(found["unlabelled"], 0)
            self.assertGreaterEqual(found["drawings"], 3)
            self.assertGreaterEqual(found["contrast"], 4.5)  # WCAG 2.2, 1.4.3
            self.assertGreaterEqual(min(found["bars"]), 3)  # WCAG 2.2, 1.4.11
            self.assertGreaterEqual(found["between"], 100)  # orange and blue: far apart in the colour channel that everyone sees
            self.assertGreaterEqual(found["smallest"], 7)

    def test_wide_and_narrow(self):
        for name in PAGES:
            self.check_page(name, 1200)
            self.check_page(name, 500)

    def test_dark(self):
        light = self.measured("16", 1200)
        dark = self.measured("16", 1200, "--force-dark-mode")
        self.assertNotEqual(light["bars"], dark["bars"])  # otherwise nothing has become dark
        self.check_page("16", 1200, "--force-dark-mode")
        self.check_page("1024", 500, "--force-dark-mode")

    def test_prints_on_two_sheets_at_most(self):
        for name in PAGES:
            pdf = self.folder / f"{name}.pdf"
            self.browse("--no-pdf-header-footer", f"--print-to-pdf={pdf}", f"file://{self.folder}/{name}.html")
            with self.subTest(page=name):
                self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())), 2)

    def test_pages_look_as_in_the_pictures(self):
        for name, page, window, arguments in PICTURES:
            with self.subTest(picture=name):
                taken = Path(tempfile.gettempdir()) / f"topowise-report-{name}.png"
                self.browse(f"--window-size={window}", *arguments, f"--screenshot={taken}", f"file://{self.folder}/{page}.html")
                actual = picture.coarse(taken.read_bytes())
                kept = FOLDER / f"{name}.txt"
                if os.environ.get("TOPOWISE_UPDATE") == "1":
                    kept.write_text("\n".join(actual) + "\n", encoding="ascii")
                share = picture.differing(kept.read_text(encoding="ascii").split(), actual)
                self.assertLessEqual(share, 0.02, f"{share:.1%} of {kept} differ from {taken}")
                taken.unlink()

    def test_a_picture_that_differs_is_seen(self):
        kept = (FOLDER / "16-light.txt").read_text(encoding="ascii").split()
        self.assertEqual(picture.differing(kept, kept), 0)
        self.assertGreater(picture.differing(kept, kept[5:] + kept[:5]), 0.1)  # moved down
        self.assertGreater(picture.differing(kept, (FOLDER / "16-dark.txt").read_text(encoding="ascii").split()), 0.5)
        self.assertEqual(picture.differing(kept, kept[1:]), 1)


if __name__ == "__main__":
    if BROWSER is None:
        print("no chromium: apt-get install chromium, or tools/install-deps.sh wide")
        sys.exit(1 if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1" else SKIPPED)
    unittest.main()
