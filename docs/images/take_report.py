#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes the picture of a report, as a browser shows its upper part:

    docs/images/take_report.py build/release/bin/topowise docs/images/report.png

Needs chromium. The report is that of docs/recipes/read-a-report.md.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPORT = ["pattern:stencil2d:4x4:w=3:heavy=0:bytes=1MiB", "preset:helios-k80"]
WINDOW = "1200,1310"
DATE = "1790000000"  # the same date gives the same page


def main():
    program, picture = sys.argv[1:3]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no chromium: apt-get install chromium, or tools/install-deps.sh wide")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([program, "report", *REPORT, "--save", str(page)], check=True, env={**os.environ, "SOURCE_DATE_EPOCH": DATE})
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
                        f"--window-size={WINDOW}", f"--screenshot={Path(picture).resolve()}", page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
