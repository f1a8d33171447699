// SPDX-License-Identifier: Apache-2.0

// Process 0 decides and keeps the books; process 1 obeys. Both run the same operations on regions that they hold.

#include "two_processes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <skerry/region.hpp>

#include "base/port/clock.hpp"
#include "base/port/poison.hpp"
#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/parcel.hpp"
#include "coherence/size_class.hpp"
#include "fabric/shm/shm.hpp"

namespace skerry_test {

namespace {

using namespace skerry::detail;
using skerry::region;
using skerry::region_allocator;
using skerry::root_region;
namespace fabric = skerry::fabric;

struct counted {
    explicit counted(std::uint8_t c) : content(c) {}
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { ended += std::uint64_t{1} << 32 | content; }
    std::uint8_t content;
    std::byte rest[70];
    inline static std::uint64_t ended = 0; // how many, and the sum of their contents
};

// A list, a tree and a map, which both processes extend.
struct structures {
    struct node {
        explicit node(std::uint64_t v) : value(v) {}
        std::uint64_t value;
        node* next = nullptr; // of the list
        node* left = nullptr; // of the tree, by the value's hash
        node* right = nullptr;
    };
    using map = std::map<std::uint64_t, node*, std::less<>, region_allocator<std::pair<const std::uint64_t, node*>>>;

    explicit structures(region r) : by_value(r.allocator<std::pair<const std::uint64_t, node*>>()), home(r) {}
    structures(const structures&) = delete;
    structures& operator=(const structures&) = delete;
    ~structures() { ++counted::ended; }

    static std::uint64_t hash(std::uint64_t v) { return v * 0x9e37'79b9'7f4a'7c15; }

    void add(std::uint64_t value) {
        region inner = value % 10 == 0 ? home.create() : home;
        node* const n = inner.make<node>(value);
        n->next = list;
        list = n;
        node** at = &tree;
        while (*at != nullptr) {
            at = hash(value) < hash((*at)->value) ? &(*at)->left : &(*at)->right;
        }
        *at = n;
        by_value[value] = n;
    }

    [[nodiscard]] bool holds(std::uint64_t values) const {
        std::uint64_t expected = values;
        for (const node* n = list; n != nullptr; n = n->next) {
            const node* at = tree;
            while (at != nullptr && at != n) {
                at = hash(n->value) < hash(at->value) ? at->left : at->right;
            }
            const auto found = by_value.find(n->value);
            if (n->value != --expected || at != n || found == by_value.end() || found->second != n) {
                return false;
            }
        }
        return expected == 0 && by_value.size() == values;
    }

    node* list = nullptr;
    node* tree = nullptr;
    map by_value;
    region home;
};

enum class op : std::uint16_t {
    make,
    make_counted,
    destroy,
    destroy_counted,
    create,
    destroy_all,
    check,
    slabs,
    make_structures,
    extend,
    send,    // hand the region over: the answer says where the parcel lies
    receive, // take the region over: the request says where the parcel lies
    end,
};

struct command {
    op what = op::end;
    region_id id = region_id::none;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
};

struct answer {
    bool refused = false;
    std::uint64_t value = 0;
    std::uint64_t ended = 0; // counted::ended
    std::uint64_t more = 0;
};

class process final : public fabric::receiver {
  public:
    process() : fabric_(join()) { fabric_->on_message(*this); }
    process(const process&) = delete;
    process& operator=(const process&) = delete;

    [[nodiscard]] unsigned self() const { return fabric_->describe().self; }

    answer run(const command& c) {
        counted::ended = 0;
        answer result;
        try {
            execute(c, result);
        } catch (const std::logic_error&) {
            result.refused = true;
        }
        result.ended = counted::ended;
        return result;
    }

    answer ask(const command& c) {
        send(fabric::kind::request, static_cast<std::uint16_t>(c.what), {bits_of(c.id), c.a, c.b});
        replied_.reset();
        work_until([this] { return replied_.has_value(); });
        return replied_.value_or(answer{}); // it has come
    }

