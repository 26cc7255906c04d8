// Plain C on a Unix socket, to compare with: an echo of given sizes, and subscribers of Redis. And
// many clients of hearthd that cost next to nothing themselves.
//
//     Peers echo-server PATH REPLY_BYTES         one thread for each client
//     Peers echo-client PATH REQUEST_BYTES REPLY_BYTES COUNT IN_FLIGHT
//     Peers subscribers PATH COUNT CHANNEL       connects, prints "ready", reads for ever
//     Peers idlers PATH COUNT                    greets hearthd so often, prints how many it
//                                                welcomed, and holds them until its input ends
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
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
