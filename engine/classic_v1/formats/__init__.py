"""The files of classic queues of version 1: segments, journal and store files, byte by byte."""
