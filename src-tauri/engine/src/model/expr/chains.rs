//! Which parts of values a template names, as it is written: `outputs.a["b c"].d`. A hint for messages before the run; it
//! must not decide what a template may read.

use std::collections::HashSet;

/// `a.b["c"]` as its steps; an index that is no text ends it.
pub type Chain = Vec<String>;

/// The chains of all places in which a value is asked for. Those are left out that the template can do without, because it
/// asks somewhere whether they are there or has something in their place. None where nobody can tell.
pub fn chains_of_template(source: &str) -> Option<Vec<Chain>> {
    // What is raw is not read, and telling where it begins is not worth it.
    if source.contains("raw") {
        return None;
    }
    let mut found = Vec::new();
    for code in code_parts(source) {
        found.extend(Scan { rest: code }.chains());
    }
    let spared: HashSet<Chain> = found
        .iter()
        .filter(|(_, is_spared)| *is_spared)
        .map(|(chain, _)| start_of(chain))
        .collect();
    let all = found.into_iter().map(|(chain, _)| chain);
    Some(all.filter(|chain| !spared.contains(&start_of(chain))).collect())
}

/// The filters that it names, as far as they stand behind a `|`.
pub fn filters_of_template(source: &str) -> Vec<String> {
    if source.contains("raw") {
        return Vec::new();
    }
    code_parts(source)
        .into_iter()
        .flat_map(filters_of_expression)
        .collect()
}

pub fn filters_of_expression(code: &str) -> Vec<String> {
    let mut scan = Scan { rest: code };
    let mut found = Vec::new();
    while let Some(c) = scan.rest.chars().next() {
        match c {
            '"' | '\'' => {
                scan.quoted();
            }
            '|' => {
                scan.rest = scan.rest[1..].trim_start();
                found.push(scan.word());
            }
            c => scan.rest = &scan.rest[c.len_utf8()..],
        }
    }
    found.retain(|name| name.starts_with(is_start));
    found
}

/// A question about a value spares all that is read from it.
fn start_of(chain: &Chain) -> Chain {
    chain.iter().take(2).cloned().collect()
}

/// What stands within `{{ … }}` and `{% … %}`. A bracket within a quoted text ends a part too early, and so hides a chain.
fn code_parts(source: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        rest = &rest[start + 1..];
        let end = match rest.as_bytes().first() {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#') => "#}",
            Some(_) | None => continue,
        };
        let is_comment = end == "#}";
        let Some((code, after)) = rest[1..].split_once(end) else {
            return parts;
        };
        if !is_comment {
            parts.push(code);
        }
        rest = after;
    }
    parts
}

struct Scan<'s> {
    rest: &'s str,
}

