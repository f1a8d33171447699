// SPDX-License-Identifier: Apache-2.0

#include "trace/json.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <skerry/detail/trace/writer.hpp>

#include "base/text.hpp"
#include "trace/event_info.hpp"
#include "trace/timeline.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Writes objects of the list of events. What begins an object is ended by end().
class event_list {
  public:
    event_list(const json_trace::output& out, bool& first) : out_(out), first_(first) {}
    event_list(const event_list&) = delete;
    event_list& operator=(const event_list&) = delete;
    ~event_list() = default;

    event_list& begin(std::string_view phase, std::uint32_t process, std::uint32_t thread) {
        text_ += first_ ? "{\"ph\":\"" : ",\n{\"ph\":\"";
        first_ = false;
        text_ += phase;
        text_ += '"';
        return number("pid", process).number("tid", thread);
    }
    // In the unit of the format, microseconds, with all digits that nanoseconds need.
    event_list& at(std::int64_t ns) {
        key("ts");
        if (ns < 0) {
            text_ += '-';
        }
        const std::uint64_t magnitude =
            ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
        digits(magnitude / 1000);
        const std::uint64_t rest = magnitude % 1000;
        text_ += '.';
        text_ += static_cast<char>('0' + rest / 100);
        text_ += static_cast<char>('0' + rest / 10 % 10);
        text_ += static_cast<char>('0' + rest % 10);
        return *this;
    }
    event_list& string(std::string_view name, std::string_view value) {
        key(name);
        append_json_string(text_, value);
        return *this;
    }
    event_list& number(std::string_view name, std::uint64_t value) {
        key(name);
        digits(value);
        return *this;
    }
    event_list& literal(std::string_view name, std::string_view value) {
        key(name);
        text_ += value;
        return *this;
    }
    event_list& open(std::string_view name) {
        key(name);
        text_ += '{';
        bare_ = true;
        return *this;
    }
    event_list& close() {
        text_ += '}';
        bare_ = false;
        return *this;
    }
    void end() {
        text_ += '}';
        if (text_.size() >= std::size_t{64} << 10U) {
            flush();
        }
    }
    void flush() {
        out_(text_);
        text_.clear();
    }

  private:
    void key(std::string_view name) {
        if (!bare_) {
            text_ += ',';
        }
        bare_ = false;
        append_json_string(text_, name);
        text_ += ':';
    }
    void digits(std::uint64_t value) {
        char to[20];
        text_.append(to, std::to_chars(to, to + sizeof to, value).ptr);
    }

    const json_trace::output& out_;
    bool& first_;
    bool bare_ = false; // an object was opened and has no member yet
    std::string text_;
};

std::string hexadecimal(std::uint64_t value) {
    fixed_text<24> text;
    text << hex{value};
    return std::string(text.view());
}

// Writes the executors of one domain after the other.
class drawing {
  public:
    drawing(std::span<const trace_part> parts, const timeline& time, event_list& to, std::uint64_t first_task)
        : parts_(parts),
          time_(time),
          to_(to),
          first_task_(first_task) {}

    void draw(std::size_t part) {
        const trace_part& p = parts_[part];
        to_.begin("M", p.domain, 0).string("name", "process_name").open("args").string("name", p.name).close().end();
        for (std::size_t e = 0; e < p.executors.size(); ++e) {
            draw(part, e);
        }
    }

    // Transfers that were under way at the end; and where a task was taken from an executor that wrote no event about
    // it: a branch of a fork. After all executors, since readers order by time.
    void draw_rest() {
        for (std::uint32_t i = 0; i < time_.tasks().size(); ++i) {
            const timeline::task& t = time_.tasks()[i];
            if (t.begun.known() && !t.ended.known()) {
                const trace_part& p = parts_[t.begun.part];
                const trace_executor& e = p.executors[t.begun.executor];
                head("e", p, e, time_.end_of(t.begun.part), known_info(e.records[t.begun.record].event));
                to_.number("id", number_of(i)).open("args").literal("unfinished", "true").close().end();
            }
            if (t.moved && !t.spawned.known()) {
                const trace_part& p = parts_[t.stolen.part];
                const trace_record& r = p.executors[t.stolen.executor].records[t.stolen.record];
                arrow("s", i, p.domain, static_cast<std::uint32_t>(r.argument), time_.ns(t.stolen));
            }
        }
    }

