# SPDX-License-Identifier: BSD-3-Clause
"""Adds the library's reference, which Doxygen makes, to the navigation of the site."""

from mkdocs.structure.nav import Link


def on_nav(nav, config, files):
    section = next(item for item in nav.items if item.title == "Reference")
    link = Link("C++ library", "reference/index.html")
    link.parent = section
    section.children.append(link)
    return nav
