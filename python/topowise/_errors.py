# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of this package raise, with the text and the hint that the program `topowise` prints."""

from __future__ import annotations

from typing import NamedTuple, TypeVar


class Diagnostic(NamedTuple):
    """One thing that is wrong with one input."""

    where: str  #: file name or option; may be empty
    line: int  #: in that file, from 1; 0: not known
    column: int  #: in that line, from 1; 0: not known
    what: str  #: what is wrong, the offending text in '...'
    source_line: str  #: the text of that line; may be empty
    hint: str  #: what to do instead; may be empty


class Error(Exception):
    """Something topowise cannot do. str() is what the program prints: place, reason, hint."""

    status: int  #: exit status of the program for the same error
    diagnostics: tuple[Diagnostic, ...]  #: at least one

    def __init__(self, text: str, status: int = 70, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text, status, diagnostics)
        self.status = status
        self.diagnostics = diagnostics or (Diagnostic("", 0, 0, text, "", ""),)

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def hint(self) -> str:
        """What to do instead; may be empty."""
        return self.diagnostics[0].hint


class UsageError(Error, ValueError):
    """An argument is none of the choices: an unknown mapper, preset or objective (exit status 2)."""


class BadInput(Error, ValueError):
    """The content of an input is wrong: a damaged file, negative bytes, more ranks than places (exit status 3)."""


class NotAvailable(Error, RuntimeError):
    """This machine has not what it takes: no GPU, no permission (exit status 4)."""


_Kind = TypeVar("_Kind", bound=Error)


class TopowiseWarning(UserWarning):
    """Something odd that could be used all the same."""


_INTERRUPTED = 130
_OF_STATUS = {2: UsageError, 3: BadInput, 4: NotAvailable}


def from_library(status: int, diagnostics: list[tuple[str, int, int, str, str, str, str]]) -> BaseException:
    """The exception for an error of the C++ library; the last part of a diagnostic is its text."""
    if status == _INTERRUPTED:
        return KeyboardInterrupt()
    text = "\n".join(diagnostic[-1].removeprefix("error: ") for diagnostic in diagnostics)
    return _OF_STATUS.get(status, Error)(text, status, tuple(Diagnostic(*diagnostic[:-1]) for diagnostic in diagnostics))


def _made(kind: type[_Kind], status: int, text: str, hint: str) -> _Kind:
    full = f"{text}\nhint: {hint}" if hint else text
    return kind(full, status, (Diagnostic("", 0, 0, text, "", hint),))


def bad_input(text: str, hint: str = "") -> BadInput:
    """The same for what is found wrong on this side."""
    return _made(BadInput, 3, text, hint)


def usage(text: str, hint: str = "") -> UsageError:
    """The same for an argument that is none of the choices."""
    return _made(UsageError, 2, text, hint)
