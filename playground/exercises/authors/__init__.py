"""What the forms are made of in which authors ask about a session's run.

`runs` cuts the run in two, `observables` are what can be asked of a moment, `scene` shows them to be pointed at, and
`fields` reads what every kind's form has. The kinds of exercises build their own forms of these.
"""
