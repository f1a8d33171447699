// SPDX-License-Identifier: Apache-2.0
use crate::harness::{spin_for, time, Outcome, Settings};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const TASKS: u32 = 64;
const SHORT_TASK: Duration = Duration::from_millis(1);
const LONG_LEAF: Duration = Duration::from_millis(100);

pub fn measure(how: &Settings) -> Outcome {
    let mut got = Outcome {
        unit: "ms",
        samples: vec![],
        wrong: None,
    };
    for i in 0..=how.repetitions {
        let done = AtomicU32::new(0);
        let passed = time(|| {
            rayon::scope(|s| {
                for _ in 0..TASKS {
                    s.spawn(|_| {
                        spin_for(SHORT_TASK);
                        done.fetch_add(1, Ordering::Relaxed);
                    });
                }
                spin_for(LONG_LEAF);
            })
        });
        let ran = done.load(Ordering::Relaxed);
        if ran != TASKS {
            got.wrong = Some(format!("{ran} tasks ran"));
        }
        if i != 0 {
            got.samples.push(passed.as_secs_f64() * 1e3);
        }
    }
    got
}
