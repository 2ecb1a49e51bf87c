#!/usr/bin/env python3
"""check_links.py finds each kind of breach, and nothing in a clean tree."""

import unittest

from tree_check import TreeCheck


class CheckLinks(TreeCheck):
    program = "check_links.py"

    def test_clean_tree(self):
        out = self.assert_kept({
            "README.md": "[the pages](docs) [one](docs/a.md#more-of-it) [elsewhere](https://example.org/none.md)\n",
            "docs/a.md": "# A\n\n![drawn](b/c.svg) [up](b/d.md), [`here`](#more-of-it)\n\n## More of it\n",
            "docs/b/c.svg": "<svg/>",
            "docs/b/d.md": "# D\n\n[a](../a.md) `topowise/x/y` `topowise/x/*.cpp` `topowise/NAME.cpp` `tests/`\n",
            "topowise/x/y.cpp": "// docs/a.md; github.com/some/one docs/none.md\n",
            "tests/z.py": "",
        })
        self.assertIn("3 pages, 2 sources, 0 breaches", out)

    def test_a_tree_without_pages_is_no_success(self):
        status, _ = self.check({"topowise/a.cpp": ""})
        self.assertEqual(status, 1)

    def test_missing_file(self):
        self.assert_breach({"docs/a.md": "# A\n\n[b](b.md)\n"}, "docs/a.md:3: 'b.md' does not exist")

    def test_missing_image_inside_a_link(self):
        self.assert_breach({"README.md": "[![badge](none.svg)](README.md)\n"}, "README.md:1: 'none.svg' does not exist")

    def test_missing_anchor(self):
        self.assert_breach({"docs/a.md": "# A\n\n[b](#b)\n"}, "docs/a.md:3: no heading of a.md has the anchor '#b'")

    def test_anchor_of_another_page(self):
        files = {"docs/a.md": "# A\n\n[b](b.md#two)\n", "docs/b.md": "# B\n\n## One\n"}
        self.assert_breach(files, "docs/a.md:3: no heading of b.md has the anchor '#two'")

    def test_anchor_that_differs_on_the_site(self):
        page = "# A\n\n[b](#cause--effect)\n\n## Cause & effect\n"
        self.assert_breach({"docs/a.md": page}, "docs/a.md:3: '#cause--effect' is another anchor on the site")

    def test_heading_in_a_code_block_is_none(self):
        page = "# A\n\n[b](#b)\n\n```\n# B\n[c](c.md)\n```\n"
        status, out = self.check({"docs/a.md": page})
        self.assertEqual(status, 1)
        self.assertIn("docs/a.md:3: no heading", out)
        self.assertIn("1 breaches", out)

    def test_link_that_leaves_docs(self):
        files = {"docs/a.md": "# A\n\n[b](../tools/b.py)\n", "tools/b.py": ""}
        self.assert_breach(files, "docs/a.md:3: '../tools/b.py' leaves docs/")

    def test_link_to_a_folder(self):
        files = {"docs/a.md": "# A\n\n[b](b)\n", "docs/b/c.md": "# C\n"}
        self.assert_breach(files, "docs/a.md:3: 'b' is a folder")

    def test_stale_path(self):
        self.assert_breach({"docs/a.md": "# A\n\nCode: `topowise/a/b.cpp`.\n"}, "docs/a.md:3: `topowise/a/b.cpp` does not exist")

    def test_code_that_a_comment_names(self):
        files = {"docs/a.md": "# A\n", "topowise/a/b.cpp": "// See a/c.hpp and d.cpp.\n", "topowise/a/c.hpp": "int x;  // as in b.cpp\n"}
        self.assert_breach(files, "topowise/a/b.cpp:1: d.cpp does not exist")
        self.assert_kept({**files, "topowise/e/d.cpp": "// github.com/x/y src/z.cpp\n"})

    def test_readme_is_no_placeholder(self):
        self.assert_breach({"docs/a.md": "# A\n\n`bench/README.md`\n"}, "docs/a.md:3: `bench/README.md` does not exist")

    def test_bar_in_the_code_of_a_table(self):
        self.assert_breach({"docs/a.md": "# A\n\n| a | b |\n| --- | --- |\n| `c|d` | e |\n"}, "docs/a.md:5: `c|d` has a bar")

    def test_page_that_no_link_leads_to(self):
        files = {"docs/index.md": "# I\n\n[a](a.md)\n", "docs/a.md": "# A\n\n[b](b.md)\n", "docs/b.md": "# B\n", "docs/c.md": "# C\n\n[a](a.md)\n"}
        self.assert_breach(files, "docs/c.md:1: no link leads from docs/index.md to this page")
        del files["docs/c.md"]
        self.assert_kept(files)

    def test_two_titles(self):
        self.assert_breach({"docs/a.md": "# A\n\n# B\n"}, "docs/a.md:3: 2 headings of the first level")

    def test_no_title(self):
        self.assert_breach({"docs/a.md": "words\n"}, "docs/a.md:1: 0 headings of the first level")

    def test_page_named_in_a_comment(self):
        files = {"README.md": "", "topowise/a.cpp": "\n// see docs/none.md\n"}
        self.assert_breach(files, "topowise/a.cpp:2: docs/none.md does not exist")


if __name__ == "__main__":
    unittest.main()
