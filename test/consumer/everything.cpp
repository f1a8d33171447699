// SPDX-License-Identifier: Apache-2.0

// A program that uses every public function, class and object of the headers in include/skerry, so that what the
// installed libraries lack is found when it is linked. tools/check_public holds it complete. everything_serial.cpp is
// the same program as its serial elision.

#include <algorithm>
#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef EVERYTHING_SERIAL
#include <skerry/serial.hpp>
namespace par = skerry::serial;
#else
#include <skerry/event.h>
#include <skerry/launch.hpp>
#include <skerry/skerry.hpp>
namespace par = skerry;
#endif

namespace {

SKERRY_KERNEL(scaled, (const float* x, float* y, float by), {
    SKERRY_GLOBAL const float* one = x + i;
    y[i] = by * one[0];
})
SKERRY_DEVICE_BODY(scaled, opencl, { y[i] = by * x[i]; })

constexpr int count = 5000;

std::vector<int> numbers() {
    std::vector<int> v(count);
    std::iota(v.begin(), v.end(), 0);
    return v;
}

template <class E, class F>
bool throws(F f) {
    try {
        f();
    } catch (const E& e) {
        return e.what()[0] != '\0';
    }
    return false;
}

// --- fork and join --------------------------------------------------------------------------------------------------

struct job { // a coroutine that begins at once and is destroyed at its end
    struct promise_type {
        job get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

job await_into(int& result) {
    result = co_await par::submit([] { return 40; }) + 2;
}

bool invokes() {
    const auto [x, y, nothing] = par::parallel_invoke([] { return 1; }, [] { return 2.5; }, [] {});
    static_cast<void>(nothing);
    int a = 0, b = 0;
    par::parallel_invoke([&] { a = 1; }, [&] { b = 2; });
    const auto body = [] { return 3; };
    static_assert(par::branch<decltype(body)>);
    return x == 1 && y == 2.5 && a == 1 && b == 2 && par::blocking(body) == 3 && par::may_be_stale(a) == 1 &&
           par::region_of_interest([&]() -> int& { return b; }) == 2;
}

bool futures() {
    par::future<std::string> f = par::submit([] { return std::string("text"); });
    const bool valid = f.valid();
    f.wait();
    const bool ready = f.ready();
    par::future<void> failing = par::submit([] { throw std::runtime_error("as it should"); });
    int awaited = 0;
    par::finish([&](par::scope&) { await_into(awaited); });
    return valid && ready && f.get() == "text" && throws<std::runtime_error>([&] { failing.get(); }) && awaited == 42 &&
           throws<std::logic_error>([&] { f.wait(); });
}

bool scopes() {
    std::vector<int> v(100);
    const auto body = [&](par::scope& s) {
        for (int& x : v) s.async([&x] { x = 1; });
        return 7;
    };
    static_assert(par::finish_body<decltype(body)>);
    const int result = par::finish(body);
    return result == 7 && std::ranges::count(v, 1) == 100;
}

bool groups() {
    std::vector<int> v(100);
    par::task_group g;
    for (int& x : v) g.run([&x] { x = par::stop_requested() ? 2 : 1; });
    const bool complete = g.wait() == par::group_status::complete;
    g.cancel();
    g.run([&v] { v[0] = 3; });
    const bool cancelled = g.wait() == par::group_status::cancelled;
    return complete && cancelled && std::ranges::count(v, 1) == 100 && par::cancelled().what()[0] == 's';
}

class fib_task final : public par::task {
  public:
    fib_task(int n, long* result) : n_(n), result_(result) {}
    void execute() override {
        if (n_ < 2) {
            *result_ = n_;
            return;
        }
        long x = 0, y = 0;
        fib_task a(n_ - 1, &x), b(n_ - 2, &y);
        this->set_reference_count(2);
        task::spawn(&a);
        task::spawn(&b);
        task::wait(this);
        *result_ = x + y;
    }

