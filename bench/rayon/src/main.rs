// SPDX-License-Identifier: Apache-2.0
//! The rayon side of every workload, in one program. It prints the same line as the programs in C++ do
//! (harness/harness.hpp says what is in it).

mod fib;
mod harness;
mod hostage;
mod idle;
mod loops;
mod matmul;
mod nqueens;
mod skynet;
mod sort;

use harness::{Outcome, Settings};

fn main() {
    let how = match Settings::from_arguments(std::env::args().skip(1)) {
        Ok(how) => how,
        Err(complaint) => {
            eprintln!("bench-rayon: {complaint}\nusage: bench-rayon WORKLOAD [--variant V] [--workers N] [--repeat N] [--size N]");
            std::process::exit(2);
        }
    };
    let measure: fn(&Settings) -> Outcome = match how.workload.as_str() {
        "fib" => fib::measure,
        "loop" => loops::measure_grain_one,
        "region" => loops::measure_region,
        "hostage" => hostage::measure,
        "idle" => idle::measure,
        "nqueens" => nqueens::measure,
        "skynet" => skynet::measure,
        "matmul" => matmul::measure,
        "sort" => sort::measure,
        other => {
            eprintln!("bench-rayon: there is no workload '{other}'");
            std::process::exit(2);
        }
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(how.workers)
        .build_global()
        .expect("the pool is started once");
    std::process::exit(harness::run(&how, measure));
}
