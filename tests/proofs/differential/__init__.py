"""Tests of the programs in tools/proofs/differential, and what they found."""
