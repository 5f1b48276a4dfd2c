//! Functions that a world exports, in the form of those that are read off sources.

use super::export::Export;
use super::from_rust::PublicFunction;
use super::shape::Shape;
use super::signature::Signature;

impl PublicFunction {
    /// Returns the function of an export, with its name in Rust.
    pub fn exported(export: &Export) -> Self {
        Self {
            name: export.name.replace('-', "_"),
            signature: signature(export),
            passing: None,
            structs: Vec::new(),
            examples: Vec::new(),
            is_shown: true,
        }
    }
}

fn signature(export: &Export) -> Result<Signature, String> {
    if let Some(interface) = &export.interface {
        return Err(format!(
            "it is in the interface {interface}, not in the world"
        ));
    }
    if export.is_session {
        return Err("it is a resource that is called in three parts".to_owned());
    }
    let function = export.function.as_ref().map_err(ToString::to_string)?;
    let parameters = function.params.iter().map(|parameter| {
        let shape =
            Shape::of(&parameter.ty).map_err(|what| format!("{} is {what}", parameter.name));
        Ok((parameter.name.clone(), shape?))
    });
    let result = function.result.as_ref().ok_or("it returns nothing")?;
    Ok(Signature {
        parameters: parameters.collect::<Result<_, String>>()?,
        result: Shape::of(result).map_err(|what| format!("its result is {what}"))?,
    })
}
