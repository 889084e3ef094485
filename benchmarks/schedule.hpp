// What is due, in SimPy's order: the heap's events of this very time first, then the ring's, first come first served.

#pragma once

#include <cstdint>
#include <limits>

using Time = int64_t;

constexpr int CLIENT_BITS = 24, MOST_CLIENTS = 1 << 12, RING_SIZE = MOST_CLIENTS * 8;
constexpr Time FAR = std::numeric_limits<Time>::max();

struct Event { Time time; int64_t key; };  // key: order of scheduling, then the client

static Time now;
static Event heap[MOST_CLIENTS + 2];  // FAR behind its end
static int heap_size, ring[RING_SIZE];
static bool hole;  // the root has happened; the next event scheduled may take its place
static int64_t sequence;
static uint64_t ring_head, ring_tail;

static void clear_heap() {
    for (Event& event : heap) event = {FAR, 0};
}

static inline bool before(const Event& one, const Event& other) {
    return one.time < other.time || (one.time == other.time && one.key < other.key);
}

static inline void sink(const Event event) {
    int at = 0;
    for (int child = 1; child < heap_size; child = 2 * at + 1) {
        child += before(heap[child + 1], heap[child]);
        if (before(event, heap[child])) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = event;
}

static inline Time next_time() {
    return hole ? (heap[1].time < heap[2].time ? heap[1].time : heap[2].time) : heap[0].time;
}

static inline int pop() {
    if (hole) {
        const Event last = heap[--heap_size];
        heap[heap_size].time = FAR;
        if (heap_size) sink(last);
    }
    hole = true;
    return static_cast<int>(heap[0].key & ((1 << CLIENT_BITS) - 1));
}

static inline void due_now(int event) { ring[ring_tail++ % RING_SIZE] = event; }

static inline void sleep(int client, Time time) {
    if (!time) return due_now(client);
    const Event event{now + time, sequence++ << CLIENT_BITS | client};
    if (hole) {
        hole = false;
        return sink(event);
    }
    int at = heap_size++;
    for (; at > 0 && heap[(at - 1) / 2].time > event.time; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
}

static inline bool nothing_due() { return ring_head == ring_tail && next_time() > now; }
