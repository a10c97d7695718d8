//! Field cases of group G and the rules around them.

use super::*;

fn knowing(secret: &str) -> Redactor {
    let redactor = Redactor::new(None);
    redactor.learn(&Secret::new(secret));
    redactor
}

/// Redacts twice and insists that the second pass has nothing to do.
fn redact(redactor: &Redactor, text: &str) -> String {
    let once = redactor.redact(text).into_owned();
    assert_eq!(redactor.redact(&once), once, "not idempotent on {text:?}");
    once
}

#[test]
fn a_clean_text_is_not_copied() {
    let redactor = knowing("FIXTURE-TOKEN-123456");
    for text in ["", "invalid token: expected hex", "bearer authentication is off", "see src/lib.rs:133:33", "[34, 98]"]
    {
        assert!(matches!(redactor.redact(text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn a_secret_shows_itself_to_nobody_who_formats_it() {
    let secret = Secret::new("FIXTURE");
    assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "*** *** Some(***)");
    assert!(!format!("{:?}", knowing("FIXTURE-TOKEN")).contains("FIXTURE"));
}

#[test]
fn g01_a_token_of_the_wrong_form_is_still_a_token() {
    for token in ["Bearer FIXTURE-TOKEN-123456", "FIXTURE-TOKEN-123456\n", "FIXTURE TOKEN 123456"] {
        let redactor = knowing(token);
        for text in [token.to_owned(), format!("header `{}` refused", token.trim()), format!("{token:?}")] {
            assert!(!redact(&redactor, &text).contains("FIXTURE"), "{text:?}");
        }
    }
    assert!(!redact(&knowing("Bearer FIXTURE-TOKEN-123456"), "got FIXTURE-TOKEN-123456").contains("FIXTURE"));
}

#[test]
fn g02_user_names_passwords_and_queries_leave_a_url_and_its_path_stays() {
    let redactor = Redactor::new(None);
    let text = "cannot reach http://user:FIXTUREPASS@127.0.0.1:1/x?api_key=FIXTUREKEY#frag (refused)";
    assert_eq!(redact(&redactor, text), "cannot reach http://127.0.0.1:1/x (refused)");
    for (url, shown) in [
        ("http://user:FIX/TURE@h/x", "http://h/x"),
        ("http://user:FIX?TURE@h/x", "http://h/x"),
        ("http://FIXTURE@[::1]:2528/a", "http://[::1]:2528/a"),
        ("http://[::1]:2528/@scope/pkg", "http://[::1]:2528/@scope/pkg"),
        ("(http://h/x?token=FIXTURE), then", "(http://h/x), then"),
        ("\"ws://h/x?token=FIXTURE\"", "\"ws://h/x\""),
        ("https://h/#FIXTURE", "https://h/"),
    ] {
        assert_eq!(redact(&redactor, url), shown, "{url}");
    }
}

#[test]
fn g04_every_easily_made_spelling_of_a_secret_is_hidden() {
    let redactor = Redactor::new(None);
    redactor.learn(&Secret::new("FIXTURE/token+1"));
    redactor.learn_login("admin", &Secret::new("FIXTUREpass word"));
    for text in [
        "FIXTURE/token+1".to_owned(),
        "?t=FIXTURE%2Ftoken%2B1".to_owned(),
        format!("Authorization: Basic {}", STANDARD.encode("admin:FIXTUREpass word")),
        STANDARD.encode("FIXTURE/token+1"),
        "x=FIXTUREpass%20word".to_owned(),
    ] {
        let shown = redact(&redactor, &text);
        assert!(shown.contains(MASK) && !shown.contains("FIXTURE") && !shown.contains("RklYVFVSR"), "{shown}");
    }
}

#[test]
fn g04_tokens_nobody_registered_are_known_by_their_shape() {
    let redactor = Redactor::new(None);
    for (text, shown) in [
        ("Authorization: Bearer FIXTURE1", "Authorization: Bearer ***"),
        ("authorization: bearer FIXTUREabcdefghijklmnop", "authorization: bearer ***"),
        ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln refused", "token *** refused"),
        (
            r#"{"access_token":"FIXTURE","refresh_token": "FIXTURE"}"#,
            r#"{"access_token":"***","refresh_token": "***"}"#,
        ),
        (r#"body "{\"password\":\"FIXTURE\"}""#, r#"body "{\"password\":\"***\"}""#),
        ("password=FIXTURE&user=a", "password=***&user=a"),
        ("/auth/callback?token=FIXTURE", "/auth/callback?token=***"),
        ("keyJumper.exe is no token", "keyJumper.exe is no token"),
    ] {
        assert_eq!(redact(&redactor, text), shown);
    }
}

#[test]
fn g05_no_piece_of_a_token_survives() {
    let token = "FIXTUREabcdefghijklmnopqrstuvwxyz";
    let shown = redact(&knowing(token), &format!("sent {token} twice: {token}"));
    assert_eq!(shown, "sent *** twice: ***");
    assert!((0..token.len() - 6).all(|at| !shown.contains(&token[at..at + 6])));
}

#[test]
fn a_secret_inside_another_leaves_nothing_of_the_longer_one() {
    let redactor = knowing("abcd");
    redactor.learn(&Secret::new("abcdefgh"));
    assert_eq!(redact(&redactor, "x abcdefgh y abcd"), "x *** y ***");
}

#[test]
fn a_tiny_secret_does_not_blank_out_ordinary_words() {
    assert_eq!(redact(&knowing("dev"), "the device"), "the device");
    assert_eq!(redact(&knowing("****"), "a **** b"), "a **** b");
}

#[test]
fn the_home_folder_reads_as_a_tilde_where_a_component_ends() {
    let redactor = Redactor::new(Some(Path::new("/srv/ann/")));
    assert_eq!(redact(&redactor, "/srv/ann/.calimero and `/srv/ann`"), "~/.calimero and `~`");
    assert_eq!(redact(&redactor, "/srv/anna /opt/srv/ann-x"), "/srv/anna /opt/srv/ann-x");
    assert_eq!(redact(&Redactor::new(Some(Path::new("/"))), "/etc/x"), "/etc/x");
}

#[test]
fn odd_text_is_left_whole() {
    let redactor = Redactor::new(Some(Path::new("/srv/ann")));
    for text in ["://", "bearer ", "é://ü", "Bearer é1234567", "password=", "\"token\":", "eyJ", "eyJ.", "http://"] {
        assert_eq!(redact(&redactor, text), text);
    }
}
