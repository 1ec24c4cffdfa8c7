//! Where secrets stand in a call's arguments, when a person changes those: each stays where it was, or goes. It must not know
//! what any of them is.

use super::Json;

/// The changed arguments with the secrets in their places. `real` are the arguments with their secrets' values; where there
/// are none, nothing is put in. A reference to a secret anywhere else is refused: nobody has approved it there.
pub fn with_secrets(shown: &Json, real: Option<&Json>, changed: &Json) -> Result<Json, String> {
    if is_secret(changed) {
        return match real {
            _ if shown != changed => Err(
                "a secret can only stay where it stands, or be taken out; it can't be put anywhere else"
                    .to_owned(),
            ),
            Some(real) => Ok(real.clone()),
            None => Ok(changed.clone()),
        };
    }
    match changed {
        Json::Object(map) => {
            let fields = map.iter().map(|(name, value)| {
                let old = shown.get(name).unwrap_or(&Json::Null);
                let real = real.and_then(|real| real.get(name));
                Ok((name.clone(), with_secrets(old, real, value)?))
            });
            fields.collect::<Result<_, String>>().map(Json::Object)
        }
        Json::Array(items) => {
            let items = items.iter().enumerate().map(|(ix, value)| {
                let old = shown.get(ix).unwrap_or(&Json::Null);
                with_secrets(old, real.and_then(|real| real.get(ix)), value)
            });
            items.collect::<Result<_, String>>().map(Json::Array)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(changed.clone()),
    }
}

fn is_secret(value: &Json) -> bool {
    value.as_object().is_some_and(|map| map.contains_key("$secret"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_stays_where_it_is_and_goes_nowhere_else() {
        let shown = json!({ "url": "u", "headers": { "auth": { "$secret": "KEY" } }, "list": [1] });
        let real = json!({ "url": "u", "headers": { "auth": "hunter2" }, "list": [1] });
        let kept = json!({ "url": "v", "headers": { "auth": { "$secret": "KEY" } } });
        assert_eq!(
            with_secrets(&shown, Some(&real), &kept),
            Ok(json!({ "url": "v", "headers": { "auth": "hunter2" } }))
        );
        assert_eq!(
            with_secrets(&shown, Some(&real), &json!({ "url": "w" })),
            Ok(json!({ "url": "w" }))
        );
        for moved in [
            json!({ "url": { "$secret": "KEY" } }),
            json!({ "headers": { "auth": { "$secret": "OTHER" } } }),
            json!({ "list": [{ "$secret": "KEY" }] }),
        ] {
            assert!(with_secrets(&shown, Some(&real), &moved).is_err(), "{moved}");
            assert!(with_secrets(&shown, None, &moved).is_err(), "{moved}");
        }
    }
}
