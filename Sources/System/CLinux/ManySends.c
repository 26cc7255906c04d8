// The same bytes to many sockets.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /// The sends that the kernel takes in one call.
    batch_count_max = 256,
    /// The most bytes that one send is given.
    send_byte_count_max = 1 << 30,
    /// What a ring must have: one mapping for both of its queues, and sends (Linux 5.7).
    needed_features = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_FAST_POLL,
    /// A send never waits, so each is over when the kernel returns.
    send_flags = MSG_NOSIGNAL | MSG_DONTWAIT,
};

struct clinux_many_sends {
    int ring;
    void *queues;
    size_t queues_byte_count;
    struct io_uring_sqe *sends;
    size_t sends_byte_count;
    uint32_t *send_tail;
    uint32_t send_mask;
    uint32_t *result_head;
    uint32_t *result_tail;
    uint32_t result_mask;
    struct io_uring_cqe *results;
};

static int enter(int ring, unsigned submit_count, unsigned wait_count, unsigned flags) {
    return (int)syscall(SYS_io_uring_enter, ring, submit_count, wait_count, flags, NULL, 0);
}

/// Maps the queues of an open ring. Returns 0, or -1 with errno set.
static int map_queues(struct clinux_many_sends *many, const struct io_uring_params *shape) {
    size_t sends_end = shape->sq_off.array + shape->sq_entries * sizeof(uint32_t);
    size_t results_end = shape->cq_off.cqes + shape->cq_entries * sizeof(struct io_uring_cqe);
    many->queues_byte_count = sends_end > results_end ? sends_end : results_end;
    many->sends_byte_count = shape->sq_entries * sizeof(struct io_uring_sqe);
    many->queues = mmap(
        NULL, many->queues_byte_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, many->ring,
        IORING_OFF_SQ_RING);
    if (many->queues == MAP_FAILED) {
        return -1;
    }
    many->sends = mmap(
        NULL, many->sends_byte_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, many->ring,
        IORING_OFF_SQES);
    if (many->sends == MAP_FAILED) {
        munmap(many->queues, many->queues_byte_count);
        return -1;
    }
    char *start = many->queues;
    many->send_tail = (uint32_t *)(start + shape->sq_off.tail);
    many->send_mask = *(uint32_t *)(start + shape->sq_off.ring_mask);
    many->result_head = (uint32_t *)(start + shape->cq_off.head);
    many->result_tail = (uint32_t *)(start + shape->cq_off.tail);
    many->result_mask = *(uint32_t *)(start + shape->cq_off.ring_mask);
    many->results = (struct io_uring_cqe *)(start + shape->cq_off.cqes);
    uint32_t *order = (uint32_t *)(start + shape->sq_off.array);
    for (uint32_t place = 0; place < shape->sq_entries; place++) {
        order[place] = place;
    }
    return 0;
}

struct clinux_many_sends *clinux_open_many_sends(void) {
    struct io_uring_params shape = {0};
    int ring = (int)syscall(SYS_io_uring_setup, batch_count_max, &shape);
    if (ring < 0) {
        return NULL;
    }
    struct clinux_many_sends *many = NULL;
    if ((shape.features & needed_features) != needed_features) {
        errno = ENOSYS;
    } else {
        many = calloc(1, sizeof *many);
    }
    if (many != NULL) {
        many->ring = ring;
        if (map_queues(many, &shape) == 0) {
            return many;
        }
    }
    int error = errno;
    free(many);
    close(ring);
    errno = error;
    return NULL;
}

void clinux_close_many_sends(struct clinux_many_sends *many) {
    munmap(many->sends, many->sends_byte_count);
    munmap(many->queues, many->queues_byte_count);
    close(many->ring);
    free(many);
}

static void send_one_by_one(
    const int *sockets, size_t count, const void *bytes, uint32_t byte_count, int32_t *taken) {
    for (size_t number = 0; number < count; number++) {
        ssize_t sent = send(sockets[number], bytes, byte_count, send_flags);
        taken[number] = sent > 0 ? (int32_t)sent : 0;
    }
}

/// Reads the results of `count` sends. Returns whether all came.
static int read_results(struct clinux_many_sends *many, uint32_t count, int32_t *taken) {
    uint32_t head = *many->result_head;
    const uint32_t end = head + count;
    while (head != end) {
        uint32_t tail = __atomic_load_n(many->result_tail, __ATOMIC_ACQUIRE);
        if (head == tail) {
            // The kernel does not leave a send behind that must not wait; if it did, it would be here.
            if (enter(many->ring, 0, end - head, IORING_ENTER_GETEVENTS) < 0 && errno != EINTR) {
                return 0;
            }
            continue;
        }
        for (; head != tail; head++) {
            const struct io_uring_cqe *result = &many->results[head & many->result_mask];
            taken[result->user_data] = result->res > 0 ? result->res : 0;
        }
        __atomic_store_n(many->result_head, head, __ATOMIC_RELEASE);
    }
    return 1;
}

/// Sends to at most `batch_count_max` sockets.
static void send_batch(
    struct clinux_many_sends *many, const int *sockets, uint32_t count, const void *bytes,
    uint32_t byte_count, int32_t *taken) {
    const uint32_t tail = *many->send_tail;
    for (uint32_t number = 0; number < count; number++) {
        struct io_uring_sqe *one = &many->sends[(tail + number) & many->send_mask];
        memset(one, 0, sizeof *one);
        one->opcode = IORING_OP_SEND;
        one->fd = sockets[number];
        one->addr = (uint64_t)(uintptr_t)bytes;
        one->len = byte_count;
        one->msg_flags = send_flags;
        one->user_data = number;
        taken[number] = 0;
    }
    __atomic_store_n(many->send_tail, tail + count, __ATOMIC_RELEASE);
    int result = enter(many->ring, count, 0, 0);
    uint32_t begun = result > 0 ? (uint32_t)result : 0;
    // What the kernel has not begun is taken back. It reads the queue only inside a call.
    __atomic_store_n(many->send_tail, tail + begun, __ATOMIC_RELEASE);
    if (!read_results(many, begun, taken)) {
        abort();  // The kernel may still read bytes that the caller is about to free.
    }
    send_one_by_one(sockets + begun, count - begun, bytes, byte_count, taken + begun);
}

size_t clinux_send_to_many(
    struct clinux_many_sends *many, const int *sockets, size_t count, const void *bytes,
    size_t byte_count, int32_t *taken) {
    uint32_t given = byte_count < send_byte_count_max ? (uint32_t)byte_count : send_byte_count_max;
    if (many == NULL) {
        send_one_by_one(sockets, count, bytes, given, taken);
    } else {
        for (size_t first = 0; first < count; first += batch_count_max) {
            size_t rest = count - first;
            uint32_t batch = rest < batch_count_max ? (uint32_t)rest : batch_count_max;
            send_batch(many, sockets + first, batch, bytes, given, taken + first);
        }
    }
    size_t behind = 0;
    for (size_t number = 0; number < count; number++) {
        behind += (size_t)taken[number] < byte_count;
    }
    return behind;
}
