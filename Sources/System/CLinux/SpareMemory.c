#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

/// Bytes in memory that are this process's alone, without files and shared memory.
static int own_bytes(uint64_t *byte_count) {
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    char text[128];
    ssize_t count = read(file, text, sizeof text - 1);
    int reason = errno;
    close(file);
    if (count < 0) {
        errno = reason;
        return -1;
    }
    text[count] = 0;
    unsigned long resident, shared;
    if (sscanf(text, "%*u %lu %lu", &resident, &shared) != 2 || shared > resident) {
        errno = EPROTO;
        return -1;
    }
    *byte_count = (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
    return 0;
}

int clinux_spare_memory(uint64_t *byte_count) {
    uint64_t own;
    if (own_bytes(&own) != 0) {
        return -1;
    }
    struct mallinfo2 heap = mallinfo2();
    uint64_t used = (uint64_t)heap.uordblks + (uint64_t)heap.hblkhd;
    *byte_count = own > used ? own - used : 0;
    return 0;
}

void clinux_return_spare_memory(void) {
    malloc_trim(0);
}
