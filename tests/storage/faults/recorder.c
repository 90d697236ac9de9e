/* Preloaded into a child: writes down every write, sync, truncation, rename and removal below one folder, and lets the
   child's disk fail and its clock jump as a test says: `begin_recording`, `fail_from` and `shift_clock` are called there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static const char *below;
static long until_failure = -1, failures_left;
static int failure;
static volatile long clock_shift;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct event {
    uint8_t kind;
    uint32_t path_length;
    uint64_t offset;
    uint64_t length;
} __attribute__((packed));

static void put(const void *bytes, size_t length) {
    static ssize_t (*real_write)(int, const void *, size_t);
    if (!real_write) real_write = REAL(write);
    const char *next = bytes;
    while (length) {
        ssize_t written = real_write(journal, next, length);
        if (written <= 0) abort();
        next += written;
        length -= (size_t)written;
    }
}

static int recorded(const char *path) {
    if (!below) {
        below = getenv("RECORDER_FOLDER");
        const char *name = getenv("RECORDER_JOURNAL");
        if (!below || !name) { below = ""; return 0; }
        journal = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    return journal >= 0 && *below && strncmp(path, below, strlen(below)) == 0;
}

void begin_recording(const char *folder, const char *name) {
    below = strdup(folder);
    journal = name ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
}

/* The n-th write or sync below the folder from now on fails, and so many after it. */
void fail_from(const char *folder, long number, long how_many, int error) {
    below = strdup(folder);
    failures_left = how_many;
    failure = error;
    until_failure = number;
}

void shift_clock(long seconds) { clock_shift = seconds; }

static int fails(const char *path) {
    if (until_failure < 0 || !below || strncmp(path, below, strlen(below)) != 0) return 0;
    pthread_mutex_lock(&turn);
    int now = until_failure == 0 && failures_left > 0;
    if (now) failures_left--;
    else if (until_failure > 0) until_failure--;
    pthread_mutex_unlock(&turn);
    if (now) errno = failure;
    return now;
}

static void record(char kind, const char *path, uint64_t offset, const void *bytes, uint64_t length) {
    if (!recorded(path)) return;
    struct event event = {(uint8_t)kind, (uint32_t)strlen(path), offset, length};
    pthread_mutex_lock(&turn);
    put(&event, sizeof event);
    put(path, event.path_length);
    if (bytes) put(bytes, length);
    pthread_mutex_unlock(&turn);
}

static const char *path_of(int file, char *buffer, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, buffer, size - 1);
    buffer[length > 0 ? length : 0] = 0;
    return buffer;
}

ssize_t write(int file, const void *bytes, size_t length) {
    char path[4096];
    off_t before = lseek(file, 0, SEEK_CUR);
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    ssize_t written = REAL(write)(file, bytes, length);
    if (written > 0 && (journal >= 0 || !below) && file != journal)
        record('w', path_of(file, path, sizeof path), before < 0 ? 0 : (uint64_t)before, bytes, (uint64_t)written);
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    char path[4096];
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    ssize_t written = REAL(pwrite)(file, bytes, length, offset);
    if (written > 0) record('w', path_of(file, path, sizeof path), (uint64_t)offset, bytes, (uint64_t)written);
    return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
    char path[4096];
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    ssize_t written = REAL(pwrite64)(file, bytes, length, offset);
    if (written > 0) record('w', path_of(file, path, sizeof path), (uint64_t)offset, bytes, (uint64_t)written);
    return written;
}

int fsync(int file) {
    char path[4096];
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    int result = REAL(fsync)(file);
    if (result == 0) record('s', path_of(file, path, sizeof path), 0, NULL, 0);
    return result;
}

int fdatasync(int file) {
    char path[4096];
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    int result = REAL(fdatasync)(file);
    if (result == 0) record('s', path_of(file, path, sizeof path), 0, NULL, 0);
    return result;
}

int ftruncate(int file, off_t length) {
    char path[4096];
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    int result = REAL(ftruncate)(file, length);
    if (result == 0) record('t', path_of(file, path, sizeof path), (uint64_t)length, NULL, 0);
    return result;
}

int ftruncate64(int file, off64_t length) {
    char path[4096];
    if (until_failure >= 0 && fails(path_of(file, path, sizeof path))) return -1;
    int result = REAL(ftruncate64)(file, length);
    if (result == 0) record('t', path_of(file, path, sizeof path), (uint64_t)length, NULL, 0);
    return result;
}

int unlink(const char *path) {
    int result = REAL(unlink)(path);
    if (result == 0) record('u', path, 0, NULL, 0);
    return result;
}

int rename(const char *from, const char *to) {
    int result = REAL(rename)(from, to);
    if (result == 0) record('r', from, 0, to, strlen(to));
    return result;
}

static const char *path_at(int folder, const char *name, char *buffer, size_t size) {
    if (*name == '/' || folder == AT_FDCWD) return name;
    path_of(folder, buffer, size);
    size_t length = strlen(buffer);
    snprintf(buffer + length, size - length, "/%s", name);
    return buffer;
}

int unlinkat(int folder, const char *name, int flags) {
    char path[8192];
    int result = REAL(unlinkat)(folder, name, flags);
    if (result == 0) record('u', path_at(folder, name, path, sizeof path), 0, NULL, 0);
    return result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    char before[8192], after[8192];
    int result = REAL(renameat)(from_folder, from, to_folder, to);
    if (result == 0) {
        const char *new_name = path_at(to_folder, to, after, sizeof after);
        record('r', path_at(from_folder, from, before, sizeof before), 0, new_name, strlen(new_name));
    }
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = REAL(clock_gettime)(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += clock_shift;
    return result;
}
