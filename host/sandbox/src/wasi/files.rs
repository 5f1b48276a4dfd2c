//! `wasi:filesystem`: the granted folders, in memory. Nothing can be written, no path leads out of its
//! folder, and files have no timestamps.

use super::state::{Handle, VirtualWorld};
use bakeoff_domain::attempt::AttemptKind;
use bakeoff_source::{FolderNode, FolderPlace};
use wasmtime::component::Resource;
use wasmtime::{Result, bail};
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    self, Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry,
    DirectoryEntryStream, Filesize, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult, IoError};

/// The most bytes of one read; a guest asks again for more.
const READ_BYTES_MAX: u64 = 64 << 10;

/// The bytes that count as one host call.
const BYTES_PER_CALL: u64 = 1 << 10;

/// The most parts of a path.
const PATH_PARTS_MAX: usize = 256;

fn trap(error: wasmtime::Error) -> FsError {
    FsError::trap(error)
}

impl VirtualWorld {
    /// The file or folder of a descriptor, preceded by its ancestors.
    fn ancestry(&mut self, of: &Resource<Descriptor>) -> FsResult<Vec<FolderPlace>> {
        self.enter().map_err(trap)?;
        match self.handle(of).map_err(trap)? {
            Handle::Descriptor(ancestry) => Ok(ancestry.clone()),
            _ => Err(ErrorCode::BadDescriptor.into()),
        }
    }

    fn place(&mut self, of: &Resource<Descriptor>) -> FsResult<FolderPlace> {
        let ancestry = self.ancestry(of)?;
        ancestry
            .last()
            .copied()
            .ok_or(ErrorCode::BadDescriptor.into())
    }

    /// Resolves a path from a descriptor. It may go up again, but not above the descriptor.
    fn resolve(&mut self, from: &Resource<Descriptor>, path: &str) -> FsResult<Vec<FolderPlace>> {
        let mut ancestry = self.ancestry(from)?;
        let start = ancestry.len();
        self.charge(path.len() as u64 / BYTES_PER_CALL)
            .map_err(trap)?;
        if path.starts_with('/') {
            self.record(AttemptKind::OpenOutside, path);
            return Err(ErrorCode::NotPermitted.into());
        }
        if path.is_empty() {
            return Err(ErrorCode::NoEntry.into());
        }
        for (count, part) in path.split('/').enumerate() {
            if count >= PATH_PARTS_MAX {
                return Err(ErrorCode::NameTooLong.into());
            }
            let Some(here) = ancestry.last().copied() else {
                return Err(ErrorCode::BadDescriptor.into());
            };
            if !matches!(self.folders.at(here), FolderNode::Folder(_)) {
                return Err(ErrorCode::NotDirectory.into());
            }
            match part {
                "" | "." => {}
                ".." if ancestry.len() == start => {
                    self.record(AttemptKind::OpenOutside, path);
                    return Err(ErrorCode::NotPermitted.into());
                }
                ".." => {
                    ancestry.pop();
                }
                name => match self.folders.named(here, name) {
                    Some(place) => ancestry.push(place),
                    None => return Err(ErrorCode::NoEntry.into()),
                },
            }
        }
        Ok(ancestry)
    }

    /// Refuses a change of a granted folder.
    fn refuse_write<T>(&mut self, what: &str) -> FsResult<T> {
        self.enter().map_err(trap)?;
        self.record(AttemptKind::WriteToGrant, what);
        Err(ErrorCode::ReadOnly.into())
    }

    fn stat_of(&self, place: FolderPlace) -> DescriptorStat {
        let (type_, size) = match self.folders.at(place) {
            FolderNode::File(contents) => (DescriptorType::RegularFile, contents.len() as u64),
            FolderNode::Folder(_) => (DescriptorType::Directory, 0),
        };
        DescriptorStat {
            type_,
            link_count: 1,
            size,
            data_access_timestamp: None,
            data_modification_timestamp: None,
            status_change_timestamp: None,
        }
    }

