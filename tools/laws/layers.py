"""A file includes only its own folder and lower ones. Tables say which files may include a third-party header."""

import fnmatch
import posixpath
import re

from laws.structure import LAYERS, PUBLIC_HEADERS_INCLUDE, SUBFOLDERS, SYSTEM_HEADERS, THIRD_PARTY
from laws.tree import INCLUDE, folder_of

LAYER_OF = {folder: number for number, layer in enumerate(LAYERS) for folder in layer}


def _height(folder, below):
    """The position of the subfolder `below` in the order of `folder`; None if the order does not list it."""
    order = SUBFOLDERS[folder]
    for number, entry in enumerate(order):
        if below == entry or (isinstance(entry, list) and below in entry):
            return number
    return len(order) if below == "" else None


def _breach_within(source, target):
    """For two folders below the same top folder. If subfolders have an order, it applies at the first subfolder in which the two paths differ."""
    own, other = source.split("/"), target.split("/")
    shared = 0
    while shared < min(len(own), len(other)) and own[shared] == other[shared]:
        shared += 1
    folder = "/".join(own[:shared])
    if folder not in SUBFOLDERS:
        return None
    below_own = own[shared] if shared < len(own) else ""
    below_other = other[shared] if shared < len(other) else ""
    if below_own == below_other:
        return None
    heights = [_height(folder, below_own), _height(folder, below_other)]
    if None in heights:
        return f"'{folder}' has a subfolder that tools/laws/structure.py does not know"
    if heights[1] < heights[0]:
        return None
    return f"'{source}' must not include '{target}' (not a lower folder)"


STANDARD = re.compile(r"[a-z_]+")  # <vector>


def _is_known(header):
    """Whether a header is our own, or one of the standard library, of the system or of the table of third-party headers."""
    if header.startswith(("topowise/", "tests/")) or STANDARD.fullmatch(header):
        return True
    return any(fnmatch.fnmatch(header, pattern) for pattern in [*SYSTEM_HEADERS, *THIRD_PARTY])


# Any #include. One that INCLUDE does not match names its header by a macro, and no law would see it.
ANY_INCLUDE = re.compile(r"^\s*(?:#|%:|\?\?=)\s*(?:include|import)")


def _breaches_of_form(source):
    """Each #include must name its header in the one form that the laws read."""
    for number, line in enumerate(source.lines_without_comments, 1):
        if not ANY_INCLUDE.match(line):
            continue
        match = INCLUDE.match(line)
        if not match:
            yield f"{source.name}:{number}: a macro names the header: headers are included by their whole path in angle brackets"
        elif match.group(1) == '"':
            yield f'{source.name}:{number}: "{match.group(2)}": headers are included by their whole path in angle brackets'
        elif posixpath.normpath(match.group(2)) != match.group(2):
            yield f"{source.name}:{number}: <{match.group(2)}>: a path has no '..' and no '.'"


def _breaches_of(source):
    top = source.folder.split("/")[0]
    is_public = source.name.count("/") == 1
    misnamed = list(_breaches_of_form(source))
    yield from misnamed
    for number, header in source.includes:
        if any(breach.startswith(f"{source.name}:{number}:") for breach in misnamed):
            continue
        if not _is_known(header):
            yield f"{source.name}:{number}: <{header}> is in no table of tools/laws/structure.py"
        for pattern, allowed in THIRD_PARTY.items():
            if fnmatch.fnmatch(header, pattern) and not any(fnmatch.fnmatch(source.name, name) for name in allowed):
                where = " or ".join(allowed) or "no file: the library is opened at run time"
                yield f"{source.name}:{number}: <{header}> belongs only into {where}"
        if header.startswith("tests/") and not source.is_test:
            yield f"{source.name}:{number}: <{header}> is for tests"
        if not header.startswith("topowise/"):
            continue
        target = folder_of(header).split("/")[0]
        if is_public and target not in PUBLIC_HEADERS_INCLUDE:
            yield f"{source.name}:{number}: a public header must not include '{target}', which is not installed"
        if target not in LAYER_OF:
            yield f"{source.name}:{number}: folder '{target}' is on no layer"
        elif target != top:
            if LAYER_OF[target] >= LAYER_OF[top]:
                yield f"{source.name}:{number}: '{top}' must not include '{target}' (not a lower layer)"
        elif not source.is_test:
            breach = _breach_within(source.folder, folder_of(header))
            if breach:
                yield f"{source.name}:{number}: {breach}"


def _breaches_of_subfolders(tree):
    """Every subfolder must be listed in its folder's order, even if no file there includes another yet."""
    folders = {source.folder for source in tree.sources}
    folders |= {folder.rsplit("/", depth)[0] for folder in folders for depth in range(1, folder.count("/"))}
    for folder in sorted(folders):
        above, _, below = folder.rpartition("/")
        if above and (above not in SUBFOLDERS or _height(above, below) is None):
            yield f"topowise/{folder}: the order of subfolders in tools/laws/structure.py lacks it"


def breaches(tree):
    for name in tree.unread:
        yield f"{name}: source files end in .cpp and headers in .hpp; the laws read no others"
    yield from _breaches_of_subfolders(tree)
    for source in tree.sources:
        if source.folder.split("/")[0] not in LAYER_OF:
            yield f"{source.name}: the folder is on no layer"
        else:
            yield from _breaches_of(source)