  private:
    void draw(std::size_t part, std::size_t executor) {
        const trace_part& p = parts_[part];
        const trace_executor& e = p.executors[executor];
        const timeline::track& track = time_.track_of(part, executor);
        to_.begin("M", p.domain, e.number)
            .string("name", "thread_name")
            .open("args")
            .string("name", e.name)
            .close()
            .end();
        to_.begin("M", p.domain, e.number).string("name", "thread_sort_index").open("args");
        to_.number("sort_index", e.number).close().end();
        if (e.dropped != 0 && !e.records.empty()) {
            to_.begin("i", p.domain, e.number).at(track.ns.front()).string("s", "t").string("cat", "trace");
            to_.string("name", "older events were dropped").open("args").number("events", e.dropped).close().end();
        }
        open_.clear();
        for (std::size_t i = 0; i < e.records.size(); ++i) {
            draw(p, e, track, i);
        }
        const std::int64_t end = time_.end_of(part);
        while (!open_.empty()) {
            close_slice(p, e, end, true);
        }
    }

    void draw(const trace_part& p, const trace_executor& e, const timeline::track& track, std::size_t i) {
        const trace_record& r = e.records[i];
        const trace_event_info* const info = info_of(r.event);
        if (info == nullptr) {
            return; // of a later version
        }
        const std::int64_t ns = track.ns[i];
        const std::uint32_t task = track.task_of[i];
        switch (info->shape) {
        case trace_shape::instant:
            head("i", p, e, ns, *info).string("s", "t");
            arguments(p, r, *info, task);
            to_.end();
            if ((r.event == trace_event::spawn || r.event == trace_event::send) && task != timeline::none &&
                time_.tasks()[task].moved) {
                arrow("s", task, p.domain, e.number, ns);
            }
            break;
        case trace_shape::begin:
            to_.begin("B", p.domain, e.number).at(ns).string("cat", info->name).string("name", slice_name(p, r, *info));
            arguments(p, r, *info, task);
            to_.end();
            open_.push_back(r.event);
            if (r.event == trace_event::start && task != timeline::none && time_.tasks()[task].moved) {
                arrow("f", task, p.domain, e.number, ns);
            }
            if (r.event == trace_event::start && task != timeline::none && time_.tasks()[task].freed) {
                dependence("f", task, p.domain, e.number, ns);
            }
            break;
        case trace_shape::end: {
            const auto is_begin = [&](trace_event begin) { return begin == info->closes; };
            if (std::none_of(open_.begin(), open_.end(), is_begin)) {
                break; // its begin was dropped
            }
            while (!is_begin(open_.back())) {
                close_slice(p, e, ns, true);
            }
            for (auto freed = std::ranges::lower_bound(track.freed, static_cast<std::uint32_t>(i), {},
                                                       &std::pair<std::uint32_t, std::uint32_t>::first);
                 freed != track.freed.end() && freed->first == i; ++freed) {
                dependence("s", freed->second, p.domain, e.number, ns);
            }
            close_slice(p, e, ns, false);
            break;
        }
        case trace_shape::async_begin:
            head("b", p, e, ns, *info).number("id", number_of(task));
            arguments(p, r, *info, timeline::none);
            to_.end();
            break;
        case trace_shape::async_end:
            if (task != timeline::none) { // else its begin was dropped
                head("e", p, e, ns, known_info(info->closes)).number("id", number_of(task)).end();
            }
            break;
        }
    }

    event_list& head(std::string_view phase, const trace_part& p, const trace_executor& e, std::int64_t ns,
                     const trace_event_info& info) {
        return to_.begin(phase, p.domain, e.number).at(ns).string("cat", info.name).string("name", info.words);
    }

    void close_slice(const trace_part& p, const trace_executor& e, std::int64_t ns, bool unfinished) {
        to_.begin("E", p.domain, e.number).at(ns);
        if (unfinished) {
            to_.open("args").literal("unfinished", "true").close();
        }
        to_.end();
        open_.pop_back();
    }

