//! Cost of questions to a model, in words.

use bakeoff_provider::UsageTotals;

/// Returns the calls, tokens and US dollars that were spent, in words.
pub(crate) fn cost(spent: &UsageTotals) -> String {
    let usage = &spent.usage;
    let calls = match spent.calls {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    let read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
    let most = if usage.upper_bound { "at most " } else { "" };
    let money = match (usage.unpriced, usage.microdollars) {
        (true, _) => ", at a price that is not known".to_owned(),
        (false, 0) => String::new(),
        (false, millionths) => format!(", {:.4} US dollars", millionths as f64 / 1e6),
    };
    format!(
        "{calls}: {most}{read} tokens read, {} written{money}",
        usage.output_tokens
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_provider::Usage;

    #[test]
    fn the_cost_says_what_is_not_known() {
        let mut spent = UsageTotals {
            calls: 1,
            usage: Usage {
                input_tokens: 10,
                output_tokens: 4,
                microdollars: 1_500,
                ..Usage::default()
            },
            ..UsageTotals::default()
        };
        assert_eq!(
            cost(&spent),
            "1 call: 10 tokens read, 4 written, 0.0015 US dollars"
        );
        spent.calls = 2;
        spent.usage.unpriced = true;
        spent.usage.upper_bound = true;
        assert_eq!(
            cost(&spent),
            "2 calls: at most 10 tokens read, 4 written, at a price that is not known"
        );
    }
}
