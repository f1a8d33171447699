// SPDX-License-Identifier: Apache-2.0

// One program that names all of the API. Included twice, with `par` as skerry and as skerry::serial: no include guard.

inline std::vector<long> program() {
    std::vector<long> out;
    const auto say = [&out](long x) { out.push_back(x); };

    // finish, scopes handed down
    std::atomic<long> sum = 0;
    const int body = par::finish([&sum](par::scope& s) {
        for (int i = 0; i < 10; ++i) {
            s.async([&sum, &s, i] { s.async([&sum, i] { sum += i; }); });
        }
        return 3;
    });
    say(body);
    say(sum);

    // submit and future
    long x = 1;
    par::future<long> f = par::submit([] { return 5L; });
    say(f.valid() ? 1 : 0);
    f.wait();
    say(f.ready() ? 1 : 0);
    say(f.get());
    say(f.valid() ? 1 : 0);
    par::future<long&> r = par::submit([&x]() -> long& { return x; });
    r.get() = 7;
    par::submit([&x] { ++x; }).get();
    say(x);
    par::future<void> bad = par::submit([] { throw std::runtime_error("task"); });
    try {
        bad.get();
    } catch (const std::runtime_error&) {
        say(-1);
    }
    try {
        bad.get();
    } catch (const std::logic_error&) {
        say(-2);
    }

    // task_group
    {
        par::task_group g;
        for (int i = 0; i < 10; ++i) {
            g.run([&sum] { ++sum; });
        }
        g.wait();
        say(sum);
        g.run([] { throw std::runtime_error("task"); });
        try {
            g.wait();
        } catch (const std::runtime_error&) {
            say(-3);
        }
        g.run([&sum] { ++sum; });
        g.wait();
        g.cancel();
        g.run([&sum] { sum += 1000; });
        g.wait();
        say(sum);
        g.run([&g, &say_stop = sum] {
            g.cancel();
            say_stop += par::stop_requested() ? 100 : 0;
        });
        g.wait();
        say(sum);
        say(par::stop_requested() ? 1 : 0);
    }

    // task
    struct fib_task final : par::task {
        fib_task(int m, long* into) : n(m), result(into) {}
        void execute() override {
            if (n < 2) {
                *result = n;
                return;
            }
            long a = 0;
            long b = 0;
            fib_task left(n - 1, &a);
            fib_task right(n - 2, &b);
            this->reference_count = 2;
            par::task::spawn(&left);
            par::task::spawn(&right);
            par::task::wait(this);
            *result = a + b;
        }
        int n;
        long* result;
    };
    long fib = 0;
    fib_task root(12, &fib);
    root.set_reference_count(0);
    par::task::run_root(root);
    say(fib);

    // blocking, worker_local, may_be_stale, named, slots
    say(par::blocking([] { return 9; }));
    par::worker_local<long> locals(0L);
    par::parallel_for(0, 100, par::named<"add">([&locals](int i) { locals.local() += i; }));
    say(locals.combine([](long a, long b) { return a + b; }));
    long over = 0;
    for (const long l : locals) {
        over += l;
    }
    say(over);
    locals.clear();
    say(locals.combine([](long a, long b) { return a + b; }));
    say(par::may_be_stale(x));
    par::parallel_invoke([] { EXPECT_LT(par::this_worker::slot(), par::max_slots()); }, [] {});
    static_assert(par::task_name<decltype(par::named<"n">([] {}))> == "n");

    // runtime
    par::options o = par::options::from_environment();
    o = {.workers = 2,
         .pin = false,
         .stack_size = o.stack_size,
         .max_slots = o.max_slots,
         .blocking_threads = 1,
         .steal = par::steal_mode::automatic,
         .guard_accesses = true,
         .mpi = "off",
         .watchdog_seconds = 0,
         .trace = "",
         .trace_memory = o.trace_memory,
         .devices = "none",
         .device_memory = par::device_memory::private_,
         .task_manager = par::task_manager_kind::software};
    par::runtime rt(o);
    say(rt.run([] { return 4; }));
    say(rt.workers() >= 1 ? 1 : 0);
    say(rt.run([] { return par::current_devices().empty() ? 1 : 0; }));

    // regions
    rt.run([&] {
        par::region inner = par::root_region().create();
        std::vector<long, par::region_allocator<long>> v({1, 2, 3}, inner.allocator<long>());
        say(*inner.make<long>(v[2]) + inner.make_array<long>(4)[3]);
        say(par::root_region() == rt.root_region() ? 1 : 0);
        inner.destroy_all();
        say(inner.exists() ? 1 : 0);
    });

    // what a cancel leaves of spawned tasks
    rt.run([&] {
        int a = 0;
        const auto in_group = [&say](auto in_task) {
            par::task_group g;
            g.run([&] { in_task(g); });
            say(static_cast<long>(g.wait()));
        };
        const auto read = [&] {
            int seen = -1;
            par::spawn([](const int& from, int& to) { to = from; }, par::in(a), par::out(seen));
            try {
                par::taskwait();
            } catch (const par::cancelled&) {
                say(-5);
            }
            say(seen);
        };
        const auto write = [](int& to) { to = 1; };
        in_group([&](par::task_group& g) {
            par::finish([&](par::scope&) {
                g.cancel();
                par::spawn(write, par::out(a));
            });
            say(-4);
        });
        read();
        const auto parent = [&](par::task_group& g) {
            const auto inside = [&](int& to) {
                g.cancel();
                par::spawn(write, par::out(to));
            };
            par::spawn(inside, par::out(a));
        };
        in_group([&](par::task_group& g) {
            parent(g);
            par::taskwait_on(par::in(a));
            say(-4);
        });
        read();
        in_group([&](par::task_group& g) {
            par::spawn([&](int&) { parent(g); }, par::out(a));
            par::taskwait();
            say(-4);
        });
        read();
        const auto cut_short = [&](par::task_group& g) {
            const auto inside = [&](int&) {
                g.cancel();
                par::parallel_for(0, 4, [](int) {});
            };
            par::spawn(inside, par::out(a));
        };
        par::finish([&](par::scope&) {
            in_group([&](par::task_group& g) {
                cut_short(g);
                par::taskwait_on(par::in(a));
            });
        });
        read();
        const auto leave = [&](int& to) { // the group waits for none of it
            in_group([&](par::task_group& g) {
                g.cancel();
                par::spawn(write, par::out(to));
            });
        };
        par::spawn(leave, par::out(a));
        read();
        in_group([&](par::task_group& g) {
            g.cancel();
            par::runtime own(o); // which a cancel does not reach
            own.run([&] { par::parallel_invoke([&] { say(5); }); });
            par::parallel_invoke([&] { say(-4); });
        });
    });
    return out;
}
