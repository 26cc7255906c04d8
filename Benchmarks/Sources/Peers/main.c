// Plain C on a Unix socket, to compare with: an echo of given sizes, and subscribers of Redis. And
// many clients of hearthd that cost next to nothing themselves.
//
//     Peers echo-server PATH REPLY_BYTES         one thread for each client
//     Peers echo-client PATH REQUEST_BYTES REPLY_BYTES COUNT IN_FLIGHT
//     Peers subscribers PATH COUNT CHANNEL       connects, prints "ready", reads for ever
//     Peers hearth-get PATH DATABASE COUNT IN_FLIGHT PROCESSES
//                                                gets of a thousand documents from hearthd's cache
//     Peers hearth-write PATH DATABASE COUNT IN_FLIGHT PROCESSES
//                                                writes of 300 bytes, until hearthd accepts them
//     Peers idlers PATH COUNT                    greets hearthd so often, prints how many it
//                                                welcomed, and holds them until its input ends
#define _GNU_SOURCE
#include <endian.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { bufferSize = 1 << 16 };

static void die(const char *step) {
    perror(step);
    exit(1);
}

static struct sockaddr_un addressOf(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

static int connectTo(const char *path) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = addressOf(path);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
    return descriptor;
}

static void writeAll(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written <= 0) die("write");
        bytes += written;
        count -= (size_t)written;
    }
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// MARK: Echo. A request says its length first, as Hearth's frames do.

static size_t replySize;

static void *serve(void *argument) {
    int descriptor = (int)(intptr_t)argument;
    static __thread char input[bufferSize], output[bufferSize];
    size_t held = 0;
    for (;;) {
        ssize_t count = read(descriptor, input + held, sizeof input - held);
        if (count <= 0) break;
        held += (size_t)count;
        size_t offset = 0, filled = 0;
        while (held - offset >= 4) {
            uint32_t size;
            memcpy(&size, input + offset, 4);
            if (held - offset < 4 + (size_t)size) break;
            offset += 4 + size;
            if (filled + replySize > sizeof output) {
                writeAll(descriptor, output, filled);
                filled = 0;
            }
            filled += replySize;
        }
        memmove(input, input + offset, held - offset);
        held -= offset;
        if (filled > 0) writeAll(descriptor, output, filled);
    }
    close(descriptor);
    return NULL;
}

static void echoServer(const char *path) {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = addressOf(path);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
    if (listen(listener, 64) != 0) die("listen");
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) die("accept");
        pthread_t thread;
        pthread_create(&thread, NULL, serve, (void *)(intptr_t)client);
        pthread_detach(thread);
    }
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void echoClient(const char *path, size_t request, size_t reply, long count, long inFlight) {
    int descriptor = connectTo(path);
    char *bytes = calloc(1, request);
    static char input[bufferSize];
    uint32_t size = (uint32_t)request - 4;
    memcpy(bytes, &size, 4);
    long rounds = count / inFlight;
    uint64_t *taken = calloc((size_t)rounds, sizeof *taken), start = nanoseconds();
    char *burst = calloc((size_t)inFlight, request);
    for (long index = 0; index < inFlight; index++) {
        memcpy(burst + index * (long)request, bytes, request);
    }
    for (long round = 0; round < rounds; round++) {
        uint64_t sentAt = nanoseconds();
        writeAll(descriptor, burst, request * (size_t)inFlight);
        for (size_t left = reply * (size_t)inFlight; left > 0;) {
            size_t most = left < sizeof input ? left : sizeof input;
            ssize_t got = read(descriptor, input, most);
            if (got <= 0) die("read");
            left -= (size_t)got;
        }
        taken[round] = nanoseconds() - sentAt;
    }
    double seconds = (double)(nanoseconds() - start) / 1e9;
    qsort(taken, (size_t)rounds, sizeof *taken, ascending);
    printf("%.0f %.1f %.1f\n", (double)(rounds * inFlight) / seconds,
           (double)taken[rounds / 2] / 1e3, (double)taken[rounds * 99 / 100] / 1e3);
}

// MARK: Redis

