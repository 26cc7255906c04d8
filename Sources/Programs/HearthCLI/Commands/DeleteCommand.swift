import ArgumentParser
import Hearth

/// `hearth delete`.
struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a document, if there is one.",
        discussion: """
            Collections below it stay. JSON: path, state, batch, and commitTime if the backend has \
            it.
            """)

    @Argument(
        help: "The document, such as rooms/hall.", completion: CompletionSubject.document.kind,
        transform: DocumentPath.parse)
    var path: PathText
    @OptionGroup var write: StageOptions
    @OptionGroup var terms: TermOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try await Session.whenStarted(
            connection, timeout: write.timeout?.duration)
        let reference = try session.document(path)
        let terms = terms
        try await session.write(path, write, connection) { stage in
            try await reference.delete(
                precondition: terms.precondition, expires: terms.expiry,
                whenOnlineOnly: terms.onlyOnline, until: stage)
        }
    }
}
