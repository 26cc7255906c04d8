// A plain sender, to compare an emulator's listeners with: what the kernel takes of a message.
//
//     sender PORT|PATH LISTENERS COUNT BYTES
//
// Listens at a port of 127.0.0.1 or at the path of a Unix socket, prints "ready", waits for as many
// connections, and sends each one message in every round. A round ends when the first connection
// sends a byte back. Prints the processor time of this process for one message, in microseconds.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { messageMax = 1 << 16 };

static void die(const char *step) {
    perror(step);
    exit(1);
}

static int listenAt(const char *place) {
    int port = atoi(place), descriptor = socket(port ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_in tcp = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    strncpy(local.sun_path, place, sizeof local.sun_path - 1);
    int one = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr *address = port ? (struct sockaddr *)&tcp : (struct sockaddr *)&local;
    if (bind(descriptor, address, port ? sizeof tcp : sizeof local) != 0) die("bind");
    if (listen(descriptor, 1024) != 0) die("listen");
    puts("ready");
    fflush(stdout);
    return descriptor;
}

static double processorTime(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argumentCount, char **arguments) {
    if (argumentCount != 5) return 2;
    int count = atoi(arguments[2]), rounds = atoi(arguments[3]), size = atoi(arguments[4]);
    int *listeners = calloc((size_t)count, sizeof *listeners), one = 1;
    char message[messageMax] = {0}, byte;
    if (!listeners || size > messageMax) return 2;
    int listener = listenAt(arguments[1]);
    for (int number = 0; number < count; number++) {
        listeners[number] = accept(listener, NULL, NULL);
        if (listeners[number] < 0) die("accept");
        setsockopt(listeners[number], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    if (read(listeners[0], &byte, 1) != 1) die("read");
    double before = processorTime();
    for (int round = 0; round < rounds; round++) {
        for (int number = 0; number < count; number++) {
            if (send(listeners[number], message, (size_t)size, MSG_NOSIGNAL) != size) die("send");
        }
        if (read(listeners[0], &byte, 1) != 1) die("read");
    }
    printf("%.2f\n", (processorTime() - before) / rounds / count);
    return 0;
}
