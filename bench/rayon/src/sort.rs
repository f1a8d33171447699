// SPDX-License-Identifier: Apache-2.0
use crate::harness::{time, Outcome, RandomNumbers, Settings};
use rayon::prelude::*;

fn fingerprint(keys: &[u32]) -> u64 {
    keys.iter().fold(0, |sum: u64, &key| {
        sum.wrapping_add(RandomNumbers(key.into()).next())
    })
}

/// rayon has no radix sort: par_sort_unstable is its fastest sort of keys in both variants.
pub fn measure(how: &Settings) -> Outcome {
    let mut random = RandomNumbers(1);
    let input: Vec<u32> = (0..how.size.unwrap_or(10_000_000))
        .map(|_| (random.next() >> 32) as u32)
        .collect();
    let expected = fingerprint(&input);
    let mut keys = vec![0; input.len()];
    let mut got = Outcome {
        unit: "ms",
        samples: vec![],
        wrong: None,
    };
    for _ in 0..how.repetitions {
        keys.copy_from_slice(&input);
        got.samples
            .push(time(|| keys.par_sort_unstable()).as_secs_f64() * 1e3);
        if !keys.is_sorted() {
            got.wrong = Some("not sorted".to_string());
        }
        if fingerprint(&keys) != expected {
            got.wrong = Some("other keys than before".to_string());
        }
    }
    got
}
