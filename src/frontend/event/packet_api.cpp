// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for packets: events whose payload has room at both ends.

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

struct packet {
    em_status_t status = EM_OK;
    event* e; // null: it was said what is wrong

    packet(const char* function, em_escope_t scope, em_event_t handle) noexcept
        : e(owned(function, scope, handle, status)) {
        if (e != nullptr && !e->pool->of_packets()) {
            status =
                refuse_call(EM_ERR_BAD_TYPE, scope, "%s: pool '%s' is not of packets", function, e->pool->name.data());
            e = nullptr;
        }
    }
    explicit operator bool() const noexcept { return e != nullptr; }

    [[nodiscard]] std::uint32_t room() const noexcept { return e->pool->at(e->subpool).size; } // without headroom
    [[nodiscard]] std::uint32_t headroom() const noexcept { return e->begin - e->pool->headroom_begin(); }
    [[nodiscard]] std::uint32_t tailroom() const noexcept {
        return static_cast<std::uint32_t>(std::uint64_t{e->pool->payload_begin()} + room() - e->begin - e->size);
    }
    [[nodiscard]] std::byte* end() const noexcept { return e->payload() + e->size; }
};

void* refuse_length(const char* function, em_escope_t scope, std::uint32_t bytes, std::uint32_t most) noexcept {
    static_cast<void>(refuse_call(EM_ERR_BAD_ARG, scope, "%s: %u bytes, of at most %u", function, bytes, most));
    return nullptr;
}

// Of a pull, which leaves a byte.
std::uint32_t most_to_pull(const packet& p) noexcept { return p.e->size != 0 ? p.e->size - 1 : 0; }

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

void* em_packet_pointer(em_event_t pktev) {
    const packet p("em_packet_pointer", EM_ESCOPE_PACKET_POINTER, pktev);
    return p ? p.e->payload() : nullptr;
}

uint32_t em_packet_size(em_event_t pktev) {
    const packet p("em_packet_size", EM_ESCOPE_PACKET_SIZE, pktev);
    return p ? p.e->size : 0;
}

void* em_packet_pointer_and_size(em_event_t pktev, uint32_t* size) {
    const packet p("em_packet_pointer_and_size", EM_ESCOPE_PACKET_POINTER_AND_SIZE, pktev);
    if (!p) {
        return nullptr;
    }
    if (size != nullptr) {
        *size = p.e->size;
    }
    return p.e->payload();
}

void* em_packet_resize(em_event_t pktev, uint32_t size) {
    constexpr em_escope_t scope = EM_ESCOPE_PACKET_RESIZE;
    const packet p("em_packet_resize", scope, pktev);
    if (!p) {
        return nullptr;
    }
    const std::uint32_t most = p.e->size + p.tailroom();
    if (size == 0 || size > most) {
        static_cast<void>(
            refuse_call(EM_ERR_BAD_ARG, scope, "em_packet_resize: %u bytes, not from 1 to %u", size, most));
        return nullptr;
    }
    p.e->size = size;
    return p.e->payload();
}

uint32_t em_packet_headroom(em_event_t pktev) {
    const packet p("em_packet_headroom", EM_ESCOPE_PACKET_HEADROOM, pktev);
    return p ? p.headroom() : 0;
}

uint32_t em_packet_tailroom(em_event_t pktev) {
    const packet p("em_packet_tailroom", EM_ESCOPE_PACKET_TAILROOM, pktev);
    return p ? p.tailroom() : 0;
}

void* em_packet_push_head(em_event_t pktev, uint32_t len) {
    constexpr em_escope_t scope = EM_ESCOPE_PACKET_PUSH_HEAD;
    const packet p("em_packet_push_head", scope, pktev);
    if (!p || len > p.headroom()) {
        return p ? refuse_length("em_packet_push_head", scope, len, p.headroom()) : nullptr;
    }
    p.e->begin -= len;
    p.e->size += len;
    return p.e->payload();
}

void* em_packet_pull_head(em_event_t pktev, uint32_t len) {
    constexpr em_escope_t scope = EM_ESCOPE_PACKET_PULL_HEAD;
    const packet p("em_packet_pull_head", scope, pktev);
    if (!p || len > most_to_pull(p)) {
        return p ? refuse_length("em_packet_pull_head", scope, len, most_to_pull(p)) : nullptr;
    }
    p.e->begin += len;
    p.e->size -= len;
    return p.e->payload();
}

void* em_packet_push_tail(em_event_t pktev, uint32_t len) {
    constexpr em_escope_t scope = EM_ESCOPE_PACKET_PUSH_TAIL;
    const packet p("em_packet_push_tail", scope, pktev);
    if (!p || len > p.tailroom()) {
        return p ? refuse_length("em_packet_push_tail", scope, len, p.tailroom()) : nullptr;
    }
    std::byte* const added = p.end();
    p.e->size += len;
    return added;
}

void* em_packet_pull_tail(em_event_t pktev, uint32_t len) {
    constexpr em_escope_t scope = EM_ESCOPE_PACKET_PULL_TAIL;
    const packet p("em_packet_pull_tail", scope, pktev);
    if (!p || len > most_to_pull(p)) {
        return p ? refuse_length("em_packet_pull_tail", scope, len, most_to_pull(p)) : nullptr;
    }
    p.e->size -= len;
    return p.end();
}

em_status_t em_packet_reset(em_event_t pktev, uint32_t size) {
    constexpr em_escope_t scope = EM_ESCOPE_PACKET_RESET;
    const packet p("em_packet_reset", scope, pktev);
    if (!p) {
        return p.status;
    }
    if (size > p.room()) {
        return refuse_call(EM_ERR_TOO_LARGE, scope, "em_packet_reset: %u bytes, in a subpool of %u", size, p.room());
    }
    p.e->begin = p.e->pool->payload_begin();
    p.e->size = size;
    p.e->has_number = false;
    return EM_OK;
}
