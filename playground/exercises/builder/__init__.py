"""The builder: a teacher makes an exercise from her own session, without a file.

`runs` cuts a session's run in two, `observables` are what can be asked of a moment, `drafts` turns a form into the
content of an exercise, `proofs` has the engine check it, and `made` keeps it as a row.
"""
