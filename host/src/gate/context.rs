//! Which context a call runs against.

use crate::gate::{Handle, Refusal};
use crate::source::{Context, ContextMatch, Unit, is_id};

/// Looks up names a person gave to contexts.
pub trait Aliases {
    /// The id behind an alias; `None` when there is none, or the lookup failed.
    fn lookup(&self, alias: &str) -> impl Future<Output = Option<String>> + Send;
}

/// Chooses the context: the named one wins over the handle's, because the argument is explicit; a handle whose own
/// context is gone still admits a call that names a live one.
///
/// `contexts` are the app's contexts as of now.
///
/// # Errors
/// Neither names one, the named one is not the app's and service's, or the handle's is gone.
pub(crate) async fn choose(
    unit: &Unit,
    handle: &Handle,
    named: Option<&str>,
    contexts: &[Context],
    aliases: &impl Aliases,
) -> Result<String, Refusal> {
    if let Some(named) = named {
        return match find(unit, named, contexts, aliases).await {
            ContextMatch::Own(id) => Ok(id),
            ContextMatch::Foreign => Err(Refusal::foreign_context(unit, named, contexts)),
            ContextMatch::Unknown => Err(Refusal::unknown_context(unit, named, contexts)),
        };
    }
    let Some(held) = &handle.context else { return Err(Refusal::no_context(unit)) };
    own(unit, held, contexts).ok_or_else(|| Refusal::select_first(unit))
}

/// Finds what a caller's word for a context means. An id among the app's contexts is taken first, in either text
/// form; only then is it an alias, looked up live because aliases move.
pub async fn find(unit: &Unit, named: &str, contexts: &[Context], aliases: &impl Aliases) -> ContextMatch {
    if let Some(id) = own(unit, named, contexts) {
        return ContextMatch::Own(id);
    }
    if is_id(named) {
        return ContextMatch::Foreign;
    }
    match aliases.lookup(named).await {
        None => ContextMatch::Unknown,
        Some(id) => own(unit, &id, contexts).map_or(ContextMatch::Foreign, ContextMatch::Own),
    }
}

fn own(unit: &Unit, id: &str, contexts: &[Context]) -> Option<String> {
    contexts.iter().find(|context| context.serves(unit) && context.is_named(id)).map(|context| context.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::App;
    use std::sync::Arc;

    struct Named(&'static str, String);

    impl Aliases for Named {
        async fn lookup(&self, alias: &str) -> Option<String> {
            (alias == self.0).then(|| self.1.clone())
        }
    }

    fn id(byte: u8) -> String {
        bs58::encode([byte; 32]).into_string()
    }

    fn unit(service: Option<&str>) -> Unit {
        let app = App {
            id: "app".to_owned(),
            package: Some("com.example.kv-store".to_owned()),
            version: Some("1.0.0".to_owned()),
            name: None,
            signer: None,
            guide: None,
            content: String::new(),
            services: Vec::new(),
            record: crate::model::JsonObject::new(),
            metadata: None,
            origin: crate::source::Origin::Node,
        };
        Unit { app: Arc::new(app), service: service.map(str::to_owned) }
    }

    fn context(byte: u8, service: Option<&str>) -> Context {
        Context { id: id(byte), service: service.map(str::to_owned) }
    }

    fn holding(context: Option<String>) -> Handle {
        let unit = unit(None);
        crate::gate::bind(&unit, context)
    }

    /// Every row of the design's table (§6.3) whose handle is valid.
    #[tokio::test]
    async fn the_table_of_handles_and_contexts_holds() {
        let (unit, live) = (unit(None), [context(1, None), context(2, None)]);
        let aliases = Named("two", id(2));
        let run = async |held: Option<u8>, named: Option<&str>| {
            choose(&unit, &holding(held.map(id)), named, &live, &aliases).await.map_err(|refusal| refusal.text)
        };
        assert_eq!(run(Some(1), None).await, Ok(id(1)));
        assert_eq!(run(Some(1), Some(&id(1))).await, Ok(id(1)));
        assert_eq!(run(Some(1), Some(&id(2))).await, Ok(id(2)));
        assert_eq!(run(Some(1), Some("two")).await, Ok(id(2)));
        assert!(run(Some(9), None).await.unwrap_err().starts_with("Call select_app for com.example.kv-store"));
        assert_eq!(run(Some(9), Some(&id(1))).await, Ok(id(1)));
        assert!(run(None, None).await.unwrap_err().starts_with("This app_handle names no context."));
        assert_eq!(run(None, Some(&id(2))).await, Ok(id(2)));
        assert_eq!(run(None, Some(&hex::encode([2_u8; 32]))).await, Ok(id(2)));
        let foreign = run(Some(1), Some(&id(9))).await.unwrap_err();
        assert!(
            foreign.contains("does not belong to") && foreign.contains(&id(1)) && foreign.contains(&id(2)),
            "{foreign}"
        );
        let unknown = run(Some(1), Some("three")).await.unwrap_err();
        assert!(unknown.contains("neither a context id nor an alias"), "{unknown}");
    }

    #[tokio::test]
    async fn a_service_runs_in_its_own_contexts_only() {
        let unit = unit(Some("lobby"));
        let contexts = [context(1, Some("lobby")), context(2, Some("game"))];
        let aliases = Named("", String::new());
        assert_eq!(find(&unit, &id(1), &contexts, &aliases).await, ContextMatch::Own(id(1)));
        assert_eq!(find(&unit, &id(2), &contexts, &aliases).await, ContextMatch::Foreign);
    }
}
