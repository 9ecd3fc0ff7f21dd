//! The model against closed forms, measured drives, its own promises and its catalogue.

mod closed_form;
mod drives;
mod golden;
mod limited;
mod load;
mod measured;
mod promises;
mod writing;
