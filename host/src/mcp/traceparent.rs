//! Checks a W3C trace context before it is forwarded.
//!
//! Source: W3C Trace Context, "traceparent Header Field Values". Anything else is dropped and the call still runs.

/// The value, if it is a valid `traceparent`: `<2>-<32>-<16>-<2>` lower-case hex digits, version not `ff`, ids not
/// all zero.
pub(super) fn checked(value: &str) -> Option<&str> {
    let mut parts = value.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let valid = parts.next().is_none()
        && hex(version, 2)
        && version != "ff"
        && id(trace, 32)
        && id(parent, 16)
        && hex(flags, 2);
    valid.then_some(value)
}

fn hex(part: &str, length: usize) -> bool {
    part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn id(part: &str, length: usize) -> bool {
    hex(part, length) && part.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn only_a_well_formed_trace_context_is_forwarded() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
        assert_eq!(checked(good), Some(good));
        for bad in [
            "",
            "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01",
            "ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-x",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\r\nx: y",
        ] {
            assert_eq!(checked(bad), None, "{bad}");
        }
    }
}