    void arrow(std::string_view phase, std::uint32_t task, std::uint32_t process, std::uint32_t thread,
               std::int64_t ns) {
        const bool stolen = time_.tasks()[task].stolen.known();
        to_.begin(phase, process, thread).at(ns).number("id", number_of(task));
        to_.string("cat", "flow").string("name", stolen ? "stolen" : "handed over");
        if (phase == "f") {
            to_.string("bp", "e"); // to the slice around it, not to the next one
        }
        to_.end();
    }

    // From the end of the task that another waited for last to that one's start.
    void dependence(std::string_view phase, std::uint32_t task, std::uint32_t process, std::uint32_t thread,
                    std::int64_t ns) {
        constexpr std::uint64_t other_arrows = std::uint64_t{1} << 52U;
        to_.begin(phase, process, thread).at(ns).number("id", other_arrows + number_of(task));
        to_.string("cat", "dependence").string("name", "made ready");
        if (phase == "f") {
            to_.string("bp", "e");
        }
        to_.end();
    }

    void arguments(const trace_part& p, const trace_record& r, const trace_event_info& info, std::uint32_t task) {
        to_.open("args");
        if (info.task.type != trace_type::none) {
            if (task != timeline::none) {
                to_.number("task", number_of(task));
            } else {
                to_.string(info.task.name, hexadecimal(r.task));
            }
        }
        if (r.event != trace_event::ready) { // whose argument is the arrow
            argument(p, info.argument, r.argument);
        }
        argument(p, info.detail, r.detail);
        to_.close();
    }

    void argument(const trace_part& p, const trace_field& field, std::uint64_t value) {
        switch (field.type) {
        case trace_type::none: break;
        case trace_type::task:
        case trace_type::subject: to_.string(field.name, hexadecimal(value)); break;
        case trace_type::code:
        case trace_type::text: to_.string(field.name, name_of(p, value)); break;
        case trace_type::executor:
        case trace_type::domain: to_.number(field.name, value); break;
        case trace_type::route: {
            const bool sent = (value & trace_sent) != 0;
            const std::uint64_t peer = value & ~std::uint64_t{trace_sent};
            to_.string("way", sent ? "push" : "pull");
            to_.number("from", sent ? p.rank : peer).number("to", sent ? peer : p.rank);
            break;
        }
        case trace_type::bytes: to_.number(std::string(field.name) + " in bytes", value); break;
        case trace_type::choice:
            to_.string(field.name, value < field.words.size() ? field.words[value] : std::to_string(value));
            break;
        }
    }

    static std::string name_of(const trace_part& p, std::uint64_t address) {
        const auto found = std::lower_bound(p.names.begin(), p.names.end(), address,
                                            [](const trace_name& n, std::uint64_t a) { return n.address < a; });
        return found != p.names.end() && found->address == address ? found->text : hexadecimal(address);
    }

    static std::string slice_name(const trace_part& p, const trace_record& r, const trace_event_info& info) {
        if (r.argument == 0) {
            return info.words;
        }
        switch (info.argument.type) {
        case trace_type::code: return name_of(p, r.argument);
        case trace_type::text: return std::string(info.words) + ": " + name_of(p, r.argument);
        default: return info.words;
        }
    }

    [[nodiscard]] std::uint64_t number_of(std::uint32_t task) const noexcept { return first_task_ + task + 1; }

    const std::span<const trace_part> parts_;
    const timeline& time_;
    event_list& to_;
    const std::uint64_t first_task_;
    std::vector<trace_event> open_; // of one executor, the innermost last
};

} // namespace

void json_trace::add(std::span<const trace_part> parts, const std::function<bool()>& behind_others) {
    const timeline time(parts, base_ns_);
    first_ = !behind_others();
    event_list to(out_, first_);
    drawing picture(parts, time, to, tasks_);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        picture.draw(p);
    }
    picture.draw_rest();
    to.flush();
    tasks_ += time.tasks().size();
}

void write_json(std::span<const trace_part> parts, const json_trace::output& out, std::uint64_t base_ns) {
    out(json_trace::head);
    json_trace(out, base_ns).add(parts);
    out(json_trace::tail);
}

} // namespace skerry::inline SKERRY_ABI::detail
