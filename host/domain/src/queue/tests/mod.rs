mod examples;
mod leases;
mod random_graphs;
mod seats;
mod simulation;
mod waiting;
