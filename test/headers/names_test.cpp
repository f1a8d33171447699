// SPDX-License-Identifier: Apache-2.0
// A program that has included much of C and POSIX, and what defines the names of names_of_others.hpp, in front of
// Skerry's headers: none of them may use such a name. With -DBEHIND, behind them: a template that is made there may not
// either, and the headers leave no macro that others trip over. Compiled as CMake does it by default, -std=gnu++20.
#ifdef BEHIND
#include "every_header.hpp"
#endif

#include <complex.h>

#include <aio.h>
#include <arpa/inet.h>
#include <assert.h>
#include <byteswap.h>
#include <cpio.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <fnmatch.h>
#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <iso646.h>
#include <langinfo.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/input.h>
#include <linux/limits.h>
#include <linux/types.h>
#include <locale.h>
#include <math.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <nl_types.h>
#include <obstack.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <resolv.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <strings.h>
#include <sys/acct.h>
#include <sys/cdefs.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/queue.h>
#include <sys/reg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/ttydefaults.h>
#include <sys/types.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <syslog.h>
#include <tar.h>
#include <termios.h>
#include <tgmath.h>
#include <time.h>
#include <uchar.h>
#include <ucontext.h>
#include <ulimit.h>
#include <unistd.h>
#include <utime.h>
#include <utmpx.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>

// std's own headers use some of the names.
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <coroutine>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "names_of_others.hpp"

#ifndef BEHIND
#include "every_header.hpp"
#endif

// Uses, with the names as they are defined.
int uses(std::vector<int>& v);
int uses(std::vector<int>& v) {
    skerry::parallel_for(0, 4, [&](int i) { v[static_cast<std::size_t>(i)] = i; });
    skerry::parallel_for(skerry::box<2>{{0, 0}, {2, 2}}, [](int i, int j) { return MAX(i, j); });
    skerry::parallel_sort(v);
    skerry::parallel_stable_sort(v, [](int a, int b) { return (a & 1) < (b & 1); });
    const auto [a, b] = skerry::parallel_invoke([] { return True; }, [] { return None; });
    const auto found = skerry::parallel_find_if(v, [](int x) { return x == Success; });
    skerry::spawn([](int& x) { x = 1; }, skerry::out(v[0]));
    skerry::taskwait();
    return skerry::parallel_reduce(v, a) + static_cast<int>(b) + (found == v.end() ? OK : ERR);
}