static void subscribers(const char *path, int count, const char *channel) {
    struct pollfd *sockets = calloc((size_t)count, sizeof *sockets);
    static char input[bufferSize];
    char command[256];
    int length = snprintf(command, sizeof command, "SUBSCRIBE %s\r\n", channel);
    for (int index = 0; index < count; index++) {
        sockets[index] = (struct pollfd){.fd = connectTo(path), .events = POLLIN};
        writeAll(sockets[index].fd, command, (size_t)length);
        if (read(sockets[index].fd, input, sizeof input) <= 0) die("subscribe");
    }
    puts("ready");
    fflush(stdout);
    while (poll(sockets, (nfds_t)count, -1) > 0) {
        for (int index = 0; index < count; index++) {
            if (sockets[index].revents == 0) continue;
            if (read(sockets[index].fd, input, sizeof input) <= 0) return;
        }
    }
}

// MARK: hearthd

static void readAll(int descriptor, unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t got = read(descriptor, bytes, count);
        if (got <= 0) die("read");
        bytes += got;
        count -= (size_t)got;
    }
}

// Sends HELLO (versions 1 to 1, program "idle") and tells whether WELCOME comes.
static int greet(int descriptor) {
    static const char hello[] = "\0\0\0\x13\1\0\0\0\0\0\0\0\1\x08\1\x10\1\x2a\4idle";
    enum { headerSize = 13, prefixSize = 9, welcome = 128 };
    unsigned char frame[bufferSize];
    writeAll(descriptor, hello, sizeof hello - 1);
    readAll(descriptor, frame, headerSize);
    size_t length = (size_t)frame[2] << 8 | frame[3];
    if (frame[0] || frame[1] || length < prefixSize) return 0;
    readAll(descriptor, frame + headerSize, length - prefixSize);
    return frame[4] == welcome;
}

// Bytes of a message of Protocol Buffers, with room for all that is sent here.
struct message {
    unsigned char bytes[1024];
    size_t count;
};

static void addNumber(struct message *message, uint64_t number) {
    for (; number > 127; number >>= 7) message->bytes[message->count++] = (number & 127) | 128;
    message->bytes[message->count++] = (unsigned char)number;
}

static void addBytes(struct message *message, int field, const void *bytes, size_t count) {
    addNumber(message, (uint64_t)field << 3 | 2);
    addNumber(message, count);
    memcpy(message->bytes + message->count, bytes, count);
    message->count += count;
}

static void addText(struct message *message, int field, const char *text) {
    addBytes(message, field, text, strlen(text));
}

static void addVarint(struct message *message, int field, uint64_t number) {
    addNumber(message, (uint64_t)field << 3);
    addNumber(message, number);
}

static void addMessage(struct message *message, int field, const struct message *inner) {
    addBytes(message, field, inner->bytes, inner->count);
}

// Puts a frame of hearthd's protocol at `place`; returns the frame's length.
static size_t putFrame(unsigned char *place, int kind, uint64_t number, const struct message *body) {
    uint32_t size = htobe32(9 + (uint32_t)body->count);
    memcpy(place, &size, 4);
    place[4] = (unsigned char)kind;
    number = htobe64(number);
    memcpy(place + 5, &number, 8);
    memcpy(place + 13, body->bytes, body->count);
    return 13 + body->count;
}

static struct message getRequest(const char *database, long index) {
    char name[256];
    snprintf(name, sizeof name, "%s/documents/bench/doc%ld", database, index % 1000);
    struct message target = {0}, get = {0};
    addText(&target, 1, name);
    addMessage(&get, 1, &target);
    addVarint(&get, 2, 2);  // The cache alone answers.
    return get;
}

static struct message writeRequest(const char *database, uint64_t sequence) {
    char name[256];
    static char text[300];
    memset(text, 'v', sizeof text);
    snprintf(name, sizeof name, "%s/documents/plain/doc%llu", database,
             (unsigned long long)sequence % 1000);
    struct message value = {0}, entry = {0}, document = {0}, write = {0}, request = {0};
    addBytes(&value, 17, text, sizeof text);
    addText(&entry, 1, "text");
    addMessage(&entry, 2, &value);
    addText(&document, 1, name);
    addMessage(&document, 2, &entry);
    addMessage(&write, 1, &document);
    addVarint(&request, 1, sequence);
    addVarint(&request, 2, sequence);  // All before have been answered, as nobody sends them again.
    addMessage(&request, 3, &write);
    return request;
}

