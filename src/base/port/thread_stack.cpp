// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread_stack.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>

#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/port/call_stack.hpp"
#include "base/port/lock_wait.hpp"
#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "base/port/thread_call.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

constexpr std::size_t most_calls = 64;

// --- by a signal ----------------------------------------------------------------------------------------------------

// Who is asked: a thread's number, or what has become of the question. The thread that finds its number here answers;
// who has waited long enough takes the question back, and a signal that arrives later finds none.
constexpr std::uint32_t nobody = 0;
constexpr std::uint32_t answering = ~std::uint32_t{0};
constexpr std::uint32_t answered = answering - 1;
constinit std::uint32_t asked = nobody;
constinit std::array<const void*, most_calls> answer{};
constinit std::size_t answer_size = 0;

constinit std::mutex readers_mutex; // guards what follows, and a question from its begin to its end
constinit unsigned readers = 0;     // that hold the signal
constinit int signal_taken = 0;     // 0: none
constinit pid_t taken_by = 0;       // which process: what readers of the parent of a fork hold is not held in the child

void on_signal(int /*number*/) {
    const int error = errno;
    std::uint32_t self = thread_number();
    if (__atomic_compare_exchange_n(&asked, &self, answering, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        answer_size = call_stack(answer);
        __atomic_store_n(&asked, answered, __ATOMIC_RELEASE);
    }
    errno = error;
}

bool has_default(int number) noexcept {
    struct sigaction before{};
    return ::sigaction(number, nullptr, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
           before.sa_handler == SIG_DFL;
}
bool is_ours(int number) noexcept {
    struct sigaction now{};
    return ::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == &on_signal;
}

// 0: the program has all of them, or the system refuses.
int take_signal() noexcept {
    struct sigaction ours{};
    ours.sa_handler = &on_signal;
    ours.sa_flags = SA_RESTART;
    ::sigfillset(&ours.sa_mask);
    for (int number = SIGRTMAX; number > SIGRTMIN; --number) {
        if (has_default(number) || is_ours(number)) { // ours: from the parent of a fork
            return ::sigaction(number, &ours, nullptr) == 0 ? number : 0;
        }
    }
    return 0;
}

// By way of being ignored: one that is still on its way would end the process.
void give_signal_back(int number) noexcept {
    struct sigaction none{};
    none.sa_handler = SIG_IGN;
    ::sigaction(number, &none, nullptr);
    none.sa_handler = SIG_DFL;
    ::sigaction(number, &none, nullptr);
}

bool wait_for_answer(std::uint32_t thread) noexcept {
    constexpr unsigned most_turns = 1000;
    constexpr std::uint64_t turn_ns = 100'000;
    for (unsigned turn = 0; turn < most_turns; ++turn) {
        if (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) == answered) {
            return true;
        }
        sleep_ns(turn_ns);
    }
    std::uint32_t unheard = thread;
    // If the thread has begun to answer, the answer stays its own until it is there: nobody is asked before.
    return !__atomic_compare_exchange_n(&asked, &unheard, nobody, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
           unheard == answered;
}

// Precondition: the mutex is held.
std::vector<const void*> ask(std::uint32_t thread) {
    std::uint32_t before = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    if (before == answering) {
        return {};
    }
    __atomic_store_n(&asked, thread, __ATOMIC_RELEASE);
    if (::syscall(SYS_tgkill, ::getpid(), thread, signal_taken) != 0) {
        __atomic_store_n(&asked, nobody, __ATOMIC_RELEASE);
        return {};
    }
    if (!wait_for_answer(thread)) {
        return {};
    }
    std::vector<const void*> calls;
    calls.assign(answer.data(), answer.data() + answer_size); // of a constructor that does it GCC 12 warns wrongly
    return calls;
}

// --- from outside ---------------------------------------------------------------------------------------------------

struct range {
    std::uintptr_t first, last;
};

std::vector<range> loaded_code() {
    std::vector<range> found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* to) {
            for (const auto& segment : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
                if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
                    const std::uintptr_t first = module->dlpi_addr + segment.p_vaddr;
                    static_cast<std::vector<range>*>(to)->push_back({first, first + segment.p_memsz});
                }
            }
            return 0;
        },
        &found);
    return found;
}

