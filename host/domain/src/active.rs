//! Active characters: control and format characters, which change how the text around them is
//! shown.

/// Returns true for a control character, and for a format character that reorders, joins or hides
/// text.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{feff}'
            | '\u{fffc}' | '\u{ffa0}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}
