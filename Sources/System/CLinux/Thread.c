// A thread that runs a closure, and what a thread has used.
#include "CLinux.h"

#include <pthread.h>
#include <time.h>

// Of the run time of blocks, which comes with Swift's. Its header is not on the path of C.
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

static void *run(void *context) {
    void (^body)(void) = context;
    body();
    _Block_release(context);
    return NULL;
}

int clinux_start_thread(void (^body)(void)) {
    void *context = _Block_copy(body);
    pthread_t thread;
    int result = pthread_create(&thread, NULL, run, context);
    if (result != 0) {
        _Block_release(context);
        return result;
    }
    pthread_detach(thread);
    return 0;
}

int64_t clinux_recent_processor_time(int64_t now, int64_t age_max) {
    static _Thread_local struct {
        int64_t at;
        int64_t used;
        int is_known;
    } last;
    if (!last.is_known || now < last.at || now - last.at > age_max) {
        struct timespec used = {0, 0};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        last.at = now;
        last.used = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
        last.is_known = 1;
    }
    return last.used;
}
