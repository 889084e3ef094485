"""Small models, each with mechanisms that meet; the analytic engine is near what the simulation says of them."""

from __future__ import annotations

from analytic_parts import DISK, LINK, MS
from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gamma,
    Gate,
    Gather,
    Hold,
    Lock,
    Lognormal,
    Lookup,
    Open,
    Periodic,
    PerItem,
    Poisson,
    Pool,
    Put,
    Repeat,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
)

CPU = Station("cpu", 3)
THINK = Exponential(5 * MS)


def exponential(ms):
    return Exponential(ms * MS)


def writes(gate, *steps):
    return [Gather(gate), *steps, Wake(gate)]


def shared_disks():
    """Three alike hosts, each of two clients, in front of four alike disks."""
    disks = [Station(f"disk {row}") for row in range(4)]
    path = [Delay(MS), Choose(*((0.25, Use(each, exponential(3))) for each in disks))]
    return [Closed(f"host {row}", clients=2, path=path, group="hosts") for row in range(3)]


def two_kinds():
    return [
        Closed("quick", clients=3, path=[Use(DISK, MS), Use(LINK, exponential(2))], think=exponential(3)),
        Closed("slow", clients=2, path=[Use(DISK, exponential(4)), Use(CPU, 3 * MS)]),
    ]


def open_and_closed():
    path = [Use(DISK, Gamma(2 * MS, 0.5)), Use(CPU, Lognormal(4 * MS, 2.0))]
    closed = Closed("closed", clients=4, path=path, think=exponential(10))
    return [closed, Open("open", arrivals=Poisson(100.0), path=path[:1])]


def pool_of_threads():
    inside = Hold(Pool("threads", 3), Use(DISK, exponential(2)), Delay(exponential(3)))
    return [
        Closed("many", clients=6, path=[Use(LINK, MS), inside], think=THINK),
        Closed("few", clients=2, path=[inside], think=THINK),
    ]


def two_tokens():
    pool = Pool("memory", 5)
    large = Closed("large", clients=3, path=Hold(pool, Use(DISK, exponential(2)), tokens=2))
    return [large, Closed("small", clients=3, path=[Delay(MS), Hold(pool, Use(CPU, exponential(3)), tokens=2)])]


def hold_inside_a_hold():
    inner = Hold(Lock("latch").exclusive, Use(DISK, MS))
    return [Closed("all", clients=7, path=[Hold(Pool("slots", 4), Delay(exponential(2)), inner)], think=THINK)]


def readers_and_writers():
    lock = Lock("inode")
    return [
        Closed("reader", clients=5, path=Hold(lock.shared, Use(CPU, exponential(1))), think=exponential(20)),
        Closed("writer", clients=2, path=Hold(lock.exclusive, Delay(MS)), think=THINK),
        Open("scanner", arrivals=Poisson(20.0), path=Hold(lock.shared, Delay(Lognormal(3 * MS, 2.0)))),
    ]


def stripes():
    disks = [Station(f"disk {row}") for row in range(3)]
    branches = [(Use(disk, exponential(2)), Delay(MS)) for disk in disks]
    return [Closed("all", clients=4, path=[Use(LINK, MS), Fork(*branches)], think=THINK)]


def unlike_branches():
    branches = [Use(DISK, exponential(3))], [Use(CPU, exponential(2)), Delay(MS)], [Delay(Gamma(4 * MS, 0.7))]
    return [Closed("all", clients=2, path=[Fork(*branches), Delay(MS)])]


def slaves():
    slave = Repeat(6, Use(CPU, MS), Use(DISK, 0.5 * MS))
    return [Closed("all", clients=2, path=Fork(*[(slave,)] * 4), think=THINK)]


def group_commit():
    gate = Gate("commit")
    writer = writes(gate, Use(DISK, PerItem(Exponential(MS), 0.2 * MS)))
    session = [Use(CPU, exponential(2)), Await(gate)]
    return [Closed("session", clients=9, path=session), Closed("writer", clients=2, path=writer)]


