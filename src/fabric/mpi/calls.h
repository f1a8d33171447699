/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKERRY_FABRIC_MPI_CALLS_H
#define SKERRY_FABRIC_MPI_CALLS_H

/*
 * What Skerry asks of an MPI: the one symbol of the shared object that skerry_mpi.c becomes when an MPI's own compiler
 * compiles it. The object knows MPI and nothing of Skerry; Skerry knows this header and no MPI.
 *
 * Thread safety: one thread at a time calls any of these (MPI_THREAD_SERIALIZED). Every function that returns an int
 * returns 0, or an error of MPI's that text() explains.
 */

#include <stdint.h>

#define SKERRY_MPI_INTERFACE 1

/* Bytes of this process, somewhere. At most 1 GiB. */
struct skerry_mpi_part {
    void* at;
    uint64_t bytes;
};

/* What is under way: room for any MPI's request. */
union skerry_mpi_operation {
    void* pointer;
    uint64_t word;
};

enum skerry_mpi_start {
    skerry_mpi_was_started = -1, /* the program has called MPI_Init() itself */
    skerry_mpi_no_threads = -2   /* this MPI cannot be called by one thread at a time of several */
};

struct skerry_mpi_calls {
    uint32_t interface;  /* SKERRY_MPI_INTERFACE */
    const char* library; /* as "Open MPI 4.1.4" */

    /* Waits for all ranks; an error, or one of enum skerry_mpi_start. */
    int (*start)(unsigned* rank, unsigned* ranks);
    /* `all`: room for what each rank gives, one behind the other. Waits for all ranks. */
    int (*gather)(const void* mine, unsigned bytes, void* all);
    /* Begin. What `parts` name stays until the operation is over; `parts` does not. Between two ranks what is sent on a
     * channel arrives in the order of the sends, in the receives in theirs. `from` may be -1: anybody. */
    int (*send)(const struct skerry_mpi_part* parts, unsigned count, unsigned to, int channel,
                union skerry_mpi_operation* op);
    int (*receive)(const struct skerry_mpi_part* parts, unsigned count, int from, int channel,
                   union skerry_mpi_operation* op);
    /* Whether it is over, and then what came from whom. */
    int (*test)(union skerry_mpi_operation* op, int* over, unsigned* from, uint64_t* bytes);
    /* Ends a receive, whether something has come or not. */
    int (*cancel)(union skerry_mpi_operation* op);
    /* Waits for all ranks. Precondition: nothing is under way. */
    int (*end)(void);
    void (*text)(int error, char* to, unsigned room);
};

extern const struct skerry_mpi_calls skerry_mpi;

#endif
