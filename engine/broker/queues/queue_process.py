"""The queue process: timers and what happens after each message that it handled (P1-P5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engine.backing_queue.protocol import BackingQueue, NeedsTimeout
from engine.broker.commands.settings import NodeSettings
from engine.broker.memory.memory_monitor import MemoryMonitor
from engine.broker.queues.mail import MailPort
from engine.broker.time.process import PUBLISH, HibernateBackoff
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.report.transitions.base import Why
from engine.values.ranges import Range

MILLISECOND_US = 1000
INFO = 9
"""Priority of questions such as those of list_queues (P6)."""
TIMER = 8
"""Priority of what timers and the memory monitor send (P6)."""


class QueueProcess:
    """The actor that owns one queue.

    Messages of one batch are some microseconds apart for the queue's rates; its clock may run ahead of the node's for
    that.

    Args:
        queue: the backing queue.
        mail: makes its mailbox.
        scheduler: virtual time.
        settings: returns the node's settings, which may change while it runs.
        monitor: returns the memory monitor.
        on_confirmed: called with the messages whose confirms may be sent (K8).
        on_clock: called when `timer_items` may differ.
        sync_interval_ms: its own, where it is not the setting's.
    """

    def __init__(
        self,
        *,
        queue: BackingQueue,
        mail: Callable[[QueueProcess], MailPort],
        scheduler: TimerScheduler,
        settings: Callable[[], NodeSettings],
        monitor: MemoryMonitor,
        on_confirmed: Callable[[Sequence[Range]], None],
        on_clock: Callable[[str], None],
        sync_interval_ms: int | None = None,
    ) -> None:
        self.queue = queue
        self.name = queue.name
        self.pinned = False
        """Whether a command holds target_ram_count, so that durations are not applied."""
        self.awake = True
        self.stuck = False
        """Whether it goes round in a conversion that never ends, and handles nothing any more (V5)."""
        self.held: list[Callable[[], None]] | None = None
        """What waits while it handles nothing: it hangs, or its mirrors are being synchronised (H56)."""
        self._scheduler = scheduler
        self._settings = settings
        self._monitor = monitor
        self._on_confirmed = on_confirmed
        self._on_clock = on_clock
        self._sync_interval_ms = sync_interval_ms
        self._rate_timer: ScheduledTimer | None = None
        self._idle_timer: ScheduledTimer | None = None
        self.collections = 0
        """How often it collected its garbage, which it does with every message that comes or goes."""
        self._held_bytes = 0
        """Of bodies: those in RAM, and those that left it since the process collected its garbage last."""
        self._backoff = self._first_backoff()
        self._slept_at_us = 0
        self.gone = False
        self.mail = mail(self)
        monitor.register(self.name)

    def begin(self) -> BackingQueue:
        """Set the queue's clock for the message to be handled, and return the queue."""
        self.queue.advance_clock(self._scheduler.now_us)
        return self.queue

    def send(self, priority: int, do: Callable[[], None]) -> None:
        """Send the process a message (P6); to one that is gone nothing comes."""
        if self.gone:
            return
        if self.held is None:
            self.mail.post(priority, do)
        else:
            self.held.append(do)

    def hold(self) -> None:
        """Handle nothing from now on; what comes waits (H56)."""
        if self.held is None:
            self.held = []

    def go_on(self) -> None:
        """Handle what waited, in its order, and whatever comes from now on."""
        waiting, self.held = self.held or [], None
        for do in waiting:
            self.send(PUBLISH, do)

    # --- after each handled message ----------------------------------------------------------------------------------

    def handled(self, arms_rate_timer: bool = True, collects: bool = True) -> None:
        """Send confirms, sync or arm the timer that the index asks for, arm the rate timer (P1, P2, P5, K8).

        Args:
            collects: whether what was handled makes the process collect its garbage, as messages do that come and go.
        """
        if self.stuck:
            return
        self._collect(collects)
        self.drain()
        self.mail.settle()
        if arms_rate_timer and self._rate_timer is None:
            self._rate_timer = self._scheduler.after(
                self._settings().rate_timer_ms * MILLISECOND_US,
                partial(self.send, TIMER, self._rate_timer_fired),
            )
        if not self.awake:
            self._wake()
        self._on_clock("P5")
        self.mail.handled()

    def handled_part(self) -> None:
        """Do what `handled` does, unless the queue is still handling other parts of the same message."""
        if not self.mail.more_follows:
            self.handled()

    def wait_idle(self, needs: NeedsTimeout) -> None:
        """Begin to wait for the sync of an idle queue, or for its sleep (P2, P4)."""
        if needs == "idle":
            self._wait(self.sync_interval_ms, self.sync)
        else:
            self._wait(self._hibernates_after_ms(self._settings()), self._hibernate)

    @property
    def sync_interval_ms(self) -> int:
        """After how long an idle queue syncs, and a busy one if somebody waits for a confirm (P2, H23)."""
        return self._sync_interval_ms or self._settings().queue_sync_interval_ms

    def drain(self) -> None:
        """Handle what the stores sent, if it is its turn, and hand over what may be confirmed (K8)."""
        self.mail.read()
        confirmed = self.queue.drain_confirmed()
        if confirmed:
            self._on_confirmed(confirmed)

    def _wait(self, delay_ms: int, action: Callable[[], None]) -> None:
        if self.gone:
            return
        was_idle = partial(self._was_idle, action)
        self._idle_timer = self._scheduler.after_instead(
            self._idle_timer, delay_ms * MILLISECOND_US, was_idle
        )

    def _was_idle(self, action: Callable[[], None]) -> None:
        """Do what an idle queue does, unless it is working (P2, P4)."""
        if self.mail.idle:
            self.send(TIMER, action)

    def sync(self) -> None:
        """Sync the journal (P2, P3)."""
        self.begin().timeout()
        self.handled(collects=False)

    def answer_info(self) -> None:
        """Answer how many messages there are: the process wakes for that, and its timers run again (P5, P6)."""
        self.send(INFO, self._answer_info)

    def _answer_info(self) -> None:
        self.begin()
        self.handled(collects=False)

    # --- duration and hibernation ------------------------------------------------------------------------------------

    def _rate_timer_fired(self) -> None:
        """Report the duration and apply the answer (P5)."""
        self._rate_timer = None
        self.begin()
        self._report_duration()
        self.handled(arms_rate_timer=False, collects=False)

    def _report_duration(self) -> None:
        wanted = self._monitor.report(self.name, self.queue.ram_duration())
        if not self.pinned:
            self.queue.set_ram_duration_target(wanted)

    def _hibernate(self) -> None:
        """The queue was idle for long: report, flush the index, sleep (P4, Q65)."""
        self._idle_timer = None
        self.begin()
        self._report_duration()
        self.queue.pre_hibernate()
        self.drain()
        if self._rate_timer is not None:
            self._rate_timer.cancel()
            self._rate_timer = None
        self.awake = False
        self._slept_at_us = self._scheduler.now_us
        self._collect(True)
        self._on_clock("P4")

    def _hibernates_after_ms(self, settings: NodeSettings) -> int:
        """Return how long it waits while it is idle; without a desired rest that does not grow (P4)."""
        return self._backoff.wait_ms if settings.desired_hibernate_ms else settings.hibernate_after_ms

    def _first_backoff(self) -> HibernateBackoff:
        """Return the wait before the first sleep; on a node that has run for a while the process slept once before."""
        settings = self._settings()
        seed = f"{self.name}/{settings.running_since_ms}"
        backoff = HibernateBackoff(seed, settings.hibernate_after_ms, settings.desired_hibernate_ms)
        slept_ms = settings.running_since_ms - settings.hibernate_after_ms
        if slept_ms > 0:
            backoff.wake(slept_ms * MILLISECOND_US)
        return backoff

    def _wake(self) -> None:
        self.awake = True
        self._backoff.wake(self._scheduler.now_us - self._slept_at_us)

    @property
    def garbage_bytes(self) -> int:
        """Of bodies that left RAM since the process collected its garbage last."""
        return max(0, self._held_bytes - self.queue.ram_bytes)

    def _collect(self, collects: bool) -> None:
        """Note what the process holds of bodies after it handled something."""
        in_ram = self.queue.ram_bytes
        self._held_bytes = in_ram if collects else max(in_ram, self._held_bytes)
        self.collections += collects

    def wanted_duration(self, duration_s: float | None) -> None:
        """The memory monitor sends a duration (M4)."""
        self.send(TIMER, partial(self._take_duration, duration_s))

    def _take_duration(self, duration_s: float | None) -> None:
        self.begin()
        if not self.pinned:
            self.queue.set_ram_duration_target(duration_s)
        self.handled(collects=False)

    def pin_target(self, target: int | None) -> None:
        """Hold target_ram_count at a value by command, or let it go to infinity until the next report."""
        if self.stuck:
            self.send(TIMER, partial(self.pin_target, target))
            return
        self.pinned = target is not None
        self.begin().set_target(target)
        self.handled(collects=False)

    def set_version(self, version: int) -> None:
        """Convert the files; `handled` is the caller's to call (W100)."""
        self.mail.at_once(partial(self._convert_files, version))

    def _convert_files(self, version: int) -> None:
        self.begin().set_queue_version(version)

    def set_mode(self, mode: str) -> None:
        """Make the queue lazy or default; `handled` is the caller's to call (Q55-Q57)."""
        if self.stuck:
            self.send(TIMER, partial(self.set_mode, mode))
        else:
            self.mail.at_once(partial(self._convert, mode))

    def _convert(self, mode: str) -> None:
        self.stuck = not self.begin().set_queue_mode(mode)
        if self.stuck:
            self.hold()
            self._on_clock("V5")

    def stop(self) -> None:
        """Cancel the timers; the process is gone."""
        self.gone = True
        self.mail.stop()
        for timer in (self._rate_timer, self._idle_timer):
            if timer is not None:
                timer.cancel()

    def change_mail(self, mail: Callable[[QueueProcess], MailPort]) -> None:
        """Take another mailbox, in which nothing waits yet."""
        self.mail.stop()
        self.mail = mail(self)
        self.handled()

    def timer_items(self) -> Why:
        """Return what is shown of the process and its timer."""
        timer = self._rate_timer
        return {
            "queue_process": "converting" if self.stuck else "awake" if self.awake else "hibernating",
            "rate_timer_at_us": timer.at_us if timer is not None else None,
        }
