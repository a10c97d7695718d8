//! Groups below a namespace: members, visibility, metadata.

use super::namespaces::UPGRADE_POLICY;
use crate::model::{CallScope, JsonObject};
use crate::node::Error;
use crate::node::envelope::Wrap;
use crate::node::http::Request;
use crate::node::route::Route;
use crate::node::session::{Session, json_body};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Who may join a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Members of the namespace, on their own.
    Open,
    /// Only those who are added.
    Restricted,
}

/// A member to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// An account (64 hex digits) or a key (base58).
    pub identity: &'a str,
    /// `Admin`, `Member`, `ReadOnly` or `ReadOnlyTee`; the node checks it.
    pub role: &'a str,
}

/// A subgroup to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewSubgroup<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Who may join it; restricted when not said.
    pub visibility: Option<Visibility>,
}

/// What a group says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupMetadata {
    /// Its name.
    pub name: Option<String>,
    /// Free-form entries.
    pub data: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireGroupId {
    pub(crate) group_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireGroupInfo {
    pub(crate) target_application_id: String,
}

/// `members` is insisted on, so that another shape is not taken for an empty group.
#[derive(Deserialize)]
pub(crate) struct WireMembers {
    #[expect(dead_code, reason = "its presence is the check")]
    pub(crate) members: Vec<JsonObject>,
}

#[derive(Deserialize)]
pub(crate) struct WireGroupMetadata {
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) data: Option<BTreeMap<String, String>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SubgroupRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    group_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NestedGroupRequest<'a> {
    upgrade_policy: &'static str,
    application_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    parent_group_id: &'a str,
}

#[derive(Serialize)]
struct MembersRequest<'a> {
    members: Vec<MemberRequest<'a>>,
}

#[derive(Serialize)]
struct MemberRequest<'a> {
    identity: &'a str,
    role: &'a str,
}

#[derive(Serialize)]
struct RemoveRequest<'a> {
    members: &'a [&'a str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VisibilityRequest {
    subgroup_visibility: Visibility,
}

#[derive(Serialize)]
struct MetadataRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    data: &'a BTreeMap<String, String>,
}

impl Session {
    /// A group's members as the node lists them: `{"members": […]}` and what else it says.
    ///
    /// # Errors
    ///
    /// Those of an exchange; [`Error::UnexpectedShape`] without `members`.
    pub async fn group_members(&self, group: &str, scope: &CallScope) -> Result<JsonObject, Error> {
        let request = Request::new(Route::get(&["admin-api", "groups", group, "members"]));
        let answer = self.send(request, scope).await?;
        let expected = "an object with a list `members`";
        let _: WireMembers = crate::node::envelope::read(&answer, Wrap::Flat, expected)?;
        crate::node::envelope::read(&answer, Wrap::Flat, expected)
    }

    /// Adds members.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn add_group_members(&self, group: &str, members: &[Member<'_>], scope: &CallScope) -> Result<(), Error> {
        let members = members.iter().map(|member| MemberRequest { identity: member.identity, role: member.role });
        let body = MembersRequest { members: members.collect() };
        let route = Route::post(&["admin-api", "groups", group, "members"]);
        self.tell(Request::new(route).json(json_body(&body)), scope).await
    }

    /// Removes members by their accounts.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn remove_group_members(&self, group: &str, accounts: &[&str], scope: &CallScope) -> Result<(), Error> {
        let route = Route::post(&["admin-api", "groups", group, "members", "remove"]);
        self.tell(Request::new(route).json(json_body(&RemoveRequest { members: accounts })), scope).await
    }

    /// Makes a group directly below a namespace; gives its id.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn create_group(
        &self,
        namespace: &str,
        new: &NewSubgroup<'_>,
        scope: &CallScope,
    ) -> Result<String, Error> {
        let body = SubgroupRequest { group_name: new.name, visibility: new.visibility };
        let route = Route::post(&["admin-api", "namespaces", namespace, "groups"]);
        self.group_id(Request::new(route).json(json_body(&body)), scope).await
    }

    /// Makes a group below another group, for an application; gives its id. Its visibility is set separately.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn create_nested_group(
        &self,
        application_id: &str,
        parent: &str,
        name: Option<&str>,
        scope: &CallScope,
    ) -> Result<String, Error> {
        let body = NestedGroupRequest { upgrade_policy: UPGRADE_POLICY, application_id, name, parent_group_id: parent };
        self.group_id(Request::new(Route::post(&["admin-api", "groups"])).json(json_body(&body)), scope).await
    }

    /// The application a group is for.
    ///
    /// # Errors
    ///
    /// Those of an exchange; a masked 500 for an unknown group.
    pub async fn group_application(&self, group: &str, scope: &CallScope) -> Result<String, Error> {
        let request = Request::new(Route::get(&["admin-api", "groups", group]));
        let expected = "an object with `targetApplicationId`";
        let wire: WireGroupInfo = self.ask(request, Wrap::Data, expected, scope).await?;
        Ok(wire.target_application_id)
    }

    /// Sets who may join a group.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn set_group_visibility(
        &self,
        group: &str,
        visibility: Visibility,
        scope: &CallScope,
    ) -> Result<(), Error> {
        let route = Route::put(&["admin-api", "groups", group, "settings", "subgroup-visibility"]);
        let body = json_body(&VisibilityRequest { subgroup_visibility: visibility });
        self.tell(Request::new(route).json(body), scope).await
    }

    /// A group's metadata; `None` when it has none, in whichever of its ways the node says so.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn group_metadata(&self, group: &str, scope: &CallScope) -> Result<Option<GroupMetadata>, Error> {
        let request = Request::new(Route::get(&["admin-api", "groups", group, "metadata"]));
        let wire: Option<WireGroupMetadata> = self.ask(request, Wrap::Data, "a group's metadata", scope).await?;
        // `{"data": {"data": null}}` is the third way to say that there is none.
        Ok(wire.and_then(|wire| match (wire.name, wire.data) {
            (None, None) => None,
            (name, data) => Some(GroupMetadata { name, data: data.unwrap_or_default() }),
        }))
    }

    /// Replaces a group's entries; without a name it keeps the one it has.
    ///
    /// # Errors
    ///
    /// Those of an exchange.
    pub async fn set_group_metadata(
        &self,
        group: &str,
        name: Option<&str>,
        data: &BTreeMap<String, String>,
        scope: &CallScope,
    ) -> Result<(), Error> {
        let route = Route::put(&["admin-api", "groups", group, "metadata"]);
        self.tell(Request::new(route).json(json_body(&MetadataRequest { name, data })), scope).await
    }

    /// Joins an open group through membership of its parent; gives the node's answer.
    ///
    /// # Errors
    ///
    /// Those of an exchange; 403 when the group is not open to this node.
    pub async fn join_open_group(&self, group: &str, scope: &CallScope) -> Result<Value, Error> {
        let route = Route::post(&["admin-api", "groups", group, "join-via-inheritance"]);
        self.ask(Request::new(route).json(b"{}".to_vec()), Wrap::Data, "a membership", scope).await
    }

    async fn group_id(&self, request: Request, scope: &CallScope) -> Result<String, Error> {
        let wire: WireGroupId = self.ask(request, Wrap::Data, "an object with `groupId`", scope).await?;
        Ok(wire.group_id)
    }
}
