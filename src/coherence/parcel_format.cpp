// SPDX-License-Identifier: Apache-2.0

#include "coherence/parcel_format.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "coherence/page_source.hpp"
#include "coherence/slab.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::uint64_t magic = 0x6c'6563'7261'706b'73; // "skparcel"
constexpr std::uint64_t version = 2;

[[noreturn]] void refuse(const char* what) {
    throw std::invalid_argument(std::string("skerry: no parcel of regions: ") + what);
}

class writer {
  public:
    void operator()(std::uint64_t value) {
        const auto* const first = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof(value));
    }
    [[nodiscard]] std::vector<std::byte> finish() && {
        const std::uint64_t sum = sum_of(std::span(bytes_).subspan(sum_at + sizeof(std::uint64_t)));
        std::memcpy(bytes_.data() + sum_at, &sum, sizeof(sum));
        return std::move(bytes_);
    }

  private:
    std::vector<std::byte> bytes_;
};

class reader {
  public:
    explicit reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::uint64_t operator()() {
        std::uint64_t value = 0;
        if (rest_.size() < sizeof(value)) {
            refuse("it is cut short");
        }
        std::memcpy(&value, rest_.data(), sizeof(value));
        rest_ = rest_.subspan(sizeof(value));
        return value;
    }
    std::uint64_t at_most(std::uint64_t most, const char* what) {
        const std::uint64_t value = (*this)();
        if (value > most) {
            refuse(what);
        }
        return value;
    }
    // How many parts follow, of so many numbers each at least: never more than there are bytes, so that a damaged
    // count asks for no memory.
    std::size_t count(std::size_t numbers) {
        return at_most(rest_.size() / (numbers * sizeof(std::uint64_t)), "it is cut short");
    }
    std::int64_t level() {
        const auto value = static_cast<std::int64_t>((*this)());
        if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
            refuse("a level is out of range");
        }
        return value;
    }
    [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

  private:
    std::span<const std::byte> rest_;
};

packed_slab read_slab(reader& read, std::uint64_t next_index) {
    packed_slab s;
    s.index = read.at_most(page_slabs - 1, "a slab is out of range");
    s.use = read();
    s.size_class = read.at_most(classes - 1, "a slab has an unknown size");
    s.run = read();
    const auto use = static_cast<slab_use>(s.use);
    if (s.use != static_cast<std::uint64_t>(slab_use::blocks) && s.use != static_cast<std::uint64_t>(slab_use::run)) {
        refuse("a slab has an unknown use");
    }
    if (s.index < next_index || (use == slab_use::run && (s.run == 0 || s.run > page_slabs - s.index)) ||
        (use == slab_use::blocks && s.run != 0)) {
        refuse("slabs overlap");
    }
    if (use == slab_use::blocks) {
        bits256 all;
        all.fill(blocks_of(s.size_class));
        for (std::size_t w = 0; w < s.free.size(); ++w) {
            s.free[w] = read();
            if ((s.free[w] & ~all.word(w)) != 0) {
                refuse("a slab has blocks that it has no room for");
            }
        }
    }
    return s;
}

packed_page read_page(reader& read, std::uint64_t pages_in_all) {
    packed_page p;
    p.number = read.at_most(pages_in_all - 1, "a page lies outside of the arena");
    p.pages = read.at_most(pages_in_all - p.number, "a page lies outside of the arena");
    p.bytes = read.at_most(pages_in_all * page_bytes, "a page lies outside of the arena");
    const std::size_t slabs = read.count(4);
    if (p.bytes == 0 ? p.pages != 1
                     : slabs != 0 || p.bytes <= page_bytes || (p.bytes - 1) / page_bytes + 1 != p.pages) {
        refuse("a page has a wrong size");
    }
    p.slabs.reserve(slabs);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < slabs; ++i) {
        p.slabs.push_back(read_slab(read, next));
        const packed_slab& s = p.slabs.back();
        next = s.index + std::max(s.run, std::uint64_t{1});
    }
    return p;
}

packed_region read_region(reader& read, std::size_t place, std::uint64_t pages_in_all) {
    packed_region r;
    r.id = region_id{read()};
    r.parent = read.at_most(place == 0 ? 0 : place - 1, "a region comes before its parent");
    r.level = read.level();
    r.whole = read.at_most(1, "a mark is out of range") != 0;
    const std::size_t pages = read.count(4);
    const std::size_t records = read.count(3);
    if (!r.whole && (pages != 0 || records != 0 || place == 0)) {
        refuse("a name has contents");
    }
    for (std::size_t i = 0; i < pages; ++i) {
        r.pages.push_back(read_page(read, pages_in_all));
    }
    for (std::size_t i = 0; i < records; ++i) {
        packed_record record;
        record.first = read();
        record.count = read();
        record.destructor = read();
        r.records.push_back(record);
    }
    return r;
}

