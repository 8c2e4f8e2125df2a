//! Which characters belong to scripts that are split into pairs, and which are marks on the character before them.

/// Scripts without spaces between words (Thai, Lao, Myanmar, Khmer, kana, Han), and Hangul.
pub fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{30FF}'
        | '\u{3105}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{A9E0}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AA7F}'
        | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FFDC}'
        | '\u{1AFF0}'..='\u{1B16F}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Marks of unspaced scripts, the medial and final letters of a decomposed Korean syllable, variation selectors, and
/// combining marks, which may follow any character.
pub fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{00AD}'
        | '\u{0300}'..='\u{036F}'
        | '\u{0E31}' | '\u{0E34}'..='\u{0E3A}' | '\u{0E47}'..='\u{0E4E}'
        | '\u{0EB1}' | '\u{0EB4}'..='\u{0EBC}' | '\u{0EC8}'..='\u{0ECE}'
        | '\u{102B}'..='\u{103E}' | '\u{1056}'..='\u{1059}' | '\u{105E}'..='\u{1060}'
        | '\u{1062}'..='\u{1064}' | '\u{1067}'..='\u{106D}' | '\u{1071}'..='\u{1074}'
        | '\u{1082}'..='\u{108D}' | '\u{108F}' | '\u{109A}'..='\u{109D}'
        | '\u{1160}'..='\u{11FF}'
        | '\u{17B4}'..='\u{17D3}' | '\u{17DD}'
        | '\u{200C}' | '\u{200D}'
        | '\u{3099}' | '\u{309A}'
        | '\u{A9E5}'
        | '\u{AA7B}'..='\u{AA7D}'
        | '\u{D7B0}'..='\u{D7FF}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FF9E}' | '\u{FF9F}'
        | '\u{E0100}'..='\u{E01EF}')
}
