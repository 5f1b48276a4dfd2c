//! Numbers of the things that a component defines: the indices of what is added behind them.

use wasmparser::{
    CanonicalFunction, ComponentAlias, ComponentExternalKind, ComponentOuterAliasKind,
    ComponentTypeRef, ExternalKind, Instance, Parser, Payload, Result,
};

/// Numbers of what the outermost component defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Indices {
    pub(super) types: u32,
    pub(super) functions: u32,
    pub(super) core_functions: u32,
    pub(super) core_memories: u32,
    /// The module of each instance, by its index; `None` if the instance is of no module of the component's own.
    pub(super) instances: Vec<Option<u32>>,
    /// The modules: the number of each among those that the component contains, or `None` for one from outside.
    modules: Vec<Option<u32>>,
    /// Number of modules that the component contains.
    contained: u32,
}

impl Indices {
    /// Counts what a component defines.
    pub(super) fn of(component: &[u8]) -> Result<Self> {
        let mut indices = Self::default();
        let mut depth = 0_u32;
        for payload in Parser::new(0).parse_all(component) {
            let payload = payload?;
            match payload {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                _ if depth == 1 => indices.add(&payload)?,
                _ => {}
            }
        }
        Ok(indices)
    }

    fn add(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::ModuleSection { .. } => {
                self.modules.push(Some(self.contained));
                self.contained += 1;
            }
            Payload::InstanceSection(section) => {
                for instance in section.clone() {
                    let module = match instance? {
                        Instance::Instantiate { module_index, .. } => {
                            self.modules.get(module_index as usize).copied().flatten()
                        }
                        Instance::FromExports(_) => None,
                    };
                    self.instances.push(module);
                }
            }
            Payload::ComponentTypeSection(section) => self.types += section.count(),
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    match import?.ty {
                        ComponentTypeRef::Func(_) => self.functions += 1,
                        ComponentTypeRef::Type(_) => self.types += 1,
                        ComponentTypeRef::Module(_) => self.modules.push(None),
                        _ => {}
                    }
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    self.alias(&alias?);
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section.clone() {
                    match function? {
                        CanonicalFunction::Lift { .. } => self.functions += 1,
                        _ => self.core_functions += 1,
                    }
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    self.external(export?.kind);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>) {
        match alias {
            ComponentAlias::InstanceExport { kind, .. } => self.external(*kind),
            ComponentAlias::CoreInstanceExport { kind, .. } => match kind {
                ExternalKind::Func | ExternalKind::FuncExact => self.core_functions += 1,
                ExternalKind::Memory => self.core_memories += 1,
                _ => {}
            },
            ComponentAlias::Outer { kind, .. } => match kind {
                ComponentOuterAliasKind::Type => self.types += 1,
                ComponentOuterAliasKind::CoreModule => self.modules.push(None),
                _ => {}
            },
        }
    }

    fn external(&mut self, kind: ComponentExternalKind) {
        match kind {
            ComponentExternalKind::Func => self.functions += 1,
            ComponentExternalKind::Type => self.types += 1,
            ComponentExternalKind::Module => self.modules.push(None),
            _ => {}
        }
    }
}
