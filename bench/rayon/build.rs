// SPDX-License-Identifier: Apache-2.0
//! Tells the program which rayon it was built with: the version that Cargo.lock pins.

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").expect("Cargo.lock stands beside Cargo.toml");
    let version = lock
        .split("[[package]]")
        .find(|package| package.contains("name = \"rayon\"\n"))
        .and_then(|package| {
            package
                .lines()
                .find_map(|line| line.strip_prefix("version = "))
        })
        .expect("Cargo.lock names rayon");
    println!(
        "cargo:rustc-env=BENCH_RAYON_VERSION={}",
        version.trim_matches('"')
    );
}
