"""The help of each command of rabbitmqctl and rabbitmq-diagnostics. Written by tests.ctl.helps."""

from typing import Final

from engine.ctl.helps import texts_1, texts_2, texts_3, texts_4

TEXTS: Final = texts_1.TEXTS | texts_2.TEXTS | texts_3.TEXTS | texts_4.TEXTS
