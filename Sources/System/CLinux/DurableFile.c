#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static int folder_of(const char *path, char folder[PATH_MAX]) {
    const char *end = strrchr(path, '/');
    size_t length = end ? (size_t)(end - path) + 1 : 0;
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, path, length);
    strcpy(folder + length, length ? "" : ".");
    return 0;
}

int clinux_sync_folder_of(const char *path) {
    char folder[PATH_MAX];
    if (folder_of(path, folder) != 0) {
        return -1;
    }
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return -1;
    }
    int result = fsync(descriptor);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

// Root may do anything anyhow, and the owner of the folder may put other files there.
static int is_trusted(const struct stat *status, const char *path) {
    if (status->st_uid == geteuid() || status->st_uid == 0) {
        return 1;
    }
    char name[PATH_MAX];
    struct stat folder;
    return folder_of(path, name) == 0 && stat(name, &folder) == 0 && folder.st_uid == status->st_uid;
}

static const char *kind_of(const struct stat *status) {
    switch (status->st_mode & S_IFMT) {
    case S_IFREG:
        return "a file";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a named pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

static const char *flaw_of(const struct stat *status, const char *path) {
    if (!S_ISREG(status->st_mode)) {
        return kind_of(status);
    }
    return is_trusted(status, path) ? NULL : "another user's file";
}

const char *clinux_flaw_of(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? flaw_of(&status, path) : NULL;
}

const char *clinux_flaw_of_folder(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return NULL;
    }
    if (!S_ISDIR(status.st_mode)) {
        return kind_of(&status);
    }
    return is_trusted(&status, path) ? NULL : "another user's folder";
}

int clinux_open_plain(const char *path, int flags, uint32_t mode, const char **flaw) {
    // Looked at first: to open a device can mean something to the device.
    *flaw = clinux_flaw_of(path);
    if (*flaw) {
        errno = ENOTSUP;
        return -1;
    }
    int file = open(path, flags | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode);
    if (file < 0) {
        return -1;
    }
    struct stat status;
    int reason = ENOTSUP;
    if (fstat(file, &status) != 0) {
        reason = errno;
    } else {
        *flaw = flaw_of(&status, path);
        if (!*flaw) {
            return file;
        }
    }
    close(file);
    errno = reason;
    return -1;
}

int clinux_allow_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return -1;
    }
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

int clinux_put_in_place(const char *draft, const char *path) {
    return rename(draft, path) == 0 ? clinux_sync_folder_of(path) : -1;
}

static int write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return -1;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return fsync(descriptor);
}

static int write_and_close(int descriptor, const void *bytes, size_t count) {
    int result = write_all(descriptor, bytes, count);
    int reason = errno;
    if (close(descriptor) != 0 && result == 0) {
        return -1;
    }
    errno = reason;
    return result;
}

int clinux_replace_file(const char *path, const void *bytes, size_t count, uint32_t mode) {
    char draft[PATH_MAX];
    int length = snprintf(draft, sizeof draft, "%s.%d.part", path, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof draft) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const char *flaw;
    int descriptor = clinux_open_plain(draft, O_WRONLY | O_CREAT | O_TRUNC, mode, &flaw);
    if (descriptor < 0) {
        return -1;
    }
    if (write_and_close(descriptor, bytes, count) == 0 && clinux_put_in_place(draft, path) == 0) {
        return 0;
    }
    int reason = errno;
    unlink(draft);
    errno = reason;
    return -1;
}

int clinux_replace_file_at(
    int folder, const char *draft, const char *name, const void *bytes, size_t count, uint32_t mode) {
    // Whatever has the name is a killed run's draft, or was put there for this run to open.
    unlinkat(folder, draft, 0);
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int descriptor = openat(folder, draft, flags, mode);
    if (descriptor < 0) {
        return -1;
    }
    if (write_and_close(descriptor, bytes, count) == 0 && renameat(folder, draft, folder, name) == 0) {
        return fsync(folder);
    }
    int reason = errno;
    unlinkat(folder, draft, 0);
    errno = reason;
    return -1;
}

static int is_input(const struct stat *status) {
    if (S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode)) {
        return 1;
    }
    // /dev/null, by which people say "no file".
    if (S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3)) {
        return 1;
    }
    errno = S_ISDIR(status->st_mode) ? EISDIR : ENOTSUP;
    return 0;
}

static int open_without_waiting(const char *path, int takes_pipe) {
    struct stat status;
    struct statfs place;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return -1;
    }
    if (fstat(file, &status) == 0 && is_input(&status)) {
        if (!S_ISFIFO(status.st_mode)) {
            return file;
        }
        // A pipe without a name in a folder has its writer already.
        errno = ESPIPE;
        if (takes_pipe && fstatfs(file, &place) == 0 && place.f_type == PIPEFS_MAGIC
            && fcntl(file, F_SETFL, 0) == 0) {
            return file;
        }
    }
    int reason = errno;
    close(file);
    errno = reason;
    return -1;
}

int clinux_open_text(const char *path, int takes_pipe) {
    struct stat status;
    // Looked at first: to open a device can mean something to the device.
    if (stat(path, &status) != 0 || !is_input(&status)) {
        return -1;
    }
    return open_without_waiting(path, takes_pipe);
}

int clinux_is_kernels(const char *path) {
    static const unsigned long own[] = {
        PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, SECURITYFS_MAGIC,
    };
    struct statfs place;
    if (statfs(path, &place) != 0) {
        return 0;
    }
    for (size_t index = 0; index < sizeof(own) / sizeof(own[0]); index++) {
        if ((unsigned long)place.f_type == own[index]) {
            return 1;
        }
    }
    return 0;
}

int clinux_open_input(const char *path) {
    struct stat status;
    // Looked at first: to open a device can mean something to the device.
    if (stat(path, &status) != 0 || !is_input(&status)) {
        return -1;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        return -1;
    }
    if (fstat(file, &status) == 0 && is_input(&status)) {
        return file;
    }
    int reason = errno;
    close(file);
    errno = reason;
    return -1;
}
