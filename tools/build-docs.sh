#!/bin/sh
# tools/build-docs.sh VENV BUILD_DIR: builds the documentation site with the library's reference in build/site.
# Fails on any warning: a link that leads nowhere, a page that the navigation leaves out, a comment that Doxygen cannot read,
# a member of a public header without a comment, a search that needs a server.
set -eu
cd "$(dirname "$0")/.."
venv=$1
build=$2
site=build/site
rm -rf "$site" build/reference
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict

# The reference documents exactly the headers that are installed.
cmake --install "$build" --prefix "$PWD/build/reference" --component headers > /dev/null
version=$(sed -n 's/^project(topowise VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p build/reference/html
( cat tools/doxygen/Doxyfile
  echo "PROJECT_NUMBER = $version"
  echo "INPUT = tools/doxygen/main.md build/reference/include/topowise"
  echo "RECURSIVE = YES"
  echo "STRIP_FROM_PATH = build/reference/include"
  echo "STRIP_FROM_INC_PATH = build/reference/include"
  echo "EXAMPLE_PATH = examples"
  echo "OUTPUT_DIRECTORY = $site" ) | doxygen -

# The site must load nothing from the network, since readers may have none.
if grep -rhoE '<(script|img|iframe|link rel="stylesheet")[^>]*(src|href)="(https?:)?//[^"]*"' --include=*.html "$site" | sort -u | grep .; then
  echo "the site loads these from elsewhere" >&2
  exit 1
fi
python3 tests/tools/site_search.py "$site"
echo "$site/index.html"
