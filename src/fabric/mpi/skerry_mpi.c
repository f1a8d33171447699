/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Skerry's calls of MPI: all there are. Each MPI has handles of its own, so this file is compiled once for each:
 *
 *   mpicc -O2 -shared -fPIC -o skerry-mpi-NAME.so skerry_mpi.c
 */

#include "calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(union skerry_mpi_operation), "a request has room");

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if defined(OMPI_MAJOR_VERSION)
#define LIBRARY "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
#define LIBRARY "MPICH " MPICH_VERSION
#else
#define LIBRARY "an MPI"
#endif

static MPI_Comm everybody = MPI_COMM_NULL;

static int start(unsigned* rank, unsigned* ranks) {
    int flag = 0;
    int error = MPI_Initialized(&flag);
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (flag) {
        return skerry_mpi_was_started;
    }
    int level = MPI_THREAD_SINGLE;
    error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (level < MPI_THREAD_SERIALIZED) {
        return skerry_mpi_no_threads;
    }
    error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_dup(MPI_COMM_WORLD, &everybody);
    }
    int self = 0;
    int all = 0;
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_rank(everybody, &self);
    }
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_size(everybody, &all);
    }
    *rank = (unsigned)self;
    *ranks = (unsigned)all;
    return error;
}

static int gather(const void* mine, unsigned bytes, void* all) {
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, everybody);
}

/* What `parts` name, as one thing to be sent or received. `made`: the type is to be freed. */
struct buffer {
    void* at;
    int count;
    MPI_Datatype type;
    int made;
};

static int buffer_of(const struct skerry_mpi_part* parts, unsigned count, struct buffer* result) {
    if (count == 1) {
        result->at = parts[0].at;
        result->count = (int)parts[0].bytes;
        result->type = MPI_BYTE;
        result->made = 0;
        return MPI_SUCCESS;
    }
    int* const lengths = malloc(count * sizeof *lengths);
    MPI_Aint* const places = malloc(count * sizeof *places);
    int error = lengths != NULL && places != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (unsigned i = 0; i < count && error == MPI_SUCCESS; ++i) {
        lengths[i] = (int)parts[i].bytes;
        error = MPI_Get_address(parts[i].at, &places[i]);
    }
    if (error == MPI_SUCCESS) {
        error = MPI_Type_create_hindexed((int)count, lengths, places, MPI_BYTE, &result->type);
    }
    if (error == MPI_SUCCESS) {
        error = MPI_Type_commit(&result->type);
    }
    free(lengths);
    free(places);
    result->at = MPI_BOTTOM;
    result->count = 1;
    result->made = 1;
    return error;
}

static MPI_Request request_of(const union skerry_mpi_operation* op) {
    MPI_Request request;
    memcpy(&request, op, sizeof request);
    return request;
}

static int keep(int error, struct buffer* what, const MPI_Request* request, union skerry_mpi_operation* op) {
    memcpy(op, request, sizeof *request);
    if (what->made) {
        const int freed = MPI_Type_free(&what->type); /* when nothing under way uses it any more */
        error = error != MPI_SUCCESS ? error : freed;
    }
    return error;
}

static int begin_send(const struct skerry_mpi_part* parts, unsigned count, unsigned to, int channel,
                      union skerry_mpi_operation* op) {
    struct buffer what;
    int error = buffer_of(parts, count, &what);
    if (error != MPI_SUCCESS) {
        return error;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    error = MPI_Isend(what.at, what.count, what.type, (int)to, channel, everybody, &request);
    return keep(error, &what, &request, op);
}

static int begin_receive(const struct skerry_mpi_part* parts, unsigned count, int from, int channel,
                         union skerry_mpi_operation* op) {
    struct buffer what;
    int error = buffer_of(parts, count, &what);
    if (error != MPI_SUCCESS) {
        return error;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    error = MPI_Irecv(what.at, what.count, what.type, from < 0 ? MPI_ANY_SOURCE : from, channel, everybody, &request);
    return keep(error, &what, &request, op);
}

static int test(union skerry_mpi_operation* op, int* over, unsigned* from, uint64_t* bytes) {
    MPI_Request request = request_of(op);
    MPI_Status status;
    int error = MPI_Test(&request, over, &status);
    memcpy(op, &request, sizeof request);
    if (error == MPI_SUCCESS && *over) {
        int count = 0;
        error = MPI_Get_count(&status, MPI_BYTE, &count);
        *from = (unsigned)status.MPI_SOURCE;
        *bytes = count == MPI_UNDEFINED ? 0 : (uint64_t)count;
    }
    return error;
}

static int cancel(union skerry_mpi_operation* op) {
    MPI_Request request = request_of(op);
    int error = MPI_Cancel(&request);
    if (error == MPI_SUCCESS) {
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    memcpy(op, &request, sizeof request);
    return error;
}

static int end(void) {
    const int error = MPI_Comm_free(&everybody);
    return error != MPI_SUCCESS ? error : MPI_Finalize();
}

static void text(int error, char* to, unsigned room) {
    char words[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    if (MPI_Error_string(error, words, &length) != MPI_SUCCESS) {
        length = 0;
    }
    words[length] = '\0';
    strncpy(to, words, room - 1);
    to[room - 1] = '\0';
}

const struct skerry_mpi_calls skerry_mpi = {
    .interface = SKERRY_MPI_INTERFACE,
    .library = LIBRARY,
    .start = start,
    .gather = gather,
    .send = begin_send,
    .receive = begin_receive,
    .test = test,
    .cancel = cancel,
    .end = end,
    .text = text,
};
