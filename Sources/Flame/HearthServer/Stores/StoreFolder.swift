import CLinux
import Glibc
package import HearthEngine
import HearthModel
import HearthSQLite

/// The files of a store folder, and the databases that their names stand for.
///
/// Shape: `FOLDER/firestore/PROJECT/DATABASE.sqlite` and `FOLDER/realtime/HOST/INSTANCE.sqlite`, where
/// `http:` precedes a HOST without TLS. Bytes of a name that could leave the folder are written as `%`
/// and two hexadecimal digits.
package enum StoreFolder {
    private static let suffix = ".sqlite"

    /// Where an engine keeps its database.
    package static func path(of key: EngineKey, in folder: String) -> String {
        switch key {
        case .firestore(let database):
            "\(folder)/firestore/\(escaped(database.project))/\(escaped(database.database))\(suffix)"
        case .realtime(let instance):
            "\(folder)/realtime/\(escaped(host(of: instance)))/\(escaped(instance.name))\(suffix)"
        }
    }

    /// The host as the folder has it. Another port, or no TLS, is another database.
    private static func host(of instance: InstanceID) -> String {
        (instance.isSecure ? "" : insecurePrefix) + instance.host
    }

    private static let insecurePrefix = "http:"

    /// Whether an instance's files can be called by its host and its name.
    static func isNameable(_ instance: InstanceID) -> Bool {
        escaped(host(of: instance)).utf8.count <= fileNameByteCountMax
    }

    /// Leaves room for what is put behind the name, such as `.sqlite.damaged-` and a time.
    private static let fileNameByteCountMax = 200

    /// The databases that a folder holds, in the order of their kinds and names.
    ///
    /// A database without its own file counts too, as long as one of the files beside shows that
    /// the database was there.
    package static func databases(in folder: String) -> [StoredDatabase] {
        let documents = files(in: folder + "/firestore").map { path, project, database in
            StoredDatabase(
                .firestore(DatabaseID(project: project, database: database)), at: path)
        }
        let trees = files(in: folder + "/realtime").compactMap { path, host, name in
            instance(at: host, name).map { StoredDatabase(.realtime($0), at: path) }
        }
        return documents + trees
    }

    private static func instance(at host: String, _ name: String) -> InstanceID? {
        let isSecure = !host.utf8HasPrefix(insecurePrefix)
        let plain = isSecure ? host : String(host.dropFirst(insecurePrefix.count))
        return InstanceID(host: plain, name: name, isSecure: isSecure)
    }

    /// The files that a restore has made ready beside the places of databases, and not moved yet.
    static func filesMadeReady(in folder: String) -> [String] {
        let ending = suffix + RestoreMark.newPath(for: "")
        return roots(of: folder).flatMap { root in
            groups(in: root).flatMap { group in
                names(in: "\(root)/\(group)").filter { $0.hasSuffix(ending) }
                    .map { "\(root)/\(group)/\($0)" }
            }
        }
    }

    /// The folders of the two kinds of databases.
    static func roots(of folder: String) -> [String] {
        [folder + "/firestore", folder + "/realtime"]
    }

    /// The files two folders down, with the names of the last folder and of the database.
    private static func files(
        in root: String
    ) -> [(path: String, group: String, database: String)] {
        groups(in: root).flatMap { group in
            databaseNames(in: root + "/" + group).map { name in
                ("\(root)/\(group)/\(name)\(suffix)", unescaped(group), unescaped(name))
            }
        }
    }

    /// What the files of the databases in a folder begin with, each once, in order.
    private static func databaseNames(in folder: String) -> [String] {
        var seen: Set<String> = []
        return names(in: folder).compactMap { file in
            tellingEndings.first { file.hasSuffix(suffix + $0) }.map { ending in
                String(file.dropLast((suffix + ending).utf8.count))
            }
        }.filter { seen.insert($0).inserted }
    }

    /// What follows the names of databases in the names of files that show a database: the database
    /// itself, its logs, the reserve of an open store, and the mark of an unfinished rescue.
    private static let tellingEndings = [
        "", "-intake", "-wal", "-reserve", "-reserve-start", "-damaged",
    ]

    /// The folders of one kind of databases; what has the place of a folder and is none is left out
    /// (`flaws`).
    private static func groups(in root: String) -> [String] {
        guard isFolder(root) else { return [] }
        return names(in: root).filter { isFolder(root + "/" + $0) }
    }

    /// Whether a name has the form in which `path` writes the names of folders of databases.
    static func isGroupName(_ name: String) -> Bool {
        escaped(unescaped(name)).utf8.elementsEqual(name.utf8)
    }

    // MARK: Folders

    /// Makes the folders above a database, for nobody's eyes but ours.
    ///
    /// - Throws: `StoreError.io` if something else has the place of one, or a folder cannot be made.
    static func makeFolders(aboveStore path: String) throws(StoreError) {
        let group = self.folder(above: path)
        try PlainFile.expectFolder(at: self.folder(above: group))
        try PlainFile.expectFolder(at: group)
        try makeFolders(above: path)
    }

    /// The folder of a file.
    static func folder(above path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// Makes the folders above a file, for nobody's eyes but ours. Each new folder is on the disk in its parent.
    static func makeFolders(above path: String) throws(StoreError) {
        var end = path.startIndex
        while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
            end = slash
            let folder = String(path[..<slash])
            guard mkdir(folder, 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw failure("the folder \(folder) cannot be made")
            }
            // Whoever may make a folder but not read its parent must do without.
            guard clinux_sync_folder_of(folder) == 0 || errno == EACCES else {
                throw failure("the folder of \(folder) cannot be synced")
            }
        }
    }

    private static func failure(_ what: String) -> StoreError {
        let code = errno
        let detail = "\(what): \(String(cString: strerror(code)))"
        return code == ENOSPC || code == EDQUOT ? .full(detail) : .io(detail)
    }

    /// Removes the folder of a file that is gone; does nothing if the folder holds other files.
    static func removeFolder(above path: String) {
        rmdir(folder(above: path))
    }

    // MARK: Files set aside

    /// When a store's damaged predecessors were set aside, in seconds since 1970.
    ///
    /// - Parameter suffix: What the names of the files end with; nothing for the databases.
    package static func setAsideTimes(of path: String, suffix: String = "") -> [Int64] {
        namesBesides(path, behind: ".damaged-", before: suffix).compactMap { Int64($0) }
    }

    /// The files beside a store whose names are the store's and three parts more: what each has between
    /// the first part and the last, in order.
    static func namesBesides(
        _ path: String, behind first: String, before last: String
    ) -> [String] {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let prefix = String(path[end...].drop { $0 == "/" }) + first
        return names(in: String(path[..<end])).compactMap { name in
            guard name.hasPrefix(prefix), name.hasSuffix(last) else { return nil }
            return String(name.dropFirst(prefix.utf8.count).dropLast(last.utf8.count))
        }
    }

    /// The names in a folder, in their order; none if the folder cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func escaped(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func unescaped(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
