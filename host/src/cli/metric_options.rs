//! Options on a number that commands write themselves, and that decides between them.

use super::failure::Failure;
use bakeoff_domain::spec::Direction;
use bakeoff_programs::CommandMetric;
use clap::Args;

/// Options on a number that decides.
#[derive(Debug, Args)]
pub(super) struct MetricOptions {
    /// A number that decides, from the last line `METRIC NAME=NUMBER` on stdout
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// A regular expression with one group, which is the number of --metric, instead of such lines
    #[arg(long, value_name = "REGEX", requires = "metric")]
    metric_pattern: Option<String>,
    /// Higher numbers of --metric are better
    #[arg(long, requires = "metric")]
    higher_is_better: bool,
}

impl MetricOptions {
    /// Returns the number that decides; `None` if it is another quantity.
    pub(super) fn metric(&self) -> Result<Option<CommandMetric>, Failure> {
        let Some(name) = &self.metric else {
            return Ok(None);
        };
        let direction = if self.higher_is_better {
            Direction::HigherIsBetter
        } else {
            Direction::LowerIsBetter
        };
        let metric = CommandMetric::new(name, self.metric_pattern.as_deref(), direction);
        let metric = metric.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(metric))
    }
}