  private:
    int n_;
    long* result_;
};

bool low_level_tasks() {
    long result = 0;
    fib_task root(12, &result);
    par::task::run_root(root);
    return result == 144;
}

// --- algorithms -----------------------------------------------------------------------------------------------------

bool loops() {
    std::vector<int> v(count);
    par::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = static_cast<int>(i); });
    par::parallel_for(v, [](int& x) { ++x; }, par::grain::automatic());
    par::parallel_for(v.begin(), v.end(), [](int& x) { --x; }, par::grain::fixed(100));
    std::array<std::array<int, 30>, 20> grid{};
    const par::box<2> all{{0, 0}, {20, 30}};
    const auto add = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
        grid[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] += 1;
    };
    par::parallel_for(all, add, par::grain::fixed(50), par::schedule::recursive);
    par::parallel_for(all, add, par::schedule::chunked);
    int twos = 0;
    for (const auto& row : grid) twos += static_cast<int>(std::ranges::count(row, 2));
    par::parallel_for_each(v, [](int& x) { x *= 2; });
    std::vector<int> halves(v.size());
    par::parallel_transform(v, halves.begin(), [](int x) { return x / 2; });
    const auto even = [](int x) { return x % 2 == 0; };
    std::vector<int> kept(v.size());
    kept.erase(par::parallel_copy_if(halves, kept.begin(), even), kept.end());
    return twos == 600 && halves == numbers() && kept.size() == count / 2 && par::grain::automatic().is_automatic() &&
           par::grain::fixed(9).iterations() == 9 && par::bad_grain().what()[0] == 's' &&
           throws<par::bad_grain>([] { static_cast<void>(par::grain::fixed(0)); });
}

// Not what a source has to be: its copies give nothing.
class forgetful_source {
  public:
    forgetful_source() = default;
    forgetful_source(const forgetful_source&) noexcept : left_(0) {}
    forgetful_source& operator=(const forgetful_source&) = delete;
    std::optional<int> operator()() { return left_ > 0 ? std::optional(left_--) : std::nullopt; }

  private:
    int left_ = 1000;
};

bool reductions() {
    const std::vector<int> v = numbers();
    const long sum = par::parallel_reduce(v, 0L);
    const long fixed = par::parallel_reduce(v.begin(), v.end(), 0L, std::plus<>(), par::grain::fixed(64));
    const long squares = par::parallel_transform_reduce(v, 0L, std::plus<>(), [](int x) { return long{x} * x; });
    const auto next = [i = 0]() mutable { return i < count ? std::optional(i++) : std::nullopt; };
    const long of_source = par::parallel_reduce(next, 0L, std::plus<>());
    bool forgot = true; // nobody may have asked a copy
    try {
        forgot = par::parallel_reduce(forgetful_source(), 0, std::plus<>()) >= 0;
    } catch (const par::bad_source& e) {
        forgot = e.what()[0] != '\0';
    }
    constexpr long n = count;
    return sum == n * (n - 1) / 2 && fixed == sum && of_source == sum && squares == (n - 1) * n * (2 * n - 1) / 6 &&
           forgot;
}

bool scans() {
    const std::vector<int> v = numbers();
    std::vector<long> inclusive(v.size()), exclusive(v.size()), expected(v.size());
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), 0L);
    par::parallel_inclusive_scan(v, inclusive.begin(), std::plus<>(), 0L);
    par::parallel_exclusive_scan(v, exclusive.begin(), 0L);
    return inclusive == expected && exclusive.front() == 0 && exclusive.back() == expected[v.size() - 2];
}

bool sorts() {
    std::vector<int> v = numbers();
    std::vector<std::string> words;
    for (const int x : v) words.push_back(std::to_string((x * 7919) % count));
    std::ranges::reverse(v);
    par::parallel_sort(v);
    par::parallel_sort(words);
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i != count; ++i) pairs.emplace_back(i % 10, i);
    par::parallel_stable_sort(pairs, std::less<>(), &std::pair<int, int>::first);
    return v == numbers() && std::ranges::is_sorted(words) && std::ranges::is_sorted(pairs);
}

bool searches() {
    const std::vector<int> v = numbers();
    const auto late = [](int x) { return x >= 4000; };
    return par::parallel_find_if(v, late) - v.begin() == 4000 && par::parallel_any_of(v, late) &&
           !par::parallel_all_of(v, late) && !par::parallel_none_of(v, late);
}

// --- dataflow and regions -------------------------------------------------------------------------------------------

struct measured {
    int parts[2];
};

} // namespace

// Of a user's own type: what an access to it touches.
template <>
struct skerry::access_traits<measured> {
    static std::span<const std::byte> bytes(const measured& x) noexcept { return std::as_bytes(std::span(x.parts)); }
};

