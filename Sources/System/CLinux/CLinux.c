#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

int clinux_peer_credentials(int socket, struct clinux_ucred *credentials) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
        return -1;
    }
    credentials->pid = peer.pid;
    credentials->uid = peer.uid;
    credentials->gid = peer.gid;
    return 0;
}

int clinux_clock_is_synchronized(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    if (result < 0) {
        return -1;
    }
    return result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

int clinux_peer_groups(int socket, uint32_t *groups, int count_max) {
    socklen_t length = (socklen_t)count_max * sizeof(uint32_t);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) {
        return -1;
    }
    return (int)(length / sizeof(uint32_t));
}

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int clinux_peer_pidfd(int socket) {
    int process = -1;
    socklen_t length = sizeof process;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &process, &length) == 0 ? process : -1;
}

int clinux_go_past_page_cache(int file) {
    int flags = fcntl(file, F_GETFL);
    return flags < 0 ? -1 : fcntl(file, F_SETFL, flags | O_DIRECT);
}

/// `struct sched_attr` of the kernel, in its first version. The header of that name differs between
/// versions of the C library.
struct scheduling {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

/// How the calling thread is scheduled. Returns 1; 0 if an administrator chose another policy, which
/// has neither slices nor niceness; -1 with errno set.
static int read_scheduling(struct scheduling *now) {
    if (syscall(SYS_sched_getattr, 0, now, sizeof *now, 0) != 0) {
        return -1;
    }
    now->size = sizeof *now;
    now->flags = 0;
    return now->policy == SCHED_OTHER ? 1 : 0;
}

static int set_scheduling(struct scheduling *now) {
    return syscall(SYS_sched_setattr, 0, now, 0) == 0 ? 0 : -1;
}

int clinux_ask_for_short_slices(uint64_t nanoseconds) {
    struct scheduling now = {0};
    int result = read_scheduling(&now);
    if (result <= 0) {
        return result;
    }
    now.runtime = nanoseconds;
    return set_scheduling(&now);
}

int clinux_step_back(int nice) {
    struct scheduling now = {0};
    int result = read_scheduling(&now);
    if (result <= 0 || now.nice >= nice) {
        return result < 0 ? -1 : 0;
    }
    now.nice = nice;
    return set_scheduling(&now);
}

int clinux_open_route_socket(void) {
    int route = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (route < 0) {
        return -1;
    }
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
            | RTMGRP_IPV6_ROUTE,
    };
    if (bind(route, (struct sockaddr *)&address, sizeof address) != 0) {
        close(route);
        return -1;
    }
    return route;
}
