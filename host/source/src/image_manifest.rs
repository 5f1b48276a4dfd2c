//! Manifests of components in registries, as the [layout of WebAssembly in registries] has them.
//!
//! [layout of WebAssembly in registries]: https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact/

use super::bounds::COMPONENT_BYTES_MAX;
use bakeoff_domain::reference::is_digest;
use bakeoff_files::parse_json_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The media type of a manifest.
pub const MANIFEST_MEDIA_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";

/// The media type of the config of a component.
pub const CONFIG_MEDIA_TYPE: &str = "application/vnd.wasm.config.v0+json";

/// The media type of the layer that is the component.
pub const LAYER_MEDIA_TYPE: &str = "application/wasm";

/// The largest manifest, in bytes. That of a component has a thousand, and its WIT and description besides.
pub const MANIFEST_BYTES_MAX: usize = 1 << 20;

/// The most values of a manifest.
const VALUES_MAX: usize = 10_000;

/// A manifest: what a digest in a reference is the digest of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageManifest {
    /// The version of the format, which is 2.
    pub schema_version: u32,
    /// The media type, [`MANIFEST_MEDIA_TYPE`]. Some tools leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The config.
    pub config: Descriptor,
    /// The layers: one, which is the component.
    pub layers: Vec<Descriptor>,
    /// The texts that describe the component, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// The description of a part in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// The media type.
    pub media_type: String,
    /// The digest, `sha256:…`.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
}

/// The reason why a manifest is not that of a component, as a phrase after its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// It is no manifest at all.
    #[error("is no manifest of a registry: {0}")]
    Form(String),
    /// It is the manifest of something else, such as an image for containers.
    #[error(
        "is no WebAssembly component: its {part} has the media type `{found}`, and that of a component `{wanted}`"
    )]
    Other {
        /// The part: its config, or its layer.
        part: &'static str,
        /// The media type that was found. It may be any text.
        found: String,
        /// The media type that is needed.
        wanted: &'static str,
    },
    /// The component would be too large.
    #[error("has {bytes} bytes, and a component may have {COMPONENT_BYTES_MAX}")]
    TooLarge {
        /// The size that the manifest says.
        bytes: u64,
    },
}

impl ImageManifest {
    /// Parses the manifest of a component.
    ///
    /// # Errors
    /// The bytes are no manifest, or that of something else, or the component would be too large.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let form = |why: String| ManifestError::Form(why);
        let manifest: Self =
            parse_json_of(bytes, VALUES_MAX).map_err(|error| form(error.to_string()))?;
        let other = |part, found: &str, wanted| ManifestError::Other {
            part,
            found: found.chars().take(100).collect(),
            wanted,
        };
        if let Some(found) = manifest.media_type.as_deref()
            && found != MANIFEST_MEDIA_TYPE
        {
            return Err(other("manifest", found, MANIFEST_MEDIA_TYPE));
        }
        if manifest.schema_version != 2 {
            return Err(form("its version is not 2".to_owned()));
        }
        if manifest.config.media_type != CONFIG_MEDIA_TYPE {
            let found = &manifest.config.media_type;
            return Err(other("config", found, CONFIG_MEDIA_TYPE));
        }
        let [layer] = &manifest.layers[..] else {
            let count = manifest.layers.len();
            return Err(form(format!(
                "it has {count} layers, and a component is one"
            )));
        };
        if layer.media_type != LAYER_MEDIA_TYPE {
            return Err(other("layer", &layer.media_type, LAYER_MEDIA_TYPE));
        }
        if !is_digest(&layer.digest) {
            return Err(form("its layer has no SHA-256".to_owned()));
        }
        if layer.size > COMPONENT_BYTES_MAX as u64 {
            return Err(ManifestError::TooLarge { bytes: layer.size });
        }
        Ok(manifest)
    }

    /// Returns the layer that is the component.
    pub fn layer(&self) -> &Descriptor {
        // `parse` refuses any other number; one that is made here has one.
        &self.layers[0]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn manifest(layer: &Descriptor) -> ImageManifest {
        ImageManifest {
            schema_version: 2,
            media_type: Some(MANIFEST_MEDIA_TYPE.into()),
            config: Descriptor {
                media_type: CONFIG_MEDIA_TYPE.into(),
                ..layer.clone()
            },
            layers: vec![layer.clone()],
            annotations: BTreeMap::new(),
        }
    }

    fn layer() -> Descriptor {
        Descriptor {
            media_type: LAYER_MEDIA_TYPE.into(),
            digest: format!("sha256:{}", "0a".repeat(32)),
            size: 10,
        }
    }

    fn parsed(change: impl FnOnce(&mut ImageManifest)) -> Result<ImageManifest, String> {
        let mut manifest = manifest(&layer());
        change(&mut manifest);
        let bytes = serde_json::to_vec(&manifest).unwrap();
        ImageManifest::parse(&bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn a_manifest_of_a_component_is_read() {
        assert_eq!(parsed(|_| {}).unwrap().layer(), &layer());
        assert!(parsed(|one| one.media_type = None).is_ok());
    }

    #[test]
    fn what_is_no_component_is_refused() {
        let refused = |change: fn(&mut ImageManifest), why: &str| {
            let said = parsed(change).unwrap_err();
            assert!(said.contains(why), "{said}");
        };
        refused(|one| one.schema_version = 1, "version");
        refused(|one| one.layers.clear(), "0 layers");
        refused(|one| one.layers.push(layer()), "2 layers");
        refused(
            |one| one.layers[0].digest = "sha256:../../key".into(),
            "no SHA-256",
        );
        refused(
            |one| one.layers[0].size = u64::MAX,
            "has 18446744073709551615 bytes",
        );
        refused(
            |one| one.config.media_type = "application/vnd.oci.image.config.v1+json".into(),
            "its config has the media type `application/vnd.oci.image.config.v1+json`",
        );
        refused(
            |one| one.layers[0].media_type = "application/x-tar".into(),
            "its layer",
        );
        let index = "application/vnd.oci.image.index.v1+json";
        assert!(parsed(|one| one.media_type = Some(index.into())).is_err());
        for bytes in [&b""[..], b"{}", b"[1]", b"\xff", &b"[".repeat(1 << 16)] {
            assert!(ImageManifest::parse(bytes).is_err());
        }
    }
}