// Greets hearthd as a program that names its database.
static int greetFor(const char *path, const char *database) {
    struct message hello = {0};
    uint64_t half;
    addVarint(&hello, 1, 1);
    addVarint(&hello, 2, 1);
    for (int field = 3; field <= 4; field++) {  // The number of the program: by chance.
        if (getentropy(&half, sizeof half) != 0) die("getentropy");
        addNumber(&hello, (uint64_t)field << 3 | 1);
        memcpy(hello.bytes + hello.count, &half, sizeof half);
        hello.count += sizeof half;
    }
    addText(&hello, 5, "plain");
    addText(&hello, 6, database);
    unsigned char frame[bufferSize];
    int descriptor = connectTo(path);
    writeAll(descriptor, (char *)frame, putFrame(frame, 1, 1, &hello));
    readAll(descriptor, frame, 13);
    if (frame[4] != 128) die("greeting");
    readAll(descriptor, frame + 13, ((size_t)frame[2] << 8 | frame[3]) - 9);
    return descriptor;
}

// Reads frames until `count` of a kind have come.
static void await(int descriptor, int kind, long count) {
    static unsigned char input[bufferSize];
    static size_t held;
    while (count > 0) {
        ssize_t got = read(descriptor, input + held, sizeof input - held);
        if (got <= 0) die("read");
        held += (size_t)got;
        size_t offset = 0;
        while (held - offset >= 13) {
            uint32_t size;
            memcpy(&size, input + offset, 4);
            size = be32toh(size);
            if (held - offset < 4 + (size_t)size) break;
            if (input[offset + 4] == kind) count--;
            else if (input[offset + 4] == 130) die("refused");
            offset += 4 + size;
        }
        memmove(input, input + offset, held - offset);
        held -= offset;
    }
}

static void ask(const char *path, const char *database, int isWrite, long rounds, long inFlight,
                uint64_t *taken) {
    int descriptor = greetFor(path, database);
    unsigned char *burst = malloc((size_t)inFlight * sizeof(struct message));
    uint64_t number = 1;
    for (long round = 0; round < rounds; round++) {
        size_t count = 0;
        for (long index = 0; index < inFlight; index++) {
            struct message body = isWrite ? writeRequest(database, number)
                                          : getRequest(database, (long)number * 31);
            count += putFrame(burst + count, isWrite ? 6 : 3, ++number, &body);
        }
        uint64_t sentAt = nanoseconds();
        writeAll(descriptor, (char *)burst, count);
        await(descriptor, isWrite ? 134 : 131, inFlight);
        taken[round] = nanoseconds() - sentAt;
    }
}

static void askByMany(const char *path, const char *database, int isWrite, long count,
                      long inFlight, long processes) {
    long rounds = count / inFlight / processes, all = rounds * processes;
    uint64_t *taken = mmap(NULL, (size_t)all * sizeof *taken, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (taken == MAP_FAILED) die("mmap");
    uint64_t start = nanoseconds();
    for (long index = 0; index < processes; index++) {
        if (fork() != 0) continue;
        ask(path, database, isWrite, rounds, inFlight, taken + index * rounds);
        exit(0);
    }
    for (int status; wait(&status) > 0;) {
        if (status != 0) exit(1);
    }
    double seconds = (double)(nanoseconds() - start) / 1e9;
    qsort(taken, (size_t)all, sizeof *taken, ascending);
    printf("%.0f %.1f %.1f\n", (double)(all * inFlight) / seconds, (double)taken[all / 2] / 1e3,
           (double)taken[all * 99 / 100] / 1e3);
}

static void idlers(const char *path, int count) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    int welcomed = 0;
    for (int index = 0; index < count; index++) welcomed += greet(connectTo(path));
    printf("%d\n", welcomed);
    fflush(stdout);
    while (getchar() != EOF) {
    }
}

int main(int count, char **words) {
    if (count == 7 && (strcmp(words[1], "hearth-get") == 0 || strcmp(words[1], "hearth-write") == 0)) {
        int isWrite = strcmp(words[1], "hearth-write") == 0;
        askByMany(words[2], words[3], isWrite, atol(words[4]), atol(words[5]), atol(words[6]));
        return 0;
    }
    if (count == 4 && strcmp(words[1], "echo-server") == 0) {
        replySize = strtoul(words[3], NULL, 10);
        echoServer(words[2]);
    } else if (count == 7 && strcmp(words[1], "echo-client") == 0) {
        echoClient(words[2], strtoul(words[3], NULL, 10), strtoul(words[4], NULL, 10),
                   atol(words[5]), atol(words[6]));
    } else if (count == 5 && strcmp(words[1], "subscribers") == 0) {
        subscribers(words[2], atoi(words[3]), words[4]);
    } else if (count == 4 && strcmp(words[1], "idlers") == 0) {
        idlers(words[2], atoi(words[3]));
    } else {
        fputs("Peers: see the head of main.c\n", stderr);
        return 64;
    }
    return 0;
}