    void obey() {
        for (bool more = true; more;) {
            work_until([this] { return asked_.has_value(); });
            const command c = std::exchange(asked_, std::nullopt).value_or(command{}); // it has come
            more = c.what != op::end;
            const answer result = more ? run(c) : answer{};
            send(fabric::kind::reply, result.refused ? 1 : 0, {result.value, result.ended, result.more});
        }
        // The other has its answer when it leaves; until then somebody must poll.
        while (!gone_) {
            fabric_->poll(8);
            gone_ = fabric_->post(other(), fabric::kind::reply, {}) == fabric::post_result::gone;
            static_cast<void>(fabric_->wait(skerry::port::now_ns() + 1'000'000));
        }
    }

    void receive(unsigned, fabric::kind k, const fabric::message& m) override {
        if (k == fabric::kind::request) {
            asked_ = {.what = static_cast<op>(m.tag), .id = region_id{m.words[0]}, .a = m.words[1], .b = m.words[2]};
        } else {
            replied_ = {.refused = m.tag != 0, .value = m.words[0], .ended = m.words[1], .more = m.words[2]};
        }
    }

  private:
    static std::unique_ptr<fabric::endpoint> join() {
        fabric::connection joined = fabric::shm::connect();
        const fabric::capabilities& about = joined.fabric->describe();
        arena::adopt(std::move(joined.arena), about.self, about.peers);
        return std::move(joined.fabric);
    }

    [[nodiscard]] unsigned other() const { return 1 - self(); }

    template <class F>
    void work_until(F done) {
        const std::uint64_t limit = skerry::port::now_ns() + 30'000'000'000;
        while (!done()) {
            if (fabric_->poll(8) == 0 && !done() && !fabric_->wait(limit)) {
                throw std::runtime_error("the other process did not answer");
            }
        }
    }

    void send(fabric::kind k, std::uint16_t tag, std::vector<std::uint64_t> words) {
        fabric::message m;
        m.tag = tag;
        std::copy(words.begin(), words.end(), m.words);
        if (fabric_->post(other(), k, m) != fabric::post_result::sent) {
            throw std::runtime_error("a message could not be sent");
        }
    }

    void pull(std::span<const fabric::extent> extents) {
        fabric_->copy(other(), fabric::direction::pull, extents, {});
        std::optional<fabric::completion> came;
        work_until([&] { return came || (came = fabric_->completed()); });
        if (!came || !came->arrived) {
            throw std::runtime_error("a copy did not arrive");
        }
    }

    void execute(const command& c, answer& result) {
        region r(c.id);
        auto* const address = reinterpret_cast<std::byte*>(c.a);
        switch (c.what) {
        case op::make: {
            const auto made = r.make_array<std::byte>(c.a);
            std::memset(made.data(), static_cast<int>(c.b), c.a);
            result.value = reinterpret_cast<std::uintptr_t>(made.data());
            break;
        }
        case op::make_counted:
            result.value = reinterpret_cast<std::uintptr_t>(r.make<counted>(static_cast<std::uint8_t>(c.b)));
            break;
        case op::destroy: r.destroy(address); break;
        case op::destroy_counted: r.destroy(reinterpret_cast<counted*>(address)); break;
        case op::create: result.value = r.create().id(); break;
        case op::destroy_all: {
            r.destroy_all();
            parcel_ = pack_region(c.id, true); // the news for who had a part in it
            say_where(result);
            break;
        }
        case op::check: { // b: content and bytes
            const std::size_t bytes = c.b >> 8;
            result.value = std::all_of(address, address + bytes,
                                       [&](std::byte b) { return b == static_cast<std::byte>(c.b & 255); }) &&
                           region_of(address + bytes - 1) == c.id && try_block_around(address).first == address;
            break;
        }
        case op::slabs:
            for_each_extent(c.id, false, [&](const std::byte*, std::size_t n) { result.value += n / slab_bytes; });
            break;
        case op::make_structures: result.value = reinterpret_cast<std::uintptr_t>(r.make<structures>(r)); break;
        case op::extend: {
            auto& s = *reinterpret_cast<structures*>(c.a);
            result.value = s.holds(c.b);
            s.add(c.b);
            break;
        }
        case op::send:
            parcel_ = pack_region(c.id, true);
            say_where(result);
            break;
        case op::receive: {
            std::vector<std::byte> parcel(c.b);
            const fabric::extent whole{.here = parcel.data(), .there = c.a, .bytes = c.b};
            pull(std::span(&whole, 1));
            unpack_region(parcel);
            if (region_exists(c.id)) {
                std::vector<fabric::extent> contents;
                for_each_extent(c.id, true, [&contents](std::byte* first, std::size_t n) {
                    skerry::port::unpoison(first, n); // slabs are copied whole
                    contents.push_back({first, reinterpret_cast<std::uintptr_t>(first), n});
                });
                pull(contents);
            }
            break;
        }
        case op::end: break;
        }
    }

