// What Swift's Glibc module lacks, files that outlive a power cut, and memory that processes share.
#ifndef HEARTH_CLINUX_H
#define HEARTH_CLINUX_H

#include <stddef.h>
#include <stdint.h>

/// The credentials of a Unix socket's peer, as the kernel knows them (struct ucred).
struct clinux_ucred {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

/// Reads SO_PEERCRED of a connected Unix socket. Returns 0, or -1 with errno set.
int clinux_peer_credentials(int socket, struct clinux_ucred *credentials);

/// Whether somebody keeps the machine's clock right: 1 or 0, or -1 if the kernel does not say.
int clinux_clock_is_synchronized(void);

/// Reads SO_PEERGROUPS of a connected Unix socket. Returns how many groups there are, or -1 with errno
/// set: ERANGE if there are more than `count_max`.
int clinux_peer_groups(int socket, uint32_t *groups, int count_max);

/// Opens a descriptor of the process at the other end of a connected Unix socket (SO_PEERPIDFD, Linux
/// 6.5). Returns it, or -1 with errno set: ENOPROTOOPT if the kernel is older.
int clinux_peer_pidfd(int socket);

/// Has an open file's reads and writes go past the page cache (O_DIRECT). Returns 0, or -1 with errno
/// set if the file system cannot; the file is as it was then.
int clinux_go_past_page_cache(int file);

/// Opens a socket that hears of links, addresses and routes of this machine. Returns it, or -1 with
/// errno set.
int clinux_open_route_socket(void);

/// Tells how many bytes in memory belong to this process alone and are not in use: mostly what was freed and the C
/// library keeps, besides stacks and variables of some megabytes. Costs a look at each free piece. Returns 0, or -1
/// with errno set.
int clinux_spare_memory(uint64_t *byte_count);

/// Gives the kernel each whole page of what was freed. Threads that allocate meanwhile may wait: about a tenth of a
/// second for a gigabyte.
void clinux_return_spare_memory(void);

/// Asks the kernel to run this thread, and threads that this one makes, for `nanoseconds` at a time
/// (Linux 6.12). The kernel then runs the thread sooner after a wake-up, and for no greater part of the
/// time. Returns 0, or -1 with errno set. An older kernel returns 0 and does nothing.
int clinux_ask_for_short_slices(uint64_t nanoseconds);

/// Gives this thread the niceness `nice`, unless the thread is nicer already. Without privileges the
/// thread cannot go back. The filter of system calls that lets short slices through lets this through.
/// Returns 0, or -1 with errno set.
int clinux_step_back(int nice);

/// Tells how much processor time this thread had used a while ago, at most `age_max` before `now`; all in
/// nanoseconds. `now` is the present by a clock that only runs forward, the same clock in each call. Asks the
/// kernel, which costs a system call, only if the last answer is older.
int64_t clinux_recent_processor_time(int64_t now, int64_t age_max);

/// Runs `body`, which Swift makes of a closure, on a new thread that nobody can wait for. What `body` holds
/// is let go of when `body` returns. Returns 0, or an error's number, and `body` does not run then: EAGAIN
/// if the machine allows the process no more threads.
int clinux_start_thread(void (^body)(void)) __attribute__((nonnull));

/// One end of a TCP connection. An address of IPv4 takes the first four bytes.
struct clinux_tcp_end {
    uint8_t address[16];
    uint16_t port;
};

/// Asks the kernel whose socket is bound to `own` and connected with `other`, both of the family
/// AF_INET or AF_INET6 and of this network namespace (NETLINK_SOCK_DIAG). Returns 0, or -1 with errno
/// set: ENOENT if no process has such a socket whose connection is established.
int clinux_tcp_owner(
    int family, const struct clinux_tcp_end *own, const struct clinux_tcp_end *other, uint32_t *uid);

/// Asks the kernel whose socket is at the other end of a TCP connection of this machine, as
/// `clinux_tcp_owner` does.
int clinux_tcp_peer(int socket, uint32_t *uid);

/// Accepts a connection of a listening socket that does not block. Returns the descriptor, which does not
/// block and is closed in other programs, or -1 with errno set.
int clinux_accept(int listener);

/// Writes a file beside `path` and puts it in the place of an older one, all of it synced: a power cut
/// leaves the old file or the new one. Returns 0, or -1 with errno set; the old file is untouched then,
/// unless only the sync of the folder failed.
int clinux_replace_file(const char *path, const void *bytes, size_t count, uint32_t mode);

/// The same below an open folder, which a name of one part cannot leave: a link in the place of `draft` is
/// not followed, and one in the place of `name` is replaced. Nobody else may use the name `draft`.
int clinux_replace_file_at(
    int folder, const char *draft, const char *name, const void *bytes, size_t count, uint32_t mode);

/// Puts a synced file in the place of an older one in the same folder, for good. Returns 0, or -1 with
/// errno set.
int clinux_put_in_place(const char *draft, const char *path);

/// Opens a file, a pipe or /dev/null to be read; `path` may name anything. Returns the descriptor, or -1 with
/// errno set: ENOTSUP for another device and whatever else has no end of its own, EISDIR for a folder.
int clinux_open_input(const char *path);

/// Whether a path is in a file system of the kernel's own, such as /proc, in which nobody makes files, though
/// the permissions would let root. 0 if nobody can tell.
int clinux_is_kernels(const char *path);

/// Opens a file or /dev/null to be read, and never waits for a writer. With `takes_pipe`, a pipe without a name of
/// its own counts too, as a shell's <(...) makes one. Returns the descriptor, or -1 with errno set: ESPIPE for a
/// pipe that does not count, else as `clinux_open_input` says.
int clinux_open_text(const char *path, int takes_pipe);

/// Opens a file that this program alone makes, and never waits: a pipe's open would wait for the other end,
/// a device's could mean something to the device, and a link could lead anywhere. Returns the descriptor, or -1
/// with errno set. If there is no plain file of this user, of root or of the folder's owner at the path, `flaw`
/// says in words what there is, and errno is ENOTSUP; else `flaw` is NULL.
int clinux_open_plain(const char *path, int flags, uint32_t mode, const char **flaw);

/// What there is at a path instead of a plain file of this user, of root or of the folder's owner, in words; NULL
/// for such a file, or none.
const char *clinux_flaw_of(const char *path);

/// What there is at a path instead of a folder of this user, of root or of the owner of the folder above, in words;
/// NULL for such a folder, or nothing.
const char *clinux_flaw_of_folder(const char *path);

/// Lets the process have as many descriptors open as it may let itself. Returns 0, or -1 with errno set.
int clinux_allow_descriptors(void);

/// Syncs the folder that a path lies in: names outlive a power cut only then. Returns 0, or -1 with errno
/// set.
int clinux_sync_folder_of(const char *path);

/// Where a shared file holds the 32 bits that the kernel changes when the file's maker ends.
#define CLINUX_LIFE_OFFSET 8
/// The bit that the kernel sets there (FUTEX_OWNER_DIED).
#define CLINUX_LIFE_ENDED 0x40000000U

/// Makes a file of zeroes in memory, allocated whole, that this mapping alone can ever write: sealed
/// against another size and other writers. Writes the descriptor of a reader to `reader`. The life of
/// this process is at CLINUX_LIFE_OFFSET: the kernel sets CLINUX_LIFE_ENDED when the process ends in
/// whatever way, before the process's files and locks are free for others. `count` is a multiple of the
/// page size. Returns the mapping, or NULL with errno set.
void *clinux_make_shared_file(const char *name, size_t count, int *reader);

/// Unmaps what `clinux_make_shared_file` has mapped. The reader's descriptor stays open.
void clinux_drop_shared_file(void *mapped, size_t count);

/// Whether a file is in memory, has this size, and can never have another: so that no read of a mapping
/// can fault.
int clinux_is_memory_file(int file, size_t count);

/// Sends bytes with a descriptor on a Unix socket, without waiting. Returns how many bytes were sent, or
/// -1 with errno set; the descriptor goes with the first byte.
ptrdiff_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int file);

