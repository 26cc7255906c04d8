#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

// ---- Memory files that only their maker writes ----

/// The thread whose end the kernel writes into all mapped files: its robust list is a chain of the
/// entries that lie a page before each mapping.
static struct robust_list_head life = {
    .list = {.next = &life.list},
};
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t life_began = PTHREAD_COND_INITIALIZER;
static enum { LIFE_UNKNOWN, LIFE_STARTING, LIFE_STANDS, LIFE_FAILED } life_state;
static uint32_t life_thread;

static void *live(void *unused) {
    (void)unused;
    long result = syscall(SYS_set_robust_list, &life, sizeof life);
    pthread_mutex_lock(&life_lock);
    life_thread = (uint32_t)syscall(SYS_gettid);
    life_state = result == 0 ? LIFE_STANDS : LIFE_FAILED;
    pthread_cond_broadcast(&life_began);
    pthread_mutex_unlock(&life_lock);
    while (result == 0) {
        pause();
    }
    return NULL;
}

/// Starts the thread, once. Holds the lock. Returns whether it stands.
static int begin_life(void) {
    if (life_state == LIFE_UNKNOWN) {
        life.futex_offset = sysconf(_SC_PAGESIZE) + CLINUX_LIFE_OFFSET;
        sigset_t all, before;
        sigfillset(&all);
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, 64 * 1024);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int result = pthread_create(&thread, &attributes, live, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        life_state = result == 0 ? LIFE_STARTING : LIFE_FAILED;
    }
    while (life_state == LIFE_STARTING) {
        pthread_cond_wait(&life_began, &life_lock);
    }
    return life_state == LIFE_STANDS;
}

/// Puts a mapping under the thread's life, or takes it out again.
static int set_life(char *base, size_t page, int lives) {
    struct robust_list *entry = (struct robust_list *)base;
    atomic_uint *word = (atomic_uint *)(base + page + CLINUX_LIFE_OFFSET);
    int result = 0;
    pthread_mutex_lock(&life_lock);
    if (!lives) {
        struct robust_list *before = &life.list;
        while (before->next != &life.list && before->next != entry) {
            before = before->next;
        }
        if (before->next == entry) {
            before->next = entry->next;
        }
    } else if (begin_life()) {
        atomic_store(word, life_thread);
        entry->next = life.list.next;
        // The kernel may read the chain at any moment.
        atomic_thread_fence(memory_order_seq_cst);
        life.list.next = entry;
    } else {
        errno = ENOTSUP;
        result = -1;
    }
    pthread_mutex_unlock(&life_lock);
    return result;
}

static int seal(int file) {
    if (fchmod(file, S_IRUSR | S_IRGRP | S_IROTH) != 0) {
        return -1;
    }
    return fcntl(
        file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

static int make_file(const char *name, size_t count) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (file < 0 && errno == EINVAL) {
        file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);  // Linux before 6.3.
    }
    if (file < 0) {
        return -1;
    }
    int result;
    do {
        result = fallocate(file, 0, 0, (off_t)count);
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
        return file;
    }
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

static int open_read_only(int file) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

void *clinux_make_shared_file(const char *name, size_t count, int *reader) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int file = make_file(name, count);
    if (file < 0) {
        return NULL;
    }
    char *base = mmap(
        NULL, page + count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base != MAP_FAILED) {
        void *mapped = mmap(
            base + page, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
        *reader = -1;
        if (mapped != MAP_FAILED && seal(file) == 0) {
            *reader = open_read_only(file);
        }
        if (*reader >= 0) {
            if (set_life(base, page, 1) == 0) {
                close(file);
                return mapped;
            }
            close(*reader);
        }
        int error = errno;
        munmap(base, page + count);
        errno = error;
    }
    int error = errno;
    close(file);
    errno = error;
    return NULL;
}

void clinux_drop_shared_file(void *mapped, size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *base = (char *)mapped - page;
    set_life(base, page, 0);
    munmap(base, page + count);
}

int clinux_is_memory_file(int file, size_t count) {
    struct stat status;
    int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    int seals = fcntl(file, F_GET_SEALS);
    return seals >= 0 && (seals & wanted) == wanted && fstat(file, &status) == 0
        && status.st_size == (off_t)count;
}

// ---- Descriptors on Unix sockets ----

ptrdiff_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int file) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &file, sizeof(int));
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ptrdiff_t clinux_unread_byte_count(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}

ptrdiff_t clinux_receive(int socket, void *bytes, size_t count, int flags, int *file) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(CLINUX_DESCRIPTOR_COUNT_MAX * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    *file = -1;
    ssize_t result = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (result < 0) {
        return result;
    }
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t held = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < held; index++) {
            int received;
            memcpy(&received, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (*file < 0) {
                *file = received;
            } else {
                close(received);
            }
        }
    }
    return result;
}
