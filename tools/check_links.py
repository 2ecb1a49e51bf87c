#!/usr/bin/env python3
"""Links and paths in the documentation, as a test.

usage: check_links.py [ROOT]

1. Every relative link of a Markdown page names a file that exists, and an anchor that exists.
2. A page of docs/ links only to files of docs/, so that the links work on the site too; other files of the repository
   are named by their path in backquotes. An anchor must be the same on the site and in a repository browser.
3. A path in backquotes that begins with a folder of the repository exists. Its ending may be left out. `*` stands for
   anything, and a word in capitals stands for a name that the reader chooses.
4. Every page of docs/ has exactly one heading of the first level.
5. No code in a table contains a bar (|), which renderers read differently.
6. If a comment in the sources names a page of docs/, that page exists. If a comment in C++ names a C++ file, that file exists.
7. Links lead from docs/index.md, if it exists, to every page of docs/.
Prints every breach as FILE:LINE: WHAT, and exits 1 if there is one.
"""

import pathlib
import re
import sys
import unicodedata

FOLDERS = ("bench", "cmake", "docs", "examples", "tests", "tools", "topowise")
SOURCES = {".cpp", ".hpp", ".c", ".cu", ".py", ".sh", ".t", ".txt"}

TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)|^\s*\[[^\]]+\]:\s+<?([^\s>]+)|(?:href|src)=\"([^\"]+)\"")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
CODE = re.compile(r"(`+)(.+?)\1")
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./*-]*")
PAGE = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.md")
CODE_FILE = re.compile(r"(?<![\w./*-])(?:[\w-]+/)*[\w-]+\.(?:cpp|hpp|cu)\b")
FOREIGN = {"execution_trace_observer.cpp"}  # a file of PyTorch


def lines_outside_fences(path):
    fence = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence is None and mark:
            fence = mark.group(1)
        elif fence is not None:
            if line.strip() == fence:
                fence = None
        else:
            yield number, line


def browser_anchor(title):
    """The anchor that repository browsers make: punctuation is dropped, each blank becomes a hyphen."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower()))


def site_anchor(title):
    """The anchor that Python-Markdown makes: only ASCII is kept, blanks and hyphens in a row become one hyphen."""
    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


def headings(path):
    for number, line in lines_outside_fences(path):
        if match := HEADING.match(line):
            title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", match.group(2)).replace("`", "").replace("*", "")
            yield number, len(match.group(1)), title


def anchor_breach(page, anchor, on_site):
    if page.suffix != ".md":
        return None
    in_browser, on_page = set(), set()
    for _, _, title in headings(page):
        in_browser.add(browser_anchor(title))
        on_page.add(site_anchor(title))
    if anchor not in in_browser | on_page:
        return f"no heading of {page.name} has the anchor '#{anchor}'"
    if on_site and anchor not in in_browser & on_page:
        return f"'#{anchor}' is another anchor on the site than in a repository browser: reword the heading"
    return None


def link_breach(root, page, target):
    if re.match(r"[a-z][a-z+.-]*:", target):
        return None  # a link to another site
    docs = root / "docs"
    on_site = docs in page.parents
    name, _, anchor = target.partition("#")
    linked = (page.parent / name).resolve() if name else page
    if not linked.exists():
        return f"'{target}' does not exist"
    if on_site and docs not in linked.parents:
        return f"'{target}' leaves docs/: name the path in backquotes"
    if on_site and linked.is_dir():
        return f"'{target}' is a folder, which is no page of the site"
    return anchor_breach(linked, anchor, on_site) if anchor else None


def path_exists(root, path):
    path = path.rstrip("/.")
    if re.search(r"\b(?!README\b)[A-Z]{2,}(?![A-Za-z])", path):
        return True  # a name that the reader chooses
    return any(next(root.glob(path + ending), None) is not None for ending in ("", ".*"))


def breaches_of_page(root, page):
    where = page.relative_to(root)
    for number, line in lines_outside_fences(page):
        for match in TARGET.finditer(CODE.sub("", line)):
            if what := link_breach(root, page, next(filter(None, match.groups()))):
                yield f"{where}:{number}: {what}"
        for span in CODE.finditer(line):
            if line.startswith("|") and "|" in span.group(2):
                yield f"{where}:{number}: {span.group()} has a bar and is in a table: make it a list"
            path = PATH.fullmatch(span.group(2).strip())
            if path and not path_exists(root, path.group()):
                yield f"{where}:{number}: `{path.group()}` does not exist"
    if root / "docs" in page.parents:
        tops = [number for number, level, _ in headings(page) if level == 1]
        if len(tops) != 1:
            line = tops[1] if tops else 1
            yield f"{where}:{line}: {len(tops)} headings of the first level instead of one"


def names_of_code(files, root):
    """Every tail of a path by which a comment may name the file: link.hpp, graph/link.hpp, topowise/graph/link.hpp."""
    parts = [file.relative_to(root).parts for file in files if file.suffix in {".cpp", ".hpp", ".cu"}]
    return {"/".join(path[begin:]) for path in parts for begin in range(len(path))}


def breaches_of_source(root, source, code):
    for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
        if "github.com" in line:
            continue  # a page of another project
        for page in PAGE.findall(line):
            if not (root / page).exists():
                yield f"{source.relative_to(root)}:{number}: {page} does not exist"
        comment = line.partition("//")[2] if source.suffix in {".cpp", ".hpp", ".cu", ".c"} else ""
        for name in CODE_FILE.findall(comment):
            if name not in code | FOREIGN:
                yield f"{source.relative_to(root)}:{number}: {name} does not exist"


def pages_linked_from(page):
    for _, line in lines_outside_fences(page):
        for match in TARGET.finditer(CODE.sub("", line)):
            name = next(filter(None, match.groups())).partition("#")[0]
            if name.endswith(".md") and (linked := (page.parent / name).resolve()).exists():
                yield linked


def unreachable_pages(root):
    index = root / "docs" / "index.md"
    if not index.exists():
        return
    reached, left = {index}, [index]
    while left:
        new = set(pages_linked_from(left.pop())) - reached
        reached |= new
        left += new
    for page in sorted(set(root.glob("docs/**/*.md")) - reached):
        yield f"{page.relative_to(root)}:1: no link leads from docs/index.md to this page"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    pages = sorted([*root.glob("*.md"), *(page for folder in FOLDERS for page in root.glob(f"{folder}/**/*.md"))])
    sources = sorted(file for folder in FOLDERS for file in root.glob(f"{folder}/**/*") if file.suffix in SOURCES)
    sources = [file for file in sources if file.name != "check_links_test.py"]  # it names pages that do not exist
    found = [breach for page in pages for breach in breaches_of_page(root, page)]
    code = names_of_code(sources, root)
    found += [breach for source in sources for breach in breaches_of_source(root, source, code)]
    found += unreachable_pages(root)
    for breach in found:
        print(breach)
    print(f"{len(pages)} pages, {len(sources)} sources, {len(found)} breaches")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
