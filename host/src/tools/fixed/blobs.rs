//! What is stored on the node: applications and blobs.

use super::core::{LIMIT, OFFSET};
use super::shape::{Kind, Member, optional, required};
use super::{Asked, Effect, FixedTool, Outcome, Toolset, reply};
use crate::model::{Content, ToolReply};
use crate::source;
use crate::tools::invoke::offload;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The largest blob that is handed to a model, in bytes: as base64 it is a third longer.
const LARGEST_DOWNLOAD: usize = 1 << 20;

const BLOB: super::Argument = required("blob", Kind::Text, "The blob's id.");

const WRITER: FixedTool = FixedTool {
    name: "",
    title: "",
    description: "",
    set: Toolset::Blobs,
    arguments: &[BLOB],
    answer: Some(&[("applicationId", Member::Text)]),
    effect: Effect::Writes,
    for_folded: false,
    checks_itself: false,
    run: |asked| Box::pin(install(asked)),
};

pub(super) const TOOLS: &[FixedTool] = &[
    FixedTool {
        name: "install_application",
        title: "Install application",
        description: "Installs a published application: `package@version`. Its tools appear at once. Older nodes have \
                      no registry and take the public URL of a bundle (.mpk) instead.",
        arguments: &[required("coords", Kind::Text, "`package@version`, or a bundle's public http(s) URL.")],
        run: |asked| Box::pin(install(asked)),
        ..WRITER
    },
    FixedTool {
        name: "uninstall_application",
        title: "Uninstall application",
        description: "Removes an application from the node; its tools go. Contexts that run it stay.",
        arguments: &[required("application", Kind::Text, "Package, short name or application id.")],
        effect: Effect::Destroys,
        run: |asked| Box::pin(uninstall(asked)),
        ..WRITER
    },
    FixedTool {
        name: "upload_blob",
        title: "Upload blob",
        description: "Stores bytes on the node under an id made of their content.",
        arguments: &[
            required("data", Kind::Text, "The bytes in base64."),
            optional("hash", Kind::Text, "The hash they must have, base58; the node refuses others."),
            optional("context", Kind::Text, "Id of a context whose members are to find the blob."),
        ],
        answer: Some(&[("blobId", Member::Text), ("size", Member::Integer)]),
        run: |asked| Box::pin(upload(asked)),
        ..WRITER
    },
    FixedTool {
        name: "download_blob",
        title: "Download blob",
        description: "A blob's bytes in base64, up to 1 MiB.",
        arguments: &[BLOB, optional("context", Kind::Text, "Id of a context whose members to ask for the blob.")],
        answer: Some(&[("blobId", Member::Text), ("size", Member::Integer), ("data", Member::Text)]),
        effect: Effect::Reads,
        run: |asked| Box::pin(download(asked)),
        ..WRITER
    },
    FixedTool {
        name: "list_blobs",
        title: "List blobs",
        description: "Blobs stored on the node, with their sizes.",
        arguments: &[OFFSET, LIMIT],
        answer: Some(&[("blobs", Member::Rows)]),
        effect: Effect::Reads,
        run: |asked| Box::pin(list(asked)),
        ..WRITER
    },
    FixedTool {
        name: "delete_blob",
        title: "Delete blob",
        description: "Deletes a blob from the node. One that an installed application uses is refused.",
        answer: Some(&[("blobId", Member::Text), ("deleted", Member::Flag)]),
        effect: Effect::Destroys,
        run: |asked| Box::pin(delete(asked)),
        ..WRITER
    },
];

/// What to install.
enum Coordinates<'a> {
    Published { package: &'a str, version: &'a str },
    Bundle { url: &'a str },
}

fn is_url(coords: &str) -> bool {
    coords.starts_with("http://") || coords.starts_with("https://")
}

fn coordinates(coords: &str) -> Option<Coordinates<'_>> {
    if is_url(coords) {
        return Some(Coordinates::Bundle { url: coords });
    }
    let (package, version) = coords.split_once('@')?;
    (!package.is_empty() && !version.is_empty()).then_some(Coordinates::Published { package, version })
}

async fn install(asked: Asked<'_>) -> Outcome {
    let coords = asked.required("coords");
    let installed = match coordinates(coords) {
        Some(Coordinates::Published { package, version }) => {
            asked.node().install_application(Some(package), Some(version), None, asked.scope).await
        }
        Some(Coordinates::Bundle { url }) => asked.node().install_application(None, None, Some(url), asked.scope).await,
        None => return Err(ToolReply::error(format!("Error: Expected package@version, got \"{coords}\"."))),
    };
    let misread = installed.as_ref().is_err_and(source::Error::is_bad_request) && !is_url(coords);
    let id = asked.or_reply(installed).await.map_err(|reply| if misread { wants_url(reply) } else { reply })?;
    asked.server.resync(asked.scope).await;
    Ok(reply::literal(json!({"applicationId": id})))
}

/// What a node before registry resolution says of coordinates is about its own fields.
fn wants_url(mut refusal: ToolReply) -> ToolReply {
    if let Some(Content::Text(text)) = refusal.content.first_mut() {
        text.push_str("\nhint: older nodes install only from a bundle's public URL; pass that as `coords`");
    }
    refusal
}

async fn uninstall(asked: Asked<'_>) -> Outcome {
    let app = asked.app("application").await?;
    asked.or_reply(asked.node().uninstall_application(&app.id, asked.scope).await).await?;
    asked.server.resync(asked.scope).await;
    Ok(reply::literal(json!({"applicationId": app.id})))
}

async fn upload(asked: Asked<'_>) -> Outcome {
    let data = asked.required("data").to_owned();
    // Clients wrap long texts.
    let decode = move || STANDARD.decode(data.split_ascii_whitespace().collect::<String>());
    let bytes = offload(decode)
        .await?
        .map_err(|error| ToolReply::error(format!("Error: `data` is not base64 ({error}); nothing was sent.")))?;
    let stored = asked.node().upload_blob(bytes, asked.text("hash"), asked.text("context"), asked.scope).await;
    let blob = asked.or_reply(stored).await?;
    Ok(reply::literal(json!({"blobId": blob.id, "size": blob.size})))
}

async fn download(asked: Asked<'_>) -> Outcome {
    let id = asked.required("blob");
    let bytes = asked.node().blob(id, asked.text("context"), LARGEST_DOWNLOAD, asked.scope).await;
    if let Err(source::Error::BodyTooLarge { limit, .. }) = bytes {
        return Err(ToolReply::error(format!(
            "Error: blob {id} is larger than {limit} bytes, the most this tool hands over; list_blobs shows its size. \
             Fetch it from the node by other means."
        )));
    }
    let bytes = asked.or_reply(bytes).await?;
    Ok(reply::literal(json!({"blobId": id, "size": bytes.len(), "data": STANDARD.encode(&bytes)})))
}

async fn list(asked: Asked<'_>) -> Outcome {
    let blobs = asked.or_reply(asked.node().blobs(asked.scope).await).await?;
    let rows: Vec<Value> = blobs.into_iter().map(|blob| json!({"blobId": blob.id, "size": blob.size})).collect();
    Ok(reply::rows("blobs", rows, &reply::Page::of(asked.arguments)))
}

async fn delete(asked: Asked<'_>) -> Outcome {
    let id = asked.required("blob");
    let deleted = asked.or_reply(asked.node().delete_blob(id, asked.scope).await).await?;
    Ok(reply::literal(json!({"blobId": id, "deleted": deleted})))
}
