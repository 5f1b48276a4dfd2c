//! The map of a search's archive by itself, as text for a terminal.

use super::archive_map::{HEADING, NamedMap};
use super::document::{Block, Heading, Text};
use super::{Options, terminal};
use bakeoff_domain::report::ArchiveMap;

/// Returns the map of a search as text for a terminal, its readings called by their sources.
pub fn archive_map(map: &ArchiveMap, options: &Options) -> String {
    let named = NamedMap::by_source(map);
    let sentence = Text::outside(named.sentence());
    let mut blocks = vec![
        Block::Heading(Heading::new(HEADING)),
        Block::Paragraph(sentence),
    ];
    blocks.extend(named.grid().map(Block::Table));
    let list = named.list();
    blocks.push(Block::Heading(Heading::new(&list.caption)));
    blocks.push(Block::Table(list));
    terminal::written(&blocks, options)
}
