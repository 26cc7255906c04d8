import Dispatch
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC

/// Imports and exports: by files on the emulator's machine, or in a request's body.
extension HelperEndpoints {
    /// Reads a request for an import or export in the form of Google's emulator.
    ///
    /// The request names a database, and a file by folder and name. A field of our own, `format`,
    /// is `json` or `bundle`; without `format`, the file is JSON.
    ///
    /// - Parameters:
    ///   - project: The path's project; the database must belong to the project.
    ///   - body: Carries out the request, with the format, the file's path and the database.
    /// - Throws: `invalidArgument` for a malformed request, `failedPrecondition` without a folder
    ///   for files.
    func transfer(
        _ json: JSONValue, project: String, _ reply: @escaping @Sendable (HTTPReply) -> Void,
        _ body: (DataFile.Format, String, DatabaseID, @escaping BackendHost.Reply<Void>) -> Void
    ) throws(HearthError) {
        let database = try NameReader.database(json["database"]?.string ?? "")
        guard utf8Equals(database.project, project) else {
            throw .argument("The database is not of the project \(project).")
        }
        let folder = json["export_directory"]?.string ?? json["exportDirectory"]?.string
        let name = json["export_name"]?.string ?? json["exportName"]?.string
        guard let folder, let name, !folder.isEmpty, !name.isEmpty else {
            throw .argument("export_directory and export_name must be set.")
        }
        let format = try Self.format(json["format"]?.string)
        guard files != nil else { throw Self.noFolder }
        body(format, "\(folder)/\(name).\(format.rawValue)", database) { result in
            switch result {
            case .success: reply(.emptyObject)
            case .failure(let error): reply(.error(error))
            }
        }
    }

    /// Writes a database to a file.
    func exportFile(
        _ format: DataFile.Format, _ path: String, of database: DatabaseID,
        then done: @escaping BackendHost.Reply<Void>
    ) {
        export(format, of: database) { result in
            done(
                result.flatMap { bytes in
                    Result { () throws(HearthError) in
                        guard let files else { throw Self.noFolder }
                        try files.write(bytes, to: path)
                    }
                })
        }
    }

    /// Writes a database as the bytes of a file.
    func export(
        _ format: DataFile.Format, of database: DatabaseID,
        then done: @escaping BackendHost.Reply<[UInt8]>
    ) {
        host.read(.nothing, in: database, .latest) { result in
            FirestoreService.queries.async {
                done(
                    result.flatMap { view in
                        Result { () throws(HearthError) in try Self.bytes(of: view, format) }
                    })
            }
        }
    }

    /// Imports a file; a database's other documents stay.
    func importFile(
        _ path: String, into database: DatabaseID, then done: @escaping BackendHost.Reply<Void>
    ) {
        FirestoreService.queries.async {
            do throws(HearthError) {
                guard let files else { throw Self.noFolder }
                load(try files.read(path), into: database, then: done)
            } catch {
                done(.failure(error))
            }
        }
    }

    /// Imports the bytes of a file, each database in as few commits as may be.
    ///
    /// Nothing is imported from a file with a document that is too large.
    ///
    /// - Parameter database: The database for paths that name no database.
    func load(
        _ bytes: [UInt8], into database: DatabaseID, then done: @escaping BackendHost.Reply<Void>
    ) {
        do throws(HearthError) {
            var commits: [Commit] = []
            for content in try DataFile.read(bytes, database: database) {
                try Self.part(content, into: &commits)
            }
            commit(commits[...], then: done)
        } catch {
            done(.failure(error))
        }
    }

    /// Reads a format's name.
    static func format(_ name: String?) throws(HearthError) -> DataFile.Format {
        guard let format = DataFile.Format(rawValue: name ?? "json") else {
            throw .argument("The format is json or bundle.")
        }
        return format
    }

    private static let noFolder = HearthError(
        code: .failedPrecondition,
        message:
            "This emulator reads and writes no files, since it was started without --files FOLDER. "
            + "Without files: GET /emulator/v1/hearth/export, POST /emulator/v1/hearth/import.")

    /// Documents that are written at once.
    private struct Commit {
        let database: DatabaseID
        var writes: [Mutation] = []
        /// Bytes of the documents.
        var byteCount = 0
    }

    /// Parts a database's documents into commits that the backend takes.
    ///
    /// - Throws: `invalidArgument` for a document that is too large.
    private static func part(
        _ content: DataFile.Content, into commits: inout [Commit]
    ) throws(HearthError) {
        var commit = Commit(database: content.database)
        for (key, fields) in content.documents {
            let document = Document.found(key, at: .zero, fields)
            let byteCount = try ValueRules.checkSize(of: document, in: content.database)
            if commit.byteCount + byteCount > WriteRules.commitByteCountMax {
                commits.append(commit)
                commit = Commit(database: content.database)
            }
            commit.writes.append(Mutation(key: key, kind: .set(fields)))
            commit.byteCount += byteCount
        }
        commits.append(commit)
    }

    /// Makes the commits of imports, one after another.
    private static let imports = DispatchQueue(label: "hearth.emulator.imports")

    private func commit(
        _ commits: ArraySlice<Commit>, then done: @escaping BackendHost.Reply<Void>
    ) {
        guard let next = commits.first else { return done(.success(())) }
        host.commit(next.writes, in: next.database) { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success:
                // Without a disk the answer comes within the call, and thousands of calls would nest.
                Self.imports.async { commit(commits.dropFirst(), then: done) }
            }
        }
    }

    private static func bytes(
        of view: ReadView, _ format: DataFile.Format
    ) throws(HearthError) -> [UInt8] {
        let documents = view.allDocuments
        switch format {
        case .json: return try DataFile.json(of: [(view.database, documents)])
        case .bundle:
            return DataFile.bundle(
                of: documents, in: view.database, id: "export", readAt: view.moment)
        }
    }
}

extension ReadView {
    /// Every document that exists, by collection and name.
    var allDocuments: [Document] {
        var result: [Document] = []
        for collection in documents.collections(below: .root) {
            documents.visit(collection: collection, at: moment) { document in
                result.append(document)
                return true
            }
        }
        return result
    }
}
