"""What a picture file says of itself before it is decoded: its size, and whether it is all there.

A file of a few kilobytes may claim a gigapixel, and a decoder asked for it takes the memory first. JPEG,
PNG, GIF and WebP are known here, the formats that cameras, phones and browsers write.
"""

import struct

JPEG, PNG, GIF, RIFF = b"\xff\xd8", b"\x89PNG", b"GIF8", b"RIFF"

_FRAME = frozenset(bytes([n]) for n in range(0xC0, 0xD0) if n not in (0xC4, 0xC8, 0xCC))
"""Markers of a frame header: all SOFn, without the tables that share their range (ITU T.81, table B.1)."""

_PIXELS = frozenset({b"\xda"})
"""The marker behind which a JPEG's pixels come (SOS)."""


def declared_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) in pixels as the header says, before any turning; None where it is not known."""
    try:
        if data.startswith(PNG):
            width, height = struct.unpack_from(">II", data, 16)
            return width, height
        if data.startswith(GIF):
            width, height = struct.unpack_from("<HH", data, 6)
            return width, height
        if data.startswith(JPEG):
            return _jpeg_size(data)
        if data.startswith(RIFF) and data[8:12] == b"WEBP":
            return _webp_size(data)
    except struct.error:  # the file ends within its header
        return None
    return None


def cut_short(data: bytes) -> bool:
    """Whether the end of a JPEG, PNG or WebP is missing.

    OpenCV fills what is missing with grey and says nothing. Anything may follow the end: phones append a
    clip ("motion photo") to a JPEG.
    """
    if data.startswith(JPEG):
        return data.find(b"\xff\xd9", _jpeg_segment(data, _PIXELS)) < 0
    if data.startswith(PNG):
        return data.find(b"IEND\xaeB`\x82") < 0
    if data.startswith(RIFF) and data[8:12] == b"WEBP":
        return len(data) < 8 + int.from_bytes(data[4:8], "little")
    return False


def _jpeg_segment(data: bytes, markers: frozenset[bytes]) -> int:
    """Where the first segment with one of these markers begins; where the headers end without one.

    Going from segment to segment passes over a thumbnail, which is a JPEG of its own.
    """
    position = 2
    while data[position : position + 1] == b"\xff":
        if data[position + 1 : position + 2] in markers:
            return position
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return position


def _jpeg_size(data: bytes) -> tuple[int, int]:
    height, width = struct.unpack_from(">HH", data, _jpeg_segment(data, _FRAME) + 5)
    return width, height


def _webp_size(data: bytes) -> tuple[int, int] | None:
    """Of the three kinds of WebP: extended, lossless and plain (RFC 9649)."""
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[i : i + 3], "little") + 1 for i in (24, 27))
        return width, height
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
