"""The builder: a teacher makes an exercise from her own session, without a file.

`drafts` turns a form into the content of an exercise, `numbers` are those that a second try draws again, `proofs` has
the engine check it, and `made` keeps it as a row. What the form asks is the kind's own (`playground.exercises.kinds`).
"""
