// SPDX-License-Identifier: Apache-2.0
#include "frontend/kernel/device_driver.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "base/port/process.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20; // a device's compiler may run on it
constexpr int rounds_of_measure = 5;
constexpr std::size_t bytes_of_measure = 64;

// Bytes from an alignment of 64 to the address. Arrays lie in the device's memory as they lie at home: those that are
// aligned for their elements here are so there.
std::uint64_t beyond_alignment(const std::byte* at) noexcept { return reinterpret_cast<std::uintptr_t>(at) % 64; }

double now() noexcept { return static_cast<double>(port::now_ns()); }

// The chunk did not run, and may run elsewhere.
class not_run : public std::exception {};

} // namespace

void shared_loop::fail(std::size_t side, std::uint64_t first, std::exception_ptr what) noexcept {
    if (thrown == nullptr || first < thrown_at) {
        thrown = std::move(what);
        thrown_at = first;
    }
    if (side == split::low) {
        shares.stop();
    } else {
        shares.leave(side);
    }
}

device_driver::device_driver(std::unique_ptr<fabric::device> device, std::string name, bool share)
    : device_(std::move(device)),
      name_(std::move(name)),
      share_(share && device_->describe().shares_memory) {
    thread_.start(stack_bytes, "skerry driver", &run_thread, this, std::nullopt, port::name_for::report);
}

device_driver::~device_driver() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    device_->kick();
    thread_.join();
}

device_counts device_driver::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

std::string device_driver::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

// --- claims ---------------------------------------------------------------------------------------------------------

bool device_driver::usable(const kernel_code& kernel) const {
    const auto found = kernels_.find(&kernel);
    return measured_ && failure_.empty() && found != kernels_.end() && found->second == build_state::built;
}

bool device_driver::try_claim(const kernel_code& kernel) {
    {
        const std::lock_guard lock(mutex_);
        if (usable(kernel) && !claimed_) {
            return claimed_ = true;
        }
        if (!failure_.empty() || kernels_.contains(&kernel)) {
            return false;
        }
        to_build_.push_back(&kernel);
        try {
            kernels_.emplace(&kernel, build_state::asked);
        } catch (...) {
            to_build_.pop_back();
            throw;
        }
    }
    device_->kick();
    return false;
}

bool device_driver::claim(const kernel_code& kernel) {
    if (try_claim(kernel)) {
        return true;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return !failure_.empty() || kernels_[&kernel] == build_state::refused || (usable(kernel) && !claimed_);
    });
    return usable(kernel) && (claimed_ = true);
}

void device_driver::release() {
    {
        const std::lock_guard lock(mutex_);
        claimed_ = false;
    }
    changed_.notify_all();
}

// --- the caller's side of a loop ------------------------------------------------------------------------------------

void device_driver::begin(shared_loop& loop) {
    {
        const std::lock_guard lock(mutex_);
        static_cast<void>(rates_[{loop.call.code, size_class(loop.call.iterations())}]); // made here, where it may fail
        const double at = now();
        loop.next = loop.shares.take(split::high, at);
        loop.low = loop.shares.take(split::low, at);
        if (loop.next.empty()) {
            loop.done = true;
            return;
        }
        loop_ = &loop;
    }
    device_->kick();
}

split_chunk device_driver::take_low(shared_loop& loop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const split_chunk chunk =
            loop.low.empty() ? loop.shares.take(split::low, now()) : std::exchange(loop.low, split_chunk{});
        if (!chunk.empty() || loop.done) {
            return chunk;
        }
        changed_.wait(lock);
    }
}

void device_driver::ended_low(shared_loop& loop, double took) {
    const std::lock_guard lock(mutex_);
    loop.shares.ended(split::low, took);
}

void device_driver::failed_low(shared_loop& loop, const split_chunk& chunk) {
    const std::lock_guard lock(mutex_);
    loop.fail(split::low, chunk.first, std::current_exception());
}

split_side device_driver::expected(const kernel_code& kernel, std::uint64_t iterations) const {
    const std::lock_guard lock(mutex_);
    const auto found = rates_.find({&kernel, size_class(iterations)});
    if (found == rates_.end()) {
        return {0, chunk_ns_, 0};
    }
    return {found->second.iteration.median(), chunk_ns_, found->second.once.median()};
}

