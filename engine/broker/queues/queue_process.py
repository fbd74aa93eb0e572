"""The queue process: its timers, and the steps after each handled message (P1-P5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from engine.backing_queue.protocol import BackingQueue, Message, NeedsTimeout
from engine.broker.commands.settings import NodeSettings
from engine.broker.memory.model import (
    COMING_WORDS,
    LEAVING_WORDS,
    PAGED_WORDS,
    READ_WORDS,
    TAKEN_WORDS,
    WORD_BYTES,
    FollowedHeap,
)
from engine.broker.memory.resource_monitors import MemoryMonitor
from engine.broker.time.credit import CreditPair
from engine.broker.time.process import BUMP, CALLBACK, PUBLISH, HibernateBackoff, WorkProcess
from engine.broker.time.processes import ImmediateProcess, NodeProcesses
from engine.broker.time.scheduler import MILLISECOND_US, RandomDraws, ScheduledTimer, TimerScheduler
from engine.report.transitions.base import Why
from engine.values.labels import beside
from engine.values.marks import ignore, override
from engine.values.stretches import Range

INFO = 9
"""Priority of questions such as those of list_queues (P6)."""
TIMER = 8
"""Priority of what timers and the memory monitor send (P6)."""


class QueueProcess:
    """The actor that owns one queue. For the queue's rates, messages of one batch are some microseconds
    apart, so its clock may run ahead of the node's.

    Args:
        mail: makes its mailbox.
        scheduler: virtual time.
        settings: returns the node's settings, which may change while it runs.
        on_confirmed: called with the messages whose confirms may be sent (K8).
        on_clock: called when `timer_items` may differ.
        sync_interval_ms: its own, if it differs from the setting.
    """

    def __init__(
        self,
        *,
        queue: BackingQueue,
        mail: Callable[[QueueProcess], ImmediateMail],
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
        """Whether it is in a conversion that never ends, so that it handles nothing any more (V5)."""
        self.held: list[Callable[[], None]] | None = None
        """Messages that wait while it handles nothing, because it hangs or its mirrors are being synchronised (H56)."""
        self._scheduler = scheduler
        self._settings = settings
        self._monitor = monitor
        self._on_confirmed = on_confirmed
        self._on_clock = on_clock
        self._sync_interval_ms = sync_interval_ms
        self._rate_timer: ScheduledTimer | None = None
        self._idle_timer: ScheduledTimer | None = None
        self.collections = 0
        """How often it collected garbage, which it does with every message that arrives or leaves."""
        begun = settings()
        seed = f"{self.name}/heap/{begun.running_since_ms}"
        follows = begun.garbage_follows and begun.work_profile != "instant"
        self.followed = FollowedHeap(RandomDraws(seed)) if follows else None
        """Its heap, if garbage is modelled by process and work takes time."""
        self._counted = (0, 0, 0)
        """Ready and unacknowledged messages and those in RAM, when the heap was last followed."""
        self._ram_words = self._held_bytes = 0
        """Words of bodies in RAM then; bytes of bodies in RAM, and of those that left RAM and are not collected."""
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
        """Send the process a message (P6); a process that is gone gets nothing."""
        if self.gone:
            return
        if self.held is None:
            self.mail.post(priority, do)
        else:
            self.held.append(do)

    def hold(self) -> None:
        """Handle nothing from now on; messages wait (H56)."""
        if self.held is None:
            self.held = []

    def go_on(self) -> None:
        """Handle the waiting messages in order, and new ones from now on."""
        waiting, self.held = self.held or [], None
        for do in waiting:
            self.send(PUBLISH, do)

    # --- after each handled message ----------------------------------------------------------------------------------
    def handled(self, arms_rate_timer: bool = True, collects: bool = True) -> None:
        """Send confirms, sync or arm the timer that the index asks for, arm the rate timer (P1, P2, P5, K8).
        `collects`: whether the process collects garbage, as it does when messages arrive or leave.
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
            self.awake = True
            self._backoff.wake(self._scheduler.now_us - self._slept_at_us)
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
            settings = self._settings()  # the wait is constant without a desired rest (P4)
            wait_ms = self._backoff.wait_ms if settings.desired_hibernate_ms else settings.hibernate_after_ms
            self._wait(wait_ms, self._hibernate)

    @property
    def sync_interval_ms(self) -> int:
        """After how long an idle queue syncs, and a busy one if somebody waits for a confirm (P2, H23)."""
        return self._sync_interval_ms or self._settings().queue_sync_interval_ms

    def drain(self) -> None:
        """Handle messages of the stores, if it is their turn, and pass on confirms (K8)."""
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
        """Sync or sleep as an idle queue does, unless it is working (P2, P4)."""
        if self.mail.idle:
            self.send(TIMER, action)

    def sync(self) -> None:
        """Sync the journal (P2, P3)."""
        self.begin().timeout()
        self.handled(collects=False)

    def answer_info(self) -> None:
        """Answer how many messages there are; this wakes the process and restarts its timers (P5, P6)."""
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
        """Report, flush the index and sleep, after a long idle time (P4, Q65)."""
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

    def _first_backoff(self) -> HibernateBackoff:
        """Return the wait before the first sleep; on a node that has run for a while, the process has slept once
        before.
        """
        settings = self._settings()
        seed = f"{self.name}/{settings.running_since_ms}"
        backoff = HibernateBackoff(seed, settings.hibernate_after_ms, settings.desired_hibernate_ms)
        slept_ms = settings.running_since_ms - settings.hibernate_after_ms
        if slept_ms > 0:
            backoff.wake(slept_ms * MILLISECOND_US)
        return backoff

    @property
    def garbage_bytes(self) -> int:
        """Bytes of bodies that left RAM since the last garbage collection."""
        return max(0, self._held_bytes - self.queue.ram_bytes)

    def _collect(self, collects: bool) -> None:
        """Update the bytes of bodies that the process holds."""
        in_ram = self.queue.ram_bytes
        self.collections += collects
        if self.followed is not None and self.queue.heap.traced:
            self._follow(self.followed, in_ram)
        else:
            self._held_bytes = in_ram if collects else max(in_ram, self._held_bytes)

    def _follow(self, heap: FollowedHeap, in_ram: int) -> None:
        """Let the heap grow by what was just handled, or shrink to what lives if the process falls asleep."""
        queue = self.queue
        before, self._counted = self._counted, (queue.depth, queue.unacked, queue.ram_count)
        ready, unacked, stayed = (now - was for now, was in zip(self._counted, before, strict=True))
        live, bodies = self._live_words(), in_ram // WORD_BYTES
        if self.awake:
            came = max(0, ready + unacked)
            made = COMING_WORDS * came + LEAVING_WORDS * (max(abs(ready), abs(unacked)) - came)
            made += PAGED_WORDS * max(0, min(0, ready + unacked) - stayed)
            taken = max(0, -ready)
            kept = TAKEN_WORDS * taken + READ_WORDS * max(0, taken + min(0, stayed))
            heap.work(made, max(0, bodies - self._ram_words), kept, live, bodies)
        else:
            heap.collect_all(live, bodies)
        self._ram_words = bodies
        self._held_bytes = WORD_BYTES * heap.body_words

    def _live_words(self) -> int:
        """Return the words that live in its heap."""
        ready, unacked, in_ram = self._counted
        figures = self.queue.heap
        thousandths = figures.alpha_large * in_ram + figures.gamma * (ready + unacked - in_ram)
        return (thousandths + figures.pending * unacked) // (1000 * WORD_BYTES)

    def wanted_duration(self, duration_s: float | None) -> None:
        """Take a duration from the memory monitor (M4)."""
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
        """Cancel the timers of a process that is gone."""
        self.gone = True
        self.mail.stop()
        for timer in (self._rate_timer, self._idle_timer):
            if timer is not None:
                timer.cancel()

    def change_mail(self, mail: Callable[[QueueProcess], ImmediateMail]) -> None:
        """Take another mailbox, in which nothing waits yet."""
        self.mail.stop()
        self.mail = mail(self)
        self.handled()

    def timer_items(self) -> Why:
        timer = self._rate_timer
        return {
            "queue_process": "converting" if self.stuck else "awake" if self.awake else "hibernating",
            "rate_timer_at_us": timer.at_us if timer is not None else None,
        }