bool read_bytes(std::uintptr_t from, std::span<unsigned char> to) noexcept {
    const peer_range range{.here = to.data(), .there = from, .bytes = to.size()};
    return read_peer(process_id(), {&range, 1}) == to.size();
}

// Whether a call stands before this address.
bool follows_call(std::uintptr_t address) noexcept {
#if defined(__x86_64__)
    std::array<unsigned char, 7> before{};
    if (!read_bytes(address - before.size(), before)) {
        return false;
    }
    if (before[2] == 0xe8) { // call to an offset of 32 bits
        return true;
    }
    for (std::size_t i = 0; i + 1 < before.size(); ++i) {
        if (before[i] == 0xff && (before[i + 1] & 0x38U) == 0x10) { // call through a register or memory
            return true;
        }
    }
    return false;
#elif defined(__aarch64__)
    std::array<unsigned char, 4> before{};
    if (address % 4 != 0 || !read_bytes(address - before.size(), before)) {
        return false;
    }
    const std::uint32_t instruction = before[0] | static_cast<std::uint32_t>(before[1]) << 8U |
                                      static_cast<std::uint32_t>(before[2]) << 16U |
                                      static_cast<std::uint32_t>(before[3]) << 24U;
    return (instruction & 0xfc00'0000U) == 0x9400'0000U || (instruction & 0xffff'fc1fU) == 0xd63f'0000U;
#else
    return address != 0;
#endif
}

std::vector<const void*> scan(const thread_call& at) {
    constexpr std::size_t most_words = 4096;
    const std::vector<range> code = loaded_code();
    std::vector<const void*> found{reinterpret_cast<const void*>(at.code)};
    std::uintptr_t word = 0;
    std::array<unsigned char, sizeof word> bytes{};
    for (std::size_t i = 0; i < most_words && found.size() < most_calls; ++i) {
        if (!read_bytes(at.stack + i * sizeof word, bytes)) {
            break; // the end of the stack
        }
        word = __builtin_bit_cast(std::uintptr_t, bytes);
        const auto holds = [word](const range& r) { return word >= r.first && word < r.last; };
        if (std::ranges::any_of(code, holds) && follows_call(word)) {
            found.push_back(reinterpret_cast<const void*>(word));
        }
    }
    return found;
}

} // namespace

std::mutex& thread_stacks_mutex() noexcept { return readers_mutex; }

thread_stack_reader::~thread_stack_reader() {
    if (holds_in_ == ::getpid()) {
        const std::lock_guard lock(readers_mutex);
        if (--readers == 0 && signal_taken != 0) {
            if (is_ours(signal_taken)) {
                give_signal_back(signal_taken);
            }
            signal_taken = 0;
        }
    }
}

thread_stack thread_stack_reader::read(std::uint32_t thread) {
    const std::optional<thread_call> at = call_of_thread(thread);
    if (!at) {
        return {};
    }
    if (at->may_be_interrupted()) {
        const std::lock_guard lock(readers_mutex);
        if (taken_by != ::getpid()) {
            taken_by = ::getpid();
            readers = 0;
            signal_taken = 0;
            __atomic_store_n(&asked, nobody, __ATOMIC_RELEASE);
        }
        if (holds_in_ != taken_by) {
            holds_in_ = taken_by;
            if (readers++ == 0) {
                signal_taken = take_signal();
            }
        }
        if (signal_taken != 0 && is_ours(signal_taken)) {
            if (thread_stack found{.calls = ask(thread), .exact = true}; !found.calls.empty()) {
                return found;
            }
        }
    }
    return at->running ? thread_stack{} : thread_stack{.calls = scan(*at), .exact = false};
}

} // namespace skerry::inline SKERRY_ABI::port
