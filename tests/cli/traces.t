Traces of PyTorch jobs: a directory, a pattern, a list, one file. 8 ranks, 2 x 2 x 2: tensor, data and pipeline parallel.

  $ cp -r $SOURCES/tests/fixtures/pytorch/* .; topowise traffic tp-pp
  tp-pp: 8 ranks, 24 pairs, 3.15 MB in 1120 messages; a rank sends to 3 others at most
  
  heaviest pairs
    from  to    bytes  messages  share
       0   1   262 KB       128   8.3%
       1   0   262 KB       128   8.3%
       2   3   262 KB       128   8.3%
       3   2   262 KB       128   8.3%
       4   5   262 KB       128   8.3%
       5   4   262 KB       128   8.3%
       6   7   262 KB       128   8.3%
       7   6   262 KB       128   8.3%
       0   2  98.3 KB         4   3.1%
       1   3  98.3 KB         4   3.1%
  
  groups of ranks
    groups            number  ranks   bytes  share
    2 ranks, 1 apart       4      2  2.1 MB  72.7%
    2 ranks, 2 apart       4      2  786 KB  27.3%
  $ topowise traffic 'tp-pp/rank*.json.gz' --json | cksum; topowise traffic tp-pp --json | cksum; topowise traffic tp-pp-et --json | cksum
  1493221514 1752
  1493221514 1752
  1493221514 1752
  $ topowise traffic tp-pp/rank0.json.gz,tp-pp/rank1.json.gz --matrix bytes
  topowise traffic: warning: tp-pp/rank0.json.gz,tp-pp/rank1.json.gz: ranks 2, 3, 4, 5, 6, 7 of 8 left no trace: what they did among themselves is missing
  hint: give the traces of all ranks
    from\to        0        1        2        3        4        5  6  7
          0        .   262 KB  98.3 KB        .  32.8 KB        .  .  .
          1   262 KB        .        .  98.3 KB        .  32.8 KB  .  .
          2  98.3 KB        .        .        .        .        .  .  .
          3        .  98.3 KB        .        .        .        .  .  .
          4  32.8 KB        .        .        .        .        .  .  .
          5        .  32.8 KB        .        .        .        .  .  .
          6        .        .        .        .        .        .  .  .
          7        .        .        .        .        .        .  .  .
  $ topowise traffic tp-pp/rank0.json.gz --matrix messages --collectives none
  topowise traffic: warning: tp-pp/rank0.json.gz: ranks 1, 2, 3, 4, 5, 6, 7 of 8 left no trace: what they did among themselves is missing
  hint: give the traces of all ranks
    from\to  0  1  2  3  4  5  6  7
          0  .  .  .  .  8  .  .  .
          1  .  .  .  .  .  .  .  .
          2  .  .  .  .  .  .  .  .
          3  .  .  .  .  .  .  .  .
          4  8  .  .  .  .  .  .  .
          5  .  .  .  .  .  .  .  .
          6  .  .  .  .  .  .  .  .
          7  .  .  .  .  .  .  .  .
  $ mkdir marked; for rank in 0 1 2 3 4 5 6 7; do (printf '\357\273\277'; zcat tp-pp/rank$rank.json.gz) > marked/rank$rank.json; done; topowise traffic marked --json | cksum
  1493221514 1752
  $ zcat tp-pp/rank0.json.gz | topowise traffic - --matrix messages --collectives none 2> /dev/null | tail -1
          7  .  .  .  .  .  .  .  .

By default, collectives are expanded as NCCL does them.

  $ topowise traffic ddp --json | cksum; topowise traffic ddp --json --collectives nccl | cksum
  3856224089 1732
  3856224089 1732
  $ topowise traffic ddp --collectives nccl-ring | head -1; topowise traffic ddp --collectives openmpi | head -1
  ddp: 8 ranks, 8 pairs, 1.86 MB in 224 messages; a rank sends to 1 other at most
  ddp: 8 ranks, 24 pairs, 1.86 MB in 96 messages; a rank sends to 3 others at most
  $ topowise traffic ddp --collectives ncl
  topowise traffic: error: --collectives: unknown collective model 'ncl', did you mean 'nccl'?
  hint: --collectives auto|openmpi|mpich|linear|nccl|nccl-ring|nccl-tree|nccl-hierarchical|nccl-direct|nccl-pat|none
  [2]

From the profile to the start of the job: two nodes, with four GPUs of each.

  $ topowise map tp-pp cluster:tree:2,preset:dgx1-v100,nic=12.5GB/s --allow 0-3,8-11 --save job.map 2> /dev/null | sed -n '/traffic by/,/hop-bytes/p' | sed 's/; mapper.*//'
    traffic by level  class  distance   before           after
    level 0           NV2           1  1.05 MB  33.3%  2.49 MB  79.2%
    level 1           NV1           2  1.84 MB  58.3%   393 KB  12.5%
    level 2           SYS           3      0 B   0.0%      0 B   0.0%
    level 3           NET1          4   262 KB   8.3%   262 KB   8.3%
  
  predicted time 5.94 us: 46.9% less than the 11.2 us of the identity
  lower bound 5.94 us: proven optimal in predicted time by the congestion model
  hop-bytes 4.33 MB (distance x bytes): 25.0% less than the 5.77 MB of the identity; lower bound 4.33 MB
  $ topowise map tp-pp cluster:tree:2,preset:dgx1-v100,nic=12.5GB/s --allow 0-3,8-11 --emit torchrun 2> /dev/null | grep ' rank=0 '
  0/0) rank=0 gpu=0 gpus=8 ranks=4 ;;

