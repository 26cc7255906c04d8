import ArgumentParser
import Hearth

/// `hearth set`.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Make a document, or replace it.",
        discussion: """
            Fields come as FIELD=VALUE, as --json-data, or with \"-\" as JSON on standard input. A \
            field's name may be a path such as lamp.on; names with dots or spaces go in backticks. \
            JSON: path, state, batch, and commitTime if the backend has it.
            """)

    @Argument(
        help: "The document, such as rooms/hall.", completion: CompletionSubject.document.kind,
        transform: DocumentPath.parse)
    var path: PathText
    @Argument(help: ArgumentHelp("FIELD=VALUE, or \"-\".", valueName: "field=value"))
    var fields: [String] = []
    @Option(help: ArgumentHelp("All fields as one object.", valueName: "json"))
    var jsonData: String?
    @Flag(help: "Keep the fields that are not named. delete() removes one.")
    var merge = false
    @OptionGroup var write: StageOptions
    @OptionGroup var terms: TermOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let data = try data()
        let session = try await Session.whenStarted(
            connection, timeout: write.timeout?.duration)
        let reference = try session.document(path)
        let (merge, terms) = (merge, terms)
        try await session.write(path, write, connection) { stage in
            let fields = try data.encodedDocument(in: reference.firestore)
            return try await reference.setData(
                fields, merge: merge, precondition: terms.precondition,
                expires: terms.expiry, whenOnlineOnly: terms.onlyOnline, until: stage)
        }
    }

    private func data() throws(Failure) -> ValueLiteral {
        if let jsonData {
            guard fields.isEmpty else {
                throw Failure(.usage, "FIELD=VALUE and --json-data exclude each other.")
            }
            return try Self.read(Array(jsonData.utf8), from: "--json-data")
        }
        if fields == ["-"] {
            return try Self.read(try InputFile.read("-"), from: "standard input")
        }
        return try Assignment.map(try Assignment.all(fields))
    }

    private static func read(_ bytes: [UInt8], from place: String) throws(Failure) -> ValueLiteral {
        do throws(ValueSyntaxError) {
            return try ValueReader.read(bytes)
        } catch {
            throw Failure(.usage, "What \(place) says is no value \(error).")
        }
    }
}

extension Assignment {
    /// Reads all of `FIELD=VALUE ...`.
    static func all(_ texts: [String]) throws(Failure) -> [Assignment] {
        var assignments: [Assignment] = []
        for text in texts {
            do throws(ValueSyntaxError) {
                assignments.append(try Assignment(parsing: text))
            } catch {
                throw Failure(.usage, "\"\(text)\" is no FIELD=VALUE: \(error).".oneLine)
            }
        }
        return assignments
    }
}
