//! The schema for editors and the page of the reference are made of the fields that the parser reads by; both are kept
//! (`BLESS=1` writes them anew).

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

const SCHEMA: &str = "../tests/golden/experiment.schema.json";
const REFERENCE: &str = "../docs/experiment.md";

/// Every table of the file: where it stands in the schema, and a file that has an unknown key there.
const TABLES: [(&str, &str); 24] = [
    ("", "zzzzzzzzzz = 1\n"),
    ("/properties/interface", "[interface]\nzzzzzzzzzz = 1\n"),
    ("/properties/workload", "[workload]\nzzzzzzzzzz = 1\n"),
    (
        "/properties/workload/properties/instances/anyOf/1",
        "[workload]\ninstances = { zzzzzzzzzz = 1 }\n",
    ),
    (
        "/properties/approach/items",
        "[[approach]]\nzzzzzzzzzz = 1\n",
    ),
    (
        "/properties/approach/items/properties/grant",
        "[[approach]]\ngrant = { zzzzzzzzzz = 1 }\n",
    ),
    (
        "/properties/approach/items/properties/sweep/additionalProperties/anyOf/1",
        "[[approach]]\nsweep = { n = { zzzzzzzzzz = 1 } }\n",
    ),
    ("/properties/build", "[build]\nzzzzzzzzzz = 1\n"),
    (
        "/properties/build/properties/crates/items/anyOf/1",
        "[build]\ncrates = [{ zzzzzzzzzz = 1 }]\n",
    ),
    ("/properties/generate", "[generate]\nzzzzzzzzzz = 1\n"),
    ("/properties/prompts", "[prompts]\nzzzzzzzzzz = 1\n"),
    ("/properties/rounds", "[rounds]\nzzzzzzzzzz = 1\n"),
    (
        "/properties/rounds/properties/cells/items",
        "[rounds]\ncells = [{ zzzzzzzzzz = 1 }]\n",
    ),
    ("/properties/judge", "[judge]\nzzzzzzzzzz = 1\n"),
    ("/properties/limits", "[limits]\nzzzzzzzzzz = 1\n"),
    ("/properties/measure", "[measure]\nzzzzzzzzzz = 1\n"),
    (
        "/properties/criterion/items",
        "[[criterion]]\nzzzzzzzzzz = 1\n",
    ),
    (
        "/properties/criterion/items/properties/gate",
        "[[criterion]]\nfrom = \"time\"\ngate = { zzzzzzzzzz = 1 }\n",
    ),
    (
        "/properties/criterion/items/properties/gate/properties/score",
        "[[criterion]]\nfrom = \"time\"\ngate = { score = { zzzzzzzzzz = 1 } }\n",
    ),
    (
        "/properties/criterion/items/properties/gate/properties/reading",
        "[[criterion]]\nfrom = \"time\"\ngate = { reading = { zzzzzzzzzz = 1 } }\n",
    ),
    (
        "/properties/criterion/items/properties/could_measure",
        "[[criterion]]\nfrom = \"judge\"\ncould_measure = { zzzzzzzzzz = 1 }\n",
    ),
    (
        "/properties/evaluator/items",
        "[[evaluator]]\nname = \"a\"\nsource = \"b.rs\"\nzzzzzzzzzz = 1\n",
    ),
    (
        "/properties/aggregator/items",
        "[[aggregator]]\nname = \"a\"\nsource = \"b.rs\"\nzzzzzzzzzz = 1\n",
    ),
    ("/properties/report", "[report]\nzzzzzzzzzz = 1\n"),
];

fn schema() -> Value {
    serde_json::from_str(&bakeoff_config::schema()).unwrap()
}

/// The keys that the parser knows in the table with the unknown key, from what it says of that.
fn known_keys(text: &str) -> BTreeSet<String> {
    let Err(bakeoff_config::ConfigError::Invalid(findings)) =
        bakeoff_config::parse(text, "bakeoff.toml")
    else {
        panic!("an unknown key is accepted: {text}");
    };
    let said = format!("{findings:?}");
    let (_, known) = said
        .split_once("known here: ")
        .unwrap_or_else(|| panic!("{text} says no keys: {said}"));
    let (known, _) = known.split_once('"').unwrap();
    known
        .split(", ")
        .map(|key| key.trim_matches('`').to_owned())
        .collect()
}

fn schema_keys(schema: &Value, place: &str) -> BTreeSet<String> {
    let table = schema.pointer(&format!("{place}/properties"));
    let keys = table
        .and_then(Value::as_object)
        .unwrap_or_else(|| panic!("{place} has no keys"))
        .keys();
    keys.cloned().collect()
}

#[test]
fn the_schema_has_the_keys_of_the_parser() {
    let schema = schema();
    for (place, text) in TABLES {
        assert_eq!(schema_keys(&schema, place), known_keys(text), "{place}");
        let table = schema.pointer(place).unwrap();
        assert_eq!(table["additionalProperties"], false, "{place}");
    }
}

/// Holds a file to a text, or writes it.
fn hold_to(file: &str, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, text).unwrap();
    }
    let kept = std::fs::read_to_string(Path::new(file)).unwrap();
    for (number, (kept, made)) in kept.lines().zip(text.lines()).enumerate() {
        assert_eq!(
            kept,
            made,
            "{file}, line {}; BLESS=1 accepts it",
            number + 1
        );
    }
    assert_eq!(kept.lines().count(), text.lines().count(), "{file}");
}

