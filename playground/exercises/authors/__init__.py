"""Parts of the forms in which authors ask about a session's run. `runs` cuts the run in two, `observables`
lists the values of a moment, `scene` shows them for selection, and `fields` reads the fields of every kind's
form. The kinds of exercises build their forms from these.
"""
