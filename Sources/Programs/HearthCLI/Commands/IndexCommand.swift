import ArgumentParser
import Hearth

/// `hearth index`.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "List, make and drop the indexes of this machine's cache.",
        discussion: """
            They make queries of the cache quick and concern no backend. JSON of list, an object for \
            each: index, isAutomatic, isComplete. With --json one object: indexes, each with these \
            fields; createsAutomatically.
            """,
        subcommands: [List.self, Create.self, Drop.self, Auto.self, Load.self],
        defaultSubcommand: List.self)

    /// `hearth index list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the indexes.")

        @OptionGroup var list: FormatOption
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            try await IndexCommand.run("list the indexes", connection, list.format) {
                try await $0.indexes()
            }
        }
    }

    /// `hearth index create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make an index.")

        @OptionGroup var index: IndexArguments
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let index = index.index
            try await IndexCommand.run("make the index", connection) {
                try await $0.createIndex(index)
            }
        }
    }

    /// `hearth index drop`.
    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drop an index, or all of them, however they were made.")

        @Flag(help: "Drop all.")
        var all = false
        @OptionGroup var index: IndexArguments
        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            if all == (index.collection != nil) {
                throw ValidationError("Name an index, or drop --all.")
            }
        }

        func run() async throws {
            let (all, index) = (all, index.index)
            try await IndexCommand.run("drop the index", connection) {
                try await all ? $0.removeAllIndexes() : $0.deleteIndex(index)
            }
        }
    }

    /// `hearth index auto`.
    struct Auto: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let costly queries make the index that they lack, or not.")

        @Argument(help: "on or off.")
        var position: NetworkCommand.Position
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let isOn = position == .on
            try await IndexCommand.run("switch automatic indexes", connection) {
                try await $0.setIndexAutoCreation(isEnabled: isOn)
            }
        }
    }

    /// `hearth index load`.
    struct Load: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the indexes of a firestore.indexes.json.",
            discussion: "Others that were asked for go; those that queries made stay.")

        @Argument(help: "The file; - for standard input.", completion: .file())
        var file: String
        @OptionGroup var connection: ConnectionOptions

        func run() async throws {
            let json = String(decoding: try InputFile.read(file), as: UTF8.self)
            let session = try await Session.whenStarted(connection)
            try await session.attempt("load the indexes") {
                try await session.firestore.setIndexConfiguration(json)
            }
            try await IndexCommand.run("list the indexes", connection) { try await $0.indexes() }
        }
    }

    private static func run(
        _ what: String, _ connection: ConnectionOptions, _ format: ListFormat? = nil,
        _ body: @escaping @Sendable (PersistentCacheIndexManager) async throws -> CacheIndexes
    ) async throws {
        let session = try await Session.whenStarted(connection)
        let indexes = try await session.attempt(what) {
            guard let manager = session.firestore.persistentCacheIndexManager else {
                throw Failure(.failed, "The daemon keeps no cache.")
            }
            return try await body(manager)
        }
        guard !connection.json || format != nil else {
            return Terminal.print(indexes.report.line)
        }
        (format ?? .table).print(indexes.indexes, isQuiet: connection.quiet)
        if !connection.quiet {
            Terminal.write(
                "automatic indexes \(indexes.createsAutomatically ? "on" : "off")\n", to: .error)
        }
    }
}

extension CacheIndexes {
    /// The indexes and the setting as one object, for `--json`.
    fileprivate var report: Report {
        Report().with("indexes", .array(indexes.map(\.report.value)))
            .with("createsAutomatically", createsAutomatically)
    }
}

extension CacheIndexes.Entry: ListRow {
    static var columns: [Column<CacheIndexes.Entry>] {
        [
            Column("STATE", tone: { $0.isComplete ? .good : .warning }) {
                $0.isComplete ? "complete" : "being filled"
            },
            Column("MADE") { $0.isAutomatic ? "automatically" : "on demand" },
            Column("INDEX") { $0.description },
        ]
    }

    var report: Report {
        Report().with("index", description).with("isAutomatic", isAutomatic)
            .with("isComplete", isComplete)
    }
}

/// Which index.
struct IndexArguments: ParsableArguments {
    @Argument(help: "The id of the collections, such as rooms.")
    var collection: String?

    @Argument(
        help: ArgumentHelp(
            "The fields, in the order in which they count.",
            valueName: "field[:asc|desc|contains]"),
        transform: { try IndexText(parsing: $0) })
    var fields: [IndexText] = []

    @Flag(help: "Serve queries of all collections of the id.")
    var group = false

    /// The index; of no collection if none was named, which the daemon refuses.
    var index: CacheIndex {
        CacheIndex(
            collectionGroup: collection ?? "",
            fields: fields.map { .init($0.field.fieldPath, $0.kind) }, isGroup: group)
    }
}
