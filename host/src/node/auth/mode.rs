//! Whose credential is used: handoff before token before credentials before none.

use super::tokens::Tokens;
use super::wire::Login;
use crate::node::NodeUrl;
use crate::node::handoff::{self, Handoff};
use crate::node::settings::{AUTH_TOKEN_VARIABLE, NodeSettings, PASSWORD_VARIABLE, USERNAME_VARIABLE};
use crate::redact::Secret;
use std::fmt;
use std::path::PathBuf;

/// Where the credential comes from, as `node_status` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthMode {
    /// The desktop app's handoff file.
    Handoff,
    /// `CALIMERO_AUTH_TOKEN`.
    Token,
    /// `CALIMERO_USERNAME` and its password.
    Credentials,
    /// No credential; no header is sent.
    None,
}

impl fmt::Display for AuthMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handoff => "handoff",
            Self::Token => "token",
            Self::Credentials => "credentials",
            Self::None => "none",
        })
    }
}

/// The chosen mode with what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    /// A pair from the handoff file in this folder, as it was when the connection was made.
    Handoff { folder: Option<PathBuf>, tokens: Tokens },
    /// A pair from the environment.
    Token(Tokens),
    /// A login.
    Credentials(Login),
    /// Nothing.
    None,
}

impl Plan {
    /// Chooses. The redactor is told of everything the operator supplied, used or not.
    pub(super) fn choose(settings: &NodeSettings, url: &NodeUrl, handoff: Option<&Handoff>) -> Self {
        settings.learn_secrets();
        if let Some(handoff) = handoff {
            if is_for(handoff, url) {
                let (access, refresh) = (handoff.access_token.clone(), handoff.refresh_token.clone());
                return Self::Handoff { folder: settings.state_dir.clone(), tokens: Tokens::new(access, refresh) };
            }
            tracing::warn!("{} is for another node than {url}; its token is not used.", handoff.path.display());
        }
        if let Some(access) = &settings.auth_token {
            return Self::Token(Tokens::new(bare(access), settings.refresh_token.clone()));
        }
        match (&settings.username, &settings.password) {
            (Some(username), Some(password)) => {
                Self::Credentials(Login { username: username.clone(), password: password.clone() })
            }
            (None, None) => Self::None,
            (username, _) => {
                let missing = if username.is_some() { PASSWORD_VARIABLE } else { USERNAME_VARIABLE };
                tracing::warn!("{missing} is not set; a login needs {USERNAME_VARIABLE} and {PASSWORD_VARIABLE}.");
                Self::None
            }
        }
    }

    pub(super) fn mode(&self) -> AuthMode {
        match self {
            Self::Handoff { .. } => AuthMode::Handoff,
            Self::Token(_) => AuthMode::Token,
            Self::Credentials(_) => AuthMode::Credentials,
            Self::None => AuthMode::None,
        }
    }

    /// Where its tokens come from, for a message about one that cannot be used.
    pub(super) fn setting(&self) -> &'static str {
        match self {
            Self::Handoff { .. } => handoff::FILE,
            Self::Token(_) => AUTH_TOKEN_VARIABLE,
            Self::Credentials(_) | Self::None => "the node's answer to a login",
        }
    }

    /// The pair that was supplied when the connection was made.
    pub(super) fn supplied(&self) -> Option<&Tokens> {
        match self {
            Self::Handoff { tokens, .. } | Self::Token(tokens) => Some(tokens),
            Self::Credentials(_) | Self::None => None,
        }
    }

    /// The pair that is supplied now: the handoff file may have been written anew.
    pub(super) fn supplied_now(&self, url: &NodeUrl) -> Option<Tokens> {
        let Self::Handoff { folder, .. } = self else { return self.supplied().cloned() };
        let handoff = handoff::read(folder.as_deref()).ok().flatten().filter(|handoff| is_for(handoff, url))?;
        Some(Tokens::new(handoff.access_token, handoff.refresh_token))
    }
}

/// A handoff that names a node is for that node only: a token of a local node is nobody else's business.
fn is_for(handoff: &Handoff, url: &NodeUrl) -> bool {
    handoff.url.as_ref().is_none_or(|own| own.is_same_node(url))
}

/// The token without a scheme's name, so that the file holds what other programs expect there.
fn bare(token: &Secret) -> Secret {
    match token.expose().trim().split_once(' ') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("bearer") => Secret::new(rest.trim()),
        _ => token.clone(),
    }
}
