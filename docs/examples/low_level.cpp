// SPDX-License-Identifier: Apache-2.0

#include <skerry/task.hpp>

// [task]
class fib_task : public skerry::task {
  public:
    fib_task(int n, long* sum) : n_(n), sum_(sum) {}

    void execute() override {
        if (n_ < 2) {
            *sum_ = n_;
            return;
        }
        long x = 0, y = 0;
        fib_task a(n_ - 1, &x), b(n_ - 2, &y);
        set_reference_count(2);
        task::spawn(&a);
        task::spawn(&b);
        task::wait(this);
        *sum_ = x + y;
    }

  private:
    int n_;
    long* sum_;
};
// [/task]

int main() {
    long sum = 0;
    fib_task root(20, &sum);
    skerry::task::run_root(root);
    return sum == 6765 ? 0 : 1;
}
