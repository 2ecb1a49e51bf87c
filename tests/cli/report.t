The page is well-formed, needs nothing from elsewhere, and shows the numbers of 'map'.

  $ topowise report pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --save page.html
  topowise report: wrote page.html
  $ python3 - <<'END'
  > import re, xml.etree.ElementTree as xml
  > page = open('page.html').read()
  > print(len([xml.fromstring(svg) for svg in re.findall('<svg.*?</svg>', page, re.S)]), 'drawings')
  > print(re.findall('(?:href|src|url|import)[=(]', page))
  > print(re.sub('<[^>]*>', ' ', re.search('<tr><td>hop-bytes.*', page).group()).split())
  > print(sorted(int(rank) for rank in re.findall('>rank ([0-9]+)<', page)) == list(range(16)))
  > END
  4 drawings
  []
  ['hop-bytes', '(distance', 'x', 'bytes)', '272', 'B', '176', 'B', '-35.3', '%']
  True

A mapping that exists, a machine whose rates are not known, and nowhere to write.

  $ topowise map pattern:ring:4 preset:dgx1-v100 --save ring.mapping > /dev/null
  topowise map: wrote ring.mapping
  $ topowise report pattern:ring:4 preset:dgx1-v100 --mapping ring.mapping --save page.html && grep -c 'The mapping: ring.mapping.' page.html
  topowise report: wrote page.html
  1
  $ topowise report pattern:ring:4 tree:2:2 --save page.html && grep -o '<p>max congestion is not known' page.html
  topowise report: wrote page.html
  <p>max congestion is not known
  $ topowise report pattern:ring:4 tree:2:2
  topowise report: error: --save is missing
  hint: --save report.html
  [2]
  $ topowise report pattern:ring:4 tree:2:2 --save /nonexistent/page.html
  topowise report: error: cannot write '/nonexistent/page.html': No such file or directory
  [3]
