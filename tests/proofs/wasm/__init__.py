"""Tests of the programs in tools/proofs/wasm, and what they found."""
