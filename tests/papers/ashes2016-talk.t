The quick form of each row of docs/papers/ashes2016-talk.md. A line "Row: NAME" begins a row (rows_test.py). The slides show the paper's figures:
what they give is in ashes2016.t.

Row: Slide 9

  $ topowise topology preset:helios-k80 | head -n 1
  helios-k80: 16 places

Row: Slides 10 and 11

  $ topowise predict preset:helios-k80 --messages '0->8:1MiB' | grep -e '->'
    0->8     1.05 MB    0 s  176 us  176 us   1.00x

Row: Slides 18 and 19

  $ for name in stencil2d torus2d torus3d hypercube; do topowise bench $name --weight 3 --sizes 1MiB 2> /dev/null | grep -c predicted; done
  5
  5
  5
  5

Row: Slide 20

  $ topowise map pattern:stencil3d:4x2x2:bytes=1MiB preset:helios-k80 --emit gpu-env > gpus.sh && bash -n gpus.sh && grep -c CUDA_VISIBLE_DEVICES gpus.sh | grep -vx 0 > /dev/null

Row: Slide 26

  $ topowise topology --list | grep k20
  [1]
