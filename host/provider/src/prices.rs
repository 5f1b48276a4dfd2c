//! Prices of tokens.

use super::error::OpenError;
use super::excerpt::excerpt;
use super::read_file::read_file;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The prices that are built in.
const BUILT_IN: &str = include_str!("prices.toml");

/// The largest file of prices.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The highest price that is accepted, in dollars for a million tokens: a thousandfold of today's.
const DOLLARS_MAX: f64 = 100_000.0;

/// A number of tokens of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
}

impl Tokens {
    /// Returns the number of tokens of the prompt, from the cache or not.
    pub(super) fn prompt(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write)
    }
}

/// The price of one token of each kind, in thousandths of a millionth of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rates {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl Rates {
    fn microdollars(&self, tokens: &Tokens) -> u64 {
        let cost = |rate: u64, tokens: u64| u128::from(rate) * u128::from(tokens);
        let sum = cost(self.input, tokens.input)
            + cost(self.output, tokens.output)
            + cost(self.cache_read, tokens.cache_read)
            + cost(self.cache_write, tokens.cache_write);
        u64::try_from(sum.div_ceil(1000)).unwrap_or(u64::MAX)
    }
}

/// The price of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Price {
    usual: Rates,
    /// Number of prompt tokens above which other rates hold, and these rates.
    long_prompt: Option<(u64, Rates)>,
}

impl Price {
    /// Returns the cost of a call in millionths of a dollar, rounded up.
    pub(super) fn microdollars(&self, tokens: &Tokens) -> u64 {
        match self.long_prompt {
            Some((above, rates)) if tokens.prompt() > above => rates.microdollars(tokens),
            _ => self.usual.microdollars(tokens),
        }
    }

    /// Returns the highest cost of a call with up to these numbers of tokens, in millionths of a dollar, whatever the
    /// provider's cache does.
    pub(super) fn microdollars_max(&self, prompt_tokens: u64, output_tokens: u64) -> u64 {
        let kinds = [
            Tokens {
                input: prompt_tokens,
                ..Tokens::default()
            },
            Tokens {
                cache_read: prompt_tokens,
                ..Tokens::default()
            },
            Tokens {
                cache_write: prompt_tokens,
                ..Tokens::default()
            },
        ];
        let costs = kinds.map(|kind| {
            self.microdollars(&Tokens {
                output: output_tokens,
                ..kind
            })
        });
        costs.into_iter().max().unwrap_or(u64::MAX)
    }
}

