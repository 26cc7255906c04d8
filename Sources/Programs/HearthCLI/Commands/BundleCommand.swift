import ArgumentParser
import Hearth

/// `hearth bundle`.
struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Load documents and named queries from a file, or pack one.",
        subcommands: [Load.self, Build.self, Query.self])

    /// `hearth bundle load`.
    struct Load: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load a bundle into this machine's cache.",
            discussion: """
                A bundle is loaded once, and not if a newer bundle of the same name was loaded; the \
                command says so. Of a broken bundle nothing is stored. From a web server: curl \
                --compressed URL | hearth bundle load -. JSON, a line for each step: state, \
                documentsLoaded, totalDocuments, bytesLoaded, totalBytes, wasSkipped.
                """)

        @Argument(help: "The file; - for standard input.", completion: .file())
        var file: String
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let bytes = try InputFile.read(
                file, byteCountMax: InputFile.dataByteCountMax)
            let session = try await Session.whenStarted(connection)
            let (connection, file) = (connection, file)
            let progress = try await session.attempt("load \(file)") {
                try await Self.load(bytes, session, connection)
            }
            if !connection.json, !connection.quiet { Terminal.print(Self.text(of: progress)) }
        }

        private static func text(of progress: LoadBundleTaskProgress) -> String {
            if progress.wasSkipped {
                return "nothing taken: this bundle, or a newer one of its name, was loaded before"
            }
            let documents = Quantity.count(progress.totalDocuments, "document", "documents")
            return "loaded \(documents), \(Quantity.bytes(progress.totalBytes))"
        }

        private static func load(
            _ bytes: [UInt8], _ session: Session, _ connection: ConnectionOptions
        ) async throws -> LoadBundleTaskProgress {
            let display = ProgressDisplay(
                "loading", total: bytes.count, isShown: !connection.quiet && !connection.json)
            defer { display.close() }
            return try await withCheckedThrowingContinuation { continuation in
                let task = session.firestore.loadBundle(bytes) { progress, error in
                    continuation.resume(
                        with: Result {
                            guard let progress else { throw error ?? CancellationError() }
                            return progress
                        })
                }
                task.addObserver { progress in
                    display.show(progress.bytesLoaded)
                    if connection.json { Terminal.print(line(progress)) }
                }
            }
        }

        private static func line(_ progress: LoadBundleTaskProgress) -> String {
            Report().with("state", "\(progress.state)")
                .with("documentsLoaded", progress.documentsLoaded)
                .with("totalDocuments", progress.totalDocuments)
                .with("bytesLoaded", progress.bytesLoaded)
                .with("totalBytes", progress.totalBytes)
                .with("wasSkipped", progress.wasSkipped).line
        }
    }

    /// `hearth bundle build`.
    struct Build: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pack what this machine's cache holds of queries and documents.",
            discussion: """
                Any SDK of Firestore can load the bundle. The bundle holds the documents as the \
                backend last told them, without writes of this machine that the backend has \
                not confirmed. JSON: name, bytes, output.
                """)

        @Argument(help: "The bundle's name.")
        var name: String

        @Option(
            parsing: .unconditionalSingleValue,
            help: ArgumentHelp(
                "A query and the name that it gets. Repeat it for more.",
                discussion: """
                    NAME=COLLECTION, then any of: group; where FIELD OP VALUE; order FIELD[:desc]; \
                    limit N; limit-to-last N.
                    """,
                valueName: "name=query"),
            transform: { try QueryText(parsing: $0) })
        var query: [QueryText] = []

        @Option(
            help: ArgumentHelp("A document besides. Repeat it for more.", valueName: "path"),
            completion: CompletionSubject.document.kind, transform: DocumentPath.parse)
        var document: [PathText] = []

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Where to write; - for standard output.", valueName: "file"),
            completion: .file())
        var output: String
        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            if query.isEmpty, document.isEmpty {
                throw ValidationError("Name at least one --query or --document.")
            }
        }

        func run() async throws {
            let session = try await Session.whenStarted(connection)
            let (name, query) = (name, query)
            let documents = try document.map { try session.document($0) }
            let bytes = try await session.attempt("build the bundle \(name)") {
                try await session.firestore.buildBundle(
                    named: name,
                    queries: query.map { ($0.name, try $0.query(in: session.firestore)) },
                    documents: documents)
            }
            try OutputFile.write(bytes, to: output)
            if output == "-" || connection.quiet { return }
            if connection.json {
                Terminal.print(
                    Report().with("name", name).with("bytes", bytes.count)
                        .with("output", output).line)
            } else {
                Terminal.print("built \(name): \(Quantity.bytes(bytes.count)) in \(output)")
            }
        }
    }

    /// `hearth bundle query`.
    struct Query: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the documents of a query that a loaded bundle named.",
            discussion: "JSON, a line for each document, as of hearth query.")

        @Argument(help: "The query's name.")
        var name: String
        @OptionGroup var source: SourceOption
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let session = try await Session.whenStarted(connection)
            let (name, source) = (name, source.source.source)
            let snapshot = try await session.attempt("query \(name)") {
                guard let query = try await session.firestore.namedQuery(name) else {
                    throw Failure(.failed, "No loaded bundle names a query \"\(name)\".")
                }
                return try await query.getDocuments(source: source)
            }
            for document in snapshot.documents {
                let text = DocumentText(document)
                Terminal.print(connection.json ? text.report.line : text.line)
            }
        }
    }
}
