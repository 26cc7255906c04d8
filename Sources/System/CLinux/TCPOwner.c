#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// What is asked for: the one socket of these two ends.
struct question {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
};

static struct question question_about(
    int family, const struct clinux_tcp_end *own, const struct clinux_tcp_end *other) {
    struct question question = {
        .header = {
            .nlmsg_len = sizeof question,
            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
            .nlmsg_flags = NLM_F_REQUEST,
        },
        .request = {
            .sdiag_family = (uint8_t)family,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = 1 << TCP_ESTABLISHED,
            .id = {
                .idiag_sport = htons(own->port),
                .idiag_dport = htons(other->port),
                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
            },
        },
    };
    size_t length = family == AF_INET ? 4 : 16;
    memcpy(question.request.id.idiag_src, own->address, length);
    memcpy(question.request.id.idiag_dst, other->address, length);
    return question;
}

/// Whether a socket's address is the one asked for, which a socket of IPv6 may have in IPv4's place.
static int is_address(
    const uint32_t *found, int found_family, int family, const struct clinux_tcp_end *end) {
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    const uint8_t *bytes = (const uint8_t *)found;
    if (found_family == family) {
        return memcmp(bytes, end->address, family == AF_INET ? 4 : 16) == 0;
    }
    return family == AF_INET && memcmp(bytes, mapped, sizeof mapped) == 0
        && memcmp(bytes + sizeof mapped, end->address, 4) == 0;
}

/// A socket that no process has any more, or that waits or listens, has no inode, or another state; the
/// kernel tells the user 0 of it.
static int is_owned(
    const struct inet_diag_msg *found, int family, const struct clinux_tcp_end *own,
    const struct clinux_tcp_end *other) {
    return found->idiag_state == TCP_ESTABLISHED && found->idiag_inode != 0
        && found->id.idiag_sport == htons(own->port) && found->id.idiag_dport == htons(other->port)
        && is_address(found->id.idiag_src, found->idiag_family, family, own)
        && is_address(found->id.idiag_dst, found->idiag_family, family, other);
}

/// Asks, and reads the answer, which the kernel has made when `send` returns.
static ssize_t ask(int netlink, const struct question *question, void *answer, size_t count) {
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(netlink, question, sizeof *question, 0, (struct sockaddr *)&kernel, sizeof kernel)
        < 0) {
        return -1;
    }
    return recv(netlink, answer, count, MSG_DONTWAIT);
}

int clinux_tcp_owner(
    int family, const struct clinux_tcp_end *own, const struct clinux_tcp_end *other,
    uint32_t *uid) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) {
        return -1;
    }
    struct question question = question_about(family, own, other);
    union {
        struct nlmsghdr header;
        char bytes[8192];
    } answer;
    ssize_t count = ask(netlink, &question, &answer, sizeof answer);
    int reason = errno;
    close(netlink);
    if (count < 0) {
        errno = reason;
        return -1;
    }
    if (!NLMSG_OK(&answer.header, (size_t)count)) {
        errno = EPROTO;
        return -1;
    }
    if (answer.header.nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(&answer.header);
        errno = error->error != 0 ? -error->error : EPROTO;
        return -1;
    }
    const struct inet_diag_msg *found = NLMSG_DATA(&answer.header);
    if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY
        || answer.header.nlmsg_len < NLMSG_LENGTH(sizeof *found)
        || !is_owned(found, family, own, other)) {
        errno = ENOENT;
        return -1;
    }
    *uid = found->idiag_uid;
    return 0;
}

/// The end at a socket's address; -1 for an address of neither IPv4 nor IPv6.
static int end_of(const struct sockaddr_storage *address, struct clinux_tcp_end *end) {
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        memcpy(end->address, &four->sin_addr, 4);
        end->port = ntohs(four->sin_port);
        return 0;
    }
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        memcpy(end->address, &six->sin6_addr, 16);
        end->port = ntohs(six->sin6_port);
        return 0;
    }
    errno = EAFNOSUPPORT;
    return -1;
}

int clinux_tcp_peer(int socket, uint32_t *uid) {
    struct sockaddr_storage peer, here;
    struct clinux_tcp_end own = {0}, other = {0};
    socklen_t peer_length = sizeof peer, here_length = sizeof here;
    if (getpeername(socket, (struct sockaddr *)&peer, &peer_length) != 0
        || getsockname(socket, (struct sockaddr *)&here, &here_length) != 0
        || end_of(&peer, &own) != 0 || end_of(&here, &other) != 0) {
        return -1;
    }
    return clinux_tcp_owner(peer.ss_family, &own, &other, uid);
}