#[test]
fn the_schema_is_that_of_the_golden_file() {
    hold_to(SCHEMA, &bakeoff_config::schema());
}

#[test]
fn the_reference_has_the_tables_of_the_fields() {
    let mut page = std::fs::read_to_string(REFERENCE).unwrap();
    for (table, text) in bakeoff_config::reference_tables() {
        let (begin, end) = (
            format!("<!-- keys of {table} -->\n"),
            "<!-- end of keys -->",
        );
        let start = page
            .find(&begin)
            .unwrap_or_else(|| panic!("{begin} is missing"));
        let start = start + begin.len();
        let length = page[start..].find(end).unwrap();
        page.replace_range(start..start + length, &format!("\n{text}\n"));
    }
    hold_to(REFERENCE, &page);
}

#[test]
fn the_examples_of_the_reference_fit_the_schema() {
    let schema = schema();
    let mut examples = 0;
    for (table, text) in bakeoff_config::reference_tables() {
        for row in text.lines().skip(2) {
            let cells: Vec<&str> = row.split(" | ").collect();
            assert_eq!(cells.len(), 4, "{row}");
            let example = cells[3].trim_end_matches(" |").trim_matches('`');
            let example: Value =
                toml::from_str(example).unwrap_or_else(|error| panic!("{row}: {error}"));
            let (key, value) = example.as_object().unwrap().iter().next().unwrap();
            // The examples of tables are empty ones.
            let empty = serde_json::json!({});
            if *value == empty || *value == serde_json::json!([empty]) {
                continue;
            }
            let place = match table {
                "top" => "".to_owned(),
                table => format!("/properties/{table}"),
            };
            let of_one = schema.pointer(&format!("{place}/items/properties/{key}"));
            let of_table = schema.pointer(&format!("{place}/properties/{key}"));
            let wanted = of_one.or(of_table).unwrap_or_else(|| panic!("{row}"));
            assert_eq!(broken(value, wanted, key), None, "{row}");
            examples += 1;
        }
    }
    assert!(examples > 80, "{examples}");
}

/// What a value breaks of a schema; the few words that ours uses.
fn broken(value: &Value, schema: &Value, at: &str) -> Option<String> {
    let fails = |why: &str| Some(format!("{at}: {value} {why}"));
    if let Some(kind) = schema["type"].as_str() {
        let is_kind = match kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("{other}"),
        };
        if !is_kind {
            return fails(&format!("is no {kind}"));
        }
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return fails("is none of the words");
    }
    if let Some(several) = schema["anyOf"].as_array()
        && several.iter().all(|one| broken(value, one, at).is_some())
    {
        return fails("is none of these");
    }
    let items = value.as_array().into_iter().flatten();
    for item in items {
        if let Some(why) = broken(item, &schema["items"], at) {
            return Some(why);
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let rule = match schema["properties"].get(key) {
            Some(rule) => rule,
            None if schema["additionalProperties"] == false => {
                return fails(&format!("has the key {key}"));
            }
            None => &schema["additionalProperties"],
        };
        if let Some(why) = broken(inner, rule, &format!("{at}/{key}")) {
            return Some(why);
        }
    }
    let needed = schema["required"].as_array().into_iter().flatten();
    let mut missing = needed.filter(|key| value.get(key.as_str().unwrap_or_default()).is_none());
    missing
        .next()
        .and_then(|key| fails(&format!("lacks {key}")))
}

#[test]
fn the_examples_fit_the_schema_and_the_parser() {
    let schema = schema();
    let mut examples = 0;
    let folders = |of: &str| {
        std::fs::read_dir(of)
            .unwrap()
            .map(|one| one.unwrap().path())
    };
    for folder in folders("../examples").chain(folders("../examples/opinions")) {
        // A statement alone becomes an experiment by `bakeoff explore`, or tasks by `bakeoff plan`.
        if folder.join("statement.txt").exists() || folder.ends_with("examples/opinions") {
            continue;
        }
        let file = folder.join("bakeoff.toml");
        // Sets of criteria, and what starts workers, are no experiments.
        if folder.ends_with("criteria") || folder.ends_with("workers") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let value: Value = toml::from_str(&text).unwrap();
        assert_eq!(broken(&value, &schema, ""), None, "{}", file.display());
        bakeoff_config::load_any(file.parent().unwrap()).unwrap();
        examples += 1;
    }
    assert!(examples >= 6);
    for set in std::fs::read_dir("../examples/criteria").unwrap() {
        let text = std::fs::read_to_string(set.unwrap().path()).unwrap();
        let set: Value = toml::from_str(&text).unwrap();
        let wanted = schema.pointer("/properties/criterion").unwrap();
        assert_eq!(broken(&set["criterion"], wanted, "criterion"), None);
    }
    let wrong: Value = toml::from_str("[measure]\nbudgets = \"1 s\"\n").unwrap();
    assert!(broken(&wrong, &schema, "").unwrap().contains("budgets"));
}

#[test]
fn the_command_writes_the_schema() {
    let output = crate::support::run_bakeoff(&["schema"]);
    assert_eq!(
        (output.status, output.stdout.as_str()),
        (0, bakeoff_config::schema().as_str())
    );
}
