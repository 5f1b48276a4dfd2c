/* What a source in C or C++ begins with. There is one thread, for which variables of a thread are those of the program, and
   no time at which it is compiled. */

#define __DATE__ "Jan  1 1970"
#define __TIME__ "00:00:00"
#define __TIMESTAMP__ "Thu Jan  1 00:00:00 1970"
#define __thread
#define _Thread_local
#ifdef __cplusplus
#define __wasilibc___errno_h
extern "C" {
extern int errno;
}
#define errno errno
#define thread_local static
#endif
