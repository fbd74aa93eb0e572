"""The sentences of a comparison that cannot be made."""

from django.utils.translation import gettext_lazy as _

TOO_LONG = _("One of the runs has more than %(most)s transitions. Compare a shorter or smaller scenario.")
TOO_SLOW = _(
    "The comparison takes more than %(most)s seconds on this server. Compare a shorter or smaller scenario."
)
BUSY = _("This server is comparing other runs. Try again in a minute.")
BROKEN = _("The engine could not repeat one of the runs. Open it alone to see why.")
