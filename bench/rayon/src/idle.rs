// SPDX-License-Identifier: Apache-2.0
use crate::fib;
use crate::harness::{processors_used, Outcome, Settings};
use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_millis(1);

fn region() -> bool {
    fib::plain(black_box(16)) == 987
}

fn work_for(duration: Duration) -> bool {
    let begin = Instant::now();
    let mut right = true;
    while begin.elapsed() < duration {
        right &= region();
    }
    right
}

fn regions_at_fixed_rate(count: u64) -> bool {
    let mut right = true;
    let mut next = Instant::now();
    for _ in 0..count {
        right &= region();
        next += PERIOD;
        sleep(next.saturating_duration_since(Instant::now()));
    }
    right
}

pub fn measure(how: &Settings) -> Outcome {
    let count = how.size.unwrap_or(1000);
    let mut got = Outcome {
        unit: "CPUs",
        samples: vec![],
        wrong: None,
    };
    let mut right = work_for(Duration::from_millis(200));
    for _ in 0..how.repetitions {
        got.samples.push(if how.variant == "tiny" {
            processors_used(|| right &= regions_at_fixed_rate(count))
        } else {
            right &= work_for(Duration::from_millis(50));
            processors_used(|| sleep(PERIOD * count as u32))
        });
    }
    if !right {
        got.wrong = Some("fib(16) is not 987".to_string());
    }
    got
}
