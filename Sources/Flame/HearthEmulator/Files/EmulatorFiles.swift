import HearthBackend
import HearthModel

/// Loads the files in an emulator's configuration, and writes the file for its end.
struct EmulatorFiles {
    let configuration: EmulatorConfiguration
    let host: BackendHost
    let realtime: RealtimeHost
    let helpers: HelperEndpoints

    /// Loads the seeds, as far as there is no data, and the imports.
    ///
    /// A path is a file of documents, or a folder as Firebase's tools write it.
    ///
    /// - Throws: The error of a file, with the file's path.
    func load() async throws {
        let hasDocuments = host.databases.contains { !$0.allDocuments.isEmpty }
        for path in configuration.seeds {
            try await load(path, documents: !hasDocuments, overTrees: false)
        }
        for path in configuration.imports {
            try await load(path, documents: true, overTrees: true)
        }
    }

    /// - Parameters:
    ///   - writesDocuments: Whether the path's documents are wanted.
    ///   - replacesTrees: Whether a tree that is there gives way to the path's.
    private func load(
        _ path: String, documents writesDocuments: Bool, overTrees replacesTrees: Bool
    ) async throws {
        guard ExportFolder.isFolder(path) else {
            guard writesDocuments else { return }
            return try await load(try WholeFile.read(path), of: path)
        }
        let folder = try ExportFolder(reading: path)
        for (namespace, root) in folder.trees
        where replacesTrees || realtime.picture.root(of: namespace).isEmpty {
            try await put(root, in: namespace)
        }
        if writesDocuments, let documents = folder.documents {
            try await load(documents, of: path)
        }
    }

    private func load(_ documents: [UInt8], of path: String) async throws {
        do {
            try await withCheckedThrowingContinuation { continuation in
                helpers.load(documents, into: configuration.database) {
                    continuation.resume(with: $0)
                }
            }
        } catch let error as HearthError {
            throw HearthError(code: error.code, message: "\(path): \(error.message)")
        }
    }

    private func put(_ root: Node, in namespace: RealtimeNamespace) async throws {
        let call = RealtimeCall(.put(UnresolvedNode(root)), at: WritePath(.root))
        _ = try await withCheckedThrowingContinuation { continuation in
            realtime.call(call, of: namespace, by: .admin) { continuation.resume(with: $0) }
        }
    }

    /// Writes all data to `exportPath`, if the configuration names one: documents to a file whose
    /// name ends in `.json` or `.bundle`, documents and trees to a folder.
    ///
    /// - Throws: `failedPrecondition` if the path cannot be written, or if a bundle would have to
    ///   hold several databases.
    func export() throws(HearthError) {
        guard let path = configuration.exportPath else { return }
        if path.utf8HasSuffix(".bundle") {
            try WholeFile.write(try bundle(), to: path)
        } else if path.utf8HasSuffix(".json"), !ExportFolder.isFolder(path) {
            try WholeFile.write(try documents(), to: path)
        } else {
            let trees = realtime.picture
            try ExportFolder(
                trees: trees.namespaceNames.map { ($0, trees.root(of: $0)) },
                documents: try documents()
            ).write(to: path)
        }
    }

    private func documents() throws(HearthError) -> [UInt8] {
        try DataFile.json(of: host.databases.map { ($0.database, $0.allDocuments) })
    }

    private func bundle() throws(HearthError) -> [UInt8] {
        let views = host.databases
        guard views.count <= 1 else {
            throw HearthError(
                code: .failedPrecondition,
                message: "A bundle holds one database, and there are \(views.count); export to a "
                    + "file that ends in .json.")
        }
        return DataFile.bundle(
            of: views.first?.allDocuments ?? [],
            in: views.first?.database ?? configuration.database, id: "export",
            readAt: views.first?.moment ?? .zero)
    }
}
