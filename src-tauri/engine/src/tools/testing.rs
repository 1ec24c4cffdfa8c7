//! For the tests of tools: a place with a plan's folder and a workspace, and what one call is given.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{CallContext, Permit, Tool, ToolError};
use crate::model::Json;
use crate::model::grants::{self, Grants, Place};

/// A folder for a plan and one for its run, both real, and a context that allows nothing yet.
pub(super) struct Rig {
    pub(super) folder: tempfile::TempDir,
    pub(super) workspace: tempfile::TempDir,
    pub(super) cx: CallContext,
}

impl Rig {
    pub(super) fn new() -> Self {
        Self::granting(Grants::default())
    }

    pub(super) fn granting(grants: Grants) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = tempfile::tempdir().unwrap();
        let place = Place {
            folder: Some(folder.path().to_owned()),
            workspace: workspace.path().to_owned(),
        };
        let permit = Permit {
            withheld: std::sync::Arc::default(),
            grants: Arc::new(grants),
            needs: Arc::new([]),
        };
        let cx = CallContext {
            place,
            permit,
            idempotency_key: "key-1".to_owned(),
            is_idempotent: false,
            cancel: CancellationToken::new(),
            ask: None,
        };
        Self {
            folder,
            workspace,
            cx,
        }
    }

    /// Reads and writes anywhere below the plan's folder.
    pub(super) fn open() -> Self {
        let all = || vec!["**".to_owned()];
        Self::granting(Grants {
            read: all(),
            write: all(),
            databases: all(),
            ..Grants::default()
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(super) fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Checks arguments and result against the tool's own schemas, and asks the gate for its needs, as the run does.
    pub(super) async fn call(&self, tool: &dyn Tool, arguments: Json) -> Result<Json, ToolError> {
        let spec = tool.spec();
        assert!(
            jsonschema::is_valid(&spec.arguments, &arguments),
            "{arguments} against {}",
            spec.arguments
        );
        grants::needs_of(spec, &arguments, &self.cx.place)
            .map_err(|e| ToolError::permanent("bad_path", e))?;
        let result = tool.call(arguments, &self.cx).await?;
        assert!(
            jsonschema::is_valid(&spec.result, &result),
            "{result} against {}",
            spec.result
        );
        Ok(result)
    }
}

/// One call of a tool that touches nothing; the arguments may break the schema.
pub(super) async fn call(tool: &dyn Tool, arguments: Json) -> Result<Json, ToolError> {
    tool.call(arguments, &Rig::new().cx).await
}

pub(super) fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

/// The code of a failed call, `not_granted` and `cancelled` included.
pub(super) fn code_of(result: Result<Json, ToolError>) -> String {
    match result {
        Ok(value) => panic!("no error but {value}"),
        Err(
            ToolError::Transient { code, .. }
            | ToolError::Unknown { code, .. }
            | ToolError::Permanent { code, .. },
        ) => code.to_owned(),
        Err(ToolError::NotGranted { .. }) => "not_granted".to_owned(),
        Err(ToolError::Cancelled) => "cancelled".to_owned(),
    }
}

#[test]
fn every_declaration_is_sound() {
    for tool in super::builtin() {
        let spec = tool.spec();
        for schema in [&spec.arguments, &spec.result] {
            assert!(jsonschema::meta::is_valid(schema), "{}: {schema}", spec.name);
            assert!(
                jsonschema::validator_for(schema).is_ok(),
                "{}: {schema}",
                spec.name
            );
        }
        assert_eq!(
            spec.arguments["additionalProperties"],
            json!(false),
            "{}",
            spec.name
        );
        let example = &spec.arguments["examples"][0];
        assert!(
            jsonschema::is_valid(&spec.arguments, example),
            "{}: {example}",
            spec.name
        );
        for touch in &spec.touches {
            assert!(
                spec.arguments["properties"].get(touch.argument).is_some(),
                "{} {}",
                spec.name,
                touch.argument
            );
        }
        assert!(
            !spec.effect.is_effect() || !spec.touches.is_empty(),
            "{} changes it knows not what",
            spec.name
        );
    }
}
