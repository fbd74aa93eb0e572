"""Tests of the programs in tools/proofs, and what they found."""
