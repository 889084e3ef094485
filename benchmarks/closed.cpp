// The closed model of benchmarks/models.py, hard-coded: what a loop written for one model alone attains.
//
//   client --> [ 10 threads: (channel) --> (12 cores) --> (link) --> (one of 14 cells) ] --> again
//
//   closed CLIENTS WALKS VARIATES [COMPLETIONS]      prints processor seconds and visits
//
// VARIATES is a file of doubles, a block a stream; they are read before the clock starts, and taken round and round.
// Books are kept as the engine keeps them (visits, busy and queue integrals, latencies), unless -DBOOKS=0.

#include "schedule.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#ifndef BOOKS
#define BOOKS 1
#endif

constexpr int CELLS = 14;
enum Place { THREADS, CHANNEL, CPU, LINK, CELL, PLACES = CELL + CELLS };
enum Stream { CHANNEL_TIME, CELL_TIME, CHOICE = CELL_TIME + CELLS, STREAMS };
enum Stage { BEGIN, ENTERED, CHANNEL_GRANTED, CHANNEL_LEFT, CPU_GRANTED, CPU_LEFT,
             LINK_GRANTED, LINK_LEFT, CELL_GRANTED, CELL_LEFT };

constexpr uint64_t BLOCK = 1 << 18;
constexpr double CHANNEL_NS = 8'000, CELL_NS = 40'000;
constexpr Time CPU_NS = 32'000, LINK_NS = 4'000;

struct Client { int next, stage, cell; Time started; };
struct Server { int head, tail, level, capacity; Time busy, queue, since, busy_area, queue_area, visits; };
struct Completion { int64_t client; Time ended; };

static Client clients[MOST_CLIENTS];
static Server servers[PLACES];
static std::vector<double> variates(STREAMS* BLOCK);
static uint64_t position[STREAMS];
static double limits[CELLS - 1];
static int64_t completed;
static Time latency, histogram[64 * 64];
static std::vector<Completion> completions;
static bool recording;

static inline double variate(int stream) { return variates[stream * BLOCK + position[stream]++ % BLOCK]; }
static inline Time rounded(double value) { return static_cast<Time>(std::floor(value + 0.5)); }

static inline void touch(Server& server) {
    if (!BOOKS || now == server.since) return;
    server.busy_area += server.busy * (now - server.since);
    server.queue_area += server.queue * (now - server.since);
    server.since = now;
}

static inline void grant(Server& server) {
    if (server.head < 0 || server.level == server.capacity) return;
    touch(server);
    --server.queue;
    ++server.level;
    due_now(server.head);
    server.head = clients[server.head].next;
}

// Whether the client goes on at once: it has been granted a server, and nothing else is due before it.
static inline bool request(int place, int client, Stage granted) {
    Server& server = servers[place];
    clients[client].stage = granted;
    if (server.head < 0 && server.level < server.capacity) {
        ++server.level;
        if (nothing_due()) return true;
        due_now(client);
        return false;
    }
    touch(server);
    ++server.queue;
    clients[client].next = -1;
    (server.head < 0 ? server.head : clients[server.tail].next) = client;
    server.tail = client;
    grant(server);
    return false;
}

static inline void occupy(int place) {
    touch(servers[place]);
    ++servers[place].busy;
    ++servers[place].visits;
}

static inline void serve(int place, int client, Time time, Stage left) {
    occupy(place);
    clients[client].stage = left;
    sleep(client, time);
}

static inline void release(int place) {
    touch(servers[place]);
    --servers[place].busy;
    --servers[place].level;
    if (servers[place].head >= 0 || !nothing_due()) due_now(-1 - place);
}

static inline int chosen() {
    const double drawn = variate(CHOICE);
    int option = 0;
    for (double limit : limits) option += drawn >= limit;
    return option;
}

static inline void finish(int client) {
    ++completed;
    if (recording) completions.push_back({client, now});
    if (!BOOKS) return;
    const Time took = now - clients[client].started;
    const int octave = took >> 7 ? 57 - __builtin_clzll(took) : 0;
    latency += took;
    ++histogram[(octave << 6) + (took >> octave)];
}

static inline void go(int client) {
    Client& self = clients[client];
    const int cell = CELL + self.cell;
    switch (self.stage) {
        case CELL_LEFT:
            release(cell);
            release(THREADS);
            finish(client);
            [[fallthrough]];
        case BEGIN:
            self.started = now;
            if (!request(THREADS, client, ENTERED)) return;
            [[fallthrough]];
        case ENTERED:
            occupy(THREADS);
            if (!request(CHANNEL, client, CHANNEL_GRANTED)) return;
            [[fallthrough]];
        case CHANNEL_GRANTED:
            return serve(CHANNEL, client, rounded(variate(CHANNEL_TIME) * CHANNEL_NS), CHANNEL_LEFT);
        case CHANNEL_LEFT:
            release(CHANNEL);
            if (!request(CPU, client, CPU_GRANTED)) return;
            [[fallthrough]];
        case CPU_GRANTED:
            return serve(CPU, client, CPU_NS, CPU_LEFT);
        case CPU_LEFT:
            release(CPU);
            if (!request(LINK, client, LINK_GRANTED)) return;
            [[fallthrough]];
        case LINK_GRANTED:
            return serve(LINK, client, LINK_NS, LINK_LEFT);
        case LINK_LEFT:
            release(LINK);
            self.cell = chosen();
            if (!request(CELL + self.cell, client, CELL_GRANTED)) return;
            return serve(CELL + self.cell, client, rounded(variate(CELL_TIME + self.cell) * CELL_NS), CELL_LEFT);
        case CELL_GRANTED:
            return serve(cell, client, rounded(variate(CELL_TIME + self.cell) * CELL_NS), CELL_LEFT);
    }
}

static void run(int64_t walks) {
    while (completed < walks) {
        if (next_time() != now) {
            if (ring_head != ring_tail) {
                const int event = ring[ring_head++ % RING_SIZE];
                event >= 0 ? go(event) : grant(servers[-1 - event]);
                continue;
            }
            now = next_time();
        }
        go(pop());
    }
}

static void set_up(int count) {
    clear_heap();
    for (Server& server : servers) server.head = -1, server.capacity = 1;
    servers[THREADS].capacity = 10;
    servers[CPU].capacity = 12;
    double sum = 0;
    for (double& limit : limits) limit = sum += 1.0 / CELLS;
    for (int client = 0; client < count; ++client) due_now(client);  // each starts at BEGIN, which is 0
}

int main(int count, char** words) {
    if (count < 4) return 2;
    recording = count > 4;
    std::ifstream file(words[3], std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(variates.data()), STREAMS * BLOCK * sizeof(double))) return 1;
    set_up(std::atoi(words[1]));
    const std::clock_t start = std::clock();
    run(std::atoll(words[2]));
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%.6f %lld\n", seconds, 5LL * completed);
    if (recording)
        std::ofstream(words[4], std::ios::binary)
            .write(reinterpret_cast<char*>(completions.data()), completions.size() * sizeof(Completion));
}
