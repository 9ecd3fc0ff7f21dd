//! vdbench parameter files: what is carried over is a sound experiment, and what is not has its place.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    match jobfile::import(text, "parm", &fuzz::Fixed) {
        Ok(imported) => {
            fuzz::is_written_and_read_again(&imported.experiment);
            let lines = text.matches('\n').count() + 1;
            assert!(imported.notes.iter().all(|note| note.file == "inc" || (1..=lines).contains(&note.line)));
        }
        Err(error) => {
            for file in error.files().iter().filter(|file| file.file() != "inc") {
                fuzz::faults_lie_in(text, file);
            }
        }
    }
});
