#!/bin/sh
# tools/build-docs.sh VENV BUILD_DIR: the documentation site with the library's reference, into build/site.
# Fails on any warning: a link that leads nowhere, a page that the navigation leaves out, a comment that Doxygen cannot read,
# a member of a public header without one.
set -eu
cd "$(dirname "$0")/.."
venv=$1
build=$2
site=build/site
rm -rf "$site" build/reference
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict

# What is installed is what is documented.
cmake --install "$build" --prefix "$PWD/build/reference" --component headers > /dev/null
version=$(sed -n 's/^project(topowise VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p build/reference/html
( cat tools/doxygen/Doxyfile
  echo "PROJECT_NUMBER = $version"
  echo "INPUT = tools/doxygen/main.md build/reference/include/topowise"
  echo "RECURSIVE = YES"
  echo "STRIP_FROM_PATH = build/reference/include"
  echo "STRIP_FROM_INC_PATH = build/reference/include"
  echo "EXAMPLE_PATH = ."
  echo "OUTPUT_DIRECTORY = $site" ) | doxygen -

# A site that needs the network is broken where there is none.
if grep -rhoE '<(script|img|iframe|link rel="stylesheet")[^>]*(src|href)="(https?:)?//[^"]*"' --include=*.html "$site" | sort -u | grep .; then
  echo "the site loads these from elsewhere" >&2
  exit 1
fi
echo "$site/index.html"
