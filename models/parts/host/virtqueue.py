"""The queue of a virtual device, whose thread on the host reports completions once its queue is empty.

request ──> [thread: below] ──> is another request at the thread?
                                  yes: wait for the last of them ──> done
                                  no:  the last one: interrupt the guest for all ──> done

The thread wakes up, processes all requests in the queue in turn, later ones included, and interrupts the guest
once for all of them. So a request takes as long as all that are in flight together: n of them take a + n b, where
a is the way to the thread and back and b the thread's work for each. Virtio allows it: a device marks completions
in the used ring, and may interrupt at any time (Virtual I/O Device Version 1.2, 2.7.7 and 2.7.10).
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
        """The queues above ``below``, the work of their threads."""
        numbers = range(1, self.count + 1)
        names = [name] if self.count == 1 else [f"{name} {number}" for number in numbers]
        return Virtqueues(tuple(names), below(""))


@dataclass(frozen=True)
class Virtqueues:
    """Queues by name, and the work of their threads for a request."""

    names: tuple[str, ...]
    below: Layer

    def path(self, io: FileIO) -> Path:
        """Steps of one request at the thread of its queue, up to the interrupt of the guest."""
        name = self.names[io.process % len(self.names)]
        thread, done = Lock(f"{name} thread"), Gate(f"{name} done", role="internal")
        interrupt = IfAny(done, (Gather(done), Wake(done)))
        return (
            Hold(thread.exclusive, *self.below.path(io)),
            IfAny(thread, Await(done), interrupt),
        )
