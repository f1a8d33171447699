// SPDX-License-Identifier: Apache-2.0

// Writes what every worker did into a file for https://ui.perfetto.dev: traced [FILE.json]. Bodies with a name show it
// there.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <vector>

#include <skerry/skerry.hpp>

double work() {
    std::vector<double> v(1'000'000);
    skerry::parallel_for(std::size_t{0}, v.size(),
                         skerry::named<"fill">([&](std::size_t i) { v[i] = std::sqrt(static_cast<double>(i)); }));
    const auto [sum, largest] = skerry::parallel_invoke(
        skerry::named<"sum">([&] { return skerry::parallel_reduce(v); }), skerry::named<"largest">([&] {
            return skerry::parallel_reduce(v, 0.0, [](double a, double b) { return std::fmax(a, b); });
        }));
    return sum / largest;
}

int main(int argc, char** argv) {
    skerry::options o = skerry::options::from_environment();
    o.trace = argc > 1 ? argv[1] : (std::filesystem::temp_directory_path() / "skerry-traced.json").string();
    double result = 0;
    {
        skerry::runtime seen(o);
        result = seen.run(work);
    } // the file is whole when the runtime has ended
    const auto bytes = std::filesystem::file_size(o.trace);
    std::printf("%.0f; %s has %ju bytes\n", result, o.trace.c_str(), std::uintmax_t{bytes});
    if (argc == 1) std::filesystem::remove(o.trace);
    return bytes > 1000 ? 0 : 1;
}