void check_ids(const parcel& p) {
    std::vector<region_id> ids;
    ids.reserve(p.above.size() + p.regions.size() + 1);
    for (const packed_name& n : p.above) {
        ids.push_back(n.id);
    }
    for (const packed_region& r : p.regions) {
        ids.push_back(r.id);
    }
    if (p.gone) {
        ids.push_back(p.top);
    }
    std::sort(ids.begin(), ids.end());
    if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) {
        refuse("a region is in it twice");
    }
    const auto names_one = [](region_id id) {
        const std::uint64_t serial = bits_of(id) >> region_slot_bits & ((std::uint64_t{1} << region_serial_bits) - 1);
        return id == region_id::root ||
               (slot_of(id) != 0 && slot_of(id) < region_slots && serial != 0 && serial < region_serials);
    };
    if (!std::all_of(ids.begin(), ids.end(), names_one)) {
        refuse("an id names no region");
    }
    // Only the outermost region may be a root.
    const region_id outermost = p.above.empty() ? p.top : p.above.front().id;
    if (std::binary_search(ids.begin(), ids.end(), region_id::root) && outermost != region_id::root) {
        refuse("the root region lies in another");
    }
}

void check_pages(const parcel& p) {
    std::vector<page_range> all;
    for (const packed_region& r : p.regions) {
        for (const packed_page& at : r.pages) {
            all.push_back({.first = at.number, .count = at.pages});
        }
    }
    std::sort(all.begin(), all.end(), [](page_range a, page_range b) { return a.first < b.first; });
    const auto overlap = [](page_range a, page_range b) { return a.first + a.count > b.first; };
    if (std::adjacent_find(all.begin(), all.end(), overlap) != all.end()) {
        refuse("a page is in it twice");
    }
}

} // namespace

std::uint64_t sum_of(std::span<const std::byte> bytes) noexcept {
    std::uint64_t sum = 0xcbf2'9ce4'8422'2325 ^ bytes.size();
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
        sum = std::rotl((sum ^ word) * 0x9e37'79b9'7f4a'7c15, 29);
    }
    return sum;
}

std::vector<std::byte> to_bytes(const parcel& p) {
    writer write;
    write(magic);
    write(version);
    write(0); // the sum, when all is written
    write(p.arena_address);
    write(p.arena_bytes);
    write(p.how == handing::over ? 0 : 1);
    write(p.above.size());
    for (const packed_name& n : p.above) {
        write(bits_of(n.id));
        write(static_cast<std::uint64_t>(n.level));
    }
    write(bits_of(p.top));
    write(p.gone ? 1 : 0);
    write(p.regions.size());
    for (const packed_region& r : p.regions) {
        write(bits_of(r.id));
        write(r.parent);
        write(static_cast<std::uint64_t>(r.level));
        write(r.whole ? 1 : 0);
        write(r.pages.size());
        write(r.records.size());
        for (const packed_page& at : r.pages) {
            write(at.number);
            write(at.pages);
            write(at.bytes);
            write(at.slabs.size());
            for (const packed_slab& s : at.slabs) {
                write(s.index);
                write(s.use);
                write(s.size_class);
                write(s.run);
                if (s.use == static_cast<std::uint64_t>(slab_use::blocks)) {
                    for (const std::uint64_t word : s.free) {
                        write(word);
                    }
                }
            }
        }
        for (const packed_record& record : r.records) {
            write(record.first);
            write(record.count);
            write(record.destructor);
        }
    }
    return std::move(write).finish();
}

parcel from_bytes(std::span<const std::byte> bytes, std::uint64_t arena_address, std::uint64_t arena_bytes) {
    reader read(bytes);
    if (read() != magic) {
        refuse("it begins with other bytes");
    }
    if (read() != version) {
        refuse("it comes from another version of Skerry");
    }
    if (read() != sum_of(bytes.subspan(sum_at + sizeof(std::uint64_t)))) {
        refuse("its bytes were changed on the way");
    }
    parcel p;
    p.arena_address = read();
    p.arena_bytes = read();
    if (p.arena_address != arena_address || p.arena_bytes != arena_bytes) {
        refuse("the arena of its process lies elsewhere");
    }
    p.how = read.at_most(1, "a mark is out of range") == 0 ? handing::over : handing::copy;
    const std::size_t above = read.count(2);
    for (std::size_t i = 0; i < above; ++i) {
        packed_name n;
        n.id = region_id{read()};
        n.level = read.level();
        p.above.push_back(n);
    }
    p.top = region_id{read()};
    p.gone = read.at_most(1, "a mark is out of range") != 0;
    const std::size_t regions = read.count(6);
    for (std::size_t i = 0; i < regions; ++i) {
        p.regions.push_back(read_region(read, i, arena_bytes / page_bytes));
    }
    if (!read.rest().empty()) {
        refuse("there are bytes behind its end");
    }
    if (p.gone ? !p.regions.empty() || !p.above.empty() : p.regions.empty() || p.regions.front().id != p.top) {
        refuse("its region is missing");
    }
    if (p.gone && p.top == region_id::root) {
        refuse("it says that the root region is gone");
    }
    check_ids(p);
    check_pages(p);
    return p;
}

} // namespace skerry::inline SKERRY_ABI::detail
