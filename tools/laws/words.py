"""One language: no code, comment or page uses a word that docs/architecture.md avoids.

A word of ordinary English is banned only in the folders where it was a private term.
"""

import re

# (the word that is looked for, the beginnings of the paths of the files, the word to use)
BANNED = [
    (r"thermal[ _]?walk", ("",), "annealing at constant temperature"),
    (r"\bwander(er|ers|s|ed|ing)?\b", ("topowise/", "docs/models", "docs/recipes"), "annealing chain"),
    (r"\bfunnels?\b", ("",), "elite pool"),
    (r"\b(nobody|nobodies)\b", ("topowise/mapper",), "dummy facility"),
    (r"\btwins?\b", ("topowise/", "docs/models"), "what they share: interchangeable facilities, the same curve"),
    (r"\bvalleys?\b", ("topowise/", "docs/models"), "local minimum"),
    (r"\bmuster\w*\b", ("",), "gather"),
    (r"\bcrews?\b", ("",), "ranks"),
    (r"\bwish(es)?\b", ("topowise/mapper", "topowise/distributed"), "candidate move"),
    (r"\bRoads?\b", ("topowise/",), "Edge"),
    (r"\bseating\b", ("topowise/", "docs/models"), "placement"),
    (r"hidden[ _]exchanges?\b", ("",), "tabu list"),
    (r"\bcontests?\b", ("topowise/",), "competing transfers, or the best answer"),
    (r"\bfences?\b", ("topowise/mapper",), "partition"),
    (r"\bslots?\b", ("topowise/predict/congestion",), "hop; a slot is one unit of a place's capacity"),
    (r"\b(manager|handler|helper)s?\b", ("topowise/",), "the field's word for what it does"),
    (r"\butils?\b", ("topowise/",), "the name of the idea"),
    (r"\b(struct|class|union|using) \w*(?:Info|Data|Context|Manager|Handler|Helper|Util)(?![a-z])\w*", ("topowise/",), "what it holds or does"),
]
# Folder -> phrases in which a banned word is right.
EXCEPTIONS = {
    "topowise/": [r"error handlers?", r"signal handlers?", r"sa_handler", r"sqlite3_progress_handler", r"YAML::EventHandler", r"MPI_\w*", r"[Rr]esource [Mm]anager", r"workload manager",
                  r"\b(PciInfo|ProcessInfo|PrimaryContexts)\b"],  # the last three are NVML's and CUDA's words
}


# Folders and files that persons write: code, programs and transcripts of tests, tools, pages.
FOLDERS = ("topowise", "docs", "bench", "tests", "examples", "tools", "cmake", "python", "spack", ".github")
SUFFIXES = {".cpp", ".hpp", ".cu", ".c", ".f90", ".F90", ".h", ".py", ".pyi", ".sh", ".md", ".t", ".txt", ".in", ".cmake", ".rst", ".toml",
            ".yml", ".yaml"}
# Not looked at: history, the definitions of the words, the tests of this law, and descriptions of machines, which stay as their vendors wrote them.
LEFT_OUT = ("docs/decisions/multilevel", "docs/decisions/random-qap", "docs/decisions/constant-temperature", "docs/glossary", "tests/tools/", "tests/corpus/", "tests/fuzz/seeds/", "tools/laws/words.py")


def _files(root):
    for folder in FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES or path.name == "Makefile")
    yield from sorted(path for path in root.glob("*") if path.is_file() and (path.suffix in SUFFIXES or path.name == "Makefile"))


def breaches(tree):
    banned = [(re.compile(word, re.I if word.islower() else 0), folders, better) for word, folders, better in BANNED]
    for path in _files(tree.root):
        name = str(path.relative_to(tree.root))
        if name.startswith(LEFT_OUT):
            continue
        for word, folders, better in banned:
            match = word.search(re.sub(r"[_./-]", " ", name))
            if match and name.startswith(tuple(folders)):
                yield f"{name}: the file is named '{match.group(0)}': say '{better}'"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = line
            for folder, allowed in EXCEPTIONS.items():
                if name.startswith(folder):
                    text = re.sub("|".join(allowed), " ", text)
            spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text)
            for word, folders, better in banned:
                match = word.search(text) or word.search(spaced)
                if match and name.startswith(tuple(folders)):
                    yield f"{name}:{number}: '{match.group(0)}': say '{better}'"
