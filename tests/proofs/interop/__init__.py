"""Tests of the programs in tools/proofs/interop, and what they found."""
