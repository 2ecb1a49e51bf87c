# SPDX-License-Identifier: BSD-3-Clause
"""Coarse pictures of a browser page: the mean colour of each square of a grid. If another version of the browser draws letters a little differently,
this changes little; a drawing that moved, a missing table or another colour changes it."""
import struct
import zlib

CELL = 40    # pixels
LEVELS = 16  # of each of red, green and blue, one hexadecimal digit


def read_png(data):
    """The width, height and rows of red, green, blue of a picture with 8 bits in each channel, as browsers write it."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + length])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    width, height, depth, colour, _, _, interlace = header
    assert depth == 8 and colour in (2, 6) and not interlace, "not 8 bits of red, green, blue"
    channels = 3 if colour == 2 else 4
    raw, stride, rows, before = zlib.decompress(packed), width * channels, [], bytearray(width * channels)
    for y in range(height):
        start = y * (stride + 1)
        row = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), before, channels)
        rows.append(row if channels == 3 else bytes(value for i, value in enumerate(row) if i % 4 != 3))
        before = row
    return width, height, rows


def unfilter(kind, row, before, channels):
    """Undoes one of the five ways in which PNG writes a row as differences."""
    for i in range(len(row)) if kind else ():
        left = row[i - channels] if i >= channels else 0
        if kind == 1:
            row[i] = (row[i] + left) & 255
        elif kind == 2:
            row[i] = (row[i] + before[i]) & 255
        elif kind == 3:
            row[i] = (row[i] + (left + before[i]) // 2) & 255
        else:
            corner = before[i - channels] if i >= channels else 0
            guess = left + before[i] - corner
            row[i] = (row[i] + min((abs(guess - left), 0, left), (abs(guess - before[i]), 1, before[i]),
                                   (abs(guess - corner), 2, corner))[2]) & 255
    return row


def coarse(data):
    """Lines with three hexadecimal digits for each square."""
    width, height, rows = read_png(data)
    lines = []
    for top in range(0, height - CELL + 1, CELL):
        line = ""
        for left in range(0, width - CELL + 1, CELL):
            for channel in range(3):
                total = sum(sum(rows[y][3 * left + channel:3 * (left + CELL):3]) for y in range(top, top + CELL))
                line += f"{total * LEVELS // (CELL * CELL * 256):x}"
        lines.append(line)
    return lines


def differing(expected, actual):
    """The share of squares in which a channel differs by more than one level; 1 if the sizes differ."""
    if [len(line) for line in expected] != [len(line) for line in actual]:
        return 1.0
    squares = changed = 0
    for a, b in zip(expected, actual):
        for i in range(0, len(a), 3):
            squares += 1
            changed += any(abs(int(x, 16) - int(y, 16)) > 1 for x, y in zip(a[i:i + 3], b[i:i + 3]))
    return changed / squares
