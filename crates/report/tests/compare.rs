//! Comparisons of whole runs, read from a notebook.

mod fixture;

use fixture::Fixture;

#[test]
fn zz() {
    let dir = tempfile::tempdir().unwrap();
    let (nb, run) = Fixture::default().write(&dir.path().join("n.db"));
    let c = report::compare(&nb, run).unwrap();
    println!("{}", c.to_text());
    println!("{}", report::summary(&nb, run).unwrap());
    let c = report::compare_runs(&nb, run, &nb, run).unwrap();
    println!("{}", &c.to_text()[..1500]);
}
