"""What an operator does for learning platforms: register one, list them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from lti_tool.models import Key, LtiDeployment, LtiRegistration

NEEDED = ("issuer", "client_id", "auth_url", "token_url", "keyset_url")


class Command(BaseCommand):
    """manage.py lti."""

    help = "Register a learning platform, or list those that are"

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what the platform shows when a tool is added to it; without anything, list."""
        parser.add_argument(
            "--register", metavar="NAME", help="a name for the platform; needs the five below"
        )
        for name in NEEDED:
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, default="")
        parser.add_argument(
            "--deployment",
            dest="deployments",
            action="append",
            default=[],
            metavar="ID",
            help="an id under which the platform has deployed the tool; may be given several times",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["register"]:
            missing = [name for name in NEEDED if not options[name]]
            if missing:
                raise CommandError(f"missing: {', '.join('--' + name.replace('_', '-') for name in missing)}")
            values = {name: options[name] for name in NEEDED[2:]} | {"name": options["register"]}
            if not Key.objects.active().exists():
                Key.objects.generate()
            registration, _made = LtiRegistration.objects.update_or_create(
                issuer=options["issuer"], client_id=options["client_id"], defaults=values
            )
            for number in options["deployments"]:
                LtiDeployment.objects.update_or_create(
                    registration=registration, deployment_id=number, defaults={"is_active": True}
                )
            self._list()
        else:
            self._list()

    def _list(self) -> None:
        for each in LtiRegistration.objects.all():
            login = reverse("lti-login", args=[each.uuid])
            known = ", ".join(each.deployments.active().values_list("deployment_id", flat=True))
            deployments = f"deployments {known}" if known else "no deployment: give one with --deployment"
            self.stdout.write(f"{each.name}: {each.issuer} {each.client_id}, {deployments}, log-in {login}")
        self.stdout.write(f"launch {reverse('lti-launch')}, keys {reverse('lti-keys')}")
