// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "functions.hpp"

namespace skerry::test {

namespace {

constexpr em_status_t not_there = status_of(EM_ERR_NOT_IMPLEMENTED);

em_event_t packet(const full_core& c) { return em_alloc(100, EM_EVENT_TYPE_PACKET, c.packets); }

const right_calls all = {
    // of pools
    {"em_pool_cfg_init",
     [](full_core&) {
         em_pool_cfg_t c;
         em_pool_cfg_init(&c);
         return c.num_subpools == 1;
     }},
    {"em_pool_create", [](full_core&) { return make_pool(pool_config(8, 8), "another") != EM_POOL_UNDEF; }},
    {"em_pool_delete",
     [](full_core& c) { return em_pool_delete(c.packets) == EM_OK && em_pool_find("packets") == EM_POOL_UNDEF; }},
    {"em_pool_find", [](full_core& c) { return em_pool_find("packets") == c.packets; }},
    {"em_pool_get_name", [](full_core& c) { return name_of(em_pool_get_name, c.packets) == "packets"; }},
    {"em_pool_get_first",
     [](full_core&) {
         unsigned count = 0;
         return em_pool_get_first(&count) == EM_POOL_DEFAULT && count == 3;
     }},
    {"em_pool_get_next",
     [](full_core& c) {
         return gone_through(em_pool_get_first(nullptr), em_pool_get_next) ==
                std::vector{EM_POOL_DEFAULT, c.pool, c.packets};
     }},
    {"em_pool_info",
     [](full_core& c) {
         em_pool_info_t info{};
         return em_pool_info(c.packets, &info) == EM_OK && info.subpool[0].num == 16 && info.subpool[0].size == 256;
     }},
    {"em_pool_info_print", [](full_core& c) { return prints("packets", [&] { em_pool_info_print(c.packets); }); }},
    {"em_pool_info_print_all", [](full_core&) { return prints("packets", [&] { em_pool_info_print_all(); }); }},
    {"em_pool_get_num_subpools", [](full_core& c) { return em_pool_get_num_subpools(c.pool) == 1; }},
    {"em_pool_stats",
     [](full_core& c) {
         em_pool_stats_t stats{};
         return em_pool_stats(c.packets, &stats) == EM_OK && stats.num_subpools == 1 &&
                stats.subpool_stats[0].available == 16;
     }},
    {"em_pool_stats_reset",
     [](full_core& c) {
         em_free(em_alloc(8, EM_EVENT_TYPE_SW, c.pool));
         em_pool_stats_t stats{};
         return em_pool_stats_reset(c.pool) == EM_OK && em_pool_stats(c.pool, &stats) == EM_OK &&
                stats.subpool_stats[0].total_ops == 0;
     }},
    {"em_pool_stats_print",
     [](full_core& c) { return prints("available 16", [&] { em_pool_stats_print(c.packets); }); }},
    {"em_pool_subpool_stats",
     [](full_core& c) {
         em_pool_subpool_stats_t stats{};
         const int first = 0;
         return em_pool_subpool_stats(c.packets, &first, 1, &stats) == 1 && stats.available == 16;
     }},
    {"em_pool_subpool_stats_reset",
     [](full_core& c) {
         em_free(em_alloc(8, EM_EVENT_TYPE_SW, c.pool));
         em_pool_subpool_stats_t stats{};
         const int first = 0;
         return em_pool_subpool_stats_reset(c.pool, &first, 1) == EM_OK &&
                em_pool_subpool_stats(c.pool, &first, 1, &stats) == 1 && stats.total_ops == 0;
     }},
    {"em_pool_subpool_stats_print",
     [](full_core& c) {
         const int first = 0;
         return prints("available 16", [&] { em_pool_subpool_stats_print(c.packets, &first, 1); });
     }},
    {"em_pool_stats_selected",
     [](full_core& c) {
         em_pool_stats_opt_t only{};
         only.available = 1;
         em_pool_stats_selected_t stats{};
         return em_pool_stats_selected(c.packets, &stats, &only) == EM_OK && stats.subpool_stats[0].available == 16;
     }},
    {"em_pool_stats_selected_print",
     [](full_core& c) {
         em_pool_stats_opt_t only{};
         only.available = 1;
         return prints("available 16", [&] { em_pool_stats_selected_print(c.packets, &only); });
     }},
    {"em_pool_subpool_stats_selected",
     [](full_core& c) {
         em_pool_stats_opt_t only{};
         only.available = 1;
         em_pool_subpool_stats_selected_t stats{};
         const int first = 0;
         return em_pool_subpool_stats_selected(c.packets, &first, 1, &stats, &only) == 1 && stats.available == 16;
     }},
    {"em_pool_subpool_stats_selected_print",
     [](full_core& c) {
         em_pool_stats_opt_t only{};
         only.available = 1;
         const int first = 0;
         return prints("available 16", [&] { em_pool_subpool_stats_selected_print(c.packets, &first, 1, &only); });
     }},
    {"em_pool_to_u64", [](full_core& c) { return em_pool_to_u64(c.pool) != em_pool_to_u64(c.packets); }},

    // of events
    {"em_alloc",
     [](full_core& c) {
         return with(em_alloc(64, EM_EVENT_TYPE_SW, c.pool), [](em_event_t e) { return e != EM_EVENT_UNDEF; });
     }},
    {"em_alloc_multi",
     [](full_core& c) {
         std::array<em_event_t, 3> some{};
         const int n = em_alloc_multi(some.data(), 3, 64, EM_EVENT_TYPE_SW, c.pool);
         em_free_multi(some.data(), n);
         return n == 3;
     }},
    {"em_free",
     [](full_core&) {
         em_free(make_event());
         return free_events(64) == 64;
     }},
    {"em_free_multi",
     [](full_core&) {
         std::array<em_event_t, 2> some{make_event(), make_event()};
         em_free_multi(some.data(), 2);
         return free_events(64) == 64;
     }},
    {"em_send", [](full_core& c) { return received(c, [](em_event_t e) { return value_of(e) == 1; }); }},
    {"em_send_multi",
     [](full_core& c) {
         const std::array<em_event_t, 2> some{make_event(), make_event()};
         const int n = em_send_multi(some.data(), 2, c.here.queue);
         full_core::dispatch(2);
         return n == 2;
     }},
    {"em_event_pointer",
     [](full_core&) {
         return with(make_event(7), [](em_event_t e) { return *static_cast<int*>(em_event_pointer(e)) == 7; });
     }},
    {"em_event_pointer_and_size",
     [](full_core&) {
         return with(make_event(7), [](em_event_t e) {
             std::uint32_t size = 0;
             return *static_cast<int*>(em_event_pointer_and_size(e, &size)) == 7 && size == 8;
         });
     }},
    {"em_event_get_size",
     [](full_core&) { return with(make_event(), [](em_event_t e) { return em_event_get_size(e) == 8; }); }},
    {"em_event_get_pool",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) { return em_event_get_pool(e) == EM_POOL_DEFAULT; });
     }},
    {"em_event_get_pool_subpool",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             int subpool = -1;
             return em_event_get_pool_subpool(e, &subpool) == EM_POOL_DEFAULT && subpool == 0;
         });
     }},
    {"em_event_set_type",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             const em_event_type_t own = EM_EVENT_TYPE_SW + 3;
             return em_event_set_type(e, own) == EM_OK && em_event_get_type(e) == own;
         });
     }},
    {"em_event_get_type",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) { return em_event_get_type(e) == EM_EVENT_TYPE_SW; });
     }},
    {"em_event_get_type_multi",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_type_t type = 0;
             return em_event_get_type_multi(&e, 1, &type) == 1 && type == EM_EVENT_TYPE_SW;
         });
     }},
    {"em_event_same_type_multi",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_type_t type = 0;
             return em_event_same_type_multi(&e, 1, &type) == 1 && type == EM_EVENT_TYPE_SW;
         });
     }},
    {"em_event_mark_send",
     [](full_core& c) {
         return with(make_event(), [&](em_event_t e) {
             return em_event_mark_send(e, c.here.queue) == EM_OK && em_event_unmark_send(e) == EM_OK;
         });
     }},
    {"em_event_unmark_send",
     [](full_core& c) {
         return with(make_event(), [&](em_event_t e) {
             return em_event_mark_send(e, c.here.queue) == EM_OK && em_event_unmark_send(e) == EM_OK;
         });
     }},
    {"em_event_mark_free",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_mark_free(e);
             em_event_unmark_free(e);
             return true;
         });
     }},
    {"em_event_unmark_free",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_mark_free(e);
             em_event_unmark_free(e);
             return true;
         });
     }},
    {"em_event_mark_free_multi",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_mark_free_multi(&e, 1);
             em_event_unmark_free_multi(&e, 1);
             return true;
         });
     }},
    {"em_event_unmark_free_multi",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_mark_free_multi(&e, 1);
             em_event_unmark_free_multi(&e, 1);
             return true;
         });
     }},
    {"em_event_clone",
     [](full_core& c) {
         return with(make_event(7), [&](em_event_t e) { return free_value(em_event_clone(e, c.pool)) == 7; });
     }},
    {"em_event_clone_part",
     [](full_core& c) {
         return with(packet(c), [&](em_event_t e) {
             std::memset(em_event_pointer(e), 3, 100);
             return with(em_event_clone_part(e, c.packets, 10, 4, false), [](em_event_t part) {
                 return em_event_get_size(part) == 4 && *static_cast<char*>(em_event_pointer(part)) == 3;
             });
         });
     }},
    {"em_event_uarea_get",
     [](full_core& c) {
         return with(em_alloc(8, EM_EVENT_TYPE_SW, c.pool), [](em_event_t e) {
             std::size_t size = 0;
             return em_event_uarea_get(e, &size) != nullptr && size == 16;
         });
     }},
    {"em_event_uarea_id_get",
     [](full_core& c) {
         return with(em_alloc(8, EM_EVENT_TYPE_SW, c.pool), [](em_event_t e) {
             bool isset = true;
             return em_event_uarea_id_get(e, &isset, nullptr) == EM_OK && !isset;
         });
     }},
    {"em_event_uarea_id_set",
     [](full_core& c) {
         return with(em_alloc(8, EM_EVENT_TYPE_SW, c.pool), [](em_event_t e) {
             std::uint16_t id = 0;
             return em_event_uarea_id_set(e, 9) == EM_OK && em_event_uarea_id_get(e, nullptr, &id) == EM_OK && id == 9;
         });
     }},
    {"em_event_uarea_info",
     [](full_core& c) {
         return with(em_alloc(8, EM_EVENT_TYPE_SW, c.pool), [](em_event_t e) {
             em_event_uarea_info_t info{};
             return em_event_uarea_info(e, &info) == EM_OK && info.size == 16;
         });
     }},
    {"em_event_to_u64",
     [](full_core&) { return with(make_event(), [](em_event_t e) { return em_event_to_u64(e) != 0; }); }},
    {"skerry_em_alloc_wait",
     [](full_core& c) {
         em_event_t got = EM_EVENT_UNDEF;
         std::thread([&] { got = skerry_em_alloc_wait(8, EM_EVENT_TYPE_SW, c.pool, UINT64_MAX); }).join();
         return with(got, [](em_event_t e) { return e != EM_EVENT_UNDEF; });
     }},

    // References, vectors and rings are not there: right is that they say so.
    {"em_event_ref",
     [](full_core&) { return with(make_event(), [](em_event_t e) { return em_event_ref(e) == EM_EVENT_UNDEF; }); }},
    {"em_event_has_ref",
     [](full_core&) { return with(make_event(), [](em_event_t e) { return !em_event_has_ref(e); }); }},
    {"em_event_vector_free",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_vector_free(e);
             return true;
         });
     }},
    {"em_event_vector_tbl",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_t* table = nullptr;
             return em_event_vector_tbl(e, &table) == 0;
         });
     }},
    {"em_event_vector_size",
     [](full_core&) { return with(make_event(), [](em_event_t e) { return em_event_vector_size(e) == 0; }); }},
    {"em_event_vector_size_set",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_vector_size_set(e, 1);
             return true;
         });
     }},
    {"em_event_vector_max_size",
     [](full_core&) { return with(make_event(), [](em_event_t e) { return em_event_vector_max_size(e) == 0; }); }},
    {"em_event_vector_info",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) {
             em_event_vector_info_t info{};
             return em_event_vector_info(e, &info) == not_there;
         });
     }},
    {"em_timer_ring_capability",
     [](full_core&) {
         em_timer_ring_param_t ring{};
         return em_timer_ring_capability(&ring) == not_there;
     }},
    {"em_timer_ring_attr_init",
     [](full_core&) {
         em_timer_attr_t attr;
         return em_timer_ring_attr_init(&attr, EM_TIMER_CLKSRC_DEFAULT, 100, 8, 0) == not_there;
     }},
    {"em_timer_ring_create",
     [](full_core&) {
         const em_timer_attr_t attr{};
         return em_timer_ring_create(&attr) == EM_TIMER_UNDEF;
     }},
    {"em_tmo_get_userptr",
     [](full_core&) {
         return with(make_event(), [](em_event_t e) { return em_tmo_get_userptr(e, nullptr) == nullptr; });
     }},
    {"em_tmo_set_periodic_ring",
     [](full_core& c) {
         return with(make_event(),
                     [&](em_event_t e) { return em_tmo_set_periodic_ring(c.often, 0, 1, e) == not_there; });
     }},

    // of packets
    {"em_packet_pointer",
     [](full_core& c) {
         return with(packet(c), [](em_event_t e) { return em_packet_pointer(e) == em_event_pointer(e); });
     }},
    {"em_packet_size",
     [](full_core& c) { return with(packet(c), [](em_event_t e) { return em_packet_size(e) == 100; }); }},
    {"em_packet_pointer_and_size",
     [](full_core& c) {
         return with(packet(c), [](em_event_t e) {
             std::uint32_t size = 0;
             return em_packet_pointer_and_size(e, &size) != nullptr && size == 100;
         });
     }},
    {"em_packet_resize",
     [](full_core& c) {
         return with(packet(c),
                     [](em_event_t e) { return em_packet_resize(e, 50) != nullptr && em_packet_size(e) == 50; });
     }},
    {"em_packet_headroom",
     [](full_core& c) { return with(packet(c), [](em_event_t e) { return em_packet_headroom(e) >= 128; }); }},
    {"em_packet_tailroom",
     [](full_core& c) { return with(packet(c), [](em_event_t e) { return em_packet_tailroom(e) >= 156; }); }},
    {"em_packet_push_head",
     [](full_core& c) {
         return with(packet(c),
                     [](em_event_t e) { return em_packet_push_head(e, 8) != nullptr && em_packet_size(e) == 108; });
     }},
    {"em_packet_pull_head",
     [](full_core& c) {
         return with(packet(c),
                     [](em_event_t e) { return em_packet_pull_head(e, 8) != nullptr && em_packet_size(e) == 92; });
     }},
    {"em_packet_push_tail",
     [](full_core& c) {
         return with(packet(c),
                     [](em_event_t e) { return em_packet_push_tail(e, 8) != nullptr && em_packet_size(e) == 108; });
     }},
    {"em_packet_pull_tail",
     [](full_core& c) {
         return with(packet(c),
                     [](em_event_t e) { return em_packet_pull_tail(e, 8) != nullptr && em_packet_size(e) == 92; });
     }},
    {"em_packet_reset",
     [](full_core& c) {
         return with(packet(c),
                     [](em_event_t e) { return em_packet_reset(e, 60) == EM_OK && em_packet_size(e) == 60; });
     }},
};

} // namespace

const right_calls& calls_of_events() { return all; }

} // namespace skerry::test
