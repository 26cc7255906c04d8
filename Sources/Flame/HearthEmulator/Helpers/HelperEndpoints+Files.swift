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

    /// Imports the bytes of a file, each database in one commit.
    ///
    /// - Parameter database: The database for paths that name no database.
    func load(
        _ bytes: [UInt8], into database: DatabaseID, then done: @escaping BackendHost.Reply<Void>
    ) {
        do throws(HearthError) {
            var contents = try DataFile.read(bytes, database: database)[...]
            loadNext(&contents, done)
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

    private func loadNext(
        _ contents: inout ArraySlice<DataFile.Content>, _ done: @escaping BackendHost.Reply<Void>
    ) {
        guard let content = contents.popFirst() else { return done(.success(())) }
        let rest = contents
        let writes = content.documents.map { Mutation(key: $0.key, kind: .set($0.fields)) }
        host.commit(writes, in: content.database) { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success:
                var rest = rest
                loadNext(&rest, done)
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