The matrices are those that follow from the sizes of the models (tests/fixtures/pytorch/by_hand.py).

  $ for job in tp-pp ddp; do topowise traffic $job --collectives nccl-ring --json | python3 by_hand.py $job; done
  as by hand
  as by hand

The job is started again in that order, by processes like those that two agents of torchrun start on one host: each process is on the GPU of its new
rank, and --verify agrees.

  $ cat > show <<'END'
  > echo $GROUP_RANK/$LOCAL_RANK is rank $RANK on GPU $(echo $CUDA_VISIBLE_DEVICES | cut -d, -f$((LOCAL_RANK + 1)))
  > END
  > for node in 0 1; do
  >   for local in 0 1 2 3; do
  >     env RANK=$((4 * node + local)) WORLD_SIZE=8 LOCAL_RANK=$local LOCAL_WORLD_SIZE=4 GROUP_RANK=$node TORCHELASTIC_RUN_ID=again MASTER_ADDR=here MASTER_PORT=29500 TORCHELASTIC_USE_AGENT_STORE=True \
  >       topowise run --mapping job.map --match-nodes order --verify -- sh show > out.$node.$local 2> err.$node.$local &
  >   done
  > done; wait; cat err.* out.* | sed "s/on $(uname -n):/on HOST:/; s/GPUs, memory/GPUs/"
  > python3 -c "import json; print(json.load(open('job.map'))['places'])"
  topowise run: verify: 4 ranks on HOST: list of visible GPUs, ranks of the node as mapped; no driver confirms that this host has these GPUs
  topowise run: verify: 4 ranks on HOST: list of visible GPUs, ranks of the node as mapped; no driver confirms that this host has these GPUs
  0/0 is rank 0 on GPU 0
  0/1 is rank 1 on GPU 3
  0/2 is rank 2 on GPU 1
  0/3 is rank 3 on GPU 2
  1/0 is rank 4 on GPU 3
  1/1 is rank 5 on GPU 0
  1/2 is rank 6 on GPU 2
  1/3 is rank 7 on GPU 1
  [0, 3, 1, 2, 11, 8, 10, 9]

