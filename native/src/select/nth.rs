//! The argument of `:nth-child()`: `odd`, `even`, `3`, `2n+1`, `-n+3`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nth {
    step: i64,
    offset: i64,
}

impl Nth {
    pub const FIRST: Nth = Nth { step: 0, offset: 1 };

    pub fn parse(text: &str) -> Option<Self> {
        let text: String = text
            .chars()
            .filter(|c| !c.is_ascii_whitespace())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match text.as_str() {
            "odd" => return Some(Nth { step: 2, offset: 1 }),
            "even" => return Some(Nth { step: 2, offset: 0 }),
            _ => {}
        }
        let Some((step, offset)) = text.split_once('n') else {
            return Some(Nth {
                step: 0,
                offset: integer(&text)?,
            });
        };
        let step = match step {
            "" | "+" => 1,
            "-" => -1,
            digits => integer(digits)?,
        };
        let offset = match offset {
            "" => 0,
            signed if signed.starts_with(['+', '-']) => integer(signed)?,
            _ => return None,
        };
        Some(Nth { step, offset })
    }

    /// `position` counts from 1.
    pub fn matches(self, position: u32) -> bool {
        let distance = i64::from(position) - self.offset;
        match self.step {
            0 => distance == 0,
            step => distance % step == 0 && distance / step >= 0,
        }
    }
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
    if !is_number || digits.len() > 9 {
        return None;
    }
    text.parse().ok()
}