def two_gates():
    first, second = Gate("first"), Gate("second")
    return [
        Closed("session", clients=6, path=[Delay(exponential(3)), Await(first), Await(second)]),
        Closed("one", clients=1, path=writes(first, Use(DISK, MS), Delay(MS))),
        Closed("two", clients=1, path=writes(second, Hold(Lock("log").exclusive, Use(DISK, exponential(1))))),
    ]


def pipeline():
    first, second = Buffer("first", 5), Buffer("second", 8)
    return [
        Closed("read", clients=1, path=[Delay(exponential(2)), Put(first)]),
        Closed("pack", clients=2, path=[Take(first), Use(CPU, Lognormal(4 * MS, 1.5)), Put(second, 2)]),
        Closed("write", clients=1, path=[Take(second, 2), Use(DISK, Gamma(2 * MS, 0.5))]),
    ]


def behind_a_pool():
    cache = Buffer("pages", 12)
    later = Fork((Use(DISK, exponential(1.2)), Take(cache)), wait=False)
    inside = Hold(Pool("threads", 2), Use(LINK, exponential(0.5)), Put(cache))
    return [Closed("all", clients=4, path=[Delay(0.4 * MS), inside, later])]


def borrowed():
    lent = Buffer("credits", 4, initial=4)
    path = [Delay(exponential(2)), Take(lent), Use(DISK, MS), Delay(2 * MS), Put(lent)]
    return [Closed("all", clients=8, path=path)]


def cached():
    blocks = Cache("blocks", 60)
    path = Lookup(blocks, Zipf(500, 0.9), Delay(0.1 * MS), Use(DISK, exponential(2)))
    other = Lookup(blocks, Uniform(300), Delay(0.1 * MS), Use(LINK, MS))
    return [
        Closed("skewed", clients=3, path=path, think=exponential(2)),
        Closed("even", clients=2, path=[Delay(MS), other]),
    ]


def fifo_caches():
    near, far = Cache("near", 20, "fifo"), Cache("far", 80, "fifo")
    miss = Lookup(far, Zipf(300, 0.8), Use(LINK, MS), Use(DISK, 3 * MS))
    return [Closed("all", clients=3, path=[Delay(MS), Lookup(near, Zipf(300, 0.8), Delay(0.05 * MS), miss)])]


def tandem():
    path = [Use(DISK, Gamma(2 * MS, 0.4)), Delay(MS), Use(CPU, exponential(6)), Use(LINK, Lognormal(2 * MS, 1.5))]
    return [Open("all", arrivals=Periodic(2.9 * MS), path=path)]


def bursty():
    """Departures of services of high variation come in clumps."""
    path = [Use(DISK, Lognormal(2 * MS, 3.0)), Use(LINK, exponential(2))]
    return [Open("all", arrivals=Poisson(350.0), path=path)]


def long_holds():
    held = Hold(Lock("lock").exclusive, Delay(Lognormal(MS, 3.0)))
    return [
        Closed("often", clients=3, path=[held, Delay(MS)]),
        Closed("seldom", clients=4, path=held, think=Exponential(30 * MS)),
    ]


def long_services():
    return [
        Closed(
            "all", clients=5, path=[Use(Station("pair", 2), Lognormal(3 * MS, 4.0)), Use(DISK, MS)], think=THINK
        )
    ]


def a_job():
    path = [Repeat(2, Use(DISK, exponential(1))), Choose((0.3, Use(LINK, 5 * MS)), (0.7, Delay(MS)))]
    return [Closed("job", clients=3, path=path, count=3000)]


def branches_at_a_buffer():
    buffer = Buffer("buffer", 3)
    put = [Delay(exponential(0.9)), Put(buffer)]
    return [
        Closed("put", clients=1, path=Fork(put, put, put)),
        Closed("take", clients=1, path=[Take(buffer), Delay(exponential(0.6))]),
    ]


def two_clients():
    """None waits longer than for one other."""
    return [Closed("all", clients=2, path=[Use(DISK, Lognormal(2 * MS, 3.0)), Use(LINK, MS), Use(CPU, MS)])]


