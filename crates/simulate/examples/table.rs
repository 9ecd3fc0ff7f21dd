//! Temporary.
use simulate::*;
fn main() {
    let v = if std::env::args().nth(1).as_deref() == Some("raw") {
        Values::uncalibrated()
    } else {
        Values::calibrated()
    };
    let t = std::time::Instant::now();
    let rows = beside::table(&v, Care::Full, 1, |_| true).unwrap();
    for r in &rows {
        println!(
            "{:5} {:18} {:45} {:>12} {:>12.4} {:+.1}% {}",
            r.number.id,
            r.procedure,
            r.number.metric,
            r.number.value,
            r.simulated,
            r.error() * 100.,
            r.contradiction.unwrap_or("")
        );
    }
    println!("{} {:?} {:?}", rows.len(), beside::spread(&rows), t.elapsed());
}
