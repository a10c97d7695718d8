//! Which plugin serves a manifest, and in which order error decoders are asked.
//!
//! In come the plugins, the operator's pins, a manifest and the ecosystem its source says it is of, out comes one plugin
//! and the reason for it. The order of trust is: pinned by configuration, then bundled, then third party; a less trusted
//! plugin is not even asked when a more trusted one understands the manifest. A third party is only asked about manifests of
//! sources whose ecosystem it was assigned or pinned to: whoever is asked reads the manifest. Within one rank an exact fit goes before a compatible one, a plugin that
//! names the subject version before one that does not, a newer release before an older one. It asks plugins what they
//! recognise and knows nothing of manifests itself.

use super::digest::Digest;
use super::plugin::{Origin, Plugin, PluginError};
use super::recogniser::Recogniser;
use crate::contract::supported::Role;
use crate::model::{Cancel, Fit, PluginRelease, Recognition, SubjectVersion};
use semver::{Version, VersionReq};
use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::sync::Arc;

/// How far a plugin is trusted with a manifest. The most trusted sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// The operator named it for this ecosystem and subject version.
    Pinned,
    /// It comes with this program.
    Bundled,
    /// The operator added it for this ecosystem.
    ThirdParty,
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pinned => "pinned",
            Self::Bundled => "bundled",
            Self::ThirdParty => "third party",
        })
    }
}

/// The operator's word that a plugin serves an ecosystem.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// The plugin's name.
    pub plugin: String,
    /// The ecosystem.
    pub ecosystem: String,
    /// The subject versions; every one when absent.
    pub subjects: Option<SubjectRange>,
}

/// Subject versions a pin covers.
#[derive(Debug, Clone, PartialEq)]
pub enum SubjectRange {
    /// A semver range, such as `>=0.9, <1`.
    Semver(VersionReq),
    /// Names, such as `G3` and `G4`.
    Names(Vec<String>),
}

impl SubjectRange {
    /// Reads a semver range; what is none is a list of names separated by commas.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match VersionReq::parse(text) {
            Ok(range) => Self::Semver(range),
            Err(_) => Self::Names(text.split(',').map(|name| name.trim().to_owned()).collect()),
        }
    }

    /// Whether it covers a subject version.
    #[must_use]
    pub fn covers(&self, subject: &SubjectVersion) -> bool {
        match self {
            Self::Semver(range) => lenient(&subject.0).is_some_and(|version| range.matches(&version)),
            Self::Names(names) => names.contains(&subject.0),
        }
    }
}

impl fmt::Display for SubjectRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Semver(range) => range.fmt(f),
            Self::Names(names) => f.write_str(&names.join(", ")),
        }
    }
}

/// The plugin that serves a manifest.
#[derive(Debug, Clone)]
pub struct Selected {
    /// The plugin.
    pub plugin: Arc<Plugin>,
    /// What it says of the manifest.
    pub recognition: Recognition,
    /// One line for the operator: why this one.
    pub why: String,
    /// Plugins that failed while they were asked, passed over.
    pub passed_over: Vec<PluginError>,
}

/// Why no plugin serves a manifest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// None understands it.
    #[error(
        "no plugin understands the manifest as one of `{ecosystem}` (asked: {}){}{}",
        listed(.asked), failures(.passed_over), assignment(.ecosystem, *.unassigned)
    )]
    NotRecognised {
        /// The ecosystem its source says it is of.
        ecosystem: String,
        /// The plugins asked.
        asked: Vec<String>,
        /// Those that failed instead of answering.
        passed_over: Vec<PluginError>,
        /// Whether there are third parties' mappers that were not asked, because the ecosystem is none of theirs.
        unassigned: bool,
    },
    /// Whoever understands it says it is of another ecosystem than its source says.
    #[error("the manifest is one of `{found}`, and was given as one of `{expected}`\nhint: name it as what it is")]
    OtherEcosystem {
        /// What the source said.
        expected: String,
        /// What the mapper said.
        found: String,
    },
    /// Several do, and nothing tells them apart.
    #[error(
        "plugins {} fit the manifest of `{ecosystem}` equally well\n\
         hint: pin one of them to the ecosystem, or remove the others", listed(.plugins)
    )]
    Tie {
        /// The ecosystem.
        ecosystem: String,
        /// The plugins, with their releases.
        plugins: Vec<String>,
    },
    /// The caller no longer wants to know.
    #[error("cancelled")]
    Cancelled,
}

impl SelectError {
    /// A stable name for this kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotRecognised { .. } => "select::not_recognised",
            Self::OtherEcosystem { .. } => "select::other_ecosystem",
            Self::Tie { .. } => "select::tie",
            Self::Cancelled => "select::cancelled",
        }
    }
}

/// All plugins of the process, and the operator's pins.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    plugins: Vec<Arc<Plugin>>,
    pins: Vec<Pin>,
}

/// A plugin that understands the manifest.
struct Candidate {
    plugin: Arc<Plugin>,
    recognition: Recognition,
}

impl Registry {
    /// A registry of these plugins, with these pins.
    #[must_use]
    pub fn new(plugins: Vec<Arc<Plugin>>, pins: Vec<Pin>) -> Self {
        Self { plugins, pins }
    }

    /// The plugins, in the order they were given.
    #[must_use]
    pub fn plugins(&self) -> &[Arc<Plugin>] {
        &self.plugins
    }

    /// The third party of a name.
    #[must_use]
    pub fn third_party(&self, name: &str) -> Option<Arc<Plugin>> {
        let is_it = |plugin: &&Arc<Plugin>| {
            plugin.name() == name && matches!(plugin.origin(), Origin::ThirdParty { .. } | Origin::Extension(_))
        };
        self.plugins.iter().find(is_it).cloned()
    }

    /// What a plugin is pinned to.
    #[must_use]
    pub fn pins_of(&self, name: &str) -> Vec<Pin> {
        self.pins.iter().filter(|pin| pin.plugin == name).cloned().collect()
    }

    /// These plugins with one more, or with another in the place of the third party of its name.
    #[must_use]
    pub fn with(&self, plugin: Arc<Plugin>, pins: Vec<Pin>) -> Self {
        let old = self.third_party(plugin.name());
        let mut plugins = self.plugins.clone();
        plugins.retain(|other| old.as_ref().is_none_or(|old| !Arc::ptr_eq(old, other)));
        let others = self.pins.iter().filter(|pin| pin.plugin != plugin.name()).cloned();
        let pins = others.chain(pins).collect();
        plugins.push(plugin);
        Self { plugins, pins }
    }

    /// The plugin that serves a manifest of a source of this ecosystem. A plugin that fails while it is asked is reported
    /// and passed over. The mappers are asked through `recogniser`, which has the manifest.
    ///
    /// # Errors
    /// When none understands it as one of the ecosystem, several fit equally well, or `cancel` fires.
    pub async fn select(
        &self,
        recogniser: &Recogniser,
        ecosystem: &str,
        cancel: &Cancel,
    ) -> Result<Selected, SelectError> {
        let mut candidates = Vec::new();
        let mut asked: Vec<&Arc<Plugin>> = Vec::new();
        let mut passed_over = Vec::new();
        for rank in [Trust::Pinned, Trust::Bundled, Trust::ThirdParty] {
            for plugin in self.mappers(rank, ecosystem) {
                if asked.iter().any(|other| Arc::ptr_eq(other, plugin)) {
                    continue;
                }
                asked.push(plugin);
                match recogniser.ask(plugin, cancel).await {
                    Ok(Some(recognition)) => candidates.push(Candidate { plugin: plugin.clone(), recognition }),
                    Ok(None) => {}
                    Err(error) if error.is_cancelled() => return Err(SelectError::Cancelled),
                    Err(error) => {
                        tracing::warn!(plugin = plugin.name(), code = error.code(), %error, "plugin passed over");
                        passed_over.push(error);
                    }
                }
            }
            // Whoever was asked at a higher rank but answered outside its pin is looked at again at its own.
            let fitting =
                candidates.iter().filter(|candidate| self.trust(candidate, ecosystem) == Some(rank)).collect();
            if let Some(best) = best(fitting)? {
                let why = why(rank, best);
                let Candidate { plugin, recognition } = best;
                return Ok(Selected { plugin: plugin.clone(), recognition: recognition.clone(), why, passed_over });
            }
        }
        let expected = ecosystem.to_owned();
        // A third party's word about other ecosystems is not passed on.
        let known = candidates.iter().find(|candidate| *candidate.plugin.origin() == Origin::Bundled);
        if let Some(found) = known.map(|candidate| candidate.recognition.ecosystem.clone())
            && found != expected
        {
            return Err(SelectError::OtherEcosystem { expected, found });
        }
        let is_unasked = |plugin: &Arc<Plugin>| {
            let third = matches!(plugin.origin(), Origin::ThirdParty { .. }) && plugin.has(Role::Mapper);
            third && !asked.iter().any(|other| Arc::ptr_eq(other, plugin))
        };
        let unassigned = self.plugins.iter().any(is_unasked);
        let asked = asked.into_iter().map(label).collect();
        Err(SelectError::NotRecognised { ecosystem: expected, asked, passed_over, unassigned })
    }

    /// The error decoders for an app's failures, in asking order: the app's own plugin, then newest release first.
    ///
    /// A third party only sees failures of ecosystems it was assigned or pinned to, for the reason it only serves
    /// those: it could rewrite every message.
    #[must_use]
    pub fn decoders(&self, own: Option<&Digest>, ecosystem: &str) -> Vec<Arc<Plugin>> {
        let may = |plugin: &Arc<Plugin>| plugin.has(Role::Decoder) && self.may_serve(plugin, ecosystem);
        let mut decoders: Vec<Arc<Plugin>> = self.plugins.iter().filter(|plugin| may(plugin)).cloned().collect();
        decoders.sort_by(|a, b| {
            let rank = |plugin: &Plugin| Some(plugin.digest()) != own;
            rank(a).cmp(&rank(b)).then_with(|| newer(a.release(), b.release()))
        });
        decoders
    }

    /// The engines worth asking about functions of an ecosystem, most trusted first: pinned, named on the command line,
    /// bundled, third party.
    #[must_use]
    pub fn engines(&self, ecosystem: &str) -> Vec<Arc<Plugin>> {
        let rank = |plugin: &Plugin| match plugin.origin() {
            _ if self.is_pinned(plugin, ecosystem) => Some(0),
            Origin::Named => Some(1),
            Origin::Bundled => Some(2),
            Origin::ThirdParty { ecosystems } => ecosystems.contains(ecosystem).then_some(3),
            Origin::Extension(_) => None,
        };
        let engines = self.plugins.iter().filter(|plugin| plugin.has(Role::Engine));
        let mut engines: Vec<(u8, &Arc<Plugin>)> = engines.filter_map(|plugin| Some((rank(plugin)?, plugin))).collect();
        engines.sort_by_key(|(rank, _)| *rank);
        engines.into_iter().map(|(_, plugin)| Arc::clone(plugin)).collect()
    }

    /// The ecosystems a third party may serve.
    pub fn ecosystems_of<'a>(&'a self, plugin: &'a Plugin) -> impl Iterator<Item = &'a str> {
        let assigned = match plugin.origin() {
            Origin::ThirdParty { ecosystems } => Some(ecosystems),
            Origin::Bundled | Origin::Named | Origin::Extension(_) => None,
        };
        let pinned = self.pins.iter().filter(|pin| pin.plugin == plugin.name()).map(|pin| pin.ecosystem.as_str());
        assigned.into_iter().flatten().map(String::as_str).chain(pinned)
    }

    /// The mappers worth asking at a rank about a manifest of an ecosystem.
    fn mappers(&self, rank: Trust, ecosystem: &str) -> impl Iterator<Item = &Arc<Plugin>> {
        self.plugins.iter().filter(move |plugin| {
            plugin.has(Role::Mapper)
                && match (rank, plugin.origin()) {
                    (Trust::Pinned, _) => self.is_pinned(plugin, ecosystem),
                    (Trust::Bundled, origin) => *origin == Origin::Bundled,
                    (Trust::ThirdParty, Origin::ThirdParty { ecosystems }) => ecosystems.contains(ecosystem),
                    (Trust::ThirdParty, Origin::Bundled | Origin::Named | Origin::Extension(_)) => false,
                }
        })
    }

    /// How far a plugin is trusted with what it recognised; `None`: not at all.
    fn trust(&self, candidate: &Candidate, ecosystem: &str) -> Option<Trust> {
        let Candidate { plugin, recognition } = candidate;
        if recognition.ecosystem != ecosystem {
            return None;
        }
        let pinned = self.pins.iter().any(|pin| {
            pin.plugin == plugin.name()
                && pin.ecosystem == ecosystem
                && pin.subjects.as_ref().is_none_or(|range| {
                    recognition.subject_version.as_ref().is_some_and(|subject| range.covers(subject))
                })
        });
        match plugin.origin() {
            _ if pinned => Some(Trust::Pinned),
            Origin::Bundled => Some(Trust::Bundled),
            Origin::ThirdParty { ecosystems } => ecosystems.contains(ecosystem).then_some(Trust::ThirdParty),
            Origin::Named | Origin::Extension(_) => None,
        }
    }

    fn may_serve(&self, plugin: &Plugin, ecosystem: &str) -> bool {
        match plugin.origin() {
            Origin::Bundled => true,
            Origin::Named | Origin::Extension(_) => false,
            Origin::ThirdParty { ecosystems } => ecosystems.contains(ecosystem) || self.is_pinned(plugin, ecosystem),
        }
    }

    fn is_pinned(&self, plugin: &Plugin, ecosystem: &str) -> bool {
        self.pins.iter().any(|pin| pin.plugin == plugin.name() && pin.ecosystem == ecosystem)
    }
}

/// The best of the candidates of one rank, if there is any.
fn best(mut candidates: Vec<&Candidate>) -> Result<Option<&Candidate>, SelectError> {
    candidates.sort_by(|a, b| compare(a, b));
    let Some((first, rest)) = candidates.split_first() else { return Ok(None) };
    let mut tied: Vec<&Candidate> = rest
        .iter()
        .filter(|other| compare(first, other) == Ordering::Equal && other.plugin.digest() != first.plugin.digest())
        .copied()
        .collect();
    if tied.is_empty() {
        return Ok(Some(first));
    }
    tied.insert(0, first);
    let plugins = tied.iter().map(|candidate| label(&candidate.plugin)).collect();
    Err(SelectError::Tie { ecosystem: first.recognition.ecosystem.clone(), plugins })
}

/// Better sorts first.
fn compare(a: &Candidate, b: &Candidate) -> Ordering {
    let fit = |candidate: &Candidate| (candidate.recognition.fit, candidate.recognition.subject_version.is_none());
    fit(a).cmp(&fit(b)).then_with(|| newer(a.plugin.release(), b.plugin.release()))
}

/// A newer release sorts first; one that is no version at all sorts last.
fn newer(a: &PluginRelease, b: &PluginRelease) -> Ordering {
    Reverse(lenient(&a.0)).cmp(&Reverse(lenient(&b.0)))
}

/// A version, also where the minor or patch number is left out.
fn lenient(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let padded = || {
        let numbers = text.split('.').count();
        Version::parse(&format!("{text}{}", ".0".repeat(3_usize.checked_sub(numbers)?))).ok()
    };
    Version::parse(text).ok().or_else(padded)
}

fn why(rank: Trust, candidate: &Candidate) -> String {
    let Candidate { plugin, recognition } = candidate;
    let fit = match recognition.fit {
        Fit::Exact => "exact",
        Fit::Compatible => "compatible",
    };
    let subject = recognition.subject_version.as_ref().map(|subject| format!(" {subject}")).unwrap_or_default();
    let format = &recognition.format;
    format!("{rank} plugin `{}` {}: {fit} fit for {format}{subject}", plugin.name(), plugin.release())
}

fn label(plugin: &Arc<Plugin>) -> String {
    format!("`{}` {}", plugin.name(), plugin.release())
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn failures(errors: &[PluginError]) -> String {
    errors.iter().map(|error| format!("; {error}")).collect()
}

/// Names no plugin: the message reaches a model, which is not told what else there is.
fn assignment(ecosystem: &str, unassigned: bool) -> String {
    let hint = || {
        format!(
            "\nhint: a plugin of yours is asked once `ecosystems = [\"{ecosystem}\"]` is in its `[[plugin]]` block and \
             `abi-mcp plugin accept NAME` accepted that"
        )
    };
    unassigned.then(hint).unwrap_or_default()
}

#[cfg(test)]
mod tests;
