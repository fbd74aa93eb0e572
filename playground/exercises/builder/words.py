"""What the builder says when something cannot be made."""

from django.utils.translation import gettext_lazy as _

TOO_LONG = _(
    "This run is too long for an exercise. Begin a new session, and do only what the exercise needs."
)
TOO_MANY = _("An exercise has at most %(most)s commands. Begin a new session, and do only what it needs.")
NO_TITLE = _("Give the exercise a title, a task, and a sentence of explanation.")
OPTIONS = _("Write two to six options, each with a condition.")
SOME_TRUE = _("Of the options some must come true in the run, and some must not.")
NO_NUMBER = _("Choose what is counted.")
SLIP = _("A wrong number needs a whole number and its feedback.")
SLIP_IS_RIGHT = _("A wrong number must not be what the run comes to: %(number)s.")
RANGE = _("%(name)s is usually %(usual)s: give whole numbers from where to where it may be drawn, around it.")
MOST_VARIANTS = _(
    "The ranges have %(count)s combinations; %(most)s are the most that are checked. Make them smaller."
)
VARIANT = _("With other numbers (%(numbers)s): %(problem)s")
ONE_TRUE = _("Exactly one option must come true in the run; here it is %(count)s.")
EVENTS = _("Choose two to eight events that happen after this moment.")
GOALS = _("Pick one to four goals.")
EMPTY_RUN = _(
    "Doing nothing reaches all the goals already: ask for something that your commands bring about."
)
NOT_REACHED = _("Your own run does not reach all the goals: %(goals)s")
NOTHING_AFTER = _("Nothing was done after this moment. Choose an earlier one.")
TOO_MANY_MESSAGES = _("By hand, at most %(most)s messages can be moved; here there are %(count)s.")
NO_EXERCISE = _("This is no exercise: %(problem)s")
NO_JSON = _("it is not JSON")
NOT_PASSED = _("Its own solution does not pass.")
TOO_MANY_MADE = _("You have made %(most)s exercises, the most there may be. Delete one first.")
