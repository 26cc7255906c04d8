import Glibc
import HearthSQLite

/// The files that a killed restore has left beside their places.
///
/// A restore that was decided is finished by its mark (`RestoreMark`). What is left without a mark belongs
/// to a restore that has not happened, and takes room that the stores need.
enum RestoreLeftovers {
    /// Removes the files, except the files of a running restore; returns the paths. Blocks on the disk.
    static func remove(in folder: String) -> [String] {
        (StoreFolder.filesMadeReady(in: folder) + keptPlacesMadeReady(in: folder)).filter { path in
            let place = String(path.dropLast(RestoreMark.newPath(for: "").utf8.count))
            // A running restore holds the locks of the stores that it replaces.
            guard let lock = try? StoreLock(StoreFiles(path: place)) else { return false }
            return withExtendedLifetime(lock) {
                for suffix in ["-wal", "-shm", "-journal", "-lock"] { unlink(path + suffix) }
                return unlink(path) == 0
            }
        }
    }

    private static func keptPlacesMadeReady(in folder: String) -> [String] {
        let path = RestoreMark.newPath(for: KeptOrderFile(folder: folder).path)
        return access(path, F_OK) == 0 ? [path] : []
    }

    /// Removes the drafts of the files beside the stores, which a killed daemon or restore has not put in
    /// their places; returns the paths. Nobody else may write to the folder. Blocks on the disk.
    static func removeDrafts(in folder: String) -> [String] {
        [
            KeptOrderFile(folder: folder).path, PinnedOrderFile(folder: folder).path,
            StoreGeneration.path(in: folder), RestoreMark.path(in: folder),
        ].map { $0 + ".new" }.filter { unlink($0) == 0 }
    }
}
