mod examples;
mod leases;
mod random_graphs;
mod simulation;
mod waiting;
