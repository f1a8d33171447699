// SPDX-License-Identifier: Apache-2.0
// Written by tools/generate from spec/trace_events.toml; change that file.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

enum class trace_event : std::uint16_t {
    // A task was made and handed to the runtime. A branch of a fork that nobody steals has no event of its own.
    spawn = 1,
    // Nothing stands before the task any more. Tasks that declare no accesses are ready when they are spawned and
    // have no such event.
    ready = 2,
    // The executor begins the task.
    start = 3,
    // The task has run, also if it threw.
    end = 4,
    // The executor took a task of another one.
    steal = 5,
    // The executor waits; what it runs meanwhile lies inside the slice.
    wait = 6,
    // The wait is over.
    resume = 7,
    // The executor gives its processor back until somebody wakes it.
    sleep = 8,
    // It runs again.
    wake = 9,
    // A thread from outside takes the slot.
    enter = 10,
    // It gives the slot back.
    leave = 11,
    // Data begins to move between two domains.
    transfer = 12,
    // All of it is there.
    arrive = 13,
    // A software-coherent executor writes its cache back, so that others can see what it wrote.
    publish = 14,
    // A software-coherent executor forgets what its cache holds, so that it sees what others wrote.
    discard = 15,
    // The executor begins something that has a name and is no task of its own: a branch that it runs in place, a
    // loop or another algorithm that it calls, the body of a `finish`.
    section = 16,
    // It has ended, also if it threw.
    section_end = 17,
    // An event of the event machine is sent by a thread that holds a slot. Its receive function is shown as a task.
    send = 18,
    // A core takes events of a queue to receive them, and with an atomic queue its context.
    take_queue = 19,
};

// One event. It is written as four words of 64 bits.
struct trace_record {
    // Ticks of the clock that the writer was given: the processor's counter on threads, cycles on a simulated core.
    std::uint64_t time;
    // Which task, or what else the event is about; an address may be used again once the task has ended. An id with
    // the highest bit set is one for all domains of the trace.
    std::uint64_t task;
    // What the event says it is; 0 if it has none.
    std::uint64_t argument;
    // Who wrote the event: number of a slot, a core, a queue; counted in each domain from 0.
    std::uint32_t executor;
    // What the event says it is; 0 if it has none.
    std::uint16_t detail;
    // Which event.
    trace_event event;
};
static_assert(sizeof(trace_record) == 32);

// What an event is in a picture of the run.
enum class trace_shape : std::uint8_t { instant, begin, end, async_begin, async_end };

// What a field holds.
enum class trace_type : std::uint8_t { none, task, subject, code, text, executor, domain, route, bytes, choice };

// The named of spawn: what stands at the address `code`: code, a literal with the task's name, or a literal with
// the compiler's words for the task's type.
enum class task_naming : std::uint16_t { code, text, type };
inline constexpr std::array<const char*, 3> task_naming_words{"code", "text", "type"};

// The how of steal: by which way.
enum class steal_how : std::uint16_t { asked, forced, fetched, interrupt, message };
inline constexpr std::array<const char*, 5> steal_how_words{"asked", "forced", "fetched", "interrupt", "message"};

// The step of publish: of the protocol, as `coherence_step` in the program counts them.
enum class trace_step : std::uint16_t {
    gate_entered,
    gate_left,
    request_sent,
    request_taken,
    reply_sent,
    reply_taken,
    task_ended,
    task_joined,
    handed_over,
    found,
    turn_passed,
    turn_taken,
};
inline constexpr std::array<const char*, 12> trace_step_words{
    "gate_entered", "gate_left",   "request_sent", "request_taken", "reply_sent",  "reply_taken",
    "task_ended",   "task_joined", "handed_over",  "found",         "turn_passed", "turn_taken"};

struct trace_field {
    trace_type type = trace_type::none;
    const char* name = "";
    std::span<const char* const> words = {}; // of a choice
};

struct trace_event_info {
    trace_event event;
    trace_shape shape;
    trace_event closes; // an end: what it belongs to; else the event itself
    const char* name;
    const char* words; // for people
    trace_field task;
    trace_field argument;
    trace_field detail;
};

