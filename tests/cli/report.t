The page is well-formed, needs nothing from elsewhere, and shows the numbers of 'map'.

  $ topowise report pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --save page.html
  topowise report: wrote page.html
  $ python3 - <<'END'
  > import re, xml.etree.ElementTree as xml
  > text = open('page.html', encoding='utf-8').read()
  > page = xml.fromstring(text)
  > drawings = list(page.iter('svg'))
  > print([drawing.get('aria-label').split(':')[0] for drawing in drawings])
  > print(all(drawing.get('role') == 'img' for drawing in drawings), [table.find('caption') is None for table in page.iter('table')].count(True))
  > print(re.findall('(?:href|src|url|import)[=(]', text), list(page.iter('script')))
  > print(re.sub('<[^>]*>', ' ', re.search('<tr><td>hop-bytes.*', text).group()).split())
  > for drawing in drawings[-2:]: print(sorted(int(t.text[5:]) for t in drawing.iter('text') if (t.text or '').startswith('rank ')) == list(range(16)))
  > print(re.findall('Lower bound of [^<]*', text), re.findall('<caption>The fullest[^<]*', text), len(list(page.iter('details'))))
  > END
  ['Share of the bytes by level, before and after; PIX', 'Before', 'After', 'helios-k80, before', 'helios-k80, after', 'helios-k80, before', 'helios-k80, after']
  True 0
  [] []
  ['hop-bytes', '(distance', 'x', 'bytes)', '272', 'B', '176', 'B', '-35.3', '%']
  True
  True
  ['Lower bound of hop-bytes: 176 B: proven optimal in hop-bytes.'] ['<caption>The fullest wires before and after; of each wire, the fuller direction'] 12

