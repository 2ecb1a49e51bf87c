"""Every name that a user can type to choose a member of a family is on the page that describes the family, as code or in a heading. Every format of files
has a row in the table of what was tried, and large files that the test of memory makes."""

import re

# (files, pattern of a name in them, page). The names of a table are the first text of a row, or its `.name`.
ROW = r'(?:\{|\.name = )\s*"([a-z0-9][a-z0-9-]*)"'
PAGES = [
    ("topowise/topology_source/formats.cpp", r'TopologyFormat\{\s*"([\w-]+)"', "docs/formats/topology.md"),
    ("topowise/topology_source/*/*.cpp", r'\bconst TopologyFormat k\w+\{\s*"([\w-]+)"', "docs/formats/topology.md"),
    ("topowise/topology_source/synthetic/presets/*.cpp", r'\{"([a-z0-9-]+)",\s*"', "docs/formats/presets.md"),
    ("topowise/traffic_source/formats.cpp", r'TrafficFormat\{\s*"([\w-]+)"', "docs/formats/traffic.md"),
    ("topowise/traffic_source/training/formats.cpp", r'TraceFormat\{\{?\s*"([\w-]+)"', "docs/formats/traffic.md"),
    ("topowise/traffic_source/pattern/pattern.cpp", r'\{\{"([\w-]+)",', "docs/formats/traffic.md"),
    ("topowise/traffic_source/collective/model.cpp", r'Model\{\s*"([\w-]+)"', "docs/models/collectives.md"),
    ("topowise/mapper/registry.cpp", ROW, "docs/models/mappers.md"),
    ("topowise/graph/objective.cpp", r'"([a-z-]+)"', "docs/concepts.md"),
    ("topowise/launch/launcher.cpp", ROW, "docs/recipes/use-with-launchers.md"),
    ("topowise/collective/plan/algorithms.cpp", ROW, "docs/models/allreduce.md"),
]
# A page's table of what was tried, and the texts of the test of memory.
TRIED = "## What was tried"
LARGE = "tests/memory/texts.cpp"


def _tried(text):
    """The first cells of the table of what was tried; nothing for a page without one."""
    if TRIED not in text:
        return None
    section = text.split(TRIED, 1)[1].split("\n## ", 1)[0]
    return " ".join(re.findall(r"^\|([^|]*)\|", section, re.M))


def _code_and_headings(text):
    """What is between backticks, in blocks of code and in headings."""
    blocks = re.findall(r"^```.*?^```", text, re.M | re.S)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return "\n".join(blocks + re.findall(r"`[^`\n]+`", rest) + re.findall(r"^(?:#+ | {4}).*", rest, re.M))


def breaches(tree):
    for files, pattern, page in PAGES:
        sources = sorted(tree.root.glob(files))
        if not sources or not (tree.root / page).exists():
            continue
        whole = (tree.root / page).read_text(encoding="utf-8")
        said = _code_and_headings(whole)
        tried = _tried(whole) if "Format" in pattern else None
        large = (tree.root / LARGE).read_text(encoding="utf-8") if (tree.root / LARGE).exists() else None
        names = {}
        for path in sources:
            if not path.stem.endswith("_test"):
                text = path.read_text(encoding="utf-8")
                names.update({match.group(1): f"{path.relative_to(tree.root)}:{text.count(chr(10), 0, match.start(1)) + 1}" for match in re.finditer(pattern, text)})
        if not names:
            yield f"{files}: no names are found for {page}"
        for name, where in sorted(names.items()):
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said):
                yield f"{where}: '{name}' is missing in {page}"
            if tried is not None and f"`{name}`" not in tried:
                yield f"{where}: '{name}' has no row in {page}, What was tried"
            if tried is not None and large is not None and f'LargeText{{"{name}"' not in large:
                yield f"{where}: '{name}' has no large text in {LARGE}"
