//! Sketches in texts of an answer in words, for a program.

use bakeoff_propose::SketchForm;

/// Form of the sketch in each text of an answer in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sketch {
    /// A short example or a configuration, which nobody runs.
    Code,
    /// Pseudocode.
    Pseudocode,
    /// The source of a Mermaid diagram.
    Mermaid,
    /// No sketch.
    None,
}

impl From<Sketch> for SketchForm {
    fn from(sketch: Sketch) -> Self {
        match sketch {
            Sketch::Code => Self::Code,
            Sketch::Pseudocode => Self::Pseudocode,
            Sketch::Mermaid => Self::Mermaid,
            Sketch::None => Self::None,
        }
    }
}