The same input gives the same bytes if the date comes from outside. A wrong date is refused. Names may be in any script, and none of their control
characters reaches the page.

  $ export SOURCE_DATE_EPOCH=1790000000; for i in 1 2; do topowise report pattern:stencil2d:4x4 preset:helios-k80 --save - > $i.html; done; cmp 1.html 2.html && grep -o '<td>2026[^<]*\|<td>topowise report[^<]*' 1.html
  <td>topowise report pattern:stencil2d:4x4 preset:helios-k80 --save -
  <td>2026-09-21T14:13:20Z
  $ SOURCE_DATE_EPOCH=tomorrow topowise report pattern:ring:4 tree:2:2 --save page.html
  topowise report: error: SOURCE_DATE_EPOCH: 'tomorrow' is no number of seconds since 1970
  hint: SOURCE_DATE_EPOCH=$(date +%s)
  [2]
  $ printf '{"schema": "topowise.topology/1", "name": "Köln 机器 \\u001b[31m", "places": [{"kind": "gpu", "name": "Прибор 0"}, {"kind": "gpu", "name": "機 1"}], "links": []}' > 'Köln 机器.json'
  $ topowise report pattern:ring:2 'Köln 机器.json' --save 'Köln.html'; grep -o '<h1>.*' Köln.html; grep -o '>機 1<\|>Прибор 0<\|<td>Köln 机器.json[^<]*' Köln.html | sort | uniq -c
  topowise report: wrote Köln.html
  <h1>2 ranks on Köln 机器 \u{1b}[31m</h1>
        1 <td>Köln 机器.json (Köln 机器 \u{1b}[31m)
        2 >Прибор 0<
        2 >機 1<
  $ grep -o '<td>topowise report[^<]*' Köln.html
  <td>topowise report pattern:ring:2 'Köln 机器.json' --save 'Köln.html'
  $ topowise map pattern:ring:2 'Köln 机器.json' | head -3
    rank  place  name
       0      0  Прибор 0
       1      1  機 1

The trace of the mapped messages: the slices of ranks and links never overlap in part, and have the congestion factor; each link has a counter.

  $ cat > trace.py <<'END'
  > import json, sys
  > events = json.load(open(sys.argv[1], encoding='utf-8'))['traceEvents']
  > tracks, named = {}, {(e['pid'], e['tid']) for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
  > for e in events:
  >     assert e['ph'] in 'MXC' and e['name'] and isinstance(e['pid'], int) and isinstance(e['tid'], int) and e['ts'] >= 0, e
  >     if e['ph'] == 'X':
  >         assert e['tid'] > 2, e  # 0 and the numbers of the processes are their main threads in Perfetto
  >         assert e['dur'] >= 0 and (e['pid'], e['tid']) in named and 0 < e['args']['factor'], e
  >         tracks.setdefault((e['pid'], e['tid']), []).append((e['ts'], e['ts'] + e['dur']))
  >     if e['ph'] == 'C': assert 0 <= e['args']['load'] < 1.000001, e
  > for slices in tracks.values():
  >     for a in slices:
  >         for b in slices: assert not a[0] + 1e-6 < b[0] < a[1] - 1e-6 < b[1] - 2e-6, (a, b)
  > print({e['args']['name'] for e in events if e['name'] == 'process_name'} == {'ranks', 'links'})
  > for pid in 1, 2: print(sum(e['ph'] == 'X' and e['pid'] == pid and '->' in e['name'] for e in events), sum(k[0] == pid for k in named))
  > END
  $ topowise report pattern:stencil2d:4x4 preset:helios-k80 --objective hop-bytes --save page.html --trace report.json && python3 trace.py report.json
  topowise report: wrote report.json; ui.perfetto.dev shows it
  topowise report: wrote page.html
  True
  48 16
  216 138
  $ topowise predict pattern:ring:8:bytes=8MiB preset:dgx1-v100 --trace predict.json > /dev/null && python3 trace.py predict.json
  topowise predict: wrote predict.json; ui.perfetto.dev shows it
  True
  8 8
  20 20

The page has the launchers' files of 'map --emit'. A cluster is folded by node, and its network is drawn.

  $ topowise report pattern:ring:16 cluster:tree:2,preset:dgx1-v100,nic=12GB/s,hosts=n0,n1 --save page.html
  topowise report: wrote page.html
  $ python3 - <<'END'
  > import xml.etree.ElementTree as xml
  > page = xml.fromstring(open('page.html', encoding='utf-8').read())
  > print([d.find('summary').text for d in page.iter('details') if 'places, ' in d.find('summary').text])
  > print([s.get('aria-label').split(':')[0] for s in page.iter('svg')][3:])
  > open('shown', 'w').writelines(p.text for d in page.iter('details') if d.find('summary').text.startswith('mpich-hostfile') for p in d.findall('pre')[-1:])
  > END
  ['n0: 8 places, ranks 4–11', 'n1: 8 places, ranks 0–3, 12–15']
  ['Network, before', 'Network, after', 'n0, before', 'n0, after', 'n0, before', 'n0, after', 'n1, before', 'n1, after', 'n1, before', 'n1, after']
  $ topowise map pattern:ring:16 cluster:tree:2,preset:dgx1-v100,nic=12GB/s,hosts=n0,n1 --emit mpich-hostfile 2> /dev/null | cmp - shown

A given mapping, a machine with unknown rates, and a page that cannot be written.

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
  $ topowise report pattern:ring:4 tree:2:2 --save missing/page.html
  topowise report: error: cannot write 'missing/page.html': No such file or directory
  [3]

By itself the mapping is the one of least time, and the page says how far each number can be from its optimum.

  $ topowise report pattern:torus2d:4x2 preset:l40s-8 --save page.html
  topowise report: wrote page.html
  $ grep -o -e 'Found by[^<]*' -e 'Lower bound of[^<]*' page.html
  Found by topowise (mapper auto, objective predicted-time).
  Lower bound of predicted time: 255 us: proven optimal in predicted time by the congestion model. Of hop-bytes: lower bound 50.3 MB.
  $ topowise report pattern:torus2d:4x2 tree:2:2:2 --save page.html
  topowise report: wrote page.html
  $ grep -o -e 'Found by[^<]*' page.html
  Found by topowise (mapper auto, objective hop-bytes because 28 of 28 links have no rate).

It begins with one sentence that says what the mapping is worth, and what that rests on. Where nothing can be gained it says so, and nothing is to be
applied. The classes that occur are explained.

  $ cat > first.sh <<'END'
  > topowise report "$@" --save page.html 2> /dev/null
  > sed -n '/class="worth"/{p;n;/^<p>/p}' page.html | sed 's/<[^>]*>//g'
  > echo "$(grep -c 'How to apply it' page.html) x how to apply it"
  > END
  $ sh first.sh pattern:torus2d:4x2 preset:l40s-8
  An exchange takes 255 us instead of 400 us, 1.6 x faster; proven optimal in predicted time by the congestion model.
  1 x how to apply it
  $ sed -n '/<ul class="words/,/<.ul>/{s/<[^>]*>//g;/./p}' page.html
  PIX: one PCIe switch at most
  NODE: between the host bridges of one NUMA domain
  SYS: across the link between sockets or NUMA domains
  $ sh first.sh pattern:alltoall:8 preset:hgx-h100
  Every two places of 'hgx-h100' are equally far apart (NV18): no mapping can help.
  0 x how to apply it
  $ sh first.sh pattern:ring:8 tree:2:2:2
  The identity is optimal already: no mapping has fewer hop-bytes.
  The times rest on: links of 12.5 GB/s where no source states it.
  0 x how to apply it
  $ sh first.sh pattern:stencil2d:4x4 preset:helios-k80 --objective hop-bytes
  The mapping has 109 MB hop-bytes instead of 117 MB, 7.1 % fewer; proven optimal in hop-bytes.
  1 x how to apply it
  $ sh first.sh pattern:halo3d:4x4x8 cluster:tree:2:8,preset:hgx-h100,nic=50GB/s --mapping cyclic
  An exchange takes 147 us as before by the congestion model, with 1.28 GB hop-bytes instead of 1.11 GB, 15.2 % more.
  Rests on: links of tree:2:8 that carry all that the hosts below can send.
  1 x how to apply it
  $ sh first.sh pattern:ring:8:bytes=8MiB preset:dgx1-v100 --mapping identity
  An exchange takes 1.4 ms as before by the congestion model, with 117 MB hop-bytes, as before.
  0 x how to apply it

Where the identity puts ranks apart that talk, there is no ratio.

  $ cat > parts.json <<'END'
  > {"schema": "topowise.topology/1", "name": "parts", "vertices": [{"id": 0, "kind": "gpu", "name": "A0", "parent": 4},
  >  {"id": 1, "kind": "gpu", "name": "B0", "parent": 5}, {"id": 2, "kind": "gpu", "name": "A1", "parent": 4}, {"id": 3, "kind": "gpu", "name": "B1", "parent": 5},
  >  {"id": 4, "kind": "pcie-switch", "name": "sa"}, {"id": 5, "kind": "pcie-switch", "name": "sb"}],
  >  "places": [{"kind": "gpu", "vertex": 0}, {"kind": "gpu", "vertex": 1}, {"kind": "gpu", "vertex": 2}, {"kind": "gpu", "vertex": 3}],
  >  "links": [{"from": 0, "to": 4, "kind": "pcie"}, {"from": 4, "to": 0, "kind": "pcie"}, {"from": 2, "to": 4, "kind": "pcie"}, {"from": 4, "to": 2, "kind": "pcie"},
  >   {"from": 1, "to": 5, "kind": "pcie"}, {"from": 5, "to": 1, "kind": "pcie"}, {"from": 3, "to": 5, "kind": "pcie"}, {"from": 5, "to": 3, "kind": "pcie"}]}
  > END
  $ sh first.sh pattern:ring:2 parts.json; grep -c nan page.html
  The mapping has 2.1 MB hop-bytes, and the identity puts ranks that talk on places that nothing connects; proven optimal in hop-bytes.
  The times rest on: PCIe of 12.5 GB/s where no source states it.
  1 x how to apply it
  0
  [1]
  $ sh first.sh pattern:ring:2 parts.json --mapping identity; grep -c nan page.html
  The mapping puts ranks that talk on places that nothing connects.
  0 x how to apply it
  0
  [1]

Each wire is listed once, not once a direction.

  $ topowise report pattern:stencil2d:4x4:w=3:heavy=0 preset:helios-k80 --objective hop-bytes --save page.html 2> /dev/null; grep -o '<tr><td>socket 0 – socket 1.*\|<tr><td>socket 1 – socket 0.*' page.html | sed 's/<[^>]*>/ /g'
    socket 0 – socket 1  inter-socket  6 GB/s  12.6 MB (2.1 ms)  4.19 MB (699 us)  100 %  33 %  
The page says what puts a mapping into effect: of GPUs, of cores, of places whose processors are not known, and on hosts that a launcher does not fill in this order.

  $ echo '{"schema": "topowise.topology/1", "name": "cores", "vertices": [{"id": 0, "kind": "core", "cpus": "0"}, {"id": 1, "kind": "core", "cpus": "1"}, {"id": 2, "kind": "core", "cpus": "2"}, {"id": 3, "kind": "core", "cpus": "3"}], "places": [{"kind": "core", "vertex": 0}, {"kind": "core", "vertex": 1}, {"kind": "core", "vertex": 2}, {"kind": "core", "vertex": 3}], "stated_classes": {"T1": [[0, 1], [2, 3]], "T2": [[0, 2], [0, 3], [1, 2], [1, 3]]}}' > cores.json
  > printf 'source,destination,bytes\n0,2,1000\n2,0,1000\n1,3,1000\n3,1,1000\n' > far.csv
  > printf 'SwitchName=s0 Nodes=n[0-1]\n' > two.conf
  > topowise map far.csv cluster:two.conf,preset:dgx1-v100,nic=25GB/s --allow 8,0,9,1 --mapper identity --save off.map > /dev/null 2>&1
  > for machine in preset:dgx1-v100 cores.json tree:2:2 'cluster:two.conf,preset:dgx1-v100,nic=25GB/s --mapping off.map'; do
  >   topowise report far.csv $machine --save page.html 2> /dev/null > /dev/null
  >   sed 's/<[^>]*>/\n/g' page.html | grep -e 'On the ranks of' -e 'By topowise run' -e 'This needs'
  > done
  On the ranks of every compute node, in front of the program (each rank gets its GPU, in an unchanged program):
  On the ranks of every compute node, in front of the program (each rank is bound to its core, whatever the launcher has bound it to):
  By topowise run: nothing of this mapping is put into effect: the processors of the places of 'tree:2:2' are not known (hwloc's XML and live state them).
  On the ranks of every compute node, in front of the program (each rank gets its GPU, in an unchanged program):
  This needs every rank on its host, and rank 1 is mapped to n0, where a launcher that fills one host after the other does not put it: one of the lists of hosts below does.
