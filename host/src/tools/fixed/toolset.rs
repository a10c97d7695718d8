//! Which fixed tools there are in this process: toolsets, and read-only mode.

/// One group of fixed tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Toolset {
    /// Nodes, applications, contexts, aliases; always on.
    Core,
    /// What is stored and installed.
    Blobs,
    /// Namespaces, groups, members.
    Governance,
    /// Using applications; always on, and no choice.
    Apps,
    /// Finding tools that are not listed.
    Search,
    /// Calling functions on a server without a node.
    Functions,
}

/// The toolsets that are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toolsets {
    blobs: bool,
    governance: bool,
}

/// What the fixed tools of a process are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modes {
    /// `CALIMERO_MCP_TOOLSETS`.
    pub toolsets: Toolsets,
    /// `CALIMERO_MCP_READ_ONLY`: nothing that changes anything is listed or runs.
    pub read_only: bool,
    /// No node is among the sources: none of the tools that need one is there. A server says it of itself.
    pub(crate) without_node: bool,
}

impl Modes {
    /// Whether the tools of a set are there.
    pub(crate) fn has(self, set: Toolset) -> bool {
        let of_a_node = match set {
            Toolset::Search => return true,
            Toolset::Functions => return self.without_node,
            Toolset::Core | Toolset::Apps => true,
            Toolset::Blobs => self.toolsets.blobs,
            Toolset::Governance => self.toolsets.governance,
        };
        of_a_node && !self.without_node
    }
}

impl Default for Toolsets {
    fn default() -> Self {
        Self { blobs: true, governance: true }
    }
}

impl Toolsets {
    /// Reads a comma-separated list; answers the words that name no toolset beside it. `core` need not be named.
    #[must_use]
    pub fn parse(list: &str) -> (Self, Vec<String>) {
        let mut on = Self { blobs: false, governance: false };
        let mut unknown = Vec::new();
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.to_lowercase().as_str() {
                "all" => on = Self::default(),
                "core" => {}
                "blobs" => on.blobs = true,
                "governance" => on.governance = true,
                _ => unknown.push(word.to_owned()),
            }
        }
        (on, unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_core_and_tells_the_words_it_does_not_know() {
        let (toolsets, unknown) = Toolsets::parse(" blobs , Spam,,core");
        let on = Modes { toolsets, ..Modes::default() };
        assert!(on.has(Toolset::Core) && on.has(Toolset::Blobs) && on.has(Toolset::Apps));
        assert!(!on.has(Toolset::Governance));
        assert_eq!(unknown, ["Spam"]);
        assert_eq!(Toolsets::parse("blobs,all"), (Toolsets::default(), Vec::new()));
    }

    #[test]
    fn a_server_without_a_node_has_none_of_its_tools() {
        let modes = Modes { without_node: true, ..Modes::default() };
        assert!(modes.has(Toolset::Search) && modes.has(Toolset::Functions));
        assert!(![Toolset::Core, Toolset::Apps, Toolset::Blobs, Toolset::Governance].iter().any(|set| modes.has(*set)));
        assert!(!Modes::default().has(Toolset::Functions));
    }
}
