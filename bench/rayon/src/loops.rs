// SPDX-License-Identifier: Apache-2.0
use crate::harness::{time, Outcome, Settings};
use rayon::prelude::*;
use std::hint::black_box;

fn check(visits: &[u8]) -> Option<String> {
    visits
        .iter()
        .any(|&v| v != 1)
        .then(|| "an iteration did not run exactly once".to_string())
}

fn grain_one(n: usize) {
    // The address of nothing: keeps the call, costs no store.
    (0..n).into_par_iter().with_max_len(1).for_each(|i| {
        black_box(i as *const u8);
    });
}

pub fn measure_grain_one(how: &Settings) -> Outcome {
    let n = how.size.unwrap_or(1_000_000) as usize;
    let mut visits = vec![0u8; n];
    visits.par_iter_mut().with_max_len(1).for_each(|v| *v += 1);
    let mut got = Outcome {
        unit: "ns/iteration",
        samples: vec![],
        wrong: check(&visits),
    };
    grain_one(n);
    for _ in 0..how.repetitions {
        got.samples
            .push(time(|| grain_one(black_box(n))).as_secs_f64() * 1e9 / n as f64);
    }
    got
}

pub fn measure_region(how: &Settings) -> Outcome {
    const ITERATIONS: usize = 1000;
    let count = how.size.unwrap_or(20_000);
    let mut visits = vec![0u8; ITERATIONS];
    visits.par_iter_mut().for_each(|v| *v += 1);
    let mut got = Outcome {
        unit: "us/region",
        samples: vec![],
        wrong: check(&visits),
    };
    let regions = |count| {
        for _ in 0..count {
            (0..black_box(ITERATIONS)).into_par_iter().for_each(|_| {});
        }
    };
    regions(count / 4);
    for _ in 0..how.repetitions {
        got.samples
            .push(time(|| regions(count)).as_secs_f64() * 1e6 / count as f64);
    }
    got
}
