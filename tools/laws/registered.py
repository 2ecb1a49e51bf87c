"""Every test class of tests/mpi/*_test.py runs: tests/mpi/CMakeLists.txt names its module or the class itself."""

import ast
import re


def classes_with_tests(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and any(isinstance(item, ast.FunctionDef) and item.name.startswith("test") for item in node.body):
            yield node.name, node.lineno


def breaches(tree):
    folder = tree.root / "tests" / "mpi"
    lists = folder / "CMakeLists.txt"
    if not lists.exists():
        return
    code = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
    calls = re.findall(r"^ *add_mpi_test\(([^)]*)\)", code, re.M | re.S)
    named = {word for call in calls for word in call.split()[3:]}  # the words behind name, family and label
    for path in sorted(folder.glob("*_test.py")):
        if path.stem in named:
            continue
        for name, line in classes_with_tests(path):
            if f"{path.stem}.{name}" not in named:
                yield f"tests/mpi/{path.name}:{line}: no test of tests/mpi/CMakeLists.txt runs '{path.stem}.{name}'"