    void say_where(answer& result) const {
        result.value = reinterpret_cast<std::uintptr_t>(parcel_.data());
        result.more = parcel_.size();
    }

    std::unique_ptr<fabric::endpoint> fabric_;
    std::optional<command> asked_;
    std::optional<answer> replied_;
    std::vector<std::byte> parcel_; // until the next one
    bool gone_ = false;
};

// Both processes as the one that decides sees them.
class both {
  public:
    explicit both(process& p) : here_(p) {}

    answer run(unsigned at, const command& c) { return at == 0 ? here_.run(c) : here_.ask(c); }

    // False if it was refused; nothing has changed then.
    bool cross(region_id id, unsigned from) {
        const answer parcel = run(from, {.what = op::send, .id = id});
        return !parcel.refused && !take(id, 1 - from, parcel).refused;
    }
    answer take(region_id id, unsigned to, const answer& parcel) {
        return run(to, {.what = op::receive, .id = id, .a = parcel.value, .b = parcel.more});
    }

  private:
    process& here_;
};

void require(bool condition, const char* what) {
    if (!condition) {
        throw std::runtime_error(what);
    }
}

void in_turn(both& all) {
    constexpr std::uint64_t turns = 50;
    const region r = root_region().create();
    const auto id = region_id{r.id()};
    const std::uint64_t at = all.run(0, {.what = op::make_structures, .id = id}).value;
    unsigned holder = 0;
    for (std::uint64_t i = 0; i < turns; ++i) {
        require(all.run(holder, {.what = op::extend, .id = id, .a = at, .b = i}).value == 1, "an element is missing");
        require(all.cross(id, holder), "the region does not cross");
        require(all.run(holder, {.what = op::make, .id = id, .a = 1}).refused, "who gave it away writes it");
        holder = 1 - holder;
    }
    const auto& s = *reinterpret_cast<const structures*>(at);
    require(holder == 0 && s.holds(turns), "an element is missing in the end");
    require(all.cross(id, 0), "the region does not cross");
    const answer end = all.run(1, {.what = op::destroy_all, .id = id});
    require(end.ended == 1, "the destructor has run once, over there");
    require(!all.take(id, 0, end).refused && !r.exists() && arena::instance().pages_in_use() == 0, "it is gone");
}

struct step {
    unsigned what; // of 100
    unsigned where;
    unsigned number;
};

// For the program that a failure prints. NOLINTNEXTLINE(readability-identifier-naming): RapidCheck's name
void showValue(const step& s, std::ostream& out) { out << "{" << s.what << ", " << s.where << ", " << s.number << "}"; }

std::size_t random_size(unsigned n) {
    return n % 16 == 0 ? 1 + n / 16 % 3'000'000 : n % 16 < 4 ? 1 + n / 16 % 9000 : 1 + n / 16 % 300;
}

// Random programs against books of what must be there.
class books {
  public:
    explicit books(both& all) : all_(all), regions_{{.id = region_id{root_region().create().id()}}} {}
    books(const books&) = delete;
    books& operator=(const books&) = delete;
    ~books() {
        for (std::size_t i = regions_.size(); i-- > 1;) { // children come to their parents, the innermost first
            const unsigned holder = regions_[regions_[i].parent].holder;
            if (regions_[i].lives && regions_[i].holder != holder) {
                all_.cross(regions_[i].id, 1 - holder);
                set_holder(i, holder);
            }
        }
        if (regions_[0].lives && regions_[0].holder == 1) {
            all_.cross(regions_[0].id, 1);
        }
        if (regions_[0].lives) {
            region(regions_[0].id).destroy_all();
        }
    }

