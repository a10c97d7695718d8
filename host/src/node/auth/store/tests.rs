//! The file on a real disk.

use super::*;
use crate::redact::Secret;

fn pair(access: &str) -> Tokens {
    Tokens::new(Secret::new(access), Some(Secret::new("refresh")))
}

fn store_in(folder: &Path, account: &str) -> TokenStore {
    TokenStore::new(folder, &NodeUrl::parse("x", "http://localhost:2528/").unwrap(), account)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn f04_a_pair_comes_back_and_folder_and_file_are_the_owners_alone() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("deep/state");
    let store = store_in(&folder, "");
    assert_eq!(store.load(), Stored::Nothing);
    assert!(!folder.exists(), "looking leaves no trace");
    let lock = store.lock().await.unwrap();
    store.save(&pair("one")).unwrap();
    store.save(&pair("two")).unwrap();
    drop(lock);
    assert_eq!(store.load().tokens(), Some(pair("two")));
    assert_eq!((mode(&folder), mode(store.path())), (0o700, 0o600));
    assert_eq!(names(&folder), [store.path().file_name().unwrap().to_str().unwrap()], "no temporary file, no lock");
    store.clear().unwrap();
    store.clear().unwrap();
    assert_eq!(store.load(), Stored::Nothing);
}

#[test]
fn the_name_is_the_shared_one_and_each_account_has_its_own() {
    let root = tempfile::tempdir().unwrap();
    // sha256("http://localhost:2528\0"), the first eight bytes.
    let digest = hex::encode(Sha256::digest(b"http://localhost:2528\0"));
    let expected = format!("tokens-{}.json", &digest[..16]);
    assert_eq!(store_in(root.path(), "").path(), root.path().join(expected));
    assert_ne!(store_in(root.path(), "alice").path(), store_in(root.path(), "bob").path());
}

#[test]
fn f05_a_damaged_file_is_told_by_its_path_alone_and_kept_when_a_new_login_replaces_it() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path(), "");
    for text in
        ["{\"access_token\":\"FIXTURE", "", "[]", "[\"a\",\"b\",1]", "{\"access_token\":\"\"}", "{\"access_token\":7}"]
    {
        std::fs::write(store.path(), text).unwrap();
        let Stored::Unusable(line) = store.load() else { panic!("{text} was read") };
        assert_eq!(line, format!("{} is damaged; ignoring it.", store.path().display()));
        assert_eq!(std::fs::read_to_string(store.path()).unwrap(), text, "reading changes nothing");
    }
    std::fs::write(store.path(), "{\"access_token\":\"FIXTURE").unwrap();
    store.save(&pair("new")).unwrap();
    assert_eq!(store.load().tokens(), Some(pair("new")));
    let aside = std::fs::read_to_string(store.beside(".damaged")).unwrap();
    assert_eq!(aside, "{\"access_token\":\"FIXTURE");
}

#[test]
fn f07_a_link_is_replaced_by_a_file_and_what_it_names_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path(), "");
    let victim = root.path().join("victim");
    for place in [store.path().to_owned(), store.beside(".tmp")] {
        let planted = pair("planted").to_stored();
        std::fs::write(&victim, &planted).unwrap();
        std::os::unix::fs::symlink(&victim, &place).unwrap();
        assert_eq!(store.load().tokens(), None, "a link is not read");
        store.save(&pair("new")).unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), planted);
        assert!(!std::fs::symlink_metadata(store.path()).unwrap().is_symlink());
        assert_eq!((store.load().tokens(), mode(store.path())), (Some(pair("new")), 0o600));
        store.clear().unwrap();
    }
}

#[test]
fn f04_a_file_that_others_can_read_is_taken_from_them() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path(), "");
    std::fs::write(store.path(), pair("one").to_stored()).unwrap();
    std::fs::set_permissions(store.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(store.load().tokens(), Some(pair("one")));
    assert_eq!(mode(store.path()), 0o600);
}

#[test]
fn f06_every_read_during_writes_gives_one_whole_content() {
    let root = tempfile::tempdir().unwrap();
    let store = store_in(root.path(), "");
    store.save(&pair("first")).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..200).for_each(|number| store.save(&pair(&format!("{number}"))).unwrap()));
        while !writer.is_finished() {
            assert!(matches!(store.load(), Stored::Tokens(_)));
        }
    });
    std::fs::write(store.beside(".tmp"), "left by a killed process").unwrap();
    store.save(&pair("last")).unwrap();
    assert_eq!(names(root.path()).len(), 1, "no temporary files pile up");
}
