//! `docs/agents.md` and the skill have every tool and every limit.

use crate::support::root;
use std::fs;

#[test]
fn the_page_for_agents_has_all_tools_and_limits() {
    let page = fs::read_to_string(root().join("docs/agents.md")).unwrap();
    let skill = fs::read_to_string(root().join("docs/skill/SKILL.md")).unwrap();
    for tool in bakeoff::mcp::tool_names() {
        assert!(
            page.contains(&format!("| `{tool}` |")),
            "docs/agents.md has no tool {tool}"
        );
        assert!(
            skill.contains(&format!("`{tool}`")),
            "SKILL.md has no tool {tool}"
        );
    }
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    for (what, limit) in bakeoff::mcp::limits() {
        let row = format!("| {what} | {limit} |");
        assert!(rows.contains(&&*row), "docs/agents.md lacks: {row}");
    }
}
