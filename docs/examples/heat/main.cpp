// SPDX-License-Identifier: Apache-2.0

// Heat flows along a rod. Each step is a loop over a kernel, which runs on the workers and on a device, if there is one
// that can be used: try SKERRY_DEVICES=emulated, or SKERRY_DEVICES=all.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <skerry/skerry.hpp>

// [kernel]
SKERRY_KERNEL(flow, (const double* now, double* next, double share, int64_t last), {
    double left = i > 0 ? now[i - 1] : now[i];
    double right = i < last ? now[i + 1] : now[i];
    next[i] = now[i] + share * (left - 2 * now[i] + right);
})
// [/kernel]

// [own-body]
SKERRY_KERNEL(total_of_rows, (const float* m, float* sums, int32_t columns), {
    SKERRY_GLOBAL const float* row = m + i * columns;
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += row[k];
    sums[i] = sum;
})
SKERRY_DEVICE_BODY(total_of_rows, opencl, {
    float sum = 0;
    for (int k = 0; k < columns; k += 4) {
        float4 four = vload4(0, m + i * columns + k);
        sum += four.x;
        sum += four.y;
        sum += four.z;
        sum += four.w;
    }
    sums[i] = sum;
})
// [/own-body]

namespace {

using skerry::each, skerry::in, skerry::out;

double heat_after(int steps) {
    // [loop]
    std::vector<double> now(100'000), next(now.size());
    now[50'000] = 1;
    for (int step = 0; step < steps; ++step) {
        skerry::parallel_for(0, now.size(), flow, in(each(now, 1, 1, 1)), out(each(next)), 0.25, now.size() - 1);
        std::swap(now, next);
    }
    // [/loop]
    double sum = 0;
    for (const double part : now) sum += part;
    return sum;
}

float row_sums() {
    constexpr int rows = 500, columns = 64;
    std::vector<float> m(rows * columns, 0.5F), sums(rows);
    // [device]
    skerry::parallel_for(skerry::place::device, 0, rows, total_of_rows, in(each(m, columns)), out(each(sums)), columns);
    // [/device]
    return sums[rows - 1];
}

} // namespace

int main() {
    const double sum = heat_after(100);
    std::printf("%.6f of 1 is still there\n", sum);
    const float row = row_sums();
    // [devices]
    for (const skerry::device_statistics& d : skerry::current_devices()) {
        std::printf("%s (%s): %s, %llu iterations, %llu bytes sent, %llu brought home\n", d.name.c_str(),
                    d.description.c_str(), d.used ? "used" : d.why_not.c_str(),
                    static_cast<unsigned long long>(d.iterations), static_cast<unsigned long long>(d.bytes_in),
                    static_cast<unsigned long long>(d.bytes_out));
    }
    // [/devices]
    return std::abs(sum - 1) < 1e-9 && row == 32.0F ? 0 : 1;
}
