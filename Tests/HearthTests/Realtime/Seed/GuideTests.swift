import Glibc
import HearthModel
import HearthTestSupport
import Synchronization
import Testing

@testable import Hearth

/// What pages about the Realtime Database show, run against a database in memory over a real socket.
///
/// All snippets find the machine's daemon by the environment, so the tests run one at a time.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GuideTests {
    /// The machine's daemon.
    private static let machine = Result { () throws -> TreeDaemon in
        let server = try TreeDaemon()
        setenv("HEARTH_SOCKET", server.daemon.path, 1)
        return server
    }

    /// What a test's calls have said so far.
    final class Transcript: Sendable {
        private let said = Mutex<[String]>([])

        func note(_ line: String) { said.withLock { $0.append(line) } }

        var lines: [String] { said.withLock { $0 } }
    }

    let server: TreeDaemon
    let said = Transcript()
    let user: Hearth.User
    let ref: DatabaseReference

    init() throws {
        Firestore.firestore().terminate()  // An earlier test's, which `Auth` would ask.
        server = try Self.machine.get()
        server.set(.root, to: .empty)
        ref = Database.database().reference()
        user = try #require(Auth.auth().currentUser)
    }

    /// Waits until a line was said.
    func said(_ line: String) async throws {
        _ = try await eventually({ said.lines }, is: { $0.contains(line) })
    }
}