/// About how many bytes the peer of a Unix socket has not read yet: 0 if none, and if the peer is gone. An
/// unread descriptor counts with its bytes. Returns -1 with errno set for what is no such socket.
ptrdiff_t clinux_unread_byte_count(int socket);

/// The descriptors that one message is read with; the kernel closes any more.
#define CLINUX_DESCRIPTOR_COUNT_MAX 4

/// Receives as recv(2), and writes the descriptor that came with the bytes to `file`, or -1. Of several
/// descriptors, all but the first are closed.
ptrdiff_t clinux_receive(int socket, void *bytes, size_t count, int flags, int *file);

/// A way to send to hundreds of sockets with one call of the kernel (io_uring). For one thread at a time.
struct clinux_many_sends;

/// Opens a way to send to many sockets. Returns it, or NULL with errno set: the kernel is older than Linux
/// 5.7, or an administrator or a container forbids it.
struct clinux_many_sends *clinux_open_many_sends(void);

/// Closes what `clinux_open_many_sends` has opened.
void clinux_close_many_sends(struct clinux_many_sends *many);

/// Sends the same bytes to each of many sockets, without waiting; no call is left when it returns. Without
/// `many`, it calls send(2) for each. Writes to `taken` how many bytes each socket took: 0 too if a send
/// failed, which tells no reason. Returns how many sockets took less than all. A socket that is named twice
/// gets the bytes twice.
size_t clinux_send_to_many(
    struct clinux_many_sends *many, const int *sockets, size_t count, const void *bytes,
    size_t byte_count, int32_t *taken);

/// Reads a word that another thread or process may be writing, with no order to other words.
static inline uint64_t clinux_load(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/// Reads a word, and sees whatever was written before the word was released.
static inline uint64_t clinux_load_acquire(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Writes a word that others may be reading, with no order to other words.
static inline void clinux_store(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/// Writes a word behind all that was written before.
static inline void clinux_store_release(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// Puts the reads before in front of the reads and writes behind.
static inline void clinux_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

/// Puts the reads and writes before in front of the writes behind.
static inline void clinux_fence_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif
