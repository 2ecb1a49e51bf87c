"""Members of a family (mappers, formats, drivers) never include each other; one table knows them all.

The members are read from the table: the headers that it includes and that declare a name of its array.
"""

import re

from laws.structure import FAMILIES


def members(tree, family):
    table = tree.by_name[family["table"]]
    names = _names(tree, family)
    found = set()
    for _, header in table.includes:
        source = tree.by_name.get(header)
        if source and source.unit != table.unit and source.folder.split("/")[0] == table.folder.split("/")[0]:
            declared = set(re.findall(r"\b(\w+)\s*\(", source.code)) | set(re.findall(r"\bconst\w* +\w+ (k\w+)", source.code))
            if declared & names:
                found.add(source.unit)
    return found


def _names(tree, family):
    array = re.search(rf"\b{family['array']}\b\s*\{{(.*?)\}};", tree.by_name[family["table"]].code, re.S)
    return set(re.findall(r"\b[A-Za-z_]\w+\b", array.group(1))) if array else set()


def _breaches_without_headers(tree, family):
    """Definitions begin at the left; a name that stands elsewhere is used."""
    declared = tree.by_name.get(family["declared_in"])
    names = _names(tree, family) & set(re.findall(r"\b(\w+)\s*\(", declared.code if declared else ""))
    if len(names) < 2:
        yield f"{family['table']}: no members are found in its array '{family['array']}'"
        return
    for source in tree.product:
        if source.folder != declared.folder or source.name in (family["table"], family["declared_in"], *family["also"]):
            continue
        for number, line in enumerate(source.code.splitlines(), 1):
            used = re.search(rf"^\s.*\b({'|'.join(sorted(names))})\b\s*\(", line)
            if used:
                yield f"{source.name}:{number}: only the table of its family may use '{used.group(1)}'"


def breaches(tree):
    for family in FAMILIES:
        if family["table"] not in tree.by_name:
            continue
        if "declared_in" in family:
            yield from _breaches_without_headers(tree, family)
            continue
        units = members(tree, family)
        if len(units) < 2:
            yield f"{family['table']}: no members are found in its array '{family['array']}'"
        for source in tree.product:
            if source.name == family["table"] or source.name in family["also"]:
                continue
            for number, header in source.includes:
                unit = header.rsplit(".", 1)[0]
                if unit in units and unit != source.unit and source.unit in units:
                    yield f"{source.name}:{number}: a member of its family must not include another, '{unit}'"
