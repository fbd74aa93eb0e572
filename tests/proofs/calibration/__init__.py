"""Tests of the programs in tools/proofs/calibration, and what they found."""
