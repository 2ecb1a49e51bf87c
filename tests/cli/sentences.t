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

Where rates are assumed, what is faster and not worth its hop-bytes is no gain, and it is said what it would cost.

  $ topowise map pattern:random:5:degree=2:seed=2 cluster:tree:2,preset:l40s-8 --allow 0,1,4,5,8,9,12,13 2> /dev/null | tail -6 | sed 's/; mapper.*//'
  predicted time 190 us: 0.0% less than the 190 us of the identity
  lower bound 189 us: at most 0.6% above the optimum
  hop-bytes 27.3 MB (distance x bytes): 0.0% less than the 27.3 MB of the identity; lower bound 27.3 MB
  by assumed rates 0.5% less predicted time would cost 15.4% more hop-bytes: --objective predicted-time looks for the least time alone
  rests on: an adapter of 31.5 GB/s at the first processor of l40s-8, which describes none
  no better mapping that is worth its hop-bytes was found

What is not described is not equal: nothing is proven about places of which nothing says how they are joined.

  $ echo '{"schema": "topowise.topology/1", "name": "bare", "places": [{"kind": "gpu"}, {"kind": "gpu"}, {"kind": "gpu"}, {"kind": "gpu"}]}' > bare.json
  > topowise map pattern:ring:4 bare.json | tail -4 | sed 's/; mapper.*//'; topowise map pattern:ring:4 bare.json --json | grep -e proven -e assum
  hop-bytes 4.19 MB (distance x bytes): 0.0% less than the 4.19 MB of the identity
  lower bound 4.19 MB
  rests on: all pairs are alike, because nothing says how the places are joined
  nothing says how the places of 'bare' are joined: no mapping can be judged
    "proven_optimal": false,
    "assumptions": [
