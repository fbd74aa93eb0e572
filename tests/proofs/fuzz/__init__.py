"""Tests of the programs in tools/proofs/fuzz, and what they found."""
