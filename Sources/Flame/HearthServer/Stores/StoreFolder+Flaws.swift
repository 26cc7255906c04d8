import Glibc
import HearthEngine
import HearthSQLite

/// What lies in the place of a folder of databases, and is none.
///
/// Which databases were there nobody can know, so the daemon tells of the place. A link is no folder of ours either:
/// behind the link there may be anything, such as an empty folder in which every database would be new.
extension StoreFolder {
    /// What is wrong with the folders of databases in a folder, in sentences. Blocks on the disk.
    ///
    /// Of a store folder that is none itself, each database tells that cannot be opened.
    package static func flaws(in folder: String) -> [String] {
        var status = stat()
        if stat(folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { return [] }
        return roots(of: folder).flatMap { root -> [String] in
            if let flaw = flaw(of: root) { return [flaw] }
            // What has no name of ours, such as `lost+found`, stands in no folder's place.
            return names(in: root).filter(isGroupName).compactMap { flaw(of: root + "/" + $0) }
        }
    }

    /// Whether a folder can be looked into without leaving the store folder.
    static func isFolder(_ path: String) -> Bool {
        (try? PlainFile.expectFolder(at: path)) != nil
    }

    /// Expects that all databases of a folder can be found.
    ///
    /// - Throws: `StoreError.io` with the first flaw.
    static func expectNoFlaws(in folder: String) throws(StoreError) {
        if let flaw = flaws(in: folder).first { throw .io(flaw) }
    }

    private static func flaw(of path: String) -> String? {
        do throws(StoreError) {
            try PlainFile.expectFolder(at: path)
        } catch {
            guard case .io(let reason) = error else { return "\(error)" }
            return reason
        }
        guard let stream = opendir(path) else {
            return errno == ENOENT
                ? nil : "\(path) cannot be read: \(String(cString: strerror(errno)))"
        }
        closedir(stream)
        return nil
    }
}
