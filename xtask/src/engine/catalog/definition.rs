//! Finds the definitions of functions in source files, and what they demand of their arguments.
//!
//! Comes in: the text of a `.c` file. Goes out: for every function defined there its documentation and the checks its
//! body begins with. A check is a macro of MEOS such as `VALIDATE_TFLOAT(temp, NULL)`: it names the only types a
//! parameter may have, which the C type `Temporal *` does not. What the names of checks mean is not known here.

use super::comment::{self, Comment};
use super::conditional;
use super::declarator;
use super::header;
use super::lexer::{self, Kind, Token};

/// One function that is defined in a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) name: String,
    /// The names its parameters have there, in order; a header may name them otherwise.
    pub(super) parameters: Vec<String>,
    pub(super) comment: Comment,
    /// Checks and the words among their arguments, as `("VALIDATE_TFLOAT", ["temp", "NULL"])`.
    pub(super) checks: Vec<(String, Vec<String>)>,
    /// It exists and says of itself that it is not implemented.
    pub(super) unfinished: bool,
}

/// The functions that a file defines and others can call.
pub(super) fn read(source: &str) -> Vec<Definition> {
    let tokens = lexer::tokens(source);
    let selected = conditional::select(&tokens);
    header::pieces(&selected.tokens).into_iter().filter_map(definition).collect()
}

fn definition(piece: &[Token<'_>]) -> Option<Definition> {
    let documented = piece.iter().take_while(|token| token.kind == Kind::Doc).last();
    let code: Vec<Token<'_>> = piece.iter().filter(|token| token.kind != Kind::Doc).copied().collect();
    let open = code.iter().position(|token| token.is("{"))?;
    let (head, body) = code.split_at_checked(open)?;
    if head.iter().any(|token| token.is_word("static")) {
        return None;
    }
    let declared = declarator::read(head)?;
    let parameters = declared.parameters?.list.into_iter().map(|parameter| parameter.name).collect();
    let comment = documented.map(|token| comment::read(token.text)).unwrap_or_default();
    let unfinished = body.iter().any(|token| token.kind == Kind::Literal && token.text.contains("not implemented"));
    Some(Definition { name: declared.name, parameters, comment, checks: checks(body), unfinished })
}

/// Calls whose name begins with `VALIDATE_` or `ensure_`, with the words among their arguments.
fn checks(body: &[Token<'_>]) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (at, token) in body.iter().enumerate() {
        let is_check =
            token.kind == Kind::Word && (token.text.starts_with("VALIDATE_") || token.text.starts_with("ensure_"));
        if !is_check || !body.get(at + 1).is_some_and(|next| next.is("(")) {
            continue;
        }
        let mut depth = 0_usize;
        let inside = body.iter().skip(at + 1).take_while(|token| {
            depth += usize::from(token.is("("));
            depth = depth.saturating_sub(usize::from(token.is(")")));
            depth > 0
        });
        let words = inside.filter(|token| token.kind == Kind::Word).map(|token| token.text.to_owned());
        found.push((token.text.to_owned(), words.collect()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
        /** @file */
        #include <x.h>
        static int hidden(int a) { return a; }
        /**
         * @brief Return twice the shape
         */
        Shape *
        shape_twice(const Shape *shape, /**< inner */ int n)
        {
          /* why */
          VALIDATE_SHAPE(shape, NULL);
          if (! ensure_positive((int) n) || ! ensure_kind(shape->kind, T_ROUND))
            return NULL;
          return shape;
        }
        int plain(int a UNUSED) { error("%s is not implemented"); return 1; }
        int announced(int x);
        #if ! MEOS
        int other(void) { return 2; }
        #endif"#;

    #[test]
    fn a_definition_carries_its_comment_and_its_checks() {
        let found = read(SOURCE);
        let names: Vec<&str> = found.iter().map(|each| each.name.as_str()).collect();
        assert_eq!(names, ["shape_twice", "plain"]);
        assert_eq!(found[0].comment.brief, "Return twice the shape.");
        assert_eq!(found[0].parameters, ["shape", "n"]);
        let check =
            |name: &str, words: &[&str]| (name.to_owned(), words.iter().map(|word| (*word).to_owned()).collect());
        let want: [(String, Vec<String>); 3] = [
            check("VALIDATE_SHAPE", &["shape", "NULL"]),
            check("ensure_positive", &["int", "n"]),
            check("ensure_kind", &["shape", "kind", "T_ROUND"]),
        ];
        assert_eq!(found[0].checks, want);
        assert_eq!((&found[1].comment, found[1].unfinished), (&Comment::default(), true));
    }
}
