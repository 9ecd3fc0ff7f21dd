//! The figures of a run as files: SVG that stands alone, and PNG for whoever cannot use SVG.

use crate::error::ReportError;
use crate::figure::Figure;
use crate::page::{self, style};
use notebook::{Notebook, RunId};
use resvg::{tiny_skia, usvg};

/// A figure as a file.
#[derive(Clone, Debug)]
pub struct FigureFile {
    /// The name of the file without its end: letters, digits and dashes.
    pub name: String,
    /// The finding of the figure.
    pub title: String,
    /// An SVG document in light colours, with title and source line.
    pub svg: String,
}

/// Every figure of a run's report, in the order of the page; the one for the widest screen of each.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn figures(notebook: &Notebook, run: RunId) -> Result<Vec<FigureFile>, ReportError> {
    let css = style::of_drawing();
    let (figures, origin) = page::figures_of(notebook, run)?;
    let file = |figure: Figure| {
        let drawing = figure.drawings.first()?;
        Some(FigureFile {
            svg: drawing.standing_alone(&figure.title, &figure.reading, &origin, &css),
            name: figure.id,
            title: figure.title,
        })
    };
    Ok(figures.into_iter().filter_map(file).collect())
}

/// Families for texts without a family that is there, the best first.
const FAMILIES: &str = include_str!("../templates/fonts.txt");
/// Pixels of a PNG for each unit of its drawing: sharp on paper and on dense screens.
const PNG_SCALE: f32 = 2.0;

/// Draws figures as PNG with the fonts of this machine, which are read once.
#[derive(Debug)]
pub struct Painter {
    options: usvg::Options<'static>,
}

/// The reasons why a figure cannot be a PNG.
#[derive(Debug, thiserror::Error)]
pub enum PaintError {
    /// The machine has no font at all.
    #[error(
        "no font is installed, and a figure without its text says nothing; install one (Debian: fonts-dejavu-core), or use the SVG files"
    )]
    NoFont,
    /// The drawing was not understood.
    #[error("drawing {name}: {source}")]
    Drawing {
        /// Name of the figure.
        name: String,
        /// The parser's error.
        source: usvg::Error,
    },
    /// The picture has no size that can be drawn, or could not be written.
    #[error("drawing {name}: no picture of {width} x {height} can be made")]
    Picture {
        /// Name of the figure.
        name: String,
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
}

impl Painter {
    /// Reads the fonts of this machine.
    ///
    /// # Errors
    /// [`PaintError::NoFont`] where there is none.
    pub fn new() -> Result<Painter, PaintError> {
        let mut options = usvg::Options::default();
        let fonts = options.fontdb_mut();
        fonts.load_system_fonts();
        // The list of fonts ends with the generic family, which must be one that is there.
        let is_there =
            |wanted: &&str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == wanted));
        let first =
            fonts.faces().next().and_then(|face| face.families.first()).map(|family| family.0.clone());
        let known = FAMILIES.lines().find(|name| is_there(name)).map(str::to_owned);
        let family = known.or(first).ok_or(PaintError::NoFont)?;
        fonts.set_sans_serif_family(family);
        Ok(Painter { options })
    }

    /// The figure as a PNG document, twice as many pixels across as the drawing has units.
    ///
    /// # Errors
    /// [`PaintError`] for a drawing that cannot be drawn.
    pub fn paint(&self, figure: &FigureFile) -> Result<Vec<u8>, PaintError> {
        let name = || figure.name.clone();
        let tree = usvg::Tree::from_str(&figure.svg, &self.options)
            .map_err(|source| PaintError::Drawing { name: name(), source })?;
        let size = tree.size().to_int_size();
        let (width, height) = (size.width() * PNG_SCALE as u32, size.height() * PNG_SCALE as u32);
        let none = || PaintError::Picture { name: name(), width, height };
        let mut picture = tiny_skia::Pixmap::new(width, height).ok_or_else(none)?;
        let scale = tiny_skia::Transform::from_scale(PNG_SCALE, PNG_SCALE);
        resvg::render(&tree, scale, &mut picture.as_mut());
        picture.encode_png().map(|png| signed(&png)).map_err(|_| none())
    }
}

/// The end of the first chunk of every PNG document, IHDR.
const PNG_HEADER_END: usize = 33;
/// The text chunk that names the maker, after the header of a PNG document: type and data.
const PNG_MAKER: &[u8] = b"tEXtSoftware\0drivetrain";

/// True for the beginning of a PNG document that [`Painter::paint`] made.
#[must_use]
pub fn is_painted(head: &[u8]) -> bool {
    head.get(PNG_HEADER_END + 4..).is_some_and(|chunk| chunk.starts_with(PNG_MAKER))
}

/// The document with a chunk that names its maker, as the PNG specification has it (section 11.3.3).
fn signed(png: &[u8]) -> Vec<u8> {
    let (header, rest) = png.split_at(PNG_HEADER_END.min(png.len()));
    let length = (PNG_MAKER.len() - 4) as u32;
    let check = crc32fast::hash(PNG_MAKER);
    [header, &length.to_be_bytes(), PNG_MAKER, &check.to_be_bytes(), rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_names_its_maker_and_is_still_a_picture() {
        let picture = tiny_skia::Pixmap::new(3, 2).expect("a size");
        let png = signed(&picture.encode_png().expect("a document"));
        assert!(is_painted(&png) && !is_painted(&picture.encode_png().expect("a document")));
        let read = tiny_skia::Pixmap::decode_png(&png).expect("a picture");
        assert_eq!((read.width(), read.height()), (3, 2));
    }
}
