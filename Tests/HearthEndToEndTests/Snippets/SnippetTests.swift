import Glibc
import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// The calls of Firestore's own pages for Swift, one test for each, run against a real daemon.
///
/// A test is named after the page and the heading. What Linux changes in the calls, each once:
///
/// - `import Hearth` stands for the imports of Firebase, and there is no `FirebaseApp.configure()`:
///   the daemon knows project and credentials.
/// - `sizeBytes` takes a plain integer: `as NSNumber` is a bridge of Apple's platforms.
/// - A stream of Foundation's is made a `ByteStream` by one line, because the library does without
///   Foundation.
///
/// `print` is the suite's own, so that a test sees the output that the page's reader would see.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SnippetTests {
    let world: World
    let machine: Machine
    let said = Transcript()

    /// The program's `Firestore`, found as every program finds it.
    let db: Firestore

    init() throws {
        world = try World()
        machine = try world.machine()
        Firestore.firestore().terminate()  // An earlier test's.
        setenv("HEARTH_SOCKET", machine.socketPath, 1)
        db = Firestore.firestore()
    }

    /// Stands before Swift's own inside the suite.
    func print(_ item: Any) { said.note("\(item)") }

    /// Another program of the same machine.
    func neighbour() -> Firestore { machine.client() }
}

/// What a test's calls have said so far.
final class Transcript: Sendable {
    private let said = Mutex<[String]>([])

    func note(_ line: String) { said.withLock { $0.append(line) } }

    var lines: [String] { said.withLock { $0 } }

    /// Waits until a line has been said.
    func waitFor(_ isRight: (String) -> Bool) async throws {
        _ = try await eventually({ lines }, is: { $0.contains(where: isRight) })
    }
}
