// SPDX-License-Identifier: Apache-2.0
use crate::harness::{repeated, time, Outcome, Settings};
use rayon::prelude::*;
use std::hint::black_box;

const CHILDREN: usize = 10;

fn by_loop(first: u64, leaves: u64) -> u64 {
    if leaves <= 1 {
        return first;
    }
    let each = leaves / CHILDREN as u64;
    (0..CHILDREN)
        .into_par_iter()
        .map(|i| by_loop(first + i as u64 * each, each))
        .sum()
}

fn by_group(first: u64, leaves: u64) -> u64 {
    if leaves <= 1 {
        return first;
    }
    let each = leaves / CHILDREN as u64;
    let mut sums = [0; CHILDREN];
    rayon::scope(|s| {
        let [others @ .., last] = &mut sums;
        for (i, sum) in others.iter_mut().enumerate() {
            s.spawn(move |_| *sum = by_group(first + i as u64 * each, each));
        }
        *last = by_group(first + (CHILDREN - 1) as u64 * each, each);
    });
    sums.iter().sum()
}

pub fn measure(how: &Settings) -> Outcome {
    let sum: fn(u64, u64) -> u64 = match how.variant.as_str() {
        "group" => by_group,
        _ => by_loop,
    };
    let size = how.size.unwrap_or(100_000_000);
    let mut wrong = None;
    let samples = repeated(how, size, 1_000_000, |leaves| {
        let mut computed = 0;
        let passed = time(|| computed = sum(0, black_box(leaves)));
        if computed != leaves * (leaves - 1) / 2 {
            wrong = Some(format!("the leaves' sum is {computed}"));
        }
        passed.as_secs_f64() * 1e3
    });
    Outcome {
        unit: "ms",
        samples,
        wrong,
    }
}
