// SPDX-License-Identifier: Apache-2.0

// A server that answers each request in a child of its own. Parent and children use Skerry: a child's first construct
// makes its workers anew, since fork() gives it none of the parent's threads.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <skerry/skerry.hpp>

#include <sys/wait.h>
#include <unistd.h>

long sum_of_squares(long n) {
    std::vector<long> v(static_cast<std::size_t>(n));
    skerry::parallel_for(long{0}, n, [&](long i) { v[static_cast<std::size_t>(i)] = i * i; });
    return skerry::parallel_reduce(v);
}

int answer(long request) { // 0 if the sum is what the formula says
    const long n = 1000 * request;
    return sum_of_squares(n) == (n - 1) * n * (2 * n - 1) / 6 ? 0 : 1;
}

int main() {
    if (sum_of_squares(4) != 14) return 1; // the parent has workers by now
    std::vector<pid_t> children;
    for (int request = 1; request <= 8; ++request) {
        std::fflush(nullptr);       // or each child prints what the parent has not
        const pid_t child = fork(); // outside of every task
        if (child < 0) return std::perror("fork"), 1;
        if (child == 0) std::exit(answer(request));
        children.push_back(child);
    }
    int failed = 0;
    for (const pid_t child : children) {
        int status = 0;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) ++failed;
    }
    std::printf("%zu requests answered, %d failed; the parent goes on: %ld\n", children.size(), failed,
                sum_of_squares(4));
    return failed == 0 && sum_of_squares(4) == 14 ? 0 : 1;
}
