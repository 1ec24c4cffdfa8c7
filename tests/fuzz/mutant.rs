//! Makes new bytes from seeds: broken, doubled, spliced, and with the words in them that formats trip over. The same
//! number gives the same bytes. It must not know what they are tried on.

/// Words that mean something to one of the formats.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"data: ",
    b"event: ",
    b": ",
    b"[DONE]",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xed\xa0\x80",
    b"\0",
    b"\x1b[31m",
    b"{",
    b"}",
    b"[",
    b"]",
    b"{}",
    b"[]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"true",
    b"-0",
    b"1e999",
    b"1e-999",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"0.1",
    b"00",
    b"NaN",
    b"\"id\":",
    b"\"type\":",
    b"\"index\":",
    b"\"error\":",
    b"\"message\":",
    b"\"$ref\":",
    b"\"$from\":",
    b"\"#\"",
    b"\"tasks\":",
    b"\"dependencies\":",
    b"\"anyOf\":",
    b"\"allOf\":",
    b"\"properties\":",
    b"\"required\":",
    b"\"$serde_json::private::Number\":",
    b"\"$serde_json::private::RawValue\":",
    b"\"done\":true",
    b"\"stop\"",
    b"\"finish_reason\":\"stop\"",
    b"\"stop_reason\":\"end_turn\"",
    b"\"finishReason\":\"STOP\"",
    b"data: []\n\n",
    b"data: \"x\"\n\n",
    b"data: 1\n\nevent: response.completed\n",
    b"{\"type\":\"message_stop\"}",
    b"{\"type\":\"response.completed\"}",
    b"http://",
    b"https:\\\\",
    b"//",
    b"@",
    b"../",
    b"/./",
    b".",
    b"*",
    b"**/",
    b"%2e",
    b"%2F",
    b"%00",
    b"[::1]",
    b"0x7f.1",
    b":80",
    b"run:/",
    b"data/up/",
    b"\xe3\x80\x82",
    b"\xe2\x80\xa2",
    b"\x01",
    b"\x04",
    b"\x08",
    b"\x0e",
];
/// Longer ones teach nothing new and take long.
const LONGEST: usize = 64 << 10;

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, sides: usize) -> usize {
        let sides = u64::try_from(sides.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.roll() % sides).unwrap_or(0)
    }
}

/// One of the seeds, changed a few times.
pub fn mutant(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seeds.get(dice.below(seeds.len())).cloned().unwrap_or_default();
    for _ in 0..=dice.below(6) {
        change(&mut bytes, seeds, dice);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], dice: &mut Dice) {
    let from = dice.below(bytes.len() + 1);
    let most = 1 << dice.below(10);
    let to = from + dice.below((bytes.len() - from).min(most) + 1);
    match dice.below(8) {
        0 => drop(bytes.drain(from..to)),
        1 => bytes.truncate(from),
        2 => insert(bytes, from, WORDS[dice.below(WORDS.len())]),
        3 => {
            let piece = bytes[from..to].to_vec();
            let at = dice.below(bytes.len() + 1);
            insert(bytes, at, &piece);
        }
        4 => {
            let piece = bytes[from..to].repeat(1 + dice.below(40));
            insert(bytes, from, &piece);
        }
        5 => {
            let other = &seeds[dice.below(seeds.len())];
            let at = dice.below(other.len() + 1);
            bytes.splice(from.., other[at..].iter().copied());
        }
        6 => replace_number(bytes, from, dice),
        _ => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte ^= 1 << dice.below(8);
            }
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// The next digits become another number.
fn replace_number(bytes: &mut Vec<u8>, from: usize, dice: &mut Dice) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[from..].iter().position(is_digit).map(|at| from + at) else {
        return;
    };
    let length = bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
    let numbers: [&[u8]; 6] = [b"0", b"1", b"18446744073709551615", b"-1", b"1e400", b"0.5"];
    bytes.splice(
        start..start + length,
        numbers[dice.below(numbers.len())].iter().copied(),
    );
}
