//! A method in one line, as the ecosystem writes it: `[view] get(key: string) -> string | null`.

use crate::manifest::Method;
use crate::types::{Field, Type};
use abi_mcp_sdk::Access;

/// Renders a method. The types read as the schema does: replicated collections are their inner type.
pub(crate) fn render(method: &Method) -> String {
    let access = if method.access == Access::View { "view" } else { "mut" };
    let params: Vec<String> = method.params.iter().map(param).collect();
    let returns = method.returns.as_ref().map_or_else(|| "unit".to_owned(), of);
    let nullable = if method.returns_nullable { " | null" } else { "" };
    format!("[{access}] {}({}) -> {returns}{nullable}", method.name, params.join(", "))
}

fn param(param: &Field) -> String {
    let optional = if param.nullable { "?" } else { "" };
    format!("{}{optional}: {}", param.name, of(&param.of))
}

fn of(of_type: &Type) -> String {
    match of_type {
        Type::List(items) => format!("{}[]", of(items)),
        Type::Map { key, value } => format!("map<{}, {}>", of(key), of(value)),
        Type::Tuple(elements) => format!("({})", elements.iter().map(of).collect::<Vec<_>>().join(", ")),
        Type::Record(_) => "record".to_owned(),
        Type::Reference(name) => name.clone(),
        Type::Unknown { shown, .. } => shown.clone(),
        scalar => scalar.scalar_name().unwrap_or("unknown").to_owned(),
    }
}
