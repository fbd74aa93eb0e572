"""Tests of the programs in tools/proofs/fidelity, and what they found."""
