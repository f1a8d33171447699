// SPDX-License-Identifier: Apache-2.0
use crate::harness::{repeated, time, Outcome, Settings};
use rayon::join;
use std::time::Duration;

type Element = u32;

// As in matmul.hpp.
const BLOCK_ROWS: usize = 32;

/// A square part of a matrix of rows, each of which begins `pitch` elements behind the one before.
#[derive(Clone, Copy)]
struct Part {
    begin: *mut Element,
    pitch: usize,
}

// SAFETY: what is written at the same time are different quadrants, and nothing writes to what is read.
unsafe impl Send for Part {}
unsafe impl Sync for Part {}

impl Part {
    fn of(matrix: &mut [Element], n: usize) -> Part {
        Part {
            begin: matrix.as_mut_ptr(),
            pitch: n,
        }
    }

    /// Of an n x n part, the quadrant in this half of the rows and this half of the columns.
    unsafe fn quadrant(self, n: usize, lower: usize, right: usize) -> Part {
        Part {
            begin: self.begin.add((lower * self.pitch + right) * (n / 2)),
            ..self
        }
    }
}

/// c += a * b, by loops
unsafe fn multiply_block(a: Part, b: Part, c: Part, n: usize) {
    for i in 0..n {
        for k in 0..n {
            let factor = *a.begin.add(i * a.pitch + k);
            for j in 0..n {
                let sum = c.begin.add(i * c.pitch + j);
                *sum = (*sum).wrapping_add(factor.wrapping_mul(*b.begin.add(k * b.pitch + j)));
            }
        }
    }
}

/// c += a * b, for n x n matrices; n is a power of two.
unsafe fn multiply(a: Part, b: Part, c: Part, n: usize) {
    if n <= BLOCK_ROWS {
        return multiply_block(a, b, c, n);
    }
    for k in 0..2 {
        let product = |i, j| {
            multiply(
                a.quadrant(n, i, k),
                b.quadrant(n, k, j),
                c.quadrant(n, i, j),
                n / 2,
            )
        };
        join(
            || join(|| product(0, 0), || product(0, 1)),
            || join(|| product(1, 0), || product(1, 1)),
        );
    }
}

/// Matrices of n rows whose product is known: a(i, k) = i + k, b(k, j) = k - j, modulo 2^32.
struct Problem {
    n: usize,
    a: Vec<Element>,
    b: Vec<Element>,
    c: Vec<Element>,
}

impl Problem {
    fn new(n: usize) -> Problem {
        let places = || (0..n * n).map(|place| (place / n, place % n));
        Problem {
            n,
            a: places().map(|(i, k)| (i + k) as Element).collect(),
            b: places()
                .map(|(k, j)| k.wrapping_sub(j) as Element)
                .collect(),
            c: vec![0; n * n],
        }
    }

    fn solve(&mut self) -> Duration {
        self.c.fill(0); // so that its pages are there
        let n = self.n;
        let [a, b, c] = [&mut self.a, &mut self.b, &mut self.c].map(|matrix| Part::of(matrix, n));
        // SAFETY: all three are n x n.
        time(|| unsafe { multiply(a, b, c, n) })
    }

    /// The sum over k of (i + k) * (k - j), for every i and j.
    fn solved(&self) -> bool {
        let n = self.n;
        let numbers = n * (n - 1) / 2;
        let squares = (n - 1) * n * (2 * n - 1) / 6;
        self.c.iter().enumerate().all(|(place, &found)| {
            let (i, j) = (place / n, place % n);
            let product = (squares + i * numbers).wrapping_sub(j * numbers + i * j * n);
            found == product as Element
        })
    }
}

pub fn measure(how: &Settings) -> Outcome {
    let mut wrong = None;
    let samples = repeated(how, how.size.unwrap_or(2048), 512, |rows| {
        let mut matrices = Problem::new(rows as usize);
        let passed = matrices.solve();
        if !matrices.solved() {
            wrong = Some("an element of the product".to_string());
        }
        passed.as_secs_f64() * 1e3
    });
    Outcome {
        unit: "ms",
        samples,
        wrong,
    }
}
