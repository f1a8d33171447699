// SPDX-License-Identifier: Apache-2.0
use std::time::{Duration, Instant};

pub struct Settings {
    pub workload: String,
    pub variant: String,
    pub workers: usize,
    pub repetitions: usize,
    pub size: Option<u64>,
}

pub struct Outcome {
    pub unit: &'static str,
    pub samples: Vec<f64>,
    pub wrong: Option<String>,
}

impl Settings {
    pub fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Settings, String> {
        let mut how = Settings {
            workload: arguments.next().ok_or("no workload named")?,
            variant: String::new(),
            workers: 1,
            repetitions: 3,
            size: None,
        };
        while let Some(option) = arguments.next() {
            let value = arguments.next().ok_or(format!("{option} needs a value"))?;
            let number = || match value.parse::<u64>() {
                Ok(n) if n > 0 => Ok(n),
                _ => Err(format!("bad value '{value}' of {option}")),
            };
            match option.as_str() {
                "--variant" => how.variant = value,
                "--workers" => how.workers = number()? as usize,
                "--repeat" => how.repetitions = number()? as usize,
                "--size" => how.size = Some(number()?),
                _ => return Err(format!("there is no option '{option}'")),
            }
        }
        Ok(how)
    }
}

/// What sample(size) returns for each repetition. Before them it is called once for a size that is enough to warm up.
pub fn repeated(
    how: &Settings,
    size: u64,
    enough_to_warm_up: u64,
    mut sample: impl FnMut(u64) -> f64,
) -> Vec<f64> {
    sample(size.min(enough_to_warm_up));
    (0..how.repetitions).map(|_| sample(size)).collect()
}

pub fn time(f: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    f();
    begin.elapsed()
}

pub fn spin_for(duration: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < duration {}
}

/// Processor time that this process has used, all threads: fields 14 and 15 of proc(5) stat count ticks, which is too
/// coarse, so this sums what the scheduler counted for each thread.
pub fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").expect("procfs is mounted");
    let nanoseconds = tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<u64>().ok())
        .sum();
    Duration::from_nanos(nanoseconds)
}

pub fn processors_used(f: impl FnOnce()) -> f64 {
    let before = processor_time();
    let passed = time(f);
    (processor_time() - before).as_secs_f64() / passed.as_secs_f64()
}

/// splitmix64, as in harness.hpp.
pub struct RandomNumbers(pub u64);

impl RandomNumbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    }
}

pub fn run(how: &Settings, measure: fn(&Settings) -> Outcome) -> i32 {
    let mut got = None;
    let processors = processors_used(|| got = Some(measure(how)));
    let got = got.expect("measured");
    println!(
        r#"{{"workload": "{}", "variant": "{}", "peer": "rayon", "version": "rayon {}", "compiler": "rustc", "workers": {}, "unit": "{}", "value": {:e}, "samples": {:?}, "cpu": {:.3}, "check": "{}"}}"#,
        how.workload,
        how.variant,
        env!("BENCH_RAYON_VERSION"),
        how.workers,
        got.unit,
        median(&got.samples),
        got.samples,
        processors,
        got.wrong.as_deref().unwrap_or("ok")
    );
    i32::from(got.wrong.is_some())
}
