import Dispatch
import HearthModel
import HearthWire
import Synchronization

/// Who is signed in at the backend, for programs that ask FirebaseAuth.
///
/// The daemon signs in for all programs of the machine; `hearth auth sign-in` changes the user. Nothing
/// else of FirebaseAuth is here.
public final class Auth: Sendable {
    private static let shared = Auth()

    /// How long `currentUser` waits for a daemon.
    private static let timeout = DispatchTimeInterval.seconds(2)

    private let lastUser = Mutex<User?>(nil)

    private init() {}

    /// The one object of the program.
    public static func auth() -> Auth { shared }

    /// The user who is signed in; `nil` for none.
    ///
    /// Each call asks the daemon, which blocks the thread for a round trip on this machine. If no
    /// daemon answers within two seconds, the last answer counts.
    public var currentUser: User? {
        let answer = UserAnswer()
        let client = Self.client
        client.request(
            client.nextOperation(), .administration(.authenticate(.tell))
        ) { answer.put($0) }
        guard let user = answer.wait(atMost: Self.timeout) else {
            return lastUser.withLock { $0 }
        }
        lastUser.withLock { $0 = user }
        return user
    }

    /// A connection that the program has anyway, if there is one.
    private static var client: Client {
        if let database = Database.inUse.first { return database.client }
        let firestore = Firestore.firestore()
        return firestore.client.isInUse ? firestore.client : Database.database().client
    }
}

/// A user who is signed in at the backend.
public struct User: Hashable, Sendable {
    /// The user's identifier.
    public let uid: String

    init(uid: String) {
        self.uid = uid
    }
}

/// One answer for a thread that waits.
private final class UserAnswer: Sendable {
    private let user = Mutex<User??>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func put(_ result: Result<Event, any Error>) {
        if case .success(.signIn(let report)) = result {
            let isNobody = report.user == .unauthenticated
            user.withLock { $0 = .some(isNobody ? nil : User(uid: report.user.rawValue)) }
        }
        isThere.signal()
    }

    /// Waits; `nil` if no answer came.
    func wait(atMost timeout: DispatchTimeInterval) -> User?? {
        _ = isThere.wait(timeout: .now() + timeout)
        return user.withLock { $0 }
    }
}
