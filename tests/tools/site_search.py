#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The search of the documentation site works where its pages are opened as files, without a network. Where there is a browser, it searches.
Usage: site_search.py SITE"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 300  # a guard against hangs
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def wrong_in_files(site):
    """Says what the pages lack for a search without a server."""
    if not (site / "search" / "search_index.js").exists():
        yield "the index is no script: browsers read no JSON from files"
    for page in [site / "index.html", site / "models" / "recording.html"]:
        scripts = re.findall(r'<script[^>]* src="([^"]*)"', page.read_text(encoding="utf-8"))
        if not any((page.parent / name).resolve() == (site / "iframe-worker.js").resolve() for name in scripts):
            yield f"{page} does not load iframe-worker.js"
        yield from (f"{page} loads {name}" for name in scripts if "://" in name or name.startswith("//"))


def found(site, page, words):
    """The pages that a browser's search finds."""
    with tempfile.TemporaryDirectory() as folder:
        dom = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--virtual-time-budget=60000", "--dump-dom",
                              f"{(site / page).resolve().as_uri()}?q={words}"], check=True, capture_output=True, text=True, timeout=SECONDS).stdout
    return re.findall(r'<a href="([^"]*)" class="md-search-result__link"', dom)


def main():
    site = Path(sys.argv[1])
    wrong = list(wrong_in_files(site))
    if BROWSER is None:
        print("no chromium: only the files of the search are checked")
    else:
        for page in ["index.html", "models/recording.html"]:
            if not any("hop-bytes.html" in address for address in found(site, page, "hop-bytes")):
                wrong.append(f"a search for hop-bytes on {page} does not find hop-bytes.html")
            if found(site, page, "nosuchwordanywhere"):
                wrong.append(f"a search for a word that is nowhere finds something on {page}")
    print("\n".join(wrong) or f"the search of {site} works in files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
