//! The files of a new plugin: which of the templates in `template/` go where, with its name in them.
//!
//! In come a role, a language and a name, out come paths and texts. It writes nothing.

use super::{Language, Template};

/// A file by its path in the new folder.
pub(super) type File = (String, String);

/// A template and where it goes.
type Row = (&'static str, &'static str);

impl Template {
    /// Every file.
    pub(super) fn files(self, language: Language, name: &str) -> Vec<File> {
        let code = self.code(language);
        let rows = match language {
            Language::Rust => vec![
                ("Cargo.toml", include_str!("template/rust/Cargo.toml.template")),
                ("README.md", include_str!("template/rust/README.md.template")),
                (".gitignore", "/target\n/*.wasm\n"),
                ("src/lib.rs", code),
                ("component/Cargo.toml", include_str!("template/rust/component.toml.template")),
                ("component/src/main.rs", include_str!("template/rust/component.rs")),
            ],
            Language::Js => vec![
                ("package.json", include_str!("template/js/package.json.template")),
                ("README.md", include_str!("template/js/README.md.template")),
                (".gitignore", "/node_modules\n/*.wasm\n"),
                ("build.mjs", include_str!("template/js/build.mjs")),
                ("src/{{name}}.js", code),
            ],
        };
        let (wit, contract) = self.contract();
        let filled = |text: &str| {
            text.replace("{{try}}", self.trial())
                .replace("{{about}}", self.about())
                .replace("{{case}}", self.case())
                .replace("{{world}}", self.world())
                .replace("{{module}}", &name.replace('-', "_"))
                .replace("{{name}}", name)
        };
        let rows = rows.into_iter().chain(self.cases(language));
        let mut files: Vec<File> = rows.map(|(path, text)| (filled(path), filled(text))).collect();
        files.push((wit.to_owned(), contract.to_owned()));
        files
    }

    /// The plugin itself.
    fn code(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Mapper, Language::Rust) => include_str!("template/rust/mapper.rs"),
            (Self::Errors, Language::Rust) => include_str!("template/rust/errors.rs"),
            (Self::Tool, Language::Rust) => include_str!("template/rust/tool.rs"),
            (Self::Mapper, Language::Js) => include_str!("template/js/mapper.js"),
            (Self::Errors, Language::Js) => include_str!("template/js/errors.js"),
            (Self::Tool, Language::Js) => include_str!("template/js/tool.js"),
        }
    }

    /// Its contract, as this host was built with it.
    fn contract(self) -> Row {
        match self {
            Self::Mapper => ("wit/mapper.wit", include_str!("../../../../wit/mapper/0.1.0/mapper.wit")),
            Self::Errors => ("wit/errors.wit", include_str!("../../../../wit/errors/0.1.0/errors.wit")),
            Self::Tool => ("wit/tool.wit", include_str!("../../../../wit/tool/0.1.0/tool.wit")),
        }
    }

    /// Golden cases, which hold in either language: the same plugin is written twice.
    fn cases(self, language: Language) -> Vec<Row> {
        match self {
            Self::Mapper => vec![
                ("tests/golden/hello/manifest.json", include_str!("template/golden/mapper/manifest.json")),
                ("tests/golden/hello/expected.json", include_str!("template/golden/mapper/expected.json")),
                ("tests/golden/hello/calls.json", include_str!("template/golden/mapper/calls.json")),
            ],
            Self::Errors => {
                vec![("tests/golden/busy/failures.json", include_str!("template/golden/errors/failures.json"))]
            }
            Self::Tool => {
                let mut cases = vec![
                    ("tests/golden/greet/calls.json", include_str!("template/golden/tool/calls.json")),
                    ("tests/golden/greet/tools.json", include_str!("template/golden/tool/tools.json")),
                ];
                // Only the JavaScript one looks at its configuration.
                if language == Language::Js {
                    let settings = include_str!("template/golden/js-tool/settings.json");
                    cases.push(("tests/golden/greet-set/settings.json", settings));
                    cases.push((
                        "tests/golden/greet-set/calls.json",
                        include_str!("template/golden/js-tool/calls.json"),
                    ));
                    cases.push(("tests/golden/greet-set/tools.json", include_str!("template/golden/tool/tools.json")));
                }
                cases
            }
        }
    }

    /// The files an author writes for a case.
    fn case(self) -> &'static str {
        match self {
            Self::Mapper => "`manifest.json` (and `calls.json`)",
            Self::Errors => "`failures.json`",
            Self::Tool => "`calls.json` (and `settings.json`)",
        }
    }

    fn world(self) -> &'static str {
        match self {
            Self::Mapper => "mapper",
            Self::Errors => "errors",
            Self::Tool => "tool",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Mapper => "A mapper",
            Self::Errors => "An error decoder",
            Self::Tool => "A tool extension",
        }
    }

    /// How it is tried after it was built.
    fn trial(self) -> &'static str {
        match self {
            Self::Tool => "abi-mcp serve --extension {{name}}={{name}}.wasm",
            Self::Mapper | Self::Errors => "abi-mcp plugin add {{name}} {{name}}.wasm --ecosystem {{name}}",
        }
    }
}