    fn hash_of(place: FolderPlace) -> MetadataHashValue {
        MetadataHashValue {
            lower: place.number(),
            upper: 0,
        }
    }
}

impl preopens::Host for VirtualWorld {
    fn get_directories(&mut self) -> Result<Vec<(Resource<Descriptor>, String)>> {
        self.enter()?;
        let mounts = self.folders.mounts();
        let mounts: Vec<(String, FolderPlace)> =
            mounts.map(|(at, root)| (at.to_owned(), root)).collect();
        let give = |(at, root)| Ok((self.new_handle(Handle::Descriptor(vec![root]))?, at));
        mounts.into_iter().map(give).collect()
    }
}

impl types::Host for VirtualWorld {
    fn convert_error_code(&mut self, error: FsError) -> Result<types::ErrorCode> {
        Ok(error.downcast()?.into())
    }

    fn filesystem_error_code(&mut self, _: Resource<IoError>) -> Result<Option<types::ErrorCode>> {
        self.enter()?;
        Ok(None)
    }
}

impl types::HostDescriptor for VirtualWorld {
    fn read_via_stream(
        &mut self,
        file: Resource<Descriptor>,
        offset: Filesize,
    ) -> FsResult<Resource<DynInputStream>> {
        let place = self.place(&file)?;
        match self.folders.at(place) {
            FolderNode::File(_) => self
                .new_handle(Handle::Reading(place, offset))
                .map_err(trap),
            FolderNode::Folder(_) => Err(ErrorCode::IsDirectory.into()),
        }
    }

    fn write_via_stream(
        &mut self,
        _: Resource<Descriptor>,
        _: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.refuse_write("write-via-stream")
    }

    fn append_via_stream(
        &mut self,
        _: Resource<Descriptor>,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.refuse_write("append-via-stream")
    }

    fn advise(
        &mut self,
        file: Resource<Descriptor>,
        _: Filesize,
        _: Filesize,
        _: Advice,
    ) -> FsResult<()> {
        self.place(&file).map(drop)
    }

    fn sync_data(&mut self, file: Resource<Descriptor>) -> FsResult<()> {
        self.place(&file).map(drop)
    }

    fn get_flags(&mut self, file: Resource<Descriptor>) -> FsResult<DescriptorFlags> {
        self.place(&file).map(|_| DescriptorFlags::READ)
    }

    fn get_type(&mut self, file: Resource<Descriptor>) -> FsResult<DescriptorType> {
        let place = self.place(&file)?;
        Ok(self.stat_of(place).type_)
    }

    fn set_size(&mut self, _: Resource<Descriptor>, _: Filesize) -> FsResult<()> {
        self.refuse_write("set-size")
    }

