import ArgumentParser
import Hearth

/// `hearth update`.
struct UpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change fields of a document that exists.",
        discussion: """
            Each field is replaced, or removed by delete(), or changed by an order such as \
            increment(1) or serverTimestamp(). If the document does not exist, the backend refuses \
            the write. JSON: path, state, batch, and commitTime if the backend has it.
            """)

    @Argument(
        help: "The document, such as rooms/hall.", completion: CompletionSubject.document.kind,
        transform: DocumentPath.parse)
    var path: PathText
    @Argument(help: ArgumentHelp("FIELD=VALUE.", valueName: "field=value"))
    var fields: [String]
    @OptionGroup var write: StageOptions
    @OptionGroup var terms: TermOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let assignments = try Assignment.all(fields)
        _ = try Assignment.map(assignments)  // No field twice, none in another.
        let session = try await Session.whenStarted(
            connection, timeout: write.timeout?.duration)
        let reference = try session.document(path)
        let terms = terms
        try await session.write(path, write, connection) { stage in
            var data: [AnyHashable: Any] = [:]
            for assignment in assignments {
                data[assignment.field.fieldPath] = try assignment.value.encoded(
                    in: reference.firestore)
            }
            return try await reference.updateData(
                data, precondition: terms.precondition, expires: terms.expiry,
                whenOnlineOnly: terms.onlyOnline, until: stage)
        }
    }
}
