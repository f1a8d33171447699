// SPDX-License-Identifier: Apache-2.0

#include "packets/machine.hpp"
#include "packets/work.hpp"
#include "program.hpp"

#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

#include "frames.hpp"

namespace skerry::test {
namespace {

using namespace apps::packets;

const apps::program& program() { return *apps::find_program("packets"); }

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class packets : public files_in_a_folder {
  protected:
    // Calls of several sources, keys, TCP, what is no IP, and one packet for each reason to drop.
    std::string all_kinds(const std::string& name = "all") {
        std::vector<captured> all;
        for (unsigned i = 0; i < 300; ++i) {
            const auto number = static_cast<std::uint16_t>(i);
            const bytes speech(i % 2 == 0 ? 160 : 80, static_cast<std::uint8_t>(i));
            all.push_back({joined({ethernet(0x0800), ipv4(udp, udp_of(rtp(8, number, i * 160, speech, i % 3)))}), i});
            all.push_back({joined({ethernet(0x86dd), ipv6(tcp, tcp_of(bytes(i, 3), addresses_v6()))}), i});
            if (i % 10 == 0) all.push_back({joined({ethernet(0x0806), bytes(28, 1)}), i});
        }
        for (const std::uint8_t event : bytes{1, 2, 10}) {
            all.push_back(
                {joined({ethernet(0x0800), ipv4(udp, udp_of(rtp(101, event, 1000U * event, {event, 0, 0, 0})))})});
        }
        bytes wrong = joined({ethernet(0x0800), ipv4(udp, udp_of({1}))});
        all.push_back({bytes(wrong.begin(), wrong.end() - 1), 0, 1}); // cut
        all.push_back({bytes(wrong.begin(), wrong.end() - 1), 0, 0}); // of a wrong length
        wrong.back() ^= 1;
        all.push_back({wrong});                                                    // of a wrong checksum
        all.push_back({joined({ethernet(0x0800), ipv4(udp, udp_of({1}), 0, 1)})}); // with TTL spent
        return file(name, 1, all);
    }

    static std::string refused(const apps::options& o) {
        try {
            static_cast<void>(program().serial(o));
        } catch (const std::exception& e) {
            return e.what();
        }
        return "nothing was thrown";
    }
};

// The same output and the same table on any number of cores, and as the serial elision.
TEST_F(packets, output_and_table_are_those_of_the_elision) {
    const capture_files files = look_over({all_kinds(), all_kinds("again")});
    constexpr std::uint32_t passes = 9; // more than are under way at a time
    const std::string expected = folder_ / "serial.pcap";
    work_result serial;
    output to(expected, files);
    pass_serially(files, passes, to, serial);
    to.close();
    EXPECT_EQ(serial.read, files.packets * passes);
    EXPECT_EQ(serial.packets[static_cast<std::size_t>(fate::other)], 2 * 30U * passes);
    for (const fate f : {fate::cut, fate::wrong_length, fate::wrong_checksum, fate::ttl_spent}) {
        EXPECT_EQ(serial.packets[static_cast<std::size_t>(f)], 2U * passes);
    }
    EXPECT_EQ(to.packets(), serial.read - std::uint64_t{8} * passes);
    EXPECT_EQ(look_over({expected}).packets, to.packets());
    for (const std::size_t cores : {1U, 2U, 4U}) {
        const std::string path = folder_ / "events.pcap";
        work_result by_events;
        output out(path, files);
        pass_by_events(files, passes, out, by_events, {.cores = cores});
        out.close();
        EXPECT_EQ(by_events.packets, serial.packets);
        EXPECT_EQ(by_events.read, serial.read);
        EXPECT_EQ(out.packets(), to.packets());
        EXPECT_EQ(out.digest(), to.digest());
        EXPECT_EQ(by_events.first_table, serial.first_table);
        ASSERT_EQ(by_events.passes.size(), serial.passes.size());
        for (std::size_t pass = 0; pass < passes; ++pass) {
            EXPECT_EQ(by_events.passes[pass].digest, serial.passes[pass].digest);
            EXPECT_EQ(by_events.passes[pass].alike, serial.passes[0].alike);
            EXPECT_TRUE(pass == 0 || serial.passes[pass].digest != serial.passes[0].digest);
        }
        EXPECT_TRUE(content_of(path) == content_of(expected));
    }
    EXPECT_THAT(serial.first_table, testing::HasSubstr("keys  all 10.0.0.1:5000 > 10.0.0.2:53 12*\n"));
}

TEST_F(packets, what_goes_out_is_right_and_can_be_read_again) {
    const std::string path = folder_ / "out.pcap";
    const capture_files files = look_over({all_kinds()});
    work_result first;
    output to(path, files);
    pass_by_events(files, 2, to, first, {.cores = 2});
    to.close();
    const capture_files again = look_over({path});
    work_result second;
    output nowhere("", again);
    pass_serially(again, 1, nowhere, second);
    EXPECT_EQ(second.packets[static_cast<std::size_t>(fate::counted)],
              first.packets[static_cast<std::size_t>(fate::counted)]);
    EXPECT_EQ(second.read, to.packets());
    EXPECT_EQ(nowhere.packets(), to.packets());
}

TEST_F(packets, times_of_nanoseconds_go_out_as_they_are) {
    const bytes frame = joined({ethernet(0x0806), bytes(28, 1)});
    for (const bool nano : {false, true}) {
        const std::string in = file("in", 1, {{frame, 123'456}}, nano ? magic_of_nanoseconds : magic);
        const capture_files files = look_over({in});
        work_result result;
        output to(folder_ / "out", files);
        pass_serially(files, 1, to, result);
        to.close();
        EXPECT_TRUE(content_of(folder_ / "out") == content_of(in));
    }
}

TEST_F(packets, large_frames_find_room_beside_small_ones) {
    std::vector<captured> all;
    for (int i = 0; i < 3000; ++i) {
        all.push_back({joined({ethernet(0x0806), bytes(i % 2 == 0 ? 28 : 20'000, static_cast<std::uint8_t>(i))})});
    }
    const capture_files files = look_over({file("large", 1, all)});
    work_result serial;
    work_result by_events;
    output to("", files);
    output out("", files);
    pass_serially(files, 1, to, serial);
    pass_by_events(files, 1, out, by_events, {.cores = 2});
    EXPECT_EQ(out.digest(), to.digest());
}

TEST_F(packets, a_timer_reports_how_far_they_are) {
    std::atomic<std::uint64_t> reported{0};
    std::atomic<int> reports{0};
    const capture_files files = look_over({all_kinds()});
    const machine_settings settings{.cores = 1,
                                    .report =
                                        [&](std::uint64_t gone) {
                                            reported = gone;
                                            ++reports;
                                        },
                                    .period = std::chrono::microseconds(50)};
    testing::internal::CaptureStderr();
    while (reports < 100) { // each run lasts for some periods, and ends within one
        work_result result;
        output to("", files);
        pass_by_events(files, 2, to, result, settings);
        EXPECT_LE(reported, files.packets * 2);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a timer that has nobody to send to says so";
}

// What is under way is given back, and nothing waits for a pass that does not end.
TEST_F(packets, a_file_that_goes_away_ends_the_run) {
    const std::string path = all_kinds();
    capture_files files = look_over({path, file("one", 1, {{ethernet(0x0806)}})});
    ++files.packets_of.back(); // as if it had had two
    ++files.packets;
    testing::internal::CaptureStderr();
    for (const std::size_t cores : {1U, 2U}) {
        work_result result;
        output to("", files);
        EXPECT_THROW(pass_by_events(files, 3, to, result, {.cores = cores}), apps::input_error);
        EXPECT_EQ(std::accumulate(result.packets.begin(), result.packets.end(), std::uint64_t{0}), files.packets - 1);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "an object that stops with events says so";
}

TEST_F(packets, the_program_counts_what_its_elision_counts) {
    apps::options o;
    o.input = all_kinds();
    o.passes = 3;
    const std::unique_ptr<apps::instance> serial = program().serial(o);
    serial->reset();
    serial->run();
    ASSERT_TRUE(serial->check().ok) << serial->check().text;
    EXPECT_EQ(serial->problem(), "637 packets of 1 files, 3 passes");
    for (const std::size_t cores : {1U, 2U, 4U}) {
        o.cores = cores;
        skerry::runtime workers;
        workers.run([&] {
            const std::unique_ptr<apps::instance> parallel = program().parallel(o);
            for (int round = 0; round < 3; ++round) {
                parallel->reset();
                parallel->run();
                const apps::verdict v = parallel->check();
                EXPECT_TRUE(v.ok) << v.text;
                EXPECT_EQ(parallel->digest(), serial->digest());
                EXPECT_EQ(parallel->print(), serial->print());
            }
            parallel->corrupt();
            EXPECT_FALSE(parallel->check().ok);
        });
    }
}

TEST_F(packets, a_file_that_is_named_after_a_key_has_to_have_it) {
    const auto with_key = [this](const std::string& name, std::uint8_t event) {
        apps::options o;
        o.input = file(name, 101, {{ipv4(udp, udp_of(rtp(101, 1, 1000, {event, 0, 0, 0})))}});
        o.passes = 1;
        const std::unique_ptr<apps::instance> serial = program().serial(o);
        serial->run();
        return serial->check();
    };
    EXPECT_TRUE(with_key("dtmf_2833_7.pcap", 7).ok);
    EXPECT_TRUE(with_key("dtmf_2833_star.pcap", 10).ok);
    EXPECT_TRUE(with_key("dtmf_2833_pound.pcap", 11).ok);
    const apps::verdict v = with_key("dtmf_2833_8.pcap", 7);
    EXPECT_FALSE(v.ok);
    EXPECT_EQ(v.text, "dtmf_2833_8.pcap has no key 8");
}

TEST_F(packets, output_has_one_link_and_is_no_input) {
    apps::options o;
    o.input = file("a", 1, {{ethernet(0x0806)}});
    o.output = folder_ / "out";
    EXPECT_EQ(refused(o), "nothing was thrown");
    o.more_inputs = {file("b", 0, {{{7, 0, 0, 0}}})};
    EXPECT_EQ(refused(o), o.more_inputs[0] + ": its link is another than that of " + o.input +
                              ", and --output writes one file of one link");
    o.output.clear();
    EXPECT_EQ(refused(o), "nothing was thrown");
    o.more_inputs.clear();
    std::filesystem::create_symlink(o.input, folder_ / "same");
    o.output = folder_ / "same";
    EXPECT_EQ(refused(o), "--output " + o.output + ": this is an input, too");
}

TEST_F(packets, what_cannot_be_written_is_named) {
    apps::options o;
    o.input = all_kinds();
    for (const auto& [path, why] : {std::pair{"/nowhere/at/all", "No such file or directory"},
                                    std::pair{"/dev/full", "No space left on device"}}) {
        o.output = path;
        const std::unique_ptr<apps::instance> serial = program().serial(o);
        try {
            serial->run();
            ADD_FAILURE() << "it has written " << path;
        } catch (const std::runtime_error& e) {
            EXPECT_EQ(std::string(e.what()), std::string(path) + ": " + why);
        }
    }
}

} // namespace
} // namespace skerry::test
