"""Tests of the programs in tools/proofs/stories, and what they found."""
