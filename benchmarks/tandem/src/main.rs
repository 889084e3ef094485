//! The tandem networks of benchmarks/models.py in NexoSim, on one thread.
//!
//!   --> station 1 (servers) --> station 2 (servers) -->     customers go round (closed), or arrive at random (open)
//!
//!   tandem closed|open RATE SERVERS MEAN SERVERS MEAN SECONDS
//!
//! RATE is customers, or arrivals a second; MEAN is in seconds. Prints visits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use nexosim::model::{schedulable, Context, Model};
use nexosim::ports::{EventSource, Output};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

static VISITS: AtomicU64 = AtomicU64::new(0);

/// A generator of its own for each model: splitmix64.
#[derive(Serialize, Deserialize)]
struct Times {
    state: u64,
    mean: f64,
}

impl Times {
    /// The next time, exponential, of at least a nanosecond: events of no delay are refused.
    fn next(&mut self) -> Duration {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let uniform = ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        Duration::from_nanos(((-self.mean * (1.0 - uniform).ln()) * 1e9) as u64 + 1)
    }
}

/// Servers with one queue.
#[derive(Serialize, Deserialize)]
struct Station {
    free: u64,
    queue: VecDeque<u64>,
    times: Times,
    left: Output<u64>,
}

#[Model]
impl Station {
    fn enter(&mut self, customer: u64, context: &Context<Self>) {
        if self.free == 0 {
            return self.queue.push_back(customer);
        }
        self.free -= 1;
        self.serve(customer, context);
    }

    fn serve(&mut self, customer: u64, context: &Context<Self>) {
        let time = self.times.next();
        context.schedule_event(time, schedulable!(Self::leave), customer).unwrap();
    }

    #[nexosim(schedulable)]
    async fn leave(&mut self, customer: u64, context: &Context<Self>) {
        VISITS.fetch_add(1, Relaxed);
        match self.queue.pop_front() {
            Some(next) => self.serve(next, context),
            None => self.free += 1,
        }
        self.left.send(customer).await;
    }
}

/// Arrivals at random.
#[derive(Serialize, Deserialize)]
struct Source {
    times: Times,
    arrived: Output<u64>,
}

#[Model]
impl Source {
    fn start(&mut self, _: u64, context: &Context<Self>) {
        context.schedule_event(self.times.next(), schedulable!(Self::arrive), ()).unwrap();
    }

    #[nexosim(schedulable)]
    async fn arrive(&mut self, _: (), context: &Context<Self>) {
        context.schedule_event(self.times.next(), schedulable!(Self::arrive), ()).unwrap();
        self.arrived.send(0).await;
    }
}

fn station(number: u64, words: &[String]) -> Station {
    let times = Times { state: number, mean: words[1].parse().unwrap() };
    Station { free: words[0].parse().unwrap(), queue: VecDeque::new(), times, left: Output::default() }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (closed, rate) = (words[1] == "closed", words[2].parse::<f64>().unwrap());
    let (mut first, mut second) = (station(1, &words[3..5]), station(2, &words[5..7]));
    let seconds = Duration::from_secs_f64(words[7].parse().unwrap());
    let (first_box, second_box) = (Mailbox::new(), Mailbox::new());
    first.left.connect(Station::enter, &second_box);
    if closed {
        second.left.connect(Station::enter, &first_box);
    }
    let mut source = Source { times: Times { state: 3, mean: 1.0 / rate }, arrived: Output::default() };
    source.arrived.connect(Station::enter, &first_box);
    let source_box = Mailbox::new();
    let mut bench = SimInit::with_num_threads(1);
    let customers = EventSource::new().connect(Station::enter, &first_box).register(&mut bench);
    let arrivals = EventSource::new().connect(Source::start, &source_box).register(&mut bench);
    let mut simulation = bench
        .add_model(first, first_box, "first")
        .add_model(second, second_box, "second")
        .add_model(source, source_box, "source")
        .init(MonotonicTime::EPOCH)
        .unwrap();
    if closed {
        (0..rate as u64).for_each(|customer| simulation.process_event(&customers, customer).unwrap());
    } else {
        simulation.process_event(&arrivals, 0).unwrap();
    }
    simulation.step_until(seconds).unwrap();
    println!("{}", VISITS.load(Relaxed));
}
