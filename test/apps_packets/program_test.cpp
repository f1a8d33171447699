// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

namespace {

const apps::program& packets() { return *apps::find_program("packets"); }

// The same flows on any number of cores, and as the serial elision.
TEST(packets, counts_what_the_elision_counts) {
    apps::options o;
    o.size = apps::size::tiny;
    const std::unique_ptr<apps::instance> serial = packets().serial(o);
    serial->reset();
    serial->run();
    ASSERT_TRUE(serial->check().ok) << serial->check().text;
    for (const std::size_t cores : {1U, 2U, 4U}) {
        o.cores = cores;
        skerry::runtime workers;
        workers.run([&] {
            const std::unique_ptr<apps::instance> parallel = packets().parallel(o);
            for (int round = 0; round < 3; ++round) {
                parallel->reset();
                parallel->run();
                const apps::verdict v = parallel->check();
                EXPECT_TRUE(v.ok) << v.text;
                EXPECT_EQ(parallel->digest(), serial->digest());
            }
            parallel->corrupt();
            EXPECT_FALSE(parallel->check().ok);
        });
    }
}

TEST(packets, a_capture_without_packets_is_named) {
    const std::string path = testing::TempDir() + "empty.pcap";
    const std::uint32_t header[] = {0xa1b2c3d4, 4U << 16 | 2U, 0, 0, 65535, 1};
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(header), sizeof header);
    apps::options o;
    o.input = path;
    try {
        static_cast<void>(packets().serial(o));
        ADD_FAILURE() << "it takes a capture without packets";
    } catch (const apps::input_error& e) {
        EXPECT_EQ(std::string(e.what()), path + ": there is no packet");
    }
}

} // namespace
