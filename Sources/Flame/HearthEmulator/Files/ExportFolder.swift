import Glibc
import HearthBackend
import HearthModel
import HearthProtocol

/// A folder as `firebase emulators:export` writes it and `--import` of Firebase's tools reads it.
///
///     firebase-export-metadata.json   {"version": ..., "database": {"version": ..., "path": "database_export"}}
///     database_export/NAME.json       one tree of the Realtime Database, with its priorities
///     hearth_export/documents.json    the documents of Firestore, named by the member "hearth"
///
/// Firebase's tools leave members alone that they do not know. Their own form of Firestore's
/// documents is the inner form of Google's emulator, which nobody else reads.
struct ExportFolder {
    /// The file that says what the folder holds.
    static let metadataName = "firebase-export-metadata.json"
    private static let treesName = "database_export"
    private static let documentsName = "hearth_export"
    private static let documentsFile = "documents.json"

    /// The trees, by name.
    var trees: [(namespace: RealtimeNamespace, root: Node)] = []
    /// The documents in the form of `DataFile`; `nil` if the folder holds none.
    var documents: [UInt8]?

    /// Takes what is to be written.
    init(trees: [(namespace: RealtimeNamespace, root: Node)], documents: [UInt8]?) {
        self.trees = trees
        self.documents = documents
    }

    /// Whether a path leads to a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads a folder.
    ///
    /// - Throws: `notFound` or `failedPrecondition` if a file cannot be read, or the folder's
    ///   documents are in the form of Google's emulator; `invalidArgument` for a file of the wrong
    ///   kind or form. The message names the file.
    init(reading path: String) throws(HearthError) {
        let name = "\(path)/\(Self.metadataName)"
        let metadata = try Self.json(try WholeFile.read(name), name)
        if let part = metadata["database"] {
            let folder = "\(path)/\(try Self.folderName(part, name))"
            for file in try Self.names(in: folder) {
                trees.append(try Self.tree("\(folder)/\(file)", named: file))
            }
        }
        if let part = metadata["hearth"] {
            documents = try WholeFile.read(
                "\(path)/\(try Self.folderName(part, name))/\(Self.documentsFile)")
        } else if metadata["firestore"] != nil {
            throw HearthError(
                code: .failedPrecondition,
                message: "\(name): the documents of Firestore are in the inner form of Google's "
                    + "emulator. Take \"firestore\" out of this file to bring in the rest.")
        }
    }

    /// Writes the folder; its files replace files of the same names.
    ///
    /// The folder's description is written last, so that an unfinished folder does not count as a
    /// folder yet.
    ///
    /// - Throws: `failedPrecondition`, with the path and the system's reason.
    func write(to path: String) throws(HearthError) {
        for folder in [path, "\(path)/\(Self.treesName)", "\(path)/\(Self.documentsName)"] {
            guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
                throw Self.failure("make", folder)
            }
        }
        for (namespace, root) in trees {
            try WholeFile.write(
                root.json(.export), to: "\(path)/\(Self.treesName)/\(namespace.name).json")
        }
        if let documents {
            try WholeFile.write(
                documents, to: "\(path)/\(Self.documentsName)/\(Self.documentsFile)")
        }
        try WholeFile.write(metadata, to: "\(path)/\(Self.metadataName)")
    }

    private var metadata: [UInt8] {
        let version = JSONValue.Member(name: "version", value: .string("hearth"))
        func part(_ path: String) -> JSONValue {
            .object([version, .init(name: "path", value: .string(path))])
        }
        var members = [version, .init(name: "database", value: part(Self.treesName))]
        if documents != nil {
            members.append(.init(name: "hearth", value: part(Self.documentsName)))
        }
        return JSONWriter.bytes(of: .object(members))
    }

    private static func tree(
        _ path: String, named file: String
    ) throws(HearthError) -> (namespace: RealtimeNamespace, root: Node) {
        guard let namespace = RealtimeNamespace(String(file.dropLast(".json".count))) else {
            throw .argument("\(path): the file's name is no name of a database.")
        }
        let bytes = try WholeFile.read(path)
        do throws(NodeError) {
            return (namespace, try Node(json: bytes, from: .client))
        } catch {
            throw .argument("\(path): \(error)")
        }
    }

    /// The name of a part's folder, which lies inside.
    private static func folderName(
        _ part: JSONValue, _ name: String
    ) throws(HearthError) -> String {
        guard let path = part["path"]?.string, !path.isEmpty, path != ".", path != "..",
            !path.utf8.contains(UInt8(ascii: "/"))
        else { throw .argument("\(name): a part has no \"path\" of a folder inside.") }
        return path
    }

    /// The names of the files of JSON in a folder, in order; none if there is no folder.
    private static func names(in folder: String) throws(HearthError) -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw failure("read", folder)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.utf8HasSuffix(".json") { names.append(name) }
        }
        return names.sorted(by: utf8Precedes)
    }

    private static func json(_ bytes: [UInt8], _ name: String) throws(HearthError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(bytes)
        } catch {
            throw .argument("\(name): \(error.description)")
        }
    }

    private static func failure(_ verb: String, _ path: String) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Cannot \(verb) \(path): \(String(cString: strerror(errno))).")
    }
}