namespace {

void fill(std::span<int> part, int with) { std::ranges::fill(part, with); }
void add_up(std::span<const int> part, int& sum) { sum = std::accumulate(part.begin(), part.end(), sum); }
void scale(skerry::tile<int, 2> t, int by) {
    for (std::size_t i = 0; i < t.extent(0); ++i)
        for (std::size_t j = 0; j < t.extent(1); ++j) t(i, j) *= by;
}
void make_some(skerry::region& home) { static_cast<void>(home.make_array<int>(10)); }

bool spawns() {
    std::vector<int> v(1000);
    int sum = 0;
    measured m{};
    const auto parts = par::partition(v, 100);
    for (std::size_t i = 0; i != parts.count(0); ++i) {
        par::spawn(fill, par::out(parts(i)), static_cast<int>(i));
        const par::task_handle handle =
            par::spawn(par::task_options{.name = "add"}, add_up, par::in(parts(i)), par::inout(sum));
        static_cast<void>(handle);
    }
    par::spawn([](measured& x) { x = {{1, 2}}; }, par::out(m));
    par::taskwait_on(par::in(sum));
    const int summed = sum;
    par::taskwait();
    static_assert(skerry::access_traits<std::remove_const_t<decltype(parts)>::part_type>::is_part);
    static_assert(skerry::access_traits<int>::is_the_object);
    return summed == 4500 && m.parts[1] == 2 && parts.size() == 10 && parts.whole().size() == 1000 &&
           parts(1).view().front() == 1 && parts(2).name().at[2] == 2 &&
           skerry::access_traits<measured>::bytes(m).size() == sizeof m &&
           skerry::access_traits<int>::bytes(sum).size() == 4;
}

bool tiles() {
    std::vector<int> matrix(60, 1);
    const par::tile<int, 2> whole(matrix.data(), {6, 10});
    const par::array_partition<int, 2> cut = par::partition(whole, {3, 5});
    const par::array_part<int, 2> corner = cut(1, 1);
    par::spawn(scale, par::inout(corner), 4);
    par::spawn(scale, par::inout(cut(0, 0)), 3);
    par::taskwait();
    par::spawn(scale, par::inout(whole), 2);
    par::taskwait();
    const par::tile<const int, 2> read = whole;
    return decltype(whole)::rank() == 2 && whole.stride(0) == 10 && whole.size() == 60 && !whole.empty() &&
           *whole.data() == 6 && read(5, 9) == 8 && read(0, 9) == 2;
}

bool regions() {
    static_assert(par::region_object<int> && !par::region_object<int[2]>);
    par::region home = par::root_region().create();
    int* const one = home.make<int>(5);
    const std::span<std::string> words = home.make_array<std::string>(3);
    words[1] = "a text that is longer than what a string keeps in itself";
    std::vector<int, par::region_allocator<int>> numbers_there(100, 1, home.allocator<int>());
    par::region_allocator<int> memory(home);
    int* const raw = memory.allocate(10);
    memory.deallocate(raw, 10);
    par::spawn(make_some, par::inout(home));
    par::taskwait();
    const bool good = *one == 5 && home.exists() && home.id() != par::root_region().id() && memory.home() == home &&
                      skerry::access_traits<par::region>::region_number(home) == home.id() && numbers_there.back() == 1;
    home.destroy(one);
    numbers_there = std::vector<int, par::region_allocator<int>>(memory);
    home.destroy_all();
    return good && !home.exists();
}

// --- the machine ----------------------------------------------------------------------------------------------------

bool runtimes() {
    par::options o = par::options::from_environment();
    o.workers = 2;
    o.steal = par::steal_mode::automatic;
    o.task_manager = par::task_manager_kind::nexus_model;
    par::runtime two(o);
    const unsigned slot = two.run([] { return par::this_worker::slot(); });
    const par::region own = two.root_region();
    const par::statistics so_far = two.stats();
    const std::vector<par::executor_statistics> who = two.executors();
    const par::statistics here = par::current_statistics();
    static_cast<void>(here);
    return two.workers() >= 1 && slot < std::max(1U, o.max_slots) && own.exists() && who.size() <= 2 &&
           so_far.slots_high_water <= o.max_slots && so_far.managed_tasks + so_far.unmanaged_tasks == 0 &&
           par::max_slots() >= 1 && !par::stop_requested();
}

bool kernels() {
    par::options o;
    o.devices = "emulated";
    o.device_memory = par::device_memory::private_;
    par::runtime two(o);
    return two.run([] {
        const std::vector<float> x(count, 2);
        std::vector<float> y(count);
        par::parallel_for(par::place::device, 0, count, scaled, par::in(par::each(x)), par::out(par::each(y)), 3.0F);
        par::parallel_for(0, count, scaled, par::in(par::each(x, 1, 1, 1)), par::out(par::each(y)), 4.0F);
        const skerry::each_range<const float, true> shape = par::each(x, 1, 2, 3);
        const bool same =
            shape.elements().data() == x.data() && shape.stride() == 1 && shape.before() == 2 && shape.after() == 3;
        const std::vector<par::device_statistics> devices = par::current_devices();
        const auto named = [](const par::device_statistics& d) { return d.used && !d.name.empty(); };
        return same && y.front() == 8 && y.back() == 8 && std::ranges::all_of(devices, named);
    });
}

bool worker_locals() {
    par::worker_local<long> counts;
    par::parallel_for(0, count, [&](int) { ++counts.local(); });
    long sum = 0;
    for (const long& x : counts) sum += x;
    const bool good = sum == count && counts.combine(std::plus<>()) == count && counts.begin() != counts.end();
    counts.clear();
    return good && counts.begin() == counts.end();
}

bool names() {
    const auto f = par::named<"seven">([] { return 7; });
    static_assert(par::task_name<std::remove_const_t<decltype(f)>> == "seven");
    static_assert(par::named_task<par::literal("a name"), int (*)()>::name == par::literal("a name").view());
    return f() == 7;
}

#ifndef EVERYTHING_SERIAL
bool machines() {
    const par::machine_description machine = par::describe_machine();
    const bool limited = std::ranges::all_of(machine.limits, [](const par::cpu_limit_source& s) { return s.cpus > 0; });
    const bool named = std::ranges::none_of(machine.mpis, [](const par::mpi_description& m) { return m.name.empty(); });
    return machine.workers >= 1 && !machine.cpus.empty() && limited && named && machine.processes == 1;
}

const char* program = nullptr; // how this one was called

em_status_t start_nothing(void*, em_eo_t, const em_eo_conf_t*) { return EM_OK; }
em_status_t stop_nothing(void*, em_eo_t) { return EM_OK; }
void wait_once(void*, em_event_t event, em_event_type_t, em_queue_t, void*) {
    if (skerry_em_resume(event) == EM_OK) skerry_em_suspend(); // returns at once
    em_free(event);
}

bool events() {
    skerry_em_options_t options;
    skerry_em_options_init(&options);
    options.cooperative = 1;
    em_conf_t conf;
    em_conf_init(&conf);
    conf.thread_per_core = conf.core_count = 1;
    em_core_mask_set_count(1, &conf.phys_mask);
    if (skerry_em_configure(&options) != EM_OK || em_init(&conf) != EM_OK) return false;
    const em_event_t event = skerry_em_alloc_wait(0, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT, UINT64_MAX);
    const bool there = event != EM_EVENT_UNDEF && em_event_get_size(event) == 0;
    em_free(event);
    const em_eo_t eo = em_eo_create("waits", start_nothing, nullptr, stop_nothing, nullptr, wait_once, nullptr);
    const em_queue_t queue =
        em_queue_create("in", EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    em_eo_add_queue_sync(eo, queue);
    em_eo_start_sync(eo, nullptr, nullptr);
    em_send(em_alloc(0, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT), queue);
    const bool waited = em_init_core() == EM_OK && em_dispatch(1) == 1 && em_term_core() == EM_OK;
    return em_term(&conf) == EM_OK && there && waited;
}

int work() { // in each of two processes
    par::runtime all;
    return all.run([] { return 0; });
}

bool launches() {
    const par::launch_options o{.grace_seconds = 1};
    const par::launch_result end = par::launch(2, {program, "work"}, o);
    const par::remote_error error("what another process said");
    return end.status == 0 && end.text.empty() && par::most_processes >= 2 && std::string_view(error.what()).size() > 4;
}
#endif

struct part {
    const char* name;
    bool (*works)();
};
constexpr part parts[] = {
    {"invokes", invokes},
    {"futures", futures},
    {"scopes", scopes},
    {"groups", groups},
    {"low-level tasks", low_level_tasks},
    {"loops", loops},
    {"reductions", reductions},
    {"scans", scans},
    {"sorts", sorts},
    {"searches", searches},
    {"spawns", spawns},
    {"tiles", tiles},
    {"regions", regions},
    {"runtimes", runtimes},
    {"kernels", kernels},
    {"worker locals", worker_locals},
    {"names", names},
#ifndef EVERYTHING_SERIAL
    {"machines", machines},
    {"launches", launches},
    {"events", events},
#endif
};

} // namespace

int main(int argc, char** argv) {
#ifndef EVERYTHING_SERIAL
    program = argv[0];
    if (argc > 1) return work();
#else
    static_cast<void>(argc);
    static_cast<void>(argv);
#endif
    int failed = 0;
    for (const part& p : parts) {
        if (!p.works()) {
            std::printf("%s: wrong\n", p.name);
            ++failed;
        }
    }
    return failed == 0 ? 0 : 1;
}