// In the order of their numbers.
inline constexpr std::array<trace_event_info, 19> trace_events{{
    {.event = trace_event::spawn,
     .shape = trace_shape::instant,
     .closes = trace_event::spawn,
     .name = "spawn",
     .words = "spawn",
     .task = {.type = trace_type::task, .name = "task"},
     .argument = {.type = trace_type::code, .name = "code"},
     .detail = {.type = trace_type::choice, .name = "named", .words = task_naming_words}},
    {.event = trace_event::ready,
     .shape = trace_shape::instant,
     .closes = trace_event::ready,
     .name = "ready",
     .words = "ready",
     .task = {.type = trace_type::task, .name = "task"},
     .argument = {.type = trace_type::subject, .name = "by"},
     .detail = {}},
    {.event = trace_event::start,
     .shape = trace_shape::begin,
     .closes = trace_event::start,
     .name = "start",
     .words = "task",
     .task = {.type = trace_type::task, .name = "task"},
     .argument = {.type = trace_type::code, .name = "code"},
     .detail = {.type = trace_type::choice, .name = "named", .words = task_naming_words}},
    {.event = trace_event::end,
     .shape = trace_shape::end,
     .closes = trace_event::start,
     .name = "end",
     .words = "end of task",
     .task = {.type = trace_type::task, .name = "task"},
     .argument = {},
     .detail = {}},
    {.event = trace_event::steal,
     .shape = trace_shape::instant,
     .closes = trace_event::steal,
     .name = "steal",
     .words = "steal",
     .task = {.type = trace_type::task, .name = "task"},
     .argument = {.type = trace_type::executor, .name = "victim"},
     .detail = {.type = trace_type::choice, .name = "how", .words = steal_how_words}},
    {.event = trace_event::wait,
     .shape = trace_shape::begin,
     .closes = trace_event::wait,
     .name = "wait",
     .words = "wait",
     .task = {.type = trace_type::subject, .name = "subject"},
     .argument = {.type = trace_type::text, .name = "reason"},
     .detail = {}},
    {.event = trace_event::resume,
     .shape = trace_shape::end,
     .closes = trace_event::wait,
     .name = "resume",
     .words = "end of wait",
     .task = {.type = trace_type::subject, .name = "subject"},
     .argument = {},
     .detail = {}},
    {.event = trace_event::sleep,
     .shape = trace_shape::begin,
     .closes = trace_event::sleep,
     .name = "sleep",
     .words = "sleep",
     .task = {},
     .argument = {},
     .detail = {}},
    {.event = trace_event::wake,
     .shape = trace_shape::end,
     .closes = trace_event::sleep,
     .name = "wake",
     .words = "end of sleep",
     .task = {},
     .argument = {},
     .detail = {}},
    {.event = trace_event::enter,
     .shape = trace_shape::begin,
     .closes = trace_event::enter,
     .name = "enter",
     .words = "inside the runtime",
     .task = {},
     .argument = {},
     .detail = {}},
    {.event = trace_event::leave,
     .shape = trace_shape::end,
     .closes = trace_event::enter,
     .name = "leave",
     .words = "end of the stay",
     .task = {},
     .argument = {},
     .detail = {}},
    {.event = trace_event::transfer,
     .shape = trace_shape::async_begin,
     .closes = trace_event::transfer,
     .name = "transfer",
     .words = "transfer",
     .task = {.type = trace_type::subject, .name = "id"},
     .argument = {.type = trace_type::bytes, .name = "size"},
     .detail = {.type = trace_type::route, .name = "route"}},
    {.event = trace_event::arrive,
     .shape = trace_shape::async_end,
     .closes = trace_event::transfer,
     .name = "arrive",
     .words = "end of transfer",
     .task = {.type = trace_type::subject, .name = "id"},
     .argument = {},
     .detail = {}},
    {.event = trace_event::publish,
     .shape = trace_shape::instant,
     .closes = trace_event::publish,
     .name = "publish",
     .words = "publish",
     .task = {},
     .argument = {.type = trace_type::bytes, .name = "size"},
     .detail = {.type = trace_type::choice, .name = "step", .words = trace_step_words}},
    {.event = trace_event::discard,
     .shape = trace_shape::instant,
     .closes = trace_event::discard,
     .name = "discard",
     .words = "discard",
     .task = {},
     .argument = {.type = trace_type::bytes, .name = "size"},
     .detail = {.type = trace_type::choice, .name = "step", .words = trace_step_words}},
    {.event = trace_event::section,
     .shape = trace_shape::begin,
     .closes = trace_event::section,
     .name = "section",
     .words = "section",
     .task = {},
     .argument = {.type = trace_type::code, .name = "code"},
     .detail = {.type = trace_type::choice, .name = "named", .words = task_naming_words}},
    {.event = trace_event::section_end,
     .shape = trace_shape::end,
     .closes = trace_event::section,
     .name = "section_end",
     .words = "end of section",
     .task = {},
     .argument = {},
     .detail = {}},
    {.event = trace_event::send,
     .shape = trace_shape::instant,
     .closes = trace_event::send,
     .name = "send",
     .words = "send",
     .task = {.type = trace_type::task, .name = "event"},
     .argument = {.type = trace_type::subject, .name = "queue"},
     .detail = {}},
    {.event = trace_event::take_queue,
     .shape = trace_shape::instant,
     .closes = trace_event::take_queue,
     .name = "take_queue",
     .words = "queue taken",
     .task = {.type = trace_type::subject, .name = "queue"},
     .argument = {},
     .detail = {}},
}};