class ImmediateMail:
    """The mailbox of a queue process: this one lets the process do at once what it is sent. `process`: to
    which its clients send. `end`: called with the id of that process when it ends.
    """

    def __init__(self, queue_process: QueueProcess, process: WorkProcess, end: Callable[[str], None]) -> None:
        self.process = process
        self.more_follows = False
        """Whether the queue is handling only a part of one message."""
        self._owner = queue_process
        self._end = end

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is being worked on."""
        return True

    @property
    def consumer_priority(self) -> int:
        """Mailbox priority of a new consumer and of reports about sent messages (P6)."""
        return PUBLISH

    def post(self, priority: int, do: Callable[[], None]) -> None:
        """Let the process do something when its turn comes: now, where nothing waits before it."""
        do()

    def together(self, do: Callable[[], None]) -> None:
        """Do something, and treat everything of it that reaches the queue at once as one message."""
        self._owner.begin()
        self.more_follows = True
        do()
        self.more_follows = False
        self._owner.handled()

    def sweep(self) -> None:
        """Put what the stores, the index and the queue itself sent into the mailbox, unless `read` does (K7, F5)."""

    def at_once(self, do: Callable[[], None]) -> None:
        """Do something that waits for the stores, which answer at once meanwhile (Q56)."""
        do()

    def read(self) -> None:
        """Handle what the stores and the index sent, unless it waits in the mailbox (K7, F5)."""
        self._owner.queue.drain_mailbox()

    def settle(self) -> None:
        """Sync or wait, if the mailbox is known to be empty (P1). Sync if somebody waits for a confirm: a
        receive timeout of 0 comes before the sync timer (P2).
        """
        needs = self._owner.queue.needs_timeout()
        if needs == "timed":
            self._owner.queue.timeout()
            self._owner.drain()
            needs = self._owner.queue.needs_timeout()
        self._owner.wait_idle(needs)

    def handled(self) -> None:
        """Do the steps after a message; none, where the mailbox is empty."""

    def stop(self) -> None:
        """End with the queue process, or because another mailbox replaces this one."""
        self._end(self.process.id)


def mail_alone(scheduler: TimerScheduler, queue_process: QueueProcess) -> ImmediateMail:
    """Return the mailbox of a queue process to which no channel sends anything: a mirror's."""
    return ImmediateMail(queue_process, ImmediateProcess.alone(queue_process.name, scheduler), ignore)


