#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that must not compile, with the message that says why.

compile_test.py COMPILER INCLUDE_FOLDER [unittest arguments]
"""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPILER = INCLUDE = HEADER = ""

# A name, the statement, what the compiler has to say.
CASES = [
    ("index", "skerry::parallel_for(0, 9, [] {});",
     "skerry: parallel_for(first, last, f): f must be callable as f(i) with an index i"),
    ("access_of_a_temporary", "static_cast<void>(in(3));",
     "skerry: an access needs an object that lives until the task has ended, not a temporary: give a value without in()"),
    ("kernel_parameter", "skerry::parallel_for(0, 5, flags, out(each(v)));",
     "skerry: SKERRY_KERNEL: a parameter is a number of up to 64 bits, float or double, or a pointer to such numbers"),
    ("kernel_number", "skerry::parallel_for(0, 1, add, in(each(f)), inout(each(f)));",
     "skerry: the kernel takes another number of arguments; a grain may follow them"),
    ("kernel_no_access", "skerry::parallel_for(0, 1, add, in(each(f)), f, 1);",
     "skerry: a kernel's pointer is given as in(x), out(x) or inout(x)"),
    ("kernel_constness", "skerry::parallel_for(0, 1, add, in(each(f)), in(each(f)), 1);",
     "skerry: a kernel's pointer to const goes with in(x), any other with out(x) or inout(x)"),
    ("kernel_element", "skerry::parallel_for(0, 1, add, in(each(f)), inout(v), 1);",
     "skerry: a kernel's pointer goes with an array of its type, in one piece: a std::span, std::vector, an array or a "
     "part of one"),
    ("kernel_value", "skerry::parallel_for(0, 1, add, in(each(f)), inout(each(f)), in(f));",
     "skerry: a kernel's value is given without in(), out() or inout()"),
    ("kernel_no_number", "skerry::parallel_for(0, 1, add, in(each(f)), inout(each(f)), f.data());",
     "skerry: a kernel's value is given as a number"),
    ("each_halo", "static_cast<void>(out(each(f, 1, 1)));",
     "skerry: each(x, stride, before, after) goes with in(): what an iteration writes is its own"),
    ("each_list", "std::list<int> l; static_cast<void>(each(l));",
     "skerry: each(x): the elements of x must lie in one piece, as those of a std::span or std::vector"),
    ("each_temporary", "static_cast<void>(each(std::vector<int>(3)));",
     "skerry: each(x): x must live until the loop is over, it cannot be a temporary"),
    ("iterators", "skerry::parallel_for(v.begin(), v.end(), [] {});",
     "skerry: parallel_for(first, last, f): f must be callable as f(*first)"),
    ("range", "skerry::parallel_for(v, [] {});",
     "skerry: parallel_for(range, f): f must be callable as f(x) with an element x of the range"),
    ("box", "skerry::parallel_for(skerry::box<2>{{0, 0}, {2, 2}}, [](int) {});",
     "skerry: parallel_for(box<N>, f): f must be callable with N coordinates"),
    ("for_each", "skerry::parallel_for_each(v, [] {});",
     "skerry: parallel_for_each: f must be callable as f(x) with an element x"),
    ("transform", "skerry::parallel_transform(v, v.begin(), [] { return 1; });",
     "skerry: parallel_transform: f must be callable as f(x) with an element x and its result must be assignable to "
     "the output's elements"),
    ("transform_pairs", "skerry::parallel_transform(v, v, v.begin(), [](int x) { return x; });",
     "skerry: parallel_transform: f must be callable as f(x, y) with an element of each sequence and its result must "
     "be assignable to the output's elements"),
    ("copy_if", "skerry::parallel_copy_if(v, v.begin(), [] { return true; });",
     "skerry: parallel_copy_if: the predicate must be callable with an element and give a bool"),
    ("copy_if_output", "std::vector<thing> t; skerry::parallel_copy_if(v, t.begin(), [](int) { return true; });",
     "skerry: parallel_copy_if: the elements must be assignable to the output's elements"),
    ("reduce", "skerry::parallel_reduce(v, 0, [](int x) { return x; });",
     "skerry: parallel_reduce: op must be callable as op(x, y) with two values of init's type T and give a T"),
    ("reduce_type", "skerry::parallel_reduce(v, thing{}, [](thing a, thing) { return a; });",
     "skerry: parallel_reduce: the elements must convert to init's type"),
    ("transform_reduce", "skerry::parallel_transform_reduce(v, 0, std::plus<>(), [] { return 1; });",
     "skerry: parallel_transform_reduce: transform must be callable with an element and its result must convert to "
     "init's type"),
    ("transform_reduce_pairs",
     "skerry::parallel_transform_reduce(v, v, 0, std::plus<>(), [](int x) { return x; });",
     "skerry: parallel_transform_reduce: transform must be callable with an element of each sequence and its result "
     "must convert to init's type"),
    ("transform_reduce_op", "skerry::parallel_transform_reduce(v, 0, [] { return 1; }, [](int x) { return x; });",
     "skerry: parallel_transform_reduce: reduce must be callable as reduce(x, y) with two values of init's type T and "
     "give a T"),
    ("scan", "skerry::parallel_inclusive_scan(v, v.begin(), [](int x) { return x; });",
     "skerry: parallel scan: op must be callable as op(x, y) with two values of the sum's type T and give a T"),
    ("scan_type", "skerry::parallel_exclusive_scan(v, v.begin(), thing{}, [](thing a, thing) { return a; });",
     "skerry: parallel scan: the elements must convert to the sum's type, and that to the output's"),
    ("scan_copy", "std::vector<once> w(3); skerry::parallel_inclusive_scan(w, w.begin(), "
                  "[](const once&, const once&) { return once{}; });",
     "skerry: parallel scan: the sum's type must be copyable"),
    ("find_if", "skerry::parallel_find_if(v, [] { return true; });",
     "skerry: parallel_find_if: the predicate must be callable with an element and give a bool"),
    ("find_if_temporary", "skerry::parallel_find_if(std::vector<int>{1}, [](int) { return true; });",
     "skerry: parallel_find_if: the range is a temporary, the result would point into nothing"),
    ("any_of", "skerry::parallel_any_of(v, [] { return true; });",
     "skerry: parallel_any_of, all_of, none_of: the predicate must be callable with an element and give a bool"),
    ("sort", "skerry::parallel_sort(v, [](int) { return true; });",
     "skerry: parallel_sort, parallel_stable_sort: the comparison must be callable with two elements (or their "
     "projections) and give a bool"),
    ("sort_projection", "skerry::parallel_sort(v, std::less<>(), [] { return 1; });",
     "skerry: parallel_sort, parallel_stable_sort: the projection must be callable with an element"),
    ("sort_constant", "const std::vector<int> c; skerry::parallel_sort(c);",
     "skerry: parallel_sort, parallel_stable_sort: the elements must be movable and not constant"),
    ("no_form", "skerry::parallel_sort(std::list<int>{3, 1});",
     "skerry: no form of this algorithm takes these arguments. It wants two random-access iterators or a random-access "
     "range (parallel_for: also two integers or a box; parallel_for_each and reductions, then without a grain: also "
     "forward ones, or a source), then what std's algorithm of the name wants, then a grain if it has one"),
    ("branch", "skerry::parallel_invoke([](int) {}, [] {});",
     "skerry: parallel_invoke takes one branch or more, each callable without arguments: let a branch capture what"
     " it uses"),
    ("access_to_capture", "skerry::submit([](int&) {}, skerry::inout(v[0]));",
     "skerry: in(x), out(x) and inout(x) are for spawn and taskwait_on alone: here let the function capture what "
     "it uses"),
    ("one_function", "skerry::blocking([](int) {}, 3);",
     "skerry: this construct takes one function and nothing else: let the function capture what it uses"),
    ("no_function", "skerry::task_group g; g.run(5);",
     "skerry: what stands in place of the function is not callable: give a function, a lambda or an object with "
     "operator()"),
    ("parameters", "skerry::submit([](int) {});",
     "skerry: the function cannot be called without arguments, as this construct calls it: let it capture what it "
     "uses"),
    ("finish", "skerry::finish([] {});",
     "skerry: finish calls the function with its scope, which this one does not take: write [](skerry::scope& s) {"
     " ... }, in the elision [](skerry::serial::scope& s)"),
    ("moves_only", "const auto f = [o = once{}] {}; skerry::finish([&](skerry::scope& s) { s.async(f); });",
     "skerry: the task keeps the function, which cannot be copied into it: write std::move(f), or a lambda that "
     "refers to it"),
    ("combine", "skerry::worker_local<int> w; (void)w.combine([](int x) { return x; });",
     "skerry: worker_local<T>::combine: op must be callable as op(x, y) with a T and a const T& and give a T"),
    ("access_first", "skerry::spawn(skerry::in(v), [](const std::vector<int>&) {});",
     "skerry: spawn(f, arguments...): the function comes first, and its accesses after it"),
    ("argument_moves_only", "const once o; skerry::spawn([](const once&) {}, o);",
     "skerry: spawn: the task keeps this argument, which cannot be copied into it: write std::move(x), or name the"
     " object by in(x) or inout(x)"),
    ("parameter_count", "skerry::spawn([](int, int) {}, 3);",
     "skerry: spawn: the function takes more or fewer parameters than there are arguments (parameters == arguments)"),
    ("in_to_write", "skerry::spawn([](int&) {}, skerry::in(v[0]));",
     "skerry: spawn: in(x) gives the function a const reference or view, but its parameter for this argument is "
     "not const: use inout(x)"),
    ("copy_to_write", "skerry::spawn([](int&) {}, v[0]);",
     "skerry: spawn: the function gets this argument as a const copy, but its parameter is not const: use inout(x)"
     " to change x, else take a const T&"),
    ("no_conversion", "skerry::spawn([](thing) {}, 3);",
     "skerry: spawn: this argument cannot be converted to the function's parameter"),
    ("unknown_parameters", "skerry::spawn([](auto, auto) {}, 3);",
     "skerry: spawn: the function cannot be called with these arguments: in(x) gives it a const reference, "
     "inout(x) and out(x) a reference, and anything else a const copy"),
    ("wait_for_a_value", "skerry::taskwait_on(v);",
     "skerry: taskwait_on takes accesses: write in(x), out(x) or inout(x)"),
    ("access_temporary", "static_cast<void>(skerry::in(3));",
     "skerry: an access needs an object that lives until the task has ended, not a temporary: give a value without in()"),
    ("access_of_pointer", "int* p = v.data(); static_cast<void>(skerry::in(p));",
     "skerry: an access names an object, not a pointer to it: write in(*p), or in(std::span(p, n))"),
    ("access_constant", "const int c = 3; static_cast<void>(skerry::out(c));",
     "skerry: out() and inout() need an object that can be written"),
    ("access_constant_elements", "static_cast<void>(skerry::inout(std::span<const int>(v)));",
     "skerry: out() and inout() need a span of elements that can be written"),
    ("constant_part", "const std::vector<int> c(9); (void)skerry::inout(skerry::partition(c, 3)(0));",
     "skerry: out() and inout() need a part of an array whose elements can be written"),
]
HEADERS = """#include <functional>
#include <list>
#include <span>
#include <vector>
#include <skerry/skerry.hpp>
"""
PROGRAM = """struct thing {};
struct once { once() = default; once(once&&) = default; once& operator=(once&&) = default; };
std::vector<int> v;
std::vector<float> f;
using skerry::each, skerry::in, skerry::inout, skerry::out;
SKERRY_KERNEL(add, (const float* x, float* y, float a), { y[i] += a * x[i]; })
SKERRY_KERNEL(flags, (bool* x), { x[i] = true; })
void use() { %s }
"""
MOST_MESSAGES = 40


def messages(statement):
    """Whether it compiles, what the compiler says, and how many errors and notes that is."""
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", INCLUDE, "-include", HEADER, "-x", "c++", "-"],
                          input=PROGRAM % statement, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if " error: " in line or " note: " in line]
    return done.returncode == 0, done.stderr, len(lines)


class Misuse(unittest.TestCase):
    def test_each_is_named(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            said = pool.map(messages, [statement for _, statement, _ in CASES])
        for (name, _, wanted), (compiles, text, count) in zip(CASES, said):
            with self.subTest(name):
                self.assertFalse(compiles)
                self.assertIn(wanted, text)
                self.assertLessEqual(count, MOST_MESSAGES, text)

    def test_the_program_around_them_compiles(self):
        compiles, text, _ = messages("")
        self.assertTrue(compiles, text)


if __name__ == "__main__":
    COMPILER, INCLUDE = sys.argv.pop(1), sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        HEADER = str(pathlib.Path(folder, "headers.hpp"))
        pathlib.Path(HEADER).write_text(HEADERS, encoding="utf-8")
        subprocess.run([COMPILER, "-std=c++20", "-I", INCLUDE, "-x", "c++-header", HEADER, "-o", HEADER + ".gch"], check=True)
        unittest.main()
