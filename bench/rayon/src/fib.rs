// SPDX-License-Identifier: Apache-2.0
use crate::harness::{repeated, time, Outcome, Settings};
use rayon::{join, scope};
use std::hint::black_box;

pub fn plain(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (x, y) = join(|| plain(n - 1), || plain(n - 2));
    x + y
}

fn reference(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (mut x, mut y) = (0, 0);
    join(|| x = reference(n - 1), || y = reference(n - 2));
    x + y
}

/// Of the sequence that begins with these two numbers.
fn values(n: u32, zeroth: u64, first: u64) -> u64 {
    if n < 2 {
        return if n == 0 { zeroth } else { first };
    }
    let (x, y) = join(
        move || values(n - 1, zeroth, first),
        move || values(n - 2, zeroth, first),
    );
    x + y
}

fn group(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let mut x = 0;
    let y = scope(|s| {
        s.spawn(|_| x = group(n - 1));
        group(n - 2)
    });
    x + y
}

fn throwing(n: u32) -> u64 {
    assert!(n <= 93, "a Fibonacci number does not fit");
    if n < 2 {
        return n.into();
    }
    let (x, y) = join(|| throwing(n - 1), || throwing(n - 2));
    x + y
}

/// A result whose end is code (fib.hpp's class total).
struct Total(u64);

impl Drop for Total {
    fn drop(&mut self) {
        self.0 = 0;
    }
}

fn object(n: u32) -> Total {
    if n < 2 {
        return Total(n.into());
    }
    let (x, y) = join(|| object(n - 1), || object(n - 2));
    Total(x.0 + y.0)
}

/// (fib(n), forks that the recursion makes)
fn expected(n: u32) -> (u64, u64) {
    let (mut value, mut next) = (0u64, 1u64);
    for _ in 0..n {
        (value, next) = (next, value + next);
    }
    (value, next - 1)
}

pub fn measure(how: &Settings) -> Outcome {
    let whole = how.variant == "whole"; // the plain form, timed as one computation
    let compute: fn(u32) -> u64 = match how.variant.as_str() {
        "reference" | "initialised" => reference,
        "values" => |n| values(n, 0, 1),
        "object" => |n| object(n).0,
        "group" => group,
        "throwing" => throwing,
        _ => plain,
    };
    let mut wrong = None;
    let samples = repeated(how, how.size.unwrap_or(30), 30, |size| {
        let n = size as u32;
        let (value, forks) = expected(n);
        let mut computed = 0;
        let passed = time(|| computed = compute(black_box(n)));
        if computed != value {
            wrong = Some(format!("fib({n}) = {computed}"));
        }
        passed.as_secs_f64() * if whole { 1e3 } else { 1e9 / forks as f64 }
    });
    Outcome {
        unit: if whole { "ms" } else { "ns/fork" },
        samples,
        wrong,
    }
}