    fn set_times(
        &mut self,
        _: Resource<Descriptor>,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> FsResult<()> {
        self.refuse_write("set-times")
    }

    fn read(
        &mut self,
        file: Resource<Descriptor>,
        len: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        let place = self.place(&file)?;
        let FolderNode::File(contents) = self.folders.at(place) else {
            return Err(ErrorCode::IsDirectory.into());
        };
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = contents.get(from..).unwrap_or_default();
        let len = (len.min(READ_BYTES_MAX) as usize).min(rest.len());
        let (bytes, at_end) = (rest[..len].to_vec(), len == rest.len());
        self.charge(len as u64 / BYTES_PER_CALL).map_err(trap)?;
        Ok((bytes, at_end))
    }

    fn write(&mut self, _: Resource<Descriptor>, _: Vec<u8>, _: Filesize) -> FsResult<Filesize> {
        self.refuse_write("write")
    }

    fn read_directory(
        &mut self,
        folder: Resource<Descriptor>,
    ) -> FsResult<Resource<DirectoryEntryStream>> {
        let place = self.place(&folder)?;
        match self.folders.at(place) {
            FolderNode::Folder(_) => self.new_handle(Handle::Entries(place, 0)).map_err(trap),
            FolderNode::File(_) => Err(ErrorCode::NotDirectory.into()),
        }
    }

    fn sync(&mut self, file: Resource<Descriptor>) -> FsResult<()> {
        self.place(&file).map(drop)
    }

    fn create_directory_at(&mut self, _: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn stat(&mut self, file: Resource<Descriptor>) -> FsResult<DescriptorStat> {
        let place = self.place(&file)?;
        Ok(self.stat_of(place))
    }

    fn stat_at(
        &mut self,
        folder: Resource<Descriptor>,
        _: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        let ancestry = self.resolve(&folder, &path)?;
        let place = ancestry.last().copied().ok_or(ErrorCode::BadDescriptor)?;
        Ok(self.stat_of(place))
    }

    fn set_times_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        path: String,
        _: NewTimestamp,
        _: NewTimestamp,
    ) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn link_at(
        &mut self,
        _: Resource<Descriptor>,
        _: PathFlags,
        _: String,
        _: Resource<Descriptor>,
        path: String,
    ) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn open_at(
        &mut self,
        folder: Resource<Descriptor>,
        _: PathFlags,
        path: String,
        how: OpenFlags,
        rights: DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        let changing = OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE;
        let writing = DescriptorFlags::WRITE | DescriptorFlags::MUTATE_DIRECTORY;
        if how.intersects(changing) || rights.intersects(writing) {
            return self.refuse_write(&path);
        }
        let ancestry = self.resolve(&folder, &path)?;
        let last = ancestry.last().copied().ok_or(ErrorCode::BadDescriptor)?;
        let is_folder = matches!(self.folders.at(last), FolderNode::Folder(_));
        if how.contains(OpenFlags::DIRECTORY) && !is_folder {
            return Err(ErrorCode::NotDirectory.into());
        }
        // Nothing above it can be reached through the new descriptor.
        self.new_handle(Handle::Descriptor(vec![last]))
            .map_err(trap)
    }

    fn readlink_at(&mut self, folder: Resource<Descriptor>, path: String) -> FsResult<String> {
        self.resolve(&folder, &path)?;
        Err(ErrorCode::Invalid.into())
    }

    fn remove_directory_at(&mut self, _: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn rename_at(
        &mut self,
        _: Resource<Descriptor>,
        path: String,
        _: Resource<Descriptor>,
        _: String,
    ) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn symlink_at(&mut self, _: Resource<Descriptor>, _: String, path: String) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn unlink_file_at(&mut self, _: Resource<Descriptor>, path: String) -> FsResult<()> {
        self.refuse_write(&path)
    }

    fn is_same_object(&mut self, a: Resource<Descriptor>, b: Resource<Descriptor>) -> Result<bool> {
        self.enter()?;
        let mut last = |of: &Resource<Descriptor>| match self.handle(of)? {
            Handle::Descriptor(ancestry) => Ok(ancestry.last().copied()),
            _ => bail!("the handle is not a descriptor"),
        };
        Ok(last(&a)? == last(&b)?)
    }

    fn metadata_hash(&mut self, file: Resource<Descriptor>) -> FsResult<MetadataHashValue> {
        self.place(&file).map(Self::hash_of)
    }

    fn metadata_hash_at(
        &mut self,
        folder: Resource<Descriptor>,
        _: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        let ancestry = self.resolve(&folder, &path)?;
        let place = ancestry.last().copied().ok_or(ErrorCode::BadDescriptor)?;
        Ok(Self::hash_of(place))
    }

    fn drop(&mut self, file: Resource<Descriptor>) -> Result<()> {
        self.release(&file)
    }
}

impl types::HostDirectoryEntryStream for VirtualWorld {
    fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        self.enter().map_err(trap)?;
        let Handle::Entries(folder, read) = self.handle(&stream).map_err(trap)?.clone() else {
            return Err(ErrorCode::BadDescriptor.into());
        };
        let entry = self.folders.entry(folder, read);
        let entry = entry.map(|(name, place)| DirectoryEntry {
            type_: self.stat_of(place).type_,
            name: name.to_owned(),
        });
        *self.handle(&stream).map_err(trap)? = Handle::Entries(folder, read + 1);
        Ok(entry)
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> Result<()> {
        self.release(&stream)
    }
}
