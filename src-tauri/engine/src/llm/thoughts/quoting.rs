//! Whether a place of an answer lies in something that is quoted: a fence, a span of code, a text between quotes, or an
//! answer that is a value as a whole. Fed piece by piece. It must not know what is looked for.

#[derive(Default)]
pub(super) struct Quoting {
    /// Known with the first letter.
    is_value: Option<bool>,
    is_fence: bool,
    has_letters: bool,
    ticks: usize,
    quotes: usize,
}

impl Quoting {
    pub fn feed(&mut self, text: &str) {
        for letter in text.chars() {
            if self.is_value.is_none() && !letter.is_whitespace() {
                self.is_value = Some(matches!(letter, '{' | '[' | '"'));
            }
            match letter {
                '\n' => (self.has_letters, self.ticks, self.quotes) = (false, 0, 0),
                '`' => {
                    self.ticks += 1;
                    // Ticks alone have stood on this line.
                    self.is_fence ^= self.ticks == 3 && !self.has_letters;
                }
                '"' => (self.quotes, self.has_letters) = (self.quotes + 1, true),
                letter => self.has_letters |= !letter.is_whitespace(),
            }
        }
    }

    pub fn is_quoted(&self) -> bool {
        self.is_value == Some(true) || self.is_fence || self.ticks % 2 == 1 || self.quotes % 2 == 1
    }

    /// Something has been said.
    pub fn is_begun(&self) -> bool {
        self.is_value.is_some()
    }

    pub fn is_fenced(&self) -> bool {
        self.is_fence
    }

    pub fn is_line_blank(&self) -> bool {
        !self.has_letters && self.ticks == 0
    }
}
