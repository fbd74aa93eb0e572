"""Tests of the programs in tools/proofs/predictions, and what they found."""
