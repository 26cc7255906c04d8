import HearthModel
import HearthRemote
import HearthTestSupport
import Synchronization

/// Firebase Auth of a test: knows some passwords, makes users, and can forget them.
final class StubFirebase: Sendable {
    private struct State {
        var lastNumber = 0
        /// Users by refresh token.
        var users: [String: String] = [:]
        var isDown = false
    }

    static let apiKey = Secret("AIza-api-key")

    private let state = Mutex(State())

    /// Makes every refresh token worthless.
    func forgetEverybody() { state.withLock { $0.users = [:] } }

    /// Makes the stub answer only that it is busy.
    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Answers one question.
    func answer(_ question: StubEndpoint.Question) -> StubEndpoint.Answer {
        if state.withLock({ $0.isDown }) { return .json("{}", status: 503) }
        guard question.target.hasSuffix("?key=\(Self.apiKey.revealed)") else {
            return Self.refusal("API key not valid.")
        }
        let json = try? JSONReader.read(Array(question.body.utf8))
        switch question.path {
        case "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword":
            guard let email = json?["email"]?.string, json?["password"]?.string == "hunter2" else {
                return Self.refusal("INVALID_LOGIN_CREDENTIALS")
            }
            return signIn("user-\(email)", names: Self.camel)
        case "/identitytoolkit.googleapis.com/v1/accounts:signUp":
            if let email = json?["email"]?.string {
                return signIn("user-\(email)", names: Self.camel)
            }
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            return signIn("anonymous-\(number)", names: Self.camel)
        case "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken":
            guard json?["token"]?.string == "custom-token" else {
                return Self.refusal("INVALID_CUSTOM_TOKEN")
            }
            return signIn("custom", names: Self.camelWithoutUser)
        case "/securetoken.googleapis.com/v1/token":
            let token = question.form["refresh_token"] ?? ""
            guard question.form["grant_type"] == "refresh_token",
                let user = state.withLock({ $0.users[token] })
            else { return Self.refusal("TOKEN_EXPIRED") }
            return signIn(user, names: Self.snake)
        default:
            return .json("{}", status: 404)
        }
    }

    private static let camel = ["idToken", "refreshToken", "expiresIn", "localId"]
    private static let camelWithoutUser = ["idToken", "refreshToken", "expiresIn", "kind"]
    private static let snake = ["id_token", "refresh_token", "expires_in", "user_id"]

    private func signIn(_ user: String, names: [String]) -> StubEndpoint.Answer {
        let refreshToken = "refresh-token-of-\(user)"
        state.withLock { $0.users[refreshToken] = user }
        let values = [Self.idToken(of: user), refreshToken, "3600", user]
        let members = zip(names, values).map { "\"\($0)\": \"\($1)\"" }
        return .json("{\(members.joined(separator: ", "))}")
    }

    /// An ID token as this service makes them: one for each user, for ever.
    static func idToken(of user: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        var bits = 0
        var count = 0
        for byte in #"{"user_id":"\#(user)"}"#.utf8 {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[bits >> count & 63])
            }
        }
        if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
        return "e30.\(text).signature"
    }

    private static func refusal(_ message: String) -> StubEndpoint.Answer {
        .json(#"{"error": {"code": 400, "message": "\#(message)"}}"#, status: 400)
    }
}

/// A machine on which a Firebase user signs in, over several lives of its process.
struct FirebaseBench {
    let folder = TemporaryFolder()
    let clock = ManualRemoteClock()
    let users = Heard<UserID>()
    let states = Heard<CredentialsState>()

    /// What was told, in order.
    final class Heard<Value: Sendable>: Sendable {
        private let values = Mutex<[Value]>([])

        var all: [Value] { values.withLock { $0 } }

        func hear(_ value: Value) { values.withLock { $0.append(value) } }
    }

    var path: String { "\(folder.path)/state/sign-in.json" }

    /// A new life of the process.
    func user(
        _ configured: FirebaseUser.Configured, at host: String, origin: String = "test"
    ) -> FirebaseUser {
        FirebaseUser(
            FirebaseAuth(apiKey: StubFirebase.apiKey, emulator: host, clock: clock),
            signingIn: configured, keptIn: FirebaseSessionFile(path: path, origin: origin),
            clock: clock, watch: { [states] in states.hear($0) },
            userChanged: { [users] in users.hear($0) })
    }

    /// The header that shows a user.
    static func headers(of user: String) -> [Header] {
        [.bearer(Secret(StubFirebase.idToken(of: user)))]
    }
}
