// Lets the thread sanitizer see Swift's Mutex; Scripts/sanitize loads it before a program's libraries.
//
// A Mutex that nobody holds is taken by an atomic in the program itself, which the sanitizer sees. One
// that is held is taken and given back by functions of libswiftSynchronization, which was built without
// the sanitizer: whatever the lock guards then looks like a race. These stand before those functions,
// call them, and tell the sanitizer what they did. They hide no race: where no lock is taken, nothing is
// told.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define NAME(kind) "$s15Synchronization12_MutexHandleV" kind
#define LOCK NAME("9_lockSlowyys6UInt32VF")
#define UNLOCK NAME("11_unlockSlowyyF")
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

typedef SWIFT void (*Lock)(uint32_t thread, SELF);
typedef SWIFT void (*Unlock)(SELF);

static void *real_lock, *real_unlock;
static void (*acquired)(void *), (*released)(void *);

__attribute__((constructor)) static void find(void) {
    real_lock = dlsym(RTLD_NEXT, LOCK);
    real_unlock = dlsym(RTLD_NEXT, UNLOCK);
    acquired = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_acquire");
    released = (void (*)(void *))dlsym(RTLD_DEFAULT, "__tsan_release");
}

SWIFT void seen_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void seen_lock(uint32_t thread, SELF) {
    ((Lock)real_lock)(thread, self);
    if (acquired) acquired(self);
}

SWIFT void seen_unlock(SELF) __asm__(UNLOCK);
SWIFT void seen_unlock(SELF) {
    if (released) released(self);
    ((Unlock)real_unlock)(self);
}