// One call for each event, for whoever can `put` a record.
template <class Writer>
class trace_calls {
  public:
    void spawn(std::uint64_t task, std::uint64_t code, task_naming named) const noexcept {
        self().put(trace_event::spawn, task, code, static_cast<std::uint16_t>(named));
    }
    void ready(std::uint64_t task, std::uint64_t by) const noexcept { self().put(trace_event::ready, task, by); }
    void start(std::uint64_t task, std::uint64_t code, task_naming named) const noexcept {
        self().put(trace_event::start, task, code, static_cast<std::uint16_t>(named));
    }
    void end(std::uint64_t task) const noexcept { self().put(trace_event::end, task); }
    void steal(std::uint64_t task, std::uint64_t victim, steal_how how) const noexcept {
        self().put(trace_event::steal, task, victim, static_cast<std::uint16_t>(how));
    }
    void wait(std::uint64_t subject, std::uint64_t reason) const noexcept {
        self().put(trace_event::wait, subject, reason);
    }
    void resume(std::uint64_t subject) const noexcept { self().put(trace_event::resume, subject); }
    void sleep() const noexcept { self().put(trace_event::sleep); }
    void wake() const noexcept { self().put(trace_event::wake); }
    void enter() const noexcept { self().put(trace_event::enter); }
    void leave() const noexcept { self().put(trace_event::leave); }
    void transfer(std::uint64_t id, std::uint64_t size, std::uint16_t route) const noexcept {
        self().put(trace_event::transfer, id, size, route);
    }
    void arrive(std::uint64_t id) const noexcept { self().put(trace_event::arrive, id); }
    void publish(std::uint64_t size, trace_step step) const noexcept {
        self().put(trace_event::publish, 0, size, static_cast<std::uint16_t>(step));
    }
    void discard(std::uint64_t size, trace_step step) const noexcept {
        self().put(trace_event::discard, 0, size, static_cast<std::uint16_t>(step));
    }
    void section(std::uint64_t code, task_naming named) const noexcept {
        self().put(trace_event::section, 0, code, static_cast<std::uint16_t>(named));
    }
    void section_end() const noexcept { self().put(trace_event::section_end); }
    void send(std::uint64_t event, std::uint64_t queue) const noexcept { self().put(trace_event::send, event, queue); }
    void take_queue(std::uint64_t queue) const noexcept { self().put(trace_event::take_queue, queue); }

  private:
    friend Writer;
    trace_calls() noexcept = default;
    [[nodiscard]] const Writer& self() const noexcept { return static_cast<const Writer&>(*this); }
};

} // namespace skerry::inline SKERRY_ABI::detail