Ranks without a trace, ranks that disagree, traces of two jobs, and traces of two formats.

  $ mkdir some; cp tp-pp/rank[0-2].json.gz some; topowise traffic some | head -1
  topowise traffic: warning: some: ranks 3, 4, 5, 6, 7 of 8 left no trace: what they did among themselves is missing
  hint: give the traces of all ranks
  some: 8 ranks, 14 pairs, 1.64 MB in 576 messages; a rank sends to 3 others at most
  $ topowise traffic gloo | head -1
  topowise traffic: warning: gloo: ranks disagree about 'allreduce' in the group of ranks 0, 1, 2, 3, 4, 5, 6, 7: rank 0 made 2 calls of 133 KB in all, rank 4 1 call of 66.3 KB in all
  hint: the traces may be of different steps; each rank's calls count as its own trace has them
  topowise traffic: warning: gloo: left out: calls of gloo that ran on when the trace ended (1)
  gloo: 8 ranks, 24 pairs, 1.72 MB in 52 messages; a rank sends to 4 others at most
  $ mkdir two; cp tp-pp/rank0.json.gz two/a.json.gz; cp ddp/rank0.json.gz two/b.json.gz; topowise traffic two
  topowise traffic: error: two/b.json.gz: rank 0 has a trace in 'two/a.json.gz' already, of another process: traces of two jobs?
  hint: give the traces of one job, such as 'DIR/run1*'
  [3]
  $ mkdir mixed; cp tp-pp/rank0.json.gz mixed; cp tp-pp-et/rank_0.json.gz mixed; topowise traffic mixed
  topowise traffic: error: 'mixed' has traces of several formats: kineto, pytorch-et
  hint: --format kineto reads those only
  [3]
  $ topowise traffic mixed --format pytorch-et 2> /dev/null | head -1
  mixed: 8 ranks, 6 pairs, 786 KB in 280 messages; a rank sends to 3 others at most
  $ mkdir copy; cp tp-pp/*.gz copy; zcat tp-pp/rank5.json.gz > copy/rank5.json; topowise traffic copy | head -1
  topowise traffic: warning: copy/rank5.json.gz: a copy of a trace that counts already: left out
  copy: 8 ranks, 24 pairs, 3.15 MB in 1120 messages; a rank sends to 3 others at most
  $ cp -r tp-pp-chakra twice; cp twice/step.5.et twice/again.5.et; topowise traffic twice
  topowise traffic: error: twice/step.5.et: rank 5 has a trace in 'twice/again.5.et' already, and the two are the same: is one a copy of the other?
  hint: give one trace a rank
  [3]
  $ cp twice/step.6.et twice/again.5.et; topowise traffic twice
  topowise traffic: error: twice/step.5.et: rank 5 has a trace in 'twice/again.5.et' already, and the two differ: traces of two jobs, or of several steps?
  hint: give one trace a rank
  [3]
  $ mkdir steps; cp tp-pp/*.gz steps; for rank in 0 1 2 3 4 5 6 7; do zcat tp-pp/rank$rank.json.gz | sed 's/"trace_id": "/&1/' > steps/more$rank.json; done; topowise traffic steps | head -1
  steps: 8 ranks, 24 pairs, 6.29 MB in 2240 messages; a rank sends to 3 others at most
  $ topowise traffic tp-pp --format csv
  topowise traffic: error: 'csv' is no format of traces, and 'tp-pp' names several files
  [2]

A message about damage names the place.

  $ head -c 2000 tp-pp/rank3.json.gz > cut.json.gz; topowise traffic cut.json.gz
  topowise traffic: error: 'cut.json.gz' is cut off: its gzip data do not end
  [3]
  $ head -c 2000 calls/rank3.json > cut.json; topowise traffic cut.json
  topowise traffic: error: cut.json:5:504: syntax error while parsing value - invalid string: missing closing quote; last read: '"Sc'
  [3]
  $ sed 's/"Collective name":"reduce"/"Collective name":"reduce",,/' calls/rank3.json > comma.json; topowise traffic comma.json
  topowise traffic: error: comma.json:6:188: syntax error while parsing object key - unexpected ','; expected string literal
      6 | ecord function id":9,"Collective name":"reduce",,,"Process Group Description":"default_pg","dtyp
        |                                                 ^
  [3]
  $ sed 's/"dtype":"BFloat16"/"dtype":"BFloat17"/' calls/rank3.json > type.json; topowise traffic type.json
  topowise traffic: warning: type.json: ranks 0, 1, 2, 4, 5, 6, 7 of 8 left no trace: what they did among themselves is missing
  hint: give the traces of all ranks
  topowise traffic: warning: type.json: left out: calls whose type of numbers, 'BFloat17', is not known here (2)
  type.json: 8 ranks, 32 pairs, 1.2 MB in 430 messages; a rank sends to 7 others at most
  
  heaviest pairs
    from  to   bytes  messages  share
       2   3  143 KB        48  11.9%
       3   4  143 KB        48  11.9%
       5   6  137 KB        48  11.5%
       0   1  135 KB        48  11.3%
       1   2  135 KB        46  11.3%
       4   5  135 KB        46  11.3%
       6   7  135 KB        46  11.3%
       7   0  135 KB        48  11.3%
       0   2    8 KB         4   0.7%
       2   0    8 KB         4   0.7%
  
  groups of ranks
    groups            number  ranks    bytes  share
    8 ranks, 1 apart       1      8  1.18 MB  99.4%
    4 ranks                1      4   7.2 KB   0.6%
  $ mkdir odd; cp calls/* odd; cp cut.json.gz odd/rank9.json.gz; topowise traffic odd | head -1
  topowise traffic: error: 'odd/rank9.json.gz' is cut off: its gzip data do not end
  $ echo '{"traceEvents": []}' > alone.json; topowise traffic alone.json
  topowise traffic: error: alone.json: a trace without 'distributedInfo': of a process that was not part of a job of torch.distributed
  hint: profile after torch.distributed.init_process_group()
  [3]
  $ topowise traffic 'none*.json'; topowise traffic tp-pp/rank0.json.gz,none.json; topowise traffic 'no*/x.json'
  topowise traffic: error: no file is called 'none*.json'
  topowise traffic: error: cannot read 'none.json': No such file or directory
  topowise traffic: error: 'no*/x.json': only the name of a file may be a pattern, not a directory's
  [3]

