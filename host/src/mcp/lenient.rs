//! Finds the id of a request in a line that no JSON parser accepts, so that its sender gets an answer.
//!
//! In: the bytes of one line, in pieces. Out: the id, if the line looks like a request object. Looks at nothing but
//! brackets, strings and the members of the outermost object; never recurses and never keeps more than one short
//! token, so neither depth nor length of a line can hurt (E09, E21).

use serde_json::Value;

/// The longest key or id kept, in bytes; longer ones are no id of ours. Keeps memory constant on endless lines.
const TOKEN_BYTES: usize = 512;

/// Scans one line.
#[derive(Debug, Default)]
pub(super) struct IdScanner {
    depth: usize,
    started: bool,
    not_an_object: bool,
    in_string: bool,
    escaped: bool,
    token: Vec<u8>,
    too_long: bool,
    place: Place,
    key: Key,
    id: Option<Value>,
    answers: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Key,
    Value,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    Id,
    Outcome,
    #[default]
    Other,
}

/// The id of a request in one whole line; `None` if it cannot be read or the line is a response.
pub(super) fn request_id(line: &[u8]) -> Option<Value> {
    let mut scanner = IdScanner::default();
    scanner.feed(line);
    scanner.finish()
}

impl IdScanner {
    /// Takes the next piece of the line.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.not_an_object {
            return;
        }
        for &byte in bytes {
            if self.in_string { self.string_byte(byte) } else { self.structure_byte(byte) }
        }
    }

    /// The id, once the line has ended.
    pub(super) fn finish(mut self) -> Option<Value> {
        self.end_token();
        // A response has an id too; answering it with an error would confuse its sender.
        if self.answers { None } else { self.id }
    }

    fn string_byte(&mut self, byte: u8) {
        self.keep(byte);
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
            self.end_token();
        }
    }

    fn structure_byte(&mut self, byte: u8) {
        if !self.started && !byte.is_ascii_whitespace() {
            self.started = true;
            self.not_an_object = byte != b'{';
        }
        match byte {
            b'"' => {
                self.end_token();
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.end_token();
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => {
                self.end_token();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.place = Place::Value,
            b',' => {
                self.end_token();
                if self.depth == 1 {
                    self.place = Place::Key;
                }
            }
            byte if byte.is_ascii_whitespace() => self.end_token(),
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth != 1 {
            return;
        }
        if self.token.len() < TOKEN_BYTES { self.token.push(byte) } else { self.too_long = true }
    }

    fn end_token(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.too_long) || token.is_empty() {
            return;
        }
        match self.place {
            Place::Key => {
                self.key = match token.as_slice() {
                    b"\"id\"" => Key::Id,
                    b"\"result\"" | b"\"error\"" => Key::Outcome,
                    _ => Key::Other,
                };
                self.answers |= self.key == Key::Outcome;
            }
            Place::Value if self.key == Key::Id => {
                self.id = serde_json::from_slice(&token).ok().filter(|id: &Value| id.is_string() || id.is_number());
            }
            Place::Value => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"\ud800"}}"#, json!(5)),
            (r#"{"method":"x","params":{"a":1e400,"id":9},"jsonrpc":"2.0","id":"seven"}"#, json!("seven")),
            (r#" { "id" : -3 , "method" : "x" , "params" : {"#, json!(-3)),
            (r#"{"id":"a\"b","method":"x","params":[}"#, json!("a\"b")),
            (r#"{"id":1,"method":"x","id":2,"p":tru}"#, json!(2)),
            (r#"{"id":5"#, json!(5)),
        ] {
            assert_eq!(request_id(line.as_bytes()), Some(id), "{line}");
        }
    }

    #[test]
    fn no_id_is_invented() {
        for line in [
            "not json",
            r#""id":5"#,
            r#"[{"id":5,"method":"x"},"#,
            r#"{"params":{"id":5},"method":"x" oops"#,
            r#"{"id":null,"method":"x" oops"#,
            r#"{"id":1e400,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":5,"result":"\ud800"}"#,
            r#"{"id":"\ud800","method":"x"}"#,
        ] {
            assert_eq!(request_id(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn pieces_read_like_the_whole() {
        let line = br#"{"method":"x","params":{"a":"\ud800"},"id":"seven"}"#;
        for size in 1..line.len() {
            let mut scanner = IdScanner::default();
            line.chunks(size).for_each(|piece| scanner.feed(piece));
            assert_eq!(scanner.finish(), Some(json!("seven")), "pieces of {size}");
        }
    }
}
