import Glibc
import Hearth

/// A program that listens to a place of the Realtime Database, for `Scripts/bench-memory`.
///
///     NodeListener PATH
///
/// It sets the place first: without a backend, nobody knows what is there. The daemon's socket is in
/// `$HEARTH_SOCKET`.
@main
struct NodeListener {
    static func main() async throws {
        guard let path = CommandLine.arguments.dropFirst().first else {
            say("usage: NodeListener PATH")
            exit(64)
        }
        let place = Database.database().reference(withPath: path)
        try await place.setValue(1, until: .accepted)
        var number = 0
        for try await snapshot in place.values {
            number += 1
            say("snapshot \(number): \(snapshot.value as? Int ?? 0)")
        }
    }

    /// Prints a line at once, also into a file.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
