// SPDX-License-Identifier: Apache-2.0
// What well-known headers define as macros, as they define it. A program may include them before Skerry or behind it;
// names_test.cpp does both. Left out are names that std declares (move, clear, erase, log): no program that includes a
// header of std may define them, and who did has stopped (curses does not in C++). min and max are here all the same,
// since many still do. A name that a header has defined before is defined anew: what counts is that it is a macro.

// NOLINTBEGIN(bugprone-macro-parentheses): as they define it

// <complex.h>, and LAPACK's headers by way of it.
#undef I
#define I _Complex_I
#undef complex
#define complex _Complex
#undef imaginary
#define imaginary _Imaginary

// <windows.h> and <minwindef.h>, and those who follow them.
#undef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#undef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#undef near
#define near
#undef far
#define far
#undef small
#define small char
#undef hyper
#define hyper long
#undef interface
#define interface struct
#undef IN
#define IN
#undef OUT
#define OUT
#undef OPTIONAL
#define OPTIONAL
#undef CONST
#define CONST const
#undef VOID
#define VOID void
#undef DELETE
#define DELETE 0x00010000L
#undef ERROR
#define ERROR 0
#undef IGNORE
#define IGNORE 0
#undef INFINITE
#define INFINITE 0xFFFFFFFF
#undef NO_ERROR
#define NO_ERROR 0L
#undef STRICT
#define STRICT 1
#undef THIS
#define THIS void
#undef ABSOLUTE
#define ABSOLUTE 1
#undef RELATIVE
#define RELATIVE 2
#undef TRANSPARENT
#define TRANSPARENT 1
#undef OPAQUE
#define OPAQUE 2
#undef GetObject
#define GetObject GetObjectA
#undef SendMessage
#define SendMessage SendMessageA
#undef Yield
#define Yield()

// Qt.
#undef emit
#define emit
#undef slots
#define slots
#undef signals
#define signals public
#undef Q_EMIT
#define Q_EMIT
#undef foreach
#define foreach(variable, container) for (variable : container)
#undef forever
#define forever for (;;)
#undef Q_UNUSED
#define Q_UNUSED(x) (void)x;

// <sys/sysmacros.h>, which <sys/types.h> included for long.
#undef major
#define major(dev) gnu_dev_major(dev)
#undef minor
#define minor(dev) gnu_dev_minor(dev)
#undef makedev
#define makedev(maj, min) gnu_dev_makedev(maj, min)

// X11/X.h and X11/Xlib.h.
#undef Bool
#define Bool int
#undef Status
#define Status int
#undef True
#define True 1
#undef False
#define False 0
#undef None
#define None 0L
#undef Success
#define Success 0
#undef Always
#define Always 2
#undef Above
#define Above 0
#undef Below
#define Below 1
#undef BadRequest
#define BadRequest 1
#undef BadValue
#define BadValue 2
#undef BadAccess
#define BadAccess 10
#undef BadAlloc
#define BadAlloc 11
#undef BadLength
#define BadLength 16
#undef Complex
#define Complex 0
#undef Nonconvex
#define Nonconvex 1
#undef Convex
#define Convex 2
#undef Unsorted
#define Unsorted 0
#undef CurrentTime
#define CurrentTime 0L
#undef AnyKey
#define AnyKey 0L
#undef AllPlanes
#define AllPlanes ((unsigned long)~0L)
#undef ControlMask
#define ControlMask (1 << 2)
#undef LockMask
#define LockMask (1 << 1)
#undef Expose
#define Expose 12
#undef KeyPress
#define KeyPress 2
#undef FocusIn
#define FocusIn 9
#undef GrayScale
#define GrayScale 1
#undef StaticColor
#define StaticColor 2
#undef DirectColor
#define DirectColor 5
#undef InputOnly
#define InputOnly 2
#undef CursorShape
#define CursorShape 0
#undef LineSolid
#define LineSolid 0
#undef FillSolid
#define FillSolid 0
#undef EvenOddRule
#define EvenOddRule 0
#undef WindingRule
#define WindingRule 1
#undef QueuedAlready
#define QueuedAlready 0
#undef ScreenCount
#define ScreenCount(dpy) 1
#undef QLength
#define QLength(dpy) 0

// Curses, whose functions are macros.
#undef OK
#define OK (0)
#undef ERR
#define ERR (-1)
#undef TRUE
#define TRUE 1
#undef FALSE
#define FALSE 0
#undef box
#define box(win, v, h) wborder(win, v, v, h, h, 0, 0, 0, 0)
#undef refresh
#define refresh() wrefresh(stdscr)
#undef timeout
#define timeout(delay) wtimeout(stdscr, delay)
#undef border
#define border(ls, rs, ts, bs, tl, tr, bl, br) wborder(stdscr, ls, rs, ts, bs, tl, tr, bl, br)
#undef scroll
#define scroll(win) wscrl(win, 1)
#undef instr
#define instr(s) winstr(stdscr, s)
#undef addch
#define addch(ch) waddch(stdscr, ch)
#undef getch
#define getch() wgetch(stdscr)
#undef standout
#define standout() wstandout(stdscr)

