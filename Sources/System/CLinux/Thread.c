// A thread that runs a closure.
#include "CLinux.h"

#include <pthread.h>

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