// --- the driver's thread --------------------------------------------------------------------------------------------

void device_driver::run_thread(void* self) { static_cast<device_driver*>(self)->work(); }

void device_driver::work() {
    measure();
    std::unique_lock lock(mutex_);
    measured_ = true;
    changed_.notify_all();
    while (!stop_) {
        if (!to_build_.empty()) {
            const kernel_code* const kernel = to_build_.front();
            to_build_.pop_front();
            build(*kernel, lock);
        } else if (loop_ != nullptr) {
            serve(*std::exchange(loop_, nullptr), lock);
        } else {
            lock.unlock();
            static_cast<void>(device_->wait(port::forever)); // a kick since the unlock ends it
            lock.lock();
        }
    }
}

// What copies and a launch of nothing take: it is in front of and behind each chunk.
void device_driver::measure() {
    double least = 0;
    try {
        std::byte bytes[bytes_of_measure]{};
        const fabric::device_memory memory = device_->alloc(sizeof bytes);
        const fabric::device_extent extent{bytes, memory, 0, sizeof bytes};
        for (int round = 0; round < rounds_of_measure; ++round) {
            const double begin = now();
            device_->copy(fabric::direction::push, {&extent, 1}, {});
            static_cast<void>(await());
            device_->copy(fabric::direction::pull, {&extent, 1}, {});
            static_cast<void>(await());
            least = round == 0 ? now() - begin : std::min(least, now() - begin);
        }
        device_->free(memory);
    } catch (const std::bad_alloc&) { // then it has memory for no loop either
    } catch (const std::exception& e) {
        failed(e.what());
    }
    const std::lock_guard lock(mutex_);
    chunk_ns_ = least * 1.5 + static_cast<double>(device_->describe().launch_ns);
}

void device_driver::build(const kernel_code& kernel, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    bool built = true;
    try {
        device_->build(kernel);
    } catch (const std::exception& e) {
        built = false;
        try {
            port::write_stderr("skerry: kernel " + std::string(kernel.name) + " (" + kernel.body.file + ":" +
                               std::to_string(kernel.body.line) + ") cannot be built for " + name_ +
                               " and runs on workers: " + e.what() + "\n");
        } catch (const std::bad_alloc&) { // then nobody is told
        }
    }
    lock.lock();
    kernels_[&kernel] = built ? build_state::built : build_state::refused;
    counts_.failures += built ? 0U : 1U;
    changed_.notify_all();
}

fabric::device_completion device_driver::await() {
    for (;;) {
        if (auto back = device_->completed()) {
            return *std::move(back);
        }
        static_cast<void>(device_->wait(port::forever)); // all that was begun ends
    }
}

void device_driver::failed(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (!failure_.empty()) {
            return;
        }
        failure_ = why;
    }
    try {
        port::write_stderr("skerry: " + name_ + " has failed and is not used any more: " + why + "\n");
    } catch (const std::bad_alloc&) { // then nobody is told
    }
}

void device_driver::make_arrays(const shared_loop& loop, arrays& there) {
    const auto& pieces = loop.plan.pieces();
    there.pieces.reserve(pieces.size());
    for (const shared_bytes& piece : pieces) {
        there.pieces.push_back(share_ ? device_->share(piece.begin, piece.bytes)
                                      : device_->alloc(piece.bytes + beyond_alignment(piece.begin)));
    }
    if (!move(loop.plan, there, fabric::direction::push, loop.plan.before_all())) {
        throw not_run();
    }
    there.ready = true;
}

void device_driver::free_arrays(arrays& there) noexcept {
    for (const fabric::device_memory memory : there.pieces) {
        device_->free(memory);
    }
    there.pieces.clear();
}

std::uint64_t device_driver::offset_in(const shared_bytes& piece, const std::byte* at) const noexcept {
    return static_cast<std::uint64_t>(at - piece.begin) + (share_ ? 0 : beyond_alignment(piece.begin));
}