// <sys/param.h> and glib.
#undef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#undef MAX
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#undef ABS
#define ABS(a) (((a) < 0) ? -(a) : (a))
#undef CLAMP
#define CLAMP(x, low, high) (((x) > (high)) ? (high) : (((x) < (low)) ? (low) : (x)))
#undef roundup
#define roundup(x, y) ((((x) + ((y) - 1)) / (y)) * (y))
#undef howmany
#define howmany(x, y) (((x) + ((y) - 1)) / (y))
#undef powerof2
#define powerof2(x) ((((x) - 1) & (x)) == 0)
#undef setbit
#define setbit(a, i) ((a)[(i) / 8] |= 1 << ((i) % 8))
#undef isset
#define isset(a, i) ((a)[(i) / 8] & (1 << ((i) % 8)))

// <termios.h>, <sys/ttydefaults.h>, <sys/user.h>, <limits.h>, <math.h>.
#undef B0
#define B0 0000000
#undef B50
#define B50 0000001
#undef CR0
#define CR0 0000000
#undef NL0
#define NL0 0000000
#undef ECHO
#define ECHO 0000010
#undef NOFLSH
#define NOFLSH 0000200
#undef PAGE_SIZE
#define PAGE_SIZE 4096
#undef PAGE_MASK
#define PAGE_MASK (~(PAGE_SIZE - 1))
#undef PAGE_SHIFT
#define PAGE_SHIFT 12
#undef NBPG
#define NBPG PAGE_SIZE
#undef DOMAIN
#define DOMAIN 1
#undef OVERFLOW
#define OVERFLOW 3
#undef PIPE_BUF
#define PIPE_BUF 4096

// <stdnoreturn.h>.
#undef noreturn
#define noreturn _Noreturn

// The compiler's own without -std=c++20, and those of the BSDs and of the kernel's headers.
#undef unix
#define unix 1
#undef linux
#define linux 1
#undef i386
#define i386 1
#undef container_of
#define container_of(pointer, type, member) ((type*)((char*)(pointer) - offsetof(type, member)))
#undef likely
#define likely(x) __builtin_expect(!!(x), 1)
#undef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#undef barrier
#define barrier() __asm__ __volatile__("" ::: "memory")
#undef cpu_relax
#define cpu_relax() __asm__ __volatile__("pause")
#undef current
#define current get_current()

// Apple's AssertMacros.h, Objective-C, Arduino, Perl, R, and what many a project has of its own.
#undef check
#define check(assertion)
#undef verify
#define verify(assertion)
#undef require
#define require(assertion, label)
#undef YES
#define YES 1
#undef NO
#define NO 0
#undef nil
#define nil 0
#undef bit
#define bit(b) (1UL << (b))
#undef lowByte
#define lowByte(w) ((unsigned char)((w) & 0xff))
#undef interrupts
#define interrupts() sei()
#undef bitRead
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#undef yield
#define yield() do_yield()
#undef Copy
#define Copy(s, d, n, t) copy_of_perl(s, d, n, t)
#undef Move
#define Move(s, d, n, t) move_of_perl(s, d, n, t)
#undef DEBUG
#define DEBUG 1
#undef UNUSED
#define UNUSED(x) (void)(x)
#undef ASSERT
#define ASSERT(x)
#undef TRACE
#define TRACE(...)
#undef LOG
#define LOG(...)
#undef CHECK
#define CHECK(...)
#undef FOREACH
#define FOREACH(x, y) for (auto x : y)
#undef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#undef PI
#define PI 3.14159265358979323846
#undef EPS
#define EPS 1e-9
#undef INFO
#define INFO 1
#undef NONE
#define NONE 0
#undef SIZE
#define SIZE 1024

// boost/asio/yield.hpp, Perl's embed.h, and the attributes that many a project and the kernel's headers abbreviate.
#undef reenter
#define reenter(c) switch (c)
#undef fork
#define fork do_fork
#undef block_end
#define block_end(a, b) block_end_of_perl(a, b)
#undef round
#define round(x) ((int)((x) + 0.5))
#undef always_inline
#define always_inline inline __attribute__((always_inline))
#undef noinline
#define noinline __attribute__((noinline))
#undef cold
#define cold __attribute__((cold))
#undef hot
#define hot __attribute__((hot))
#undef visibility
#define visibility(x) __attribute__((visibility(x)))

// NOLINTEND(bugprone-macro-parentheses)
