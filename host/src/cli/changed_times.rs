//! Changes of times from one measurement to another, in words.

use bakeoff_domain::anchored::{TimeChange, TimeChanges};
use bakeoff_domain::numbers;
use bakeoff_domain::series::Quantity;
use bakeoff_render::escape::Plain;

/// Returns the changes of a quantity as lines; `none` is the line where nothing that was measured twice is another thing
/// than before.
pub(super) fn lines(times: &TimeChanges, quantity: &Quantity, none: &str) -> String {
    let what = if quantity.unit == "ns" {
        "times".to_owned()
    } else {
        Plain(&quantity.name).to_string()
    };
    let (confidence, anchors, changes) = match times {
        TimeChanges::NotComparable { reason } => {
            return format!("{what} cannot be compared: {}\n", Plain(reason));
        }
        TimeChanges::Comparable {
            confidence,
            anchors,
            changes,
        } => (numbers::confidence(*confidence), anchors, changes),
    };
    if changes.is_empty() {
        return format!("{what}: {none}\n");
    }
    let anchors: Vec<String> = anchors.iter().map(|id| Plain(id).to_string()).collect();
    let choice = match anchors.len() {
        1 => "",
        _ => "; each by the one that gives the narrowest interval",
    };
    let mut text = format!(
        "{what} against then, by way of what did not change ({}{choice}; all intervals at {confidence}):\n",
        anchors.join(", ")
    );
    for change in changes {
        text += &line(change, quantity);
    }
    text
}

fn line(change: &TimeChange, quantity: &Quantity) -> String {
    let changed = quantity.change_text(change.interval());
    let (id, anchor) = (Plain(&change.id), Plain(&change.anchor));
    format!("  {id}: {changed}, against {anchor}\n")
}
