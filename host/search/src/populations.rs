//! The archive by cells and islands, and the populations that candidates are made from.

use super::archive::Archive;
use super::candidate::{Candidate, MadeOnIsland, NewCandidate};
use super::random::Random;
use bakeoff_config::RoundsTable;
use bakeoff_domain::report::{ArchiveMap, FilledCell};
use bakeoff_run::Looked;
use std::collections::{BTreeMap, BTreeSet};

/// Source of the figure of a cell where the heaviest criterion is one of time: it stands in for that in cells.
const FUEL: &str = "fuel";

/// The candidates that one share of a round is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Population {
    /// The number of the island, from 1; `None` where there is one.
    pub(crate) island: Option<u32>,
    /// Indexes of the candidates that others are made from, the best first.
    pub(crate) parents: Vec<usize>,
    /// The number of candidates that are made from them.
    pub(crate) width: usize,
}

impl Archive {
    /// Adds candidates of a round, each on its island. Returns their indexes.
    pub(crate) fn add_to_islands(&mut self, round: u32, made: Vec<MadeOnIsland>) -> Vec<usize> {
        let (made, islands): (Vec<NewCandidate>, Vec<Option<u32>>) =
            made.into_iter().map(|one| (one.made, one.island)).unzip();
        let new = self.add(round, made);
        for (index, island) in new.iter().zip(islands) {
            self.candidates[*index].island = island;
        }
        new
    }

