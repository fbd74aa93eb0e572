"""Why an exercise cannot be made, where that is not a matter of one kind."""

from django.utils.translation import gettext_lazy as _

FLAGS = {
    "persistent": {True: _("persistent"), False: _("transient")},
    "running": {True: _("running"), False: _("stopped")},
    "ack": {True: _("with acks"), False: _("without acks")},
    "confirm": {True: _("with confirms"), False: ""},
}
"""The meaning of a command's flag, set or not."""
TOO_LONG = _(
    "This run is too long for an exercise. Begin a new session, and do only what the exercise needs."
)
TOO_MANY = _("An exercise has at most %(most)s commands. Begin a new session, and do only what it needs.")
NO_TITLE = _("The title is missing: give the exercise one.")
NO_TASK = _("The task is missing: say what the learner sees and is asked.")
NO_EXPLANATION = _("The explanation is missing: a sentence that is shown with the answer.")
NO_NUMBER = _("Choose what is counted.")
RANGE = _(
    "%(name)s is usually %(usual)s. Give the range of whole numbers around it from which it may be drawn."
)
MOST_VARIANTS = _(
    "The ranges have %(count)s combinations; %(most)s are the most that are checked. Make them smaller."
)
VARIANT = _("With other numbers (%(numbers)s): %(problem)s")
NOTHING_AFTER = _("Nothing was done after this moment. Choose an earlier one.")
NO_EXERCISE = _("This is not an exercise: %(problem)s")
NO_JSON = _("it is not JSON")
NOT_PASSED = _("Its own solution does not pass.")
TOO_MANY_MADE = _("You have made %(most)s exercises, which is the limit. Delete one first.")