impl Scan<'_> {
    fn chains(mut self) -> Vec<(Chain, bool)> {
        let mut found = Vec::new();
        while let Some(c) = self.rest.chars().next() {
            if matches!(c, '"' | '\'') {
                self.quoted();
            } else if is_start(c) {
                let (chain, is_spared) = self.chain();
                // What was called by its own name alone is no value.
                if !chain.is_empty() {
                    found.push((chain, is_spared));
                }
            } else if c.is_alphanumeric() || c == '.' {
                // A number, or an attribute of what is no name.
                self.skip_word();
            } else {
                self.rest = &self.rest[c.len_utf8()..];
            }
        }
        found
    }

    fn skip_word(&mut self) {
        let end = self.rest.find(|c: char| !is_part(c) && c != '.');
        self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
    }

    /// A quoted text without escapes; others are passed over.
    fn quoted(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let mut is_escaped = false;
        let inner = &self.rest[1..];
        let end = inner.find(|c: char| {
            let ends = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let Some(end) = end else {
            self.rest = "";
            return None;
        };
        self.rest = &inner[end + 1..];
        let text = &inner[..end];
        (!text.contains('\\')).then(|| text.to_owned())
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn chain(&mut self) -> (Chain, bool) {
        let mut chain = vec![self.word()];
        loop {
            let before = self.rest;
            self.rest = self.rest.trim_start();
            let step = if let Some(rest) = self.rest.strip_prefix('.') {
                self.rest = rest.trim_start();
                Some(self.word()).filter(|word| !word.is_empty())
            } else if let Some(rest) = self.rest.strip_prefix('[') {
                self.rest = rest.trim_start();
                self.item()
            } else {
                self.rest = before;
                break;
            };
            let Some(step) = step else {
                self.rest = &before[before.len() - self.rest.len().min(before.len())..];
                break;
            };
            chain.push(step);
        }
        self.ended(chain)
    }

    /// `"x"]`, of which nothing is taken where it is something else.
    fn item(&mut self) -> Option<String> {
        if !self.rest.starts_with(['"', '\'']) {
            return None;
        }
        let text = self.quoted()?;
        self.rest = self.rest.trim_start().strip_prefix(']')?;
        Some(text)
    }

    fn ended(&self, mut chain: Chain) -> (Chain, bool) {
        let after = self.rest.trim_start();
        // What is called is no part of a value.
        if after.starts_with('(') {
            chain.pop();
        }
        let filter = after.strip_prefix('|').map(str::trim_start);
        let is_spared = after.starts_with("is ")
            || filter.is_some_and(|name| {
                let end = name.find(|c: char| !is_part(c)).unwrap_or(name.len());
                matches!(&name[..end], "default" | "d")
            });
        (chain, is_spared)
    }
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let chains = chains_of_template(source).unwrap_or_default();
        chains.iter().map(|chain| chain.join("/")).collect()
    }

    #[test]
    fn chains_are_found_in_code_alone() {
        assert_eq!(
            found("outputs.a {{ outputs.a.b }} {# outputs.c #}"),
            ["outputs/a/b"]
        );
        assert_eq!(
            found(r#"{{ outputs["a-b"]['c d'].e ~ "outputs.x" }}"#),
            ["outputs/a-b/c d/e"]
        );
        assert_eq!(
            found("{% for row in outputs.rows[0].x %}{{ row }}{% endfor %}")
                .first()
                .unwrap(),
            "for"
        );
        assert!(found("{% for row in outputs.rows[0].x %}").contains(&"outputs/rows".to_owned()));
        assert_eq!(
            found("{{ a.keys() }}{{ 1.5 }}{{ b[name].c }}"),
            ["a", "b", "name"]
        );
        assert_eq!(found(r#"{{ "it's {{" }}{{ x }}"#), ["x"]);
        assert_eq!(chains_of_template("{% raw %}{{ x }}{% endraw %}"), None);
    }

    #[test]
    fn what_it_can_do_without_is_spared() {
        assert_eq!(
            found("{{ outputs.a.b|default('-') }}{{ c | d(1) }}"),
            Vec::<String>::new()
        );
        let asked = "{% if outputs.a is defined %}{{ outputs.a.text }}{% endif %}{{ outputs.b }}";
        assert!(!found(asked).iter().any(|chain| chain.starts_with("outputs/a")));
        assert!(found(asked).contains(&"outputs/b".to_owned()));
    }

    #[test]
    fn filters_are_found() {
        let filters = filters_of_template("{{ a | upper|join(', ') ~ '|no' }} |not {% if x|length %}");
        assert_eq!(filters, ["upper", "join", "length"]);
    }

    #[test]
    fn odd_sources_end() {
        for source in [
            "{{",
            "{{ '",
            "{{ a[",
            "{{ a.",
            "{{ a['",
            "{{ a . b [ 'c' ] }}",
            "{%",
            "{",
            "{{ ä.ö }}",
            "{{ a[1][\"x\"] }}",
        ] {
            found(source);
        }
        assert_eq!(found("{{ a . b [ 'c' ] }}"), ["a/b/c"]);
        assert_eq!(found("{{ ä.ö }}"), ["ä/ö"]);
    }
}
