"""A file includes what declares the functions that it calls, and <fmt/...> if it uses it. `make test` compiles several files as one
(cmake/unity.cmake), where the include of another file would do, but a user's build compiles each file alone."""

import functools
import re

from laws.tree import Source

# A declaration, `type name(` with clang-format's line breaks, a parameter, a structured binding, or what only a variable can be.
_DECLARED = re.compile(r"[\w>\]][&*]*[ \n]+(\w+)\(|[\w>\]&*] [&*]*(\w+)[,;)]|[\[ ](\w+)[,\]]|\b(\w+) = |\b(\w+)\{?\[")
_IN_A_NAMESPACE = re.compile(r"^(?:[\w\[\]:<>,&*]+[ \n]+)+[&*]*(\w+)\(", re.M)  # clang-format indents the members of a class
_WORDS_BEFORE_A_CALL = re.compile(r"\b(return|throw|else|case|do|new|delete|not|and|or|co_\w+)\b")
_CALLED = re.compile(r"(?<![\w.>:])((?:\w+::)*)(\w+)(?:<[^<>;()]*>)?\(")
_NOT_OURS = ("std::", "fmt::", "fs::", "ranges::", "doctest::", "alignas")


def _names(pattern, source):
    code = _WORDS_BEFORE_A_CALL.sub("", source.code)
    return {name for match in pattern.finditer(code) for name in match.groups() if name}


def breaches(tree):
    files = dict(tree.by_name)

    def file(name):
        path = tree.root / name
        if name not in files:
            files[name] = Source(path, tree.root) if path.is_file() else None
        return files[name]

    @functools.cache
    def declared(name):
        return _names(_DECLARED, files[name])

    def with_included(name):
        seen, found = set(), [name]
        while found:
            name = found.pop()
            if name not in seen and file(name) is not None:
                seen.add(name)
                found += [header for _, header in files[name].includes]
        return seen

    homes = {}
    for source in tree.sources:
        if source.name.endswith(".hpp"):
            for name in _names(_IN_A_NAMESPACE, source):
                homes.setdefault(name, source.name)
    for source in tree.sources:
        reached = with_included(source.name)
        if "fmt::" in source.code and not any(header.startswith("fmt/") for name in reached for _, header in files[name].includes):
            yield f"{source.name}: includes nothing of fmt"
        called = {}
        for match in _CALLED.finditer(source.code):
            if match.group(2) in homes and not match.group(0).startswith(_NOT_OURS):
                called.setdefault(match.group(2), match.start())
        known = set().union(*map(declared, reached)) if called else set()
        for name in called.keys() - known:
            line = source.code.count("\n", 0, called[name]) + 1
            yield f"{source.name}:{line}: includes nothing that declares {name}(), as {homes[name]} does"
