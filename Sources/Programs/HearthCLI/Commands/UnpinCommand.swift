import ArgumentParser
import Hearth

/// `hearth unpin`.
struct UnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin", abstract: "End pins.",
        discussion: """
            The daemon no longer keeps their results in step, and the cache may lose them. `hearth \
            pins` tells the names. JSON: name, state (ended).
            """)

    @Argument(help: "The names of the pins.", completion: CompletionSubject.pin.kind)
    var names: [String]
    @Option(
        help: "The Unix user whose pins are meant, if not yours; for administrators.",
        transform: WholeNumber.parse(in: 0...UInt32.max))
    var uid: UInt32?
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if names.isEmpty { throw ValidationError("Name a pin; \"hearth pins\" lists them.") }
    }

    func run() async throws {
        let session = try await Session.whenStarted(connection)
        let uid = uid
        for name in names {
            try await session.attempt("unpin \(name)") {
                try await session.firestore.unpin(name, uid: uid)
            }
            if connection.json {
                Terminal.print(Report().with("name", name).with("state", "ended").line)
            } else if !connection.quiet {
                Terminal.print("ended \(name)")
            }
        }
    }
}
