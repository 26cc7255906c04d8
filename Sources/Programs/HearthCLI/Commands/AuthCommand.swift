import ArgumentParser
import Hearth

/// `hearth auth`.
struct AuthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth",
        abstract: "Tell who the daemon is to the backend, sign users in and out.",
        discussion: """
            Each Firebase user has a queue of their own. Writes of one wait while another is signed \
            in. JSON of all: user (null for none), source, isChangeable, problem.
            """,
        subcommands: [Status.self, SignIn.self, SignOut.self], defaultSubcommand: Status.self)

    /// `hearth auth status`.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Print who the daemon is to the backend.",
            discussion: "Ends with status 1 if there is nothing to show to the backend.")

        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            let session = try await OperatorSession.open(connection)
            let identity = try await session.attempt("ask who is signed in") {
                try await session.database.daemonIdentity()
            }
            AuthCommand.print(identity, connection)
            if identity.problem != nil { throw Failure(silently: .failed) }
        }
    }

    /// `hearth auth sign-in`.
    struct SignIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-in", abstract: "Sign a Firebase user in, for all programs.",
            discussion: """
                The password is asked for at the terminal, unless a file holds it; so is the custom \
                token. No argument takes either, for others could read it. Root and the daemon's own \
                user may.
                """)

        @Option(help: ArgumentHelp("Whose password it is.", valueName: "address"))
        var email: String?
        @Option(
            help: ArgumentHelp(
                "Where the password is, on the first line; - for standard input.",
                valueName: "path"), completion: .file())
        var passwordFile: String?
        @Flag(help: "Make the account.")
        var new = false
        @Flag(help: "Sign in with a custom token.")
        var customToken = false
        @Option(
            help: ArgumentHelp(
                "Where the custom token is, on the first line; - for standard input.",
                valueName: "path"), completion: .file())
        var customTokenFile: String?
        @Flag(help: "Sign in as a new user without a name.")
        var anonymous = false
        @OptionGroup var connection: OperatorOptions

        func validate() throws {
            let isByToken = customToken || customTokenFile != nil
            let ways = [email != nil, isByToken, anonymous]
            guard ways.count(where: { $0 }) == 1 else {
                throw ValidationError("Choose one of --email, --custom-token and --anonymous.")
            }
            guard email != nil || (passwordFile == nil && !new) else {
                throw ValidationError("--password-file and --new go with --email.")
            }
        }

        func run() async throws {
            let session = try await OperatorSession.open(connection)
            let way = try way()
            let identity = try await session.attempt("sign in") {
                try await session.database.signInDaemon(way)
            }
            AuthCommand.print(identity, connection)
        }

        private func way() throws(Failure) -> DaemonSignIn {
            if anonymous { return .anonymous }
            guard let email else {
                return .customToken(
                    try SecretInput.read(
                        customTokenFile, "custom token", option: "--custom-token-file"))
            }
            let password = try SecretInput.read(
                passwordFile, "password", option: "--password-file")
            return new
                ? .newAccount(email: email, password: password)
                : .password(email: email, password: password)
        }
    }

    /// `hearth auth sign-out`.
    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Sign the Firebase user out, for all programs.",
            discussion: """
                Stays so after a restart, until somebody signs in. What the user wrote waits for \
                them. Root and the daemon's own user may.
                """)

        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            let session = try await OperatorSession.open(connection)
            let identity = try await session.attempt("sign out") {
                try await session.database.signOutDaemon()
            }
            AuthCommand.print(identity, connection)
        }
    }

    private static func print(_ identity: DaemonIdentity, _ connection: OperatorOptions) {
        if connection.json {
            Terminal.print(
                Report().with("user", identity.userID).with("source", identity.source)
                    .with("isChangeable", identity.isChangeable).with("problem", identity.problem)
                    .line)
        } else if connection.quiet {
            Terminal.print(identity.userID ?? "")
        } else {
            Terminal.print("user: \(identity.userID ?? "none")")
            Terminal.print("credentials: \(identity.source)")
            if let problem = identity.problem { Terminal.print("problem: \(problem)") }
        }
    }
}
