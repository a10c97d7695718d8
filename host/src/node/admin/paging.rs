//! Collects a list that the node gives in pages.
//!
//! The first request carries no paging, as a node's other clients send it; only a page as long as the node's shortest
//! default asks for more. A node that ignores paging repeats itself, which ends the list as well.

use crate::model::{CallScope, JsonObject};
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::Session;
use serde::de::DeserializeOwned;
use std::collections::HashSet;

/// A page shorter than this is the last one: the node's default limit, and no node clamps below it.
const DEFAULT_PAGE: usize = 100;
/// The most a node gives at once.
const LONGEST_PAGE: usize = 1000;
/// The node refuses offsets beyond this.
const LAST_OFFSET: usize = 100_000;

/// How to read one kind of list.
pub(super) struct Paged<W> {
    /// The list's route without paging.
    pub(super) route: Route,
    /// What a page should be, for a message.
    pub(super) expected: &'static str,
    /// The rows of a page's wire form.
    pub(super) rows: fn(W) -> Vec<JsonObject>,
    /// The field that tells rows apart.
    pub(super) key: &'static str,
}

/// Every row of every page.
///
/// # Errors
///
/// Those of any page: half a list is not shown as a whole one.
pub(super) async fn all<W: DeserializeOwned>(
    session: &Session,
    list: Paged<W>,
    scope: &CallScope,
) -> Result<Vec<JsonObject>, Error> {
    let Paged { route, expected, rows, key } = list;
    let mut all = rows(session.ask(Request::new(route.clone()), Wrap::Data, expected, scope).await?);
    let mut length = all.len();
    let mut seen: HashSet<String> = all.iter().filter_map(|row| super::row::text(row, key)).collect();
    while length >= DEFAULT_PAGE && all.len() <= LAST_OFFSET {
        let page =
            route.clone().query("offset", Some(&all.len().to_string())).query("limit", Some(&LONGEST_PAGE.to_string()));
        let page = rows(session.ask(Request::new(page), Wrap::Data, expected, scope).await?);
        length = page.len();
        let before = all.len();
        all.extend(page.into_iter().filter(|row| super::row::text(row, key).is_some_and(|key| seen.insert(key))));
        if all.len() == before {
            break;
        }
    }
    Ok(all)
}
