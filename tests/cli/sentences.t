Sentences that claim something, where no other transcript has them (docs/models/sentences.md).

  $ topowise map pattern:alltoall:4 preset:hgx-h100 --objective max-congestion | tail -2 | sed 's/; mapper.*//'
  lower bound 6.99 us: proven optimal in max congestion
  the identity is optimal already: no mapping has a smaller max congestion
  $ topowise map pattern:ring:4 preset:hgx-h100 --objective mix | tail -1
  the identity is optimal already: no mapping has a smaller mix

A mapper that looks at no messages has looked for no better mapping.

  $ topowise map pattern:stencil2d:4x2 preset:l40s-8 --mapper cyclic | tail -1
  'cyclic' does not look at the messages, and its mapping is not better than the identity

Max congestion has no metric, so one that the machine does not know is no reason to refuse.

  $ cp $SOURCES/tests/corpus/nccl-xml/mi250-8gcd-rccl.xml node.xml
  > topowise map pattern:ring:8 node.xml --metric latency 2>&1 | grep error
  > topowise map pattern:ring:8 node.xml --objective max-congestion --metric latency 2> /dev/null | grep '^max congestion'
  topowise map: error: the latency between GPU0 and GPU1 of 'node.xml' is not known
  max congestion 21 us: 0.0% less than the 21 us of the identity

A number above a bound is one above the optimum for what the source shows, where it hides bonds.

  $ cp $SOURCES/tests/corpus/nccl-xml/aws-p4d-24xl.xml . && topowise map pattern:stencil2d:2x4 aws-p4d-24xl.xml --mapper random 2> /dev/null | tail -3 | sed 's/; mapper.*//'
  lower bound 37.7 MB: at most 38.9% above the optimum for what the source shows
  rests on: no NVLink or xGMI beyond what the source shows
  'random' does not look at the messages, and its mapping is not better than the identity
