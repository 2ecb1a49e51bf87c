; SPDX-License-Identifier: BSD-3-Clause
; An electromagnetic wave in a long periodic box, which Meep cuts into slices: each has two neighbours.
(set! geometry-lattice (make lattice (size 16 4 4)))
(set! geometry (list (make block (center 3 0 0) (size 2 infinity infinity) (material (make dielectric (epsilon 4))))))
(set! sources (list (make source (src (make gaussian-src (frequency 0.5) (fwidth 0.4))) (component Ez) (center -2 0.3 0.1))))
(set! k-point (vector3 0 0 0))
(set! resolution 10)
(run-until 4)
(do ((x -7 (+ x 1))) ((> x 7))
  (print "field " x " " (get-field-point Ez (vector3 x 0.2 0.1)) " " (get-field-point Hy (vector3 x 0.2 0.1)) "\n"))