    /// Gives each cell the best of those that a look saw in it. Fuel stands in for time there, as not all are timed.
    pub(super) fn fill_cells(&mut self, seen: &[(usize, Looked)]) {
        if self.niching.axes.is_empty() {
            return;
        }
        let mut order: Vec<(u32, usize)> = seen
            .iter()
            .filter(|(index, looked)| {
                let one = &self.candidates[*index];
                looked.failure.is_none() && one.is_alive() && !one.control
            })
            .filter_map(|(index, looked)| Some((looked.fuel_place?, *index)))
            .collect();
        order.sort_unstable();
        let mut filled: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, index) in order {
            if let Some(cell) = self.niching.cell(&self.candidates[index].readings) {
                filled.entry(cell).or_insert(index);
            }
        }
        let is_seen = |wanted: &usize| seen.iter().any(|(index, _)| index == wanted);
        for (cell, index) in &self.cells {
            if !is_seen(index) {
                filled.entry(*cell).or_insert(*index);
            }
        }
        self.cells = filled;
    }

    /// Gives each island its best `parents`, of those that it had and of the new ones: those that were made on it, and
    /// approaches, which are dealt out in their order.
    pub(super) fn settle_islands(&mut self, new: &[usize], parents: usize) {
        let count = self.niching.islands as usize;
        if count < 2 {
            return;
        }
        let mut islands = std::mem::take(&mut self.islands);
        islands.resize(count, Vec::new());
        let all = self.candidates.iter().enumerate();
        let approaches: Vec<usize> = all
            .filter(|(_, one)| one.parent.is_none())
            .map(|(index, _)| index)
            .collect();
        let deal = |place: usize, island: usize| {
            // With fewer approaches than islands, several islands begin with the same one.
            place % count == island
                || (island >= approaches.len() && island % approaches.len() == place)
        };
        for (island, members) in islands.iter_mut().enumerate() {
            let number = Some(island as u32 + 1);
            members.extend(new.iter().filter(|index| {
                let one = &self.candidates[**index];
                one.parent.is_some() && one.island == number
            }));
            let dealt = approaches.iter().enumerate();
            let dealt = dealt.filter(|(place, index)| new.contains(index) && deal(*place, island));
            members.extend(dealt.map(|(_, index)| *index));
            self.keep_best(members, parents);
        }
        self.islands = islands;
    }

    /// Copies the best of each island to the next one, in a ring, if it is time for that.
    pub(crate) fn migrate(&mut self, parents: usize) {
        let every = self.niching.migrate_every.max(1);
        let count = self.islands.len();
        if count < 2 || !self.rounds.is_multiple_of(every) {
            return;
        }
        let mut islands = std::mem::take(&mut self.islands);
        let bests: Vec<Option<usize>> = islands
            .iter()
            .map(|members| members.first().copied())
            .collect();
        for (island, best) in bests.into_iter().enumerate() {
            let next = &mut islands[(island + 1) % count];
            next.extend(best);
            self.keep_best(next, parents);
        }
        self.islands = islands;
    }

    /// Keeps the best of these candidates, in the order of the last look.
    fn keep_best(&self, members: &mut Vec<usize>, count: usize) {
        let mut known = BTreeSet::new();
        members.retain(|index| self.ranked.contains(index) && known.insert(*index));
        members.sort_by_key(|index| self.ranked.iter().position(|other| other == index));
        members.truncate(count);
    }

    /// Returns what the candidates of the next round are made from: one population, or one for each island.
    pub(crate) fn populations(
        &self,
        options: &RoundsTable,
        width: usize,
        is_anew: bool,
    ) -> Vec<Population> {
        let count = self.islands.len();
        if count < 2 {
            return vec![Population {
                island: None,
                parents: if is_anew {
                    self.beginnings()
                } else {
                    self.parents(options)
                },
                width,
            }];
        }
        let round = self.rounds as usize + 1;
        let population = |(island, members): (usize, &Vec<usize>)| Population {
            island: Some(island as u32 + 1),
            parents: if is_anew {
                self.beginnings()
            } else if members.is_empty() {
                // What the island began with failed.
                self.elites.clone()
            } else {
                members.clone()
            },
            // What cannot be shared evenly goes to others in each round.
            width: width / count + usize::from((island + round) % count < width % count),
        };
        self.islands.iter().enumerate().map(population).collect()
    }

    /// Returns the indexes of the candidates that others are made from: the best, and with cells the best of some other
    /// cells, which are drawn.
    fn parents(&self, options: &RoundsTable) -> Vec<usize> {
        let Some(best) = self.elites.first() else {
            return Vec::new();
        };
        if self.cells.is_empty() {
            return self.elites.clone();
        }
        let mut others: Vec<usize> = self.cells.values().copied().collect();
        others.retain(|index| index != best);
        Random::new(options.seed, self.rounds + 1, "cells").shuffle(&mut others);
        let mut parents = vec![*best];
        parents.extend(others);
        let mut rest = self.elites.clone();
        rest.retain(|index| !parents.contains(index));
        parents.extend(rest);
        parents.truncate(options.parents as usize);
        parents
    }

    /// Returns the indexes of the best of cells that are not among these.
    pub(crate) fn in_cells_beside(&self, known: &[usize]) -> Vec<usize> {
        let all = self.cells.values().copied();
        all.filter(|index| !known.contains(index)).collect()
    }

    /// Returns the best candidates of the cells that the best of all is not in, in the order of the last look; none
    /// without cells.
    pub fn best_of_other_cells(&self) -> Vec<&Candidate> {
        let mut others = self.cells.values().copied().collect();
        self.keep_best(&mut others, usize::MAX);
        let best = self.elites.first();
        let own = best.and_then(|best| self.niching.cell(&self.candidates[*best].readings));
        let own = own.and_then(|cell| self.cells.get(&cell));
        let others = others.into_iter().filter(|index| Some(index) != own);
        others.map(|index| &self.candidates[index]).collect()
    }

    /// Returns the cells that are filled, if there are cells.
    pub fn map(&self) -> Option<ArchiveMap> {
        if self.niching.axes.is_empty() {
            return None;
        }
        let by = self.by.clone().unwrap_or_else(|| FUEL.to_owned());
        let filled = self.cells.iter().map(|(cell, index)| {
            let one = &self.candidates[*index];
            FilledCell {
                at: self.niching.place(*cell),
                name: one.name.clone(),
                reading: one.readings.get(&by).copied(),
            }
        });
        Some(ArchiveMap {
            axes: self.niching.axes.clone(),
            cells: filled.collect(),
            by,
        })
    }
}

#[cfg(test)]
mod tests;