PRIORITIES: Final = {"credit": PUBLISH, "bump": BUMP}
"""Priorities of messages from the queue's stores and index; others are callbacks (P6)."""
CONSUMER_BIAS: Final = 2.0


class QueueMail(ImmediateMail):
    """The mailbox where work takes time: what is sent waits in it, and steps follow after a quantum."""

    def __init__(
        self, queue_process: QueueProcess, processes: NodeProcesses, scheduler: TimerScheduler
    ) -> None:
        name = queue_process.name
        process = processes.of("queue", name, after_each=self._rest, more_credit=self._credit)
        super().__init__(queue_process, process, processes.end)
        self._processes = processes
        self._scheduler = scheduler
        self._sync_timer: ScheduledTimer | None = None
        self._sync_posted = False
        self._swept: dict[int, Message] = {}
        self._number = 0
        queue_process.queue.let_stores_work_alone(True)

    # --- what comes in -----------------------------------------------------------------------------------------------
    @override
    def post(self, priority: int, do: Callable[[], None]) -> None:
        self.process.post(priority, 1, partial(_alone, do))

    @property
    @override
    def consumer_priority(self) -> int:
        incoming, outgoing, _, _ = self._owner.queue.rates
        return 2 if incoming > 0 and outgoing / incoming < CONSUMER_BIAS else PUBLISH

    @override
    def together(self, do: Callable[[], None]) -> None:
        """Do it; its messages to the queue wait in the mailbox one by one."""
        do()

    @override
    def sweep(self) -> None:
        for message in self._owner.queue.take_posted():
            self._number += 1
            self._swept[self._number] = message
            self.process.post(PRIORITIES.get(message[0], CALLBACK), 1, partial(self._take, self._number))

    def _take(self, number: int, _: int) -> None:
        message = self._swept.pop(number, None)
        if message is not None:
            self._owner.begin().take_message(*message)
            self._owner.handled(collects=False)

    @override
    def at_once(self, do: Callable[[], None]) -> None:
        """Queue it as a message during which the process does nothing else (Q56)."""
        self.post(PUBLISH, partial(self._answered, do))

    def _answered(self, do: Callable[[], None]) -> None:
        waiting = list(self._swept.values())
        self._swept.clear()
        self._owner.queue.answered_at_once(waiting, do)
        self._owner.handled()

    @override
    def read(self) -> None:
        """Do nothing: what stores and index sent has its turn in the mailbox."""

    # --- after each handled message ----------------------------------------------------------------------------------
    @override
    def settle(self) -> None:
        """Do nothing yet: whether the mailbox is empty shows when the quantum is over."""

    @override
    def handled(self) -> None:
        """Go on to what follows a message: at once if it came from outside the mailbox, else after the quantum."""
        if not self.process.busy:
            self.rest()

    def _rest(self, _: WorkProcess) -> None:
        self.rest()

    def rest(self) -> None:
        """Sweep, let the stores work, note blocking stores, and set the timer that the index needs (P1, P2, F3)."""
        self.sweep()
        for side, credit in self._owner.queue.store_credit().items():
            self.process.blocked_elsewhere(self._store(side), credit.blocked)
        self._processes.wake_stores()
        needs = self._owner.queue.needs_timeout()
        if needs != "timed":
            self._stop_sync_timer()
            if self._owner.awake:
                self._owner.wait_idle(needs)
        elif self._sync_posted:
            return
        elif not self.process.mailbox:
            # A receive timeout of 0: with an empty mailbox the sync comes before anything else (P2).
            self._post_sync()
        elif self._sync_timer is None:
            self._sync_timer = self._scheduler.after(
                self._owner.sync_interval_ms * MILLISECOND_US, self._sync_is_due
            )

    def _store(self, side: str) -> str:
        return f"store:{beside(self._owner.name, side)}"

    def _sync_is_due(self) -> None:
        self._sync_timer = None
        self._post_sync()

    def _post_sync(self) -> None:
        self._sync_posted = True
        self.post(CALLBACK, self._sync)

    def _sync(self) -> None:
        self._sync_posted = False
        self._stop_sync_timer()
        self._owner.sync()

    def _stop_sync_timer(self) -> None:
        if self._sync_timer is not None:
            self._sync_timer.cancel()
            self._sync_timer = None

    @override
    def stop(self) -> None:
        self._stop_sync_timer()
        self._swept.clear()
        self._owner.queue.let_stores_work_alone(False)
        super().stop()

    @property
    @override
    def idle(self) -> bool:
        return self.process.idle

    def _credit(self) -> dict[str, CreditPair]:
        """Return the credit towards the stores that it wrote to, which the queue itself counts (F4)."""
        return {
            self._store(side): CreditPair(each.left, each.initial, each.more)
            for side, each in self._owner.queue.store_credit().items()
            if each.left is not None
        }


def _alone(do: Callable[[], None], _: int) -> None:
    do()
