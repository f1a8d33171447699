// SPDX-License-Identifier: Apache-2.0
use crate::harness::{repeated, time, Outcome, Settings};
use rayon::prelude::*;
use std::hint::black_box;

const MAX_N: usize = 16;
type Board = [i8; MAX_N];

const SOLUTIONS: [u64; MAX_N + 1] = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512,
];

// Both rules are as in nqueens.hpp.

fn safe(columns: &Board, row: usize, column: i8) -> bool {
    let column = i32::from(column);
    let (mut left, mut right) = (column, column);
    columns[..row].iter().rev().all(|&queen| {
        left -= 1;
        right += 1;
        let queen = i32::from(queen);
        queen != column && queen != left && queen != right
    })
}

fn safe_columns(columns: &Board, row: usize, n: usize) -> u32 {
    let attacked = columns[..row]
        .iter()
        .enumerate()
        .fold(0u32, |attacked, (r, &column)| {
            let queen = 1u32 << column;
            attacked | queen | queen << (row - r) | queen >> (row - r)
        });
    !attacked & ((1u32 << n) - 1)
}

trait Rule {
    fn each_safe(columns: &Board, row: usize, n: usize, found: impl FnMut(i8));
}

struct Compared;

impl Rule for Compared {
    fn each_safe(columns: &Board, row: usize, n: usize, mut found: impl FnMut(i8)) {
        for column in 0..n as i8 {
            if safe(columns, row, column) {
                found(column);
            }
        }
    }
}

struct Bits;

impl Rule for Bits {
    fn each_safe(columns: &Board, row: usize, n: usize, mut found: impl FnMut(i8)) {
        let mut left = safe_columns(columns, row, n);
        while left != 0 {
            found(left.trailing_zeros() as i8);
            left &= left - 1;
        }
    }
}

fn from<R: Rule>(columns: &Board, row: usize, n: usize) -> u64 {
    if row == n {
        return 1;
    }
    let mut choices = [0i8; MAX_N];
    let mut size = 0;
    R::each_safe(columns, row, n, |column| {
        choices[size] = column;
        size += 1;
    });
    choices[..size]
        .par_iter()
        .with_max_len(1)
        .map(|&column| {
            let mut next = *columns;
            next[row] = column;
            from::<R>(&next, row + 1, n)
        })
        .sum()
}

pub fn measure(how: &Settings) -> Outcome {
    let count: fn(&Board, usize, usize) -> u64 = match how.variant.as_str() {
        "bits" => from::<Bits>,
        _ => from::<Compared>,
    };
    let mut wrong = None;
    let samples = repeated(how, how.size.unwrap_or(12), 12, |size| {
        let n = size as usize;
        let mut computed = 0;
        let passed = time(|| computed = count(&[0; MAX_N], 0, black_box(n)));
        if computed != SOLUTIONS[n] {
            wrong = Some(format!("{computed} solutions"));
        }
        passed.as_secs_f64() * 1e3
    });
    Outcome {
        unit: "ms",
        samples,
        wrong,
    }
}
