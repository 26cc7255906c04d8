import ArgumentParser
import Hearth

/// `hearth import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Write the records of a JSON file as documents.",
        discussion: """
            The file is what "hearth export" wrote, with a path for each document. Or, with \
            --collection, it holds records: an array, an object with an array in it (--array), or \
            one object after the other. Their fields can be made from others:

              --derive country=code:before:-           "DE-BE" gives "DE"
              --derive letter=name:first:1:upper
              --derive home=code:before:-:ref:countries

            Steps: before:TEXT after:TEXT first:N last:N lower upper integer ref:COLLECTION. JSON: \
            collection, documents, batches, state.
            """)

    @Argument(help: "The file; \"-\" is standard input.", completion: .file())
    var file: String
    @Option(
        help: ArgumentHelp("The member of the file's object that is the array.", valueName: "name"))
    var array: String?
    @Option(
        help: ArgumentHelp("Where records become documents.", valueName: "path"),
        completion: CompletionSubject.collection.kind, transform: CollectionPath.parse)
    var collection: PathText?
    @Option(
        help: ArgumentHelp(
            "The field that names the document; without it, names are made up.",
            valueName: "field"),
        transform: { try FieldPathText($0) })
    var id: FieldPathText?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Make a field from another.", valueName: "field=field:step..."),
        transform: { try Derivation(parsing: $0) })
    var derive: [Derivation] = []
    @Option(
        help: ArgumentHelp(
            "Documents that are written together; fewer if large.", valueName: "1-500"),
        transform: WholeNumber.parse(in: 1...500))
    var batchSize = 500
    @OptionGroup var write: StageOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if collection == nil, array != nil || id != nil || !derive.isEmpty {
            throw ValidationError("--array, --id and --derive need --collection.")
        }
    }

    func run() async throws {
        let plan = ImportPlan(
            isExport: collection == nil, idField: id, derivations: derive, arrayName: array,
            fileName: InputFile.name(of: file))
        let records = try plan.records(
            in: try InputFile.read(file, byteCountMax: InputFile.dataByteCountMax))
        let session = try await Session.whenStarted(
            connection, timeout: write.timeout?.duration)
        let importer = Importer(
            firestore: session.firestore,
            collection: try collection.map { try session.collection($0) },
            pace: Importer.Pace(documentCountMax: batchSize, stage: write.until.stage))
        let display = ProgressDisplay(
            "importing", total: records.count, isShown: !connection.quiet)
        defer { display.close() }
        let batchCount = try await session.attempt(
            "import \(file)", timeout: write.timeout?.duration
        ) {
            try await importer.run(records) { display.show($0) }
        }
        display.close()
        report(records.count, batchCount)
    }

    private func report(_ count: Int, _ batchCount: Int) {
        let state = write.until.rawValue
        if connection.json {
            Terminal.print(
                Report().with("collection", collection?.description).with("documents", count)
                    .with("batches", batchCount).with("state", state).line)
        } else if !connection.quiet {
            let documents = Quantity.count(count, "document", "documents")
            let batches = Quantity.count(batchCount, "batch", "batches")
            let place = collection.map { " in \($0)" } ?? ""
            Terminal.print("\(state) \(documents)\(place), \(batches)")
        }
    }
}

extension Session {
    /// A collection of the database.
    func collection(_ path: PathText) throws(Failure) -> CollectionReference {
        do {
            return try firestore.validatedCollection(path.description)
        } catch {
            throw Failure(.usage, "\(error)".oneLine)
        }
    }
}
