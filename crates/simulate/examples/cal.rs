//! Temporary.
use simulate::*;
fn main() {
    let steps = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(12);
    let c = Calibration { parameters: shipped_parameters().to_vec(), seed: 1, steps_max: steps };
    let t = std::time::Instant::now();
    let done = calibrate(&c, &|_, _| true, None, &|n, c| eprintln!("step {n} cost {c:.1} {:?}", t.elapsed()))
        .unwrap();
    for k in &done.known {
        println!(
            "{:28} {:>10.4} -> {:>10.4} open {:.2} {}",
            k.name,
            k.start,
            k.value,
            k.left_open,
            if k.on_bound { "BOUND" } else { "" }
        );
    }
    for r in &done.rows {
        if r.error().abs() > 0.03 {
            println!(
                "{:5} {:18} {:35} {:>12} {:>12.4} {:+.1}%",
                r.number.id,
                r.procedure,
                r.number.metric,
                r.number.value,
                r.simulated,
                r.error() * 100.
            );
        }
    }
    println!("converged {}", done.converged);
    println!("{:?} misfit {:.1}", beside::spread(&done.rows), done.misfit());
    std::fs::write(
        "/tmp/dt/wt/cal.toml",
        done.to_toml(&format!("drivetrain calibrate --steps {steps} --seed 1"), &done.alternatives(8, 1)),
    )
    .unwrap();
}
