//! Reads a documentation comment: the commands of doxygen that MEOS uses.
//!
//! Comes in: the text between `/**` and `*/`. Goes out: plain sentences and names, without markup. It knows nothing of
//! the function that is documented.

/// What a comment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comment {
    /// The groups of the manual it belongs to; a name in MEOS tells public from internal functions.
    pub(super) groups: Vec<String>,
    /// One sentence with its full stop; empty when the comment has none.
    pub(super) brief: String,
    /// In order; `lower,upper` in one line are two.
    pub(super) parameters: Vec<Described>,
    /// What is returned, when there is more to say than the brief does.
    pub(super) returns: String,
    pub(super) notes: Vec<String>,
    /// C functions of the database extension that call this one, as `Tpoint_length`.
    pub(super) wrappers: Vec<String>,
    /// SQL functions, as `length`.
    pub(super) sql_functions: Vec<String>,
    /// SQL operators, as `&&`.
    pub(super) sql_operators: Vec<String>,
}

/// What a comment says of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) name: String,
    /// The function writes there and reads nothing: `@param[out]`.
    pub(super) written: bool,
    /// Plain text without a full stop, possibly empty.
    pub(super) text: String,
}

impl Described {
    /// Whether a null pointer is welcome.
    pub(super) fn may_be_null(&self) -> bool {
        self.text.split(['.', ';']).any(|part| part.contains("may be NULL") || part.contains("may be null"))
    }
}

/// Reads a comment.
pub(super) fn read(text: &str) -> Comment {
    let mut comment = Comment::default();
    for (command, body) in commands(text) {
        comment.add(&command, &body);
    }
    comment
}

impl Comment {
    fn add(&mut self, command: &str, body: &str) {
        let name = command.split('[').next().unwrap_or(command);
        match name {
            "ingroup" => self.groups.extend(body.split_whitespace().map(str::to_owned)),
            "brief" if self.brief.is_empty() => self.brief = sentence(body),
            "param" | "arg" => self.add_parameter(body, command.ends_with("[out]")),
            "return" | "result" => self.returns = sentence(body),
            "note" => self.notes.push(sentence(body)),
            "csqlfn" => self.wrappers.extend(names(body)),
            "sqlfn" => self.sql_functions.extend(names(body)),
            "sqlop" => {
                let operators = body.split([' ', ',']).filter(|word| !matches!(*word, "" | "@p"));
                self.sql_operators.extend(operators.map(str::to_owned));
            }
            _ => {}
        }
    }

    fn add_parameter(&mut self, body: &str, written: bool) {
        let (names, description) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
        let text = plain(description);
        let named = names.split(',').filter(|name| !name.is_empty());
        self.parameters.extend(named.map(|name| Described { name: name.to_owned(), written, text: text.clone() }));
    }

    /// What it says of the parameter of that name.
    pub(super) fn of(&self, name: &str) -> Option<&Described> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// The commands with what follows each, up to the next command or an empty line.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let line = line.trim().trim_start_matches('*').trim();
        let command = line.strip_prefix('@').filter(|rest| !rest.starts_with("p ") && !rest.starts_with("ref "));
        if let Some(command) = command {
            let (name, body) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            found.push((name.to_owned(), body.trim().to_owned()));
            open = true;
        } else if line.is_empty() {
            open = false;
        } else if let Some((_, body)) = found.last_mut().filter(|_| open) {
            body.push(' ');
            body.push_str(line);
        }
    }
    found
}

/// Text without markup and with single blanks.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !matches!(*word, "@p" | "@ref" | "@c" | "@e"));
    let words: Vec<String> = words.map(|word| word.replace('`', "").trim_start_matches('#').to_owned()).collect();
    words.join(" ")
}

/// Plain text with a full stop.
fn sentence(text: &str) -> String {
    let text = plain(text);
    if text.is_empty() || text.ends_with(['.', '!', '?', ':']) { text } else { text + "." }
}

/// `#Tpoint_length(), #Other()` as bare names; `etc.` is none.
fn names(body: &str) -> impl Iterator<Item = String> {
    let words = body.split([' ', ',']).filter_map(|word| word.trim_start_matches('#').strip_suffix("()"));
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
 * @ingroup lib_shapes_accessor
 * @brief Return the area of a shape
 *   in square metres, see #shape_size() or `NULL`
 * @details Long story.
 *
 * that goes on
 * @param[in] shape Shape, may be @p NULL
 * @param[in] lower,upper Bounds,
 * both inclusive
 * @param[out] count
 * @return On error return -1.0
 * @note Not for lines
 * @csqlfn #Shape_area(), #Area_of()
 * @sqlfn area(), etc.
 * @sqlop @p && , @p <@
 ";

    fn described(name: &str, written: bool, text: &str) -> Described {
        Described { name: name.to_owned(), written, text: text.to_owned() }
    }

    #[test]
    fn every_command_is_read_and_markup_is_gone() {
        let text = |text: &str| text.to_owned();
        let want = Comment {
            groups: vec![text("lib_shapes_accessor")],
            brief: text("Return the area of a shape in square metres, see shape_size() or NULL."),
            parameters: vec![
                described("shape", false, "Shape, may be NULL"),
                described("lower", false, "Bounds, both inclusive"),
                described("upper", false, "Bounds, both inclusive"),
                described("count", true, ""),
            ],
            returns: text("On error return -1.0."),
            notes: vec![text("Not for lines.")],
            wrappers: vec![text("Shape_area"), text("Area_of")],
            sql_functions: vec![text("area")],
            sql_operators: vec![text("&&"), text("<@")],
        };
        assert_eq!(read(TEXT), want);
    }

    #[test]
    fn only_a_parameter_that_may_be_null_is_optional() {
        assert!(described("x", false, "Span, may be NULL").may_be_null());
        assert!(!described("x", false, "Span. The result may be large; NULL is refused").may_be_null());
    }

    #[test]
    fn a_comment_without_commands_says_nothing() {
        assert_eq!(read(" * Plain words. \n * More."), Comment::default());
        assert_eq!(read(""), Comment::default());
    }
}