    unsigned crossings = 0;
    unsigned refusals = 0;

    void run(const step& s) {
        const std::size_t r = s.where % regions_.size();
        const known& k = regions_[r];
        if (!k.lives) {
            return;
        }
        if (s.what < 5) { // at the wrong process
            RC_ASSERT(all_.run(1 - k.holder, {.what = op::make, .id = k.id, .a = 8}).refused);
            RC_ASSERT(all_.run(1 - k.holder, {.what = op::destroy_all, .id = k.id}).refused);
            ++refusals;
        } else if (s.what < 50) {
            make(r, s.number);
        } else if (s.what < 70) {
            destroy(s.number);
        } else if (s.what < 78) {
            create(r);
        } else if (s.what < 82) {
            destroy_all(r);
        } else {
            cross(r);
        }
    }

    void check() const {
        for (const auto& [at, o] : objects_) {
            const known& k = regions_[o.in];
            const std::uint64_t bytes = o.counted ? 1 : o.bytes;
            RC_ASSERT(all_.run(k.holder, {.what = op::check, .id = k.id, .a = at, .b = bytes << 8 | o.content}).value ==
                      1);
        }
        for (std::size_t r = 0; r < regions_.size(); ++r) {
            if (!regions_[r].lives) {
                continue;
            }
            std::vector<std::uint64_t> slabs;
            for (const auto& [at, o] : objects_) {
                for (std::uint64_t s = at / slab_bytes; o.in == r && s <= (at + o.bytes - 1) / slab_bytes; ++s) {
                    slabs.push_back(s);
                }
            }
            slabs.erase(std::unique(slabs.begin(), slabs.end()), slabs.end()); // in order, as the addresses are
            RC_ASSERT(all_.run(regions_[r].holder, {.what = op::slabs, .id = regions_[r].id}).value == slabs.size());
        }
    }

  private:
    struct known {
        region_id id;
        std::size_t parent = 0;
        unsigned holder = 0;
        bool lives = true;
    };
    struct object {
        std::size_t bytes;
        std::size_t in;
        std::uint8_t content;
        bool counted;
    };

    [[nodiscard]] bool within(std::size_t inner, std::size_t outer) const {
        while (inner != outer && inner != 0) {
            inner = regions_[inner].parent;
        }
        return inner == outer;
    }
    [[nodiscard]] bool all_with(std::size_t top, unsigned holder) const {
        for (std::size_t i = 0; i < regions_.size(); ++i) {
            if (regions_[i].lives && within(i, top) && regions_[i].holder != holder) {
                return false;
            }
        }
        return true;
    }
    void set_holder(std::size_t top, unsigned holder) {
        for (std::size_t i = 0; i < regions_.size(); ++i) {
            regions_[i].holder = within(i, top) ? holder : regions_[i].holder;
        }
    }

    void make(std::size_t r, unsigned number) {
        const known& k = regions_[r];
        const bool is_counted = number % 3 == 0;
        const object o{.bytes = is_counted ? sizeof(counted) : random_size(number / 3),
                       .in = r,
                       .content = ++content_,
                       .counted = is_counted};
        const answer made = all_.run(
            k.holder, {.what = is_counted ? op::make_counted : op::make, .id = k.id, .a = o.bytes, .b = o.content});
        RC_ASSERT(!made.refused);
        const auto after = objects_.lower_bound(made.value);
        RC_ASSERT((after == objects_.end() || made.value + o.bytes <= after->first));
        RC_ASSERT(
            (after == objects_.begin() || std::prev(after)->first + std::prev(after)->second.bytes <= made.value));
        objects_.emplace(made.value, o);
    }