/// A table of prices, by provider and model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceFile {
    #[serde(default)]
    anthropic: BTreeMap<String, PriceEntry>,
    #[serde(default)]
    openai: BTreeMap<String, PriceEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceEntry {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    long_prompt: Option<LongPromptEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongPromptEntry {
    above: u64,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

/// Section of a price table, by provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PriceList {
    Anthropic,
    OpenAi,
}

/// Returns the price of a model, from the user's file if it is there, else from those that are built in.
///
/// # Errors
/// The user's file cannot be read, or is not such a table.
pub(super) fn look_up(
    list: PriceList,
    model: &str,
    file: Option<&Path>,
) -> Result<Option<Price>, OpenError> {
    if let Some(path) = file {
        let wrong = |reason| OpenError::unreadable(path, reason);
        let bytes = read_file(path, None, FILE_BYTES_MAX)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not text".to_owned()))?;
        if let Some(price) = find(&text, list, model).map_err(wrong)? {
            return Ok(Some(price));
        }
    }
    find(BUILT_IN, list, model).map_err(OpenError::Options)
}

/// Returns the names of the models whose prices are built in.
pub(super) fn known(list: PriceList) -> Vec<String> {
    let file: Option<PriceFile> = toml::from_str(BUILT_IN).ok();
    let entries = file.map(|file| match list {
        PriceList::Anthropic => file.anthropic,
        PriceList::OpenAi => file.openai,
    });
    entries
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .collect()
}

fn find(text: &str, list: PriceList, model: &str) -> Result<Option<Price>, String> {
    let file: PriceFile = toml::from_str(text).map_err(|error| excerpt(&error.to_string()))?;
    let entries = match list {
        PriceList::Anthropic => file.anthropic,
        PriceList::OpenAi => file.openai,
    };
    let mut prices = BTreeMap::new();
    for (name, entry) in entries {
        let price = entry
            .price()
            .map_err(|reason| excerpt(&format!("{name}: {reason}")))?;
        prices.insert(name, price);
    }
    let exact = prices
        .get(model)
        .or_else(|| prices.get(without_date(model)));
    Ok(exact.copied())
}

impl PriceEntry {
    fn price(&self) -> Result<Price, String> {
        let long_prompt = self.long_prompt.as_ref().map(|long| {
            let rates = rates(long.input, long.output, long.cache_read, long.cache_write)?;
            Ok::<_, String>((long.above, rates))
        });
        Ok(Price {
            usual: rates(self.input, self.output, self.cache_read, self.cache_write)?,
            long_prompt: long_prompt.transpose()?,
        })
    }
}

/// Returns the rates of prices in dollars for a million tokens. A price that is left out is that of input.
fn rates(
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
) -> Result<Rates, String> {
    Ok(Rates {
        input: rate(input)?,
        output: rate(output)?,
        cache_read: rate(cache_read.unwrap_or(input))?,
        cache_write: rate(cache_write.unwrap_or(input))?,
    })
}

/// Converts dollars for a million tokens to thousandths of a millionth of a dollar for one token: a factor of 1,000.
fn rate(dollars: f64) -> Result<u64, String> {
    if (0.0..=DOLLARS_MAX).contains(&dollars) {
        // In these bounds, the conversion is exact but for the fraction, which is rounded up.
        Ok((dollars * 1000.0 - 1e-6).ceil().max(0.0) as u64)
    } else {
        Err(format!("a price is between 0 and {DOLLARS_MAX} dollars"))
    }
}

/// Returns the name of a model without the date at its end: `-20251001` or `-2025-10-01`.
fn without_date(model: &str) -> &str {
    let is_date = |tail: &str, lengths: &[usize]| {
        let parts: Vec<&str> = tail.split('-').collect();
        parts.len() == lengths.len()
            && parts.iter().zip(lengths).all(|(part, length)| {
                part.len() == *length && part.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    for (chars, lengths) in [(8, &[8][..]), (10, &[4, 2, 2])] {
        let Some(start) = model.len().checked_sub(chars + 1) else {
            continue;
        };
        if let (Some(name), Some(tail)) = (model.get(..start), model.get(start..))
            && tail
                .strip_prefix('-')
                .is_some_and(|date| is_date(date, lengths))
        {
            return name;
        }
    }
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_that_a_page_or_a_help_names_with_a_provider_has_a_price() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = [
            "README.md",
            "docs/models.md",
            "docs/plugging-in.md",
            "docs/experiment.md",
            "host/src/cli/explore.rs",
            "host/src/cli/generate.rs",
        ];
        let mut found = 0;
        for page in pages {
            let text = std::fs::read_to_string(root.join(page)).unwrap();
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-.".contains(c)));
            for word in words.map(|word| word.trim_end_matches('.')) {
                let list = if word.starts_with("claude-") {
                    PriceList::Anthropic
                } else if word.starts_with("gpt-") {
                    PriceList::OpenAi
                } else {
                    continue;
                };
                let model = word.ends_with(|c: char| c.is_ascii_digit() || c.is_ascii_lowercase());
                if model && word.contains(|c: char| c.is_ascii_digit()) {
                    found += 1;
                    assert!(built_in(list, word).is_some(), "{page}: {word}");
                }
            }
        }
        assert!(found > 4, "{found}");
    }

    fn built_in(list: PriceList, model: &str) -> Option<Price> {
        look_up(list, model, None).unwrap()
    }

    #[test]
    fn a_price_is_found_by_name_and_a_date_does_not_count() {
        let price = built_in(PriceList::Anthropic, "claude-haiku-4-5").unwrap();
        for name in ["claude-haiku-4-5-20251001", "claude-haiku-4-5-2025-10-01"] {
            assert_eq!(built_in(PriceList::Anthropic, name), Some(price));
        }
        for unknown in [
            "claude-haiku",
            "claude-haiku-4-5-x",
            "gpt-4.1",
            "",
            "-20251001",
            "é-2025100",
        ] {
            assert_eq!(built_in(PriceList::Anthropic, unknown), None, "{unknown}");
        }
        let tokens = Tokens {
            input: 1,
            output: 10,
            cache_read: 3,
            cache_write: 4,
        };
        // 1 × 1 + 10 × 5 + 3 × 0.1 + 4 × 1.25 = 56.3, rounded up.
        assert_eq!(price.microdollars(&tokens), 57);
        assert_eq!(price.microdollars_max(100, 10), 125 + 50);
    }

    #[test]
    fn a_long_prompt_has_another_price() {
        let price = built_in(PriceList::Anthropic, "claude-haiku-5-5").unwrap();
        let tokens = |input, cache_read| Tokens {
            input,
            cache_read,
            ..Tokens::default()
        };
        assert_eq!(price.microdollars(&tokens(100_000, 0)), 10_000);
        assert_eq!(price.microdollars(&tokens(90_000, 10_001)), 45_501);
    }

    #[test]
    fn prices_of_the_user_come_first_and_have_to_be_prices() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.toml");
        let with = |text: &str| {
            std::fs::write(&path, text).unwrap();
            look_up(PriceList::OpenAi, "gpt-4.1", Some(&path))
        };
        let own = with("[openai]\n\"gpt-4.1\" = { input = 7, output = 8 }\n")
            .unwrap()
            .unwrap();
        assert_eq!(own.microdollars_max(10, 0), 70);
        assert_eq!(with("").unwrap(), built_in(PriceList::OpenAi, "gpt-4.1"));
        for (text, reason) in [
            (
                "[openai]\n\"gpt-4.1\" = { input = -1, output = 8 }\n",
                "between 0",
            ),
            (
                "[openai]\n\"gpt-4.1\" = { input = nan, output = 8 }\n",
                "between 0",
            ),
            ("[openai]\n\"gpt-4.1\" = { input = 1 }\n", "output"),
            ("[open]\n", "open"),
        ] {
            let error = with(text).unwrap_err().to_string();
            assert!(
                error.contains(reason) && error.contains("prices.toml"),
                "{error}"
            );
        }
    }
}
