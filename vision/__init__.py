"""Frames in, table events out. Knows cards as labels; knows nothing of Sueca."""