bool device_driver::move(const transfer_plan& plan, const arrays& there, fabric::direction way,
                         const std::vector<transfer>& what) {
    if (what.empty()) {
        return true;
    }
    std::vector<fabric::device_extent> extents;
    extents.reserve(what.size());
    for (const transfer& t : what) {
        extents.push_back({t.begin, there.pieces[t.piece], offset_in(plan.pieces()[t.piece], t.begin), t.bytes, t.rows,
                           t.pitch, t.pitch});
    }
    device_->copy(way, extents, {});
    if (!await().arrived) {
        return false;
    }
    if (!share_) {
        const std::lock_guard lock(mutex_);
        (way == fabric::direction::push ? counts_.bytes_in : counts_.bytes_out) += bytes_of(what);
    }
    return true;
}

std::exception_ptr device_driver::run_chunk(shared_loop& loop, const split_chunk& chunk, arrays& there) {
    const kernel_call& call = loop.call;
    if (!move(loop.plan, there, fabric::direction::push, loop.plan.before(chunk))) {
        throw not_run();
    }
    std::vector<fabric::device_argument> arguments(call.code->count);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const std::size_t piece = loop.plan.piece_of(k);
        if (call.arguments[k].value) {
            arguments[k].value = call.values[k];
        } else if (piece != transfer_plan::no_piece) {
            arguments[k].memory = there.pieces[piece];
            arguments[k].offset = offset_in(loop.plan.pieces()[piece], call.arguments[k].data);
        }
    }
    const auto index = [&call](std::uint64_t k) { return call.first + static_cast<long>(k); };
    device_->launch(*call.code, {index(chunk.first), index(chunk.last)}, arguments, {});
    fabric::device_completion end = await();
    if (end.thrown != nullptr) {
        return std::move(end.thrown);
    }
    if (!end.arrived && share_ && loop.plan.updates()) { // perhaps some of the program's own elements
        return std::make_exception_ptr(std::runtime_error("skerry: " + name_ + " has failed while kernel " +
                                                          call.code->name +
                                                          " updated memory that it shares: " + device_->failure()));
    }
    if (!end.arrived) {
        throw not_run();
    }
    if (!move(loop.plan, there, fabric::direction::pull, loop.plan.after(chunk))) {
        return std::make_exception_ptr(std::runtime_error("skerry: " + name_ +
                                                          " has failed while it brought home what kernel " +
                                                          call.code->name + " had written: " + device_->failure()));
    }
    return nullptr;
}

void device_driver::serve(shared_loop& loop, std::unique_lock<std::mutex>& lock) {
    arrays there;
    const unsigned length = size_class(loop.call.iterations());
    while (!loop.next.empty()) {
        const split_chunk chunk = loop.next;
        lock.unlock();
        double once = 0;
        double took = 0;
        bool ran = false;
        std::exception_ptr thrown;
        std::string why;
        try {
            if (!there.ready) {
                const double begin = now();
                make_arrays(loop, there);
                once = now() - begin;
            }
            const double begin = now();
            thrown = run_chunk(loop, chunk, there);
            took = now() - begin;
            ran = true;
            why = device_->failure();
        } catch (const not_run&) {
            why = device_->failure();
        } catch (const std::bad_alloc&) { // too little memory on the device, or here: workers need none
        } catch (const std::exception& e) {
            why = e.what();
        }
        if (!why.empty()) {
            failed(why);
        }
        lock.lock();
        loop.next = {};
        if (!ran) {
            ++counts_.failures;
            loop.shares.give_back(split::high);
        } else if (thrown != nullptr) {
            loop.fail(split::high, chunk.first, std::move(thrown));
        } else {
            ++counts_.launches;
            counts_.iterations += chunk.size();
            loop.shares.ended(split::high, took);
            const auto known = rates_.find({loop.call.code, length}); // begin() has made it
            const auto n = static_cast<double>(chunk.size());
            known->second.iteration.add(std::max(took - chunk_ns_, took / split::least_parts) / n);
            if (once != 0) {
                known->second.once.add(once);
            }
            loop.next = loop.shares.take(split::high, now());
        }
        changed_.notify_all();
    }
    lock.unlock();
    free_arrays(there);
    lock.lock();
    loop.done = true;
    changed_.notify_all();
}

} // namespace skerry::inline SKERRY_ABI::detail
