//! The number of instances that a component makes when it is started.
//!
//! A component may define others and instantiate each several times; twenty definitions, each of
//! which instantiates the one before it twice, are a million instances in a few hundred bytes.

use wasmparser::{
    BinaryReaderError, ComponentAlias, ComponentExternalKind, ComponentInstance,
    ComponentOuterAliasKind, ComponentTypeRef, Instance, Payload,
};

/// A counter of instances, while the payloads of a component are read.
#[derive(Default)]
pub(super) struct Instances {
    /// The components that are open at this payload, the outermost first.
    scopes: Vec<Scope>,
    /// The instances of the outermost component.
    total: Count,
    /// The number of open modules: their payloads end like those of components.
    modules_open: u32,
}

/// A number of instances; `None` if it is not known before the component runs.
type MaybeCount = Option<u64>;

#[derive(Clone, Copy)]
struct Count(MaybeCount);

impl Default for Count {
    fn default() -> Self {
        Self(Some(0))
    }
}

impl Count {
    fn add(&mut self, more: MaybeCount) {
        self.0 = self.0.zip(more).map(|(a, b)| a.saturating_add(b));
    }
}

/// A component that is being read.
#[derive(Default)]
struct Scope {
    made: Count,
    /// The number of instances that an instantiation makes, itself included, by component index.
    components: Vec<MaybeCount>,
}

impl Instances {
    /// Returns the number of instances of the whole component; `None` if they cannot be counted.
    pub(super) fn total(&self) -> MaybeCount {
        self.total.0
    }

    /// Reads the next payload.
    pub(super) fn read(&mut self, payload: &Payload<'_>) -> Result<(), BinaryReaderError> {
        match payload {
            Payload::Version {
                encoding: wasmparser::Encoding::Component,
                ..
            } => {
                self.scopes.push(Scope::default());
            }
            Payload::Version { .. } => self.modules_open += 1,
            Payload::End(_) => self.end(),
            Payload::InstanceSection(section) => {
                for instance in section.clone() {
                    if let Instance::Instantiate { .. } = instance? {
                        self.add(Some(1));
                    }
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    if let ComponentInstance::Instantiate {
                        component_index, ..
                    } = instance?
                    {
                        let makes = self.instances_of(0, component_index);
                        self.add(makes);
                    }
                }
            }
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    if let ComponentTypeRef::Component(_) = import?.ty {
                        self.define(None);
                    }
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    self.alias(alias?);
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    let export = export?;
                    if export.kind == ComponentExternalKind::Component {
                        let makes = self.instances_of(0, export.index);
                        self.define(makes);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) {
        if self.modules_open > 0 {
            self.modules_open -= 1;
            return;
        }
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        let mut count = scope.made;
        count.add(Some(1));
        match self.scopes.last_mut() {
            Some(outer) => outer.components.push(count.0),
            None => self.total = count,
        }
    }

    fn alias(&mut self, alias: ComponentAlias<'_>) {
        match alias {
            ComponentAlias::Outer {
                kind: ComponentOuterAliasKind::Component,
                count,
                index,
            } => {
                let makes = self.instances_of(count as usize, index);
                self.define(makes);
            }
            ComponentAlias::InstanceExport {
                kind: ComponentExternalKind::Component,
                ..
            } => {
                self.define(None);
            }
            _ => {}
        }
    }

    /// Returns the number of instances that a component of the scope `levels_out` levels out makes.
    fn instances_of(&self, levels_out: usize, index: u32) -> MaybeCount {
        let place = self.scopes.len().checked_sub(levels_out + 1)?;
        *self.scopes.get(place)?.components.get(index as usize)?
    }

    fn add(&mut self, more: MaybeCount) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.made.add(more);
        }
    }

    fn define(&mut self, makes: MaybeCount) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.components.push(makes);
        }
    }
}