def reads_ahead():
    """Those who take ask for four at a time, of two who put."""
    ahead = Buffer("ahead", 16)
    return [
        Closed("scan", clients=2, path=[Take(ahead, 4), Use(CPU, exponential(4))]),
        Closed("fetch", clients=2, path=[Use(DISK, Gamma(0.4 * MS, 0.5)), Delay(exponential(0.5)), Put(ahead)]),
    ]


def few_pages_in_flight():
    """Eight disks, and room for two pages: no station limits what is written behind."""
    pages = Buffer("pages", 2)
    later = Fork((Use(Station("disks", 8), exponential(4)), Take(pages)), wait=False)
    return [Closed("all", clients=1, path=[Delay(exponential(0.5)), Put(pages), later])]


def branches_meet():
    branches = [Use(DISK, exponential(2)), Delay(MS)], [Use(DISK, exponential(3))]
    return [Closed("all", clients=2, path=[Delay(exponential(4)), Fork(*branches)])]


def readers_come_and_go():
    lock = Lock("inode")
    return [
        Closed("reader", clients=7, path=Hold(lock.shared, Delay(exponential(2))), think=exponential(4)),
        Closed("writer", clients=2, path=Hold(lock.exclusive, Delay(exponential(1))), think=exponential(6)),
    ]


def put_inside_a_pool():
    """A slow drain holds up those with a token, and the others before the pool."""
    pipe = Buffer("pipe", 40)
    put = Hold(Pool("threads", 2), Use(CPU, exponential(0.2)), Put(pipe))
    return [
        Closed("all", clients=6, path=[Delay(MS), put]),
        Closed("drain", clients=1, path=[Take(pipe), Delay(MS)]),
    ]


def hosts_with_pools():
    """Each of three hosts lets two of its clients go to four shared disks, and three to two links of its own."""
    disks = [Station(f"disk {row}") for row in range(4)]
    hosts = []
    for row in range(3):
        links = [Station(f"link {row}.{side}") for side in range(2)]
        to_link = Choose(*((0.5, Use(each, exponential(1))) for each in links))
        to_disk = Choose(*((0.25, Use(each, exponential(3))) for each in disks))
        path = [Hold(Pool(f"ports {row}", 3), to_link), Hold(Pool(f"slots {row}", 2), to_disk)]
        hosts.append(Closed(f"host {row}", clients=6, path=path, think=exponential(4), group="hosts"))
    return hosts


def threads_of_a_few_hosts():
    """A pool that all share in front of stations of each."""
    shared = Pool("threads", 4)
    return [
        Closed(
            f"host {row}", clients=3, path=[Hold(shared, Use(Station(f"cpu {row}"), exponential(2)))], group="g"
        )
        for row in range(3)
    ]


def several_drains():
    """Two alike pipes of bounded room, each with two who put and one who takes, at one slow disk."""
    loads = []
    for row in range(2):
        pipe = Buffer(f"pipe {row}", 6)
        loads.append(Closed(f"put {row}", clients=2, path=[Delay(exponential(1)), Put(pipe)], group="put"))
        loads.append(
            Closed(f"take {row}", clients=1, path=[Take(pipe, 2), Use(DISK, exponential(1.5))], group="take")
        )
    return loads


def readers_hold_long():
    lock = Lock("inode")
    return [
        Closed("writer", clients=2, path=Hold(lock.exclusive, Delay(MS)), think=exponential(8)),
        Closed("reader", clients=4, path=Hold(lock.shared, Delay(Lognormal(2 * MS, 3.0))), think=exponential(20)),
    ]


def two_timers():
    """Each comes by the clock, but not both together."""
    path = [Use(DISK, exponential(2)), Use(LINK, MS)]
    return [Open(f"timer {row}", arrivals=Periodic(6 * MS), path=path, group="timers") for row in range(2)]


def disks_of_several_classes():
    """Three kinds of clients at a station of two servers, of times that are not alike."""
    pair = Station("pair", 2)
    return [
        Closed("short", clients=4, path=[Use(pair, exponential(1)), Delay(MS)]),
        Closed("long", clients=2, path=[Use(pair, Gamma(5 * MS, 0.5)), Use(DISK, MS)], think=exponential(2)),
        Open("open", arrivals=Poisson(80.0), path=Use(pair, Lognormal(2 * MS, 1.5))),
    ]
