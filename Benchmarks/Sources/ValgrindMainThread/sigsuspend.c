// Loaded into the server under valgrind by `make bench ONLY=instructions`.
//
// The main thread of a Swift program sleeps in sigsuspend(2) with a mask that libdispatch keeps in read-only memory. Valgrind 3.19
// changes the mask where it is, and crashes. This sigsuspend hands it a copy.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
