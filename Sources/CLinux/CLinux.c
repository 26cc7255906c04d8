#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/socket.h>

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
