"""Tests of the programs in tools/proofs/attack, and what they found."""
