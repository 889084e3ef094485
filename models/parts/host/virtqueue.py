"""The queue of a virtual device, whose thread on the host reports what is done when nothing is left to do.

request ──> [thread: below] ──> is another request at the thread?
                                  yes: wait for the last of them ──> done
                                  no:  the last one: interrupt the guest for all ──> done

The thread wakes up, takes whatever stands in the queue, one request after the other, also what is put there
meanwhile, and interrupts the guest once, for all of them. So a request takes as long as all that are in flight
together: n of them take a + n b, where a is the way to the thread and back and b what the thread does for each.
Virtio allows it: a device says in the used ring what is done, and interrupts when it likes (Virtual I/O Device
Version 1.2, 2.7.7 and 2.7.10).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import Layer
from sim import Await, Gate, Gather, Hold, IfAny, Lock, Path, Wake
from sim.system.settings import count
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Virtqueue:
    """Queues of a virtual device, each with a thread that interrupts when its queue is empty."""

    count: int = count(1, "queues, each with a thread; processes are dealt to them in turn", high=4096)

    def layer(self, name: str, below: Below) -> Virtqueues:
        """The queues above ``below``, which is what their threads do."""
        numbers = range(1, self.count + 1)
        names = [name] if self.count == 1 else [f"{name} {number}" for number in numbers]
        return Virtqueues(tuple(names), below(""))


@dataclass(frozen=True)
class Virtqueues:
    """The queues by name, and what their threads do for a request."""

    names: tuple[str, ...]
    below: Layer

    def path(self, io: FileIO) -> Path:
        """One request at the thread, and until that interrupts the guest."""
        name = self.names[io.process % len(self.names)]
        thread, done = Lock(f"{name} thread"), Gate(f"{name} done")
        interrupt = IfAny(done, (Gather(done), Wake(done)))
        return (
            Hold(thread.exclusive, *self.below.path(io)),
            IfAny(thread, Await(done), interrupt),
        )