    void destroy(unsigned number) {
        if (objects_.empty()) {
            return;
        }
        const auto at = std::next(objects_.begin(), static_cast<std::ptrdiff_t>(number % objects_.size()));
        const object& o = at->second;
        const known& k = regions_[o.in];
        const answer done =
            all_.run(k.holder, {.what = o.counted ? op::destroy_counted : op::destroy, .id = k.id, .a = at->first});
        RC_ASSERT((!done.refused && done.ended == (o.counted ? std::uint64_t{1} << 32 | o.content : 0)));
        objects_.erase(at);
    }

    void create(std::size_t r) {
        if (regions_.size() < 10) {
            const answer made = all_.run(regions_[r].holder, {.what = op::create, .id = regions_[r].id});
            RC_ASSERT(!made.refused);
            regions_.push_back({.id = region_id{made.value}, .parent = r, .holder = regions_[r].holder});
        }
    }

    void destroy_all(std::size_t r) {
        const known k = regions_[r];
        const bool may = all_with(r, k.holder);
        std::uint64_t ended = 0;
        for (const auto& [at, o] : objects_) {
            ended += may && o.counted && within(o.in, r) ? std::uint64_t{1} << 32 | o.content : 0;
        }
        const answer done = all_.run(k.holder, {.what = op::destroy_all, .id = k.id});
        RC_ASSERT((done.refused == !may && done.ended == ended));
        if (!may) {
            ++refusals;
            return;
        }
        RC_ASSERT(!all_.take(k.id, 1 - k.holder, done).refused);
        std::erase_if(objects_, [&](const auto& e) { return within(e.second.in, r); });
        for (std::size_t i = 0; i < regions_.size(); ++i) {
            regions_[i].lives = regions_[i].lives && !within(i, r);
        }
    }

    void cross(std::size_t r) {
        const unsigned from = regions_[r].holder;
        const bool may = all_with(r, from);
        RC_ASSERT(all_.cross(regions_[r].id, from) == may);
        ++(may ? crossings : refusals);
        if (may) {
            set_holder(r, 1 - from);
        }
    }

    both& all_;
    std::vector<known> regions_;
    std::map<std::uint64_t, object> objects_;
    std::uint8_t content_ = 0;
};

bool random_programs(both& all) {
    unsigned crossings = 0;
    unsigned refusals = 0;
    const bool passed = rc::check("regions between two processes do what a map does", [&] {
        const auto one = rc::gen::resize( // else most early programs do but one thing
            rc::kNominalSize,
            rc::gen::map(
                rc::gen::tuple(rc::gen::inRange(0U, 100U), rc::gen::inRange(0U, 1000U), rc::gen::arbitrary<unsigned>()),
                [](const auto& t) { return step{std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }));
        const auto length = *rc::gen::inRange<std::size_t>(0, 120);
        const auto program = *rc::gen::container<std::vector<step>>(length, one);
        {
            books b(all);
            for (const step& s : program) {
                b.run(s);
            }
            b.check();
            crossings += b.crossings;
            refusals += b.refusals;
        }
        RC_ASSERT(arena::instance().pages_in_use() == 0U);
    });
    std::fprintf(stderr, "%u crossings, %u refusals\n", crossings, refusals);
    return passed && crossings > 100 && refusals > 50;
}

} // namespace

int run_two_processes(int argc, char** argv) {
    try {
        process self;
        if (self.self() == 1) {
            self.obey();
            return 0;
        }
        both all(self);
        bool good = true;
        if (argc > 1 && std::string_view(argv[1]) == "in_turn") {
            in_turn(all);
        } else {
            good = random_programs(all);
        }
        self.ask({});
        return good ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 7;
    }
}

} // namespace skerry_test