What is known and not read is named.

  $ printf '@ mpiP\n@ Command : ./app\n' | topowise traffic -
  topowise traffic: error: stdin: this is a report of mpiP, which is not read
  hint: record the job instead: mpirun -n 16 topowise run --profile DIR -- ./app
  [3]

A trace of SimGrid, of two ranks.

  $ printf '0 init\n1 init\n0 send 1 0 1e6\n1 recv 0 0 1e6\n' | topowise traffic - | head -1
  -: 2 ranks, 1 pair, 1 MB in 1 message; a rank sends to 1 other at most

A dump of PyTorch's FlightRecorder, of one process here: what the other did is assumed to be the same.

  $ cat > rank_0.json <<'END'
  > {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": [
  > {"process_group": ["0", "default_pg"], "profiling_name": "nccl:all_reduce", "input_sizes": [[1024]],
  >  "input_dtypes": ["Float"], "output_sizes": [[1024]], "output_dtypes": ["Float"]}]}
  > END
  $ topowise traffic rank_0.json 2> /dev/null | head -1
  rank_0.json: 2 ranks, 2 pairs, 8.19 KB in 4 messages; a rank sends to 1 other at most
  $ printf '\200\002cos\nsystem\n(X\002\000\000\000lspg_configtR.' > rank_1; topowise traffic rank_1
  topowise traffic: error: rank_1: byte 2: the pickle names the function or class 'os.system'
  hint: only dictionaries, lists, tuples, texts and numbers are read; nothing is executed
  [3]

A log of NCCL's calls, of all processes.

  $ for rank in 0 1; do
  >   echo "h:10$rank:7 [$rank] NCCL INFO comm 0x55$rank rank $rank nranks 2 cudaDev $rank nvmlDev $rank busId 1000 commId 0xab - Init COMPLETE"
  >   echo "h:10$rank:7 [$rank] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f recvbuff 0x7f count 1024 datatype 7 op 0 root 0 comm 0x55$rank [nranks=2] stream 0x1"
  > done > train.log; topowise traffic train.log | head -1
  train.log: 2 ranks, 2 pairs, 8.19 KB in 4 messages; a rank sends to 1 other at most
  $ grep -v COMPLETE train.log | topowise traffic - | head -1
  topowise traffic: warning: stdin: no line says which rank a process is ('Init COMPLETE'): ranks are taken in the order of hosts and devices
  -: 2 ranks, 2 pairs, 8.19 KB in 4 messages; a rank sends to 1 other at most
  $ grep -v COMPLETE train.log | head -1 | topowise map - live
  topowise map: error: stdin: no line says which ranks its 1 processes are, and a communicator has 2 ranks
  hint: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL
  [3]
