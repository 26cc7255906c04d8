package import HearthFirestore
package import HearthModel
package import HearthWire

/// One client's session: who it is, what it may ask, how much, and when it is over.
///
///     greeting --hello--> attaching --attached--> open --ended--> over
///
/// Decides; the handler reads, writes and closes. What requests become for the engine, and what the
/// engine says becomes for the client, is the dialogue's matter. Numbers of requests and listeners are
/// the client's, so an answer needs no table but the one that counts what is owed.
package struct SessionMachine: Sendable {
    /// What the daemon tells a session at its start.
    package struct Configuration: Sendable {
        /// The session's number.
        package var session: UInt64
        /// Who is at the other end, as the kernel says.
        package var peer: Peer
        /// The database of those who name none.
        package var defaultDatabase: DatabaseID?
        /// What the session may do, and what it may make the daemon hold.
        package var limits: SessionLimits
        /// The daemon's version, for people.
        package var daemonVersion: String
        /// How the daemon is set up, for programs that count on it.
        package var setup: DaemonSetup?
        /// Who may do what.
        package var access = AccessPolicy.open

        /// Takes the parts.
        package init(
            session: UInt64, peer: Peer, defaultDatabase: DatabaseID?, limits: SessionLimits,
            daemonVersion: String, setup: DaemonSetup? = nil
        ) {
            self.session = session
            self.peer = peer
            self.defaultDatabase = defaultDatabase
            self.limits = limits
            self.daemonVersion = daemonVersion
            self.setup = setup
        }
    }

    /// What the handler must do.
    package enum Action: Equatable, Sendable {
        /// Find the database's engine, then call `attached` or `attachFailed`.
        case attach(DatabaseID)
        /// Put an input in the engine's mailbox.
        case submit(FirestoreEngine.Input)
        /// Put an input in the engine's mailbox if no other session uses the database; else call
        /// `reported` with a failure.
        case submitAlone(FirestoreEngine.Input, UInt64)
        /// Write an event.
        case reply(Event, UInt64)
        /// Write a snapshot to a listener.
        case snapshot(SharedSnapshot, UInt64)
        /// Write the result of a one-time read.
        case answer(SharedSnapshot, UInt64)
        /// Forget what waits for a listener.
        case forgetSnapshots(UInt64)
        /// Find out something, then call `reported`.
        case ask(Question, UInt64)
        /// Tell the journal of a request that the access rules did not allow.
        case noteRefusal(AccessRefusal)
        /// Write what is owed and this error, then close.
        case end(HearthError)
    }

    /// What a session wants to know that no engine can tell.
    package enum Question: Equatable, Sendable {
        /// What operators want to know; with a user, of that user's processes alone.
        case inquiry(Inquiry, ofUser: UInt32?)
        /// What changes if the configuration is read again.
        case reload
        /// Who is signed in, after a change if one is ordered.
        case signIn(SignInOrder)
    }

    enum State: Sendable {
        case greeting
        case attaching(Hello, number: UInt64, version: UInt32)
        case open
        case over

        var isOver: Bool { if case .over = self { true } else { false } }
    }

    var configuration: Configuration
    /// What the access rules allow the peer, once it has named a database.
    var grant: AccessGrant?
    /// What the journal knows already.
    var notedRefusals: Set<NotedRefusal> = []
    var state = State.greeting
    var owed = OwedAnswers()
    /// What Firestore's requests become; `nil` until the client has named a database.
    var dialogue: FirestoreDialogue?
    /// What the other sessions of the same Unix user listen to, as the handler has found out.
    package var othersListenerCount = 0
    /// What the other sessions of the same Unix user wait for, as the handler has found out.
    package var othersRequestCount = 0
    var greeting: Hello?

    /// The session's codec; it knows the database when the session is open.
    package internal(set) var codec = WireCodec()

    /// Makes a session that waits for Hello.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// The session's database, once it is open.
    package var database: DatabaseID? { codec.database }

    /// The program's name for itself.
    package var program: String? { greeting.flatMap { $0.program.isEmpty ? nil : $0.program } }

    /// How many listeners the session has.
    package var openListenerCount: Int { owed.listenerCount }

    /// How many requests have no answer yet. Listeners and accepted writes do not count.
    package var openRequestCount: Int { owed.requestCount }

    /// Bytes that are kept for the session until it is answered, or ends its listeners.
    package var heldByteCount: Int {
        owed.byteCount + owed.numberCount * ClientMemory.requestByteCount
            + owed.listenerCount * ClientMemory.listenerByteCount
    }

    /// Of these, bytes of requests that the engine will answer, whatever the client does.
    package var waitingByteCount: Int { owed.waitingByteCount }

    /// Whether Hello has not come yet.
    package var isGreeting: Bool { if case .greeting = state { true } else { false } }

    /// Whether the rules let the session do anything in its database, for which an engine may be made.
    package var mayOpenDatabase: Bool { grant?.holdsAnything ?? false }

    // MARK: Frames

    /// A frame has come. An unknown kind or an unreadable body fails that request alone.
    package mutating func received(kind: UInt8, number: UInt64, body: RawSpan) -> [Action] {
        if case .over = state { return [] }  // Frames behind the one that ended the session.
        guard number != 0 else {
            return end(.init(code: .invalidArgument, message: "A request needs a number above 0."))
        }
        do throws(WireError) {
            let actions = received(try codec.request(kind: kind, body: body), number: number)
            owed.charge(body.byteCount, to: number)
            return actions
        } catch {
            guard case .open = state else { return end(error.hearthError) }
            return [.reply(.failed(error.hearthError), number)]
        }
    }

    /// A request has come.
    package mutating func received(_ request: Request, number: UInt64) -> [Action] {
        switch state {
        case .greeting:
            guard case .session(.hello(let hello)) = request else {
                return end(WireError.noDatabaseYet.hearthError)
            }
            return received(hello, number: number)
        case .attaching:
            return end(
                .init(code: .failedPrecondition, message: "Wait for Welcome before asking more."))
        case .open: return asked(request, number)
        case .over: return []
        }
    }

    /// The stream cannot be read any more.
    package mutating func failed(_ error: FrameError) -> [Action] {
        end(
            .init(
                code: .invalidArgument,
                message: "\(error) The limit is limits.frameByteCountMax of hearthd.toml."))
    }

    /// Hello did not come in time.
    package mutating func greetingTimedOut() -> [Action] {
        guard isGreeting else { return [] }
        return end(.init(code: .deadlineExceeded, message: "No Hello came."))
    }

    /// A frame was begun and did not end in time.
    package mutating func frameTimedOut(secondsMax: Int) -> [Action] {
        end(
            .init(
                code: .deadlineExceeded,
                message: "A frame was begun and has not ended within limits.frameSecondsMax = "
                    + "\(secondsMax) seconds."))
    }

    /// The daemon goes down, or the client has used up what it may.
    package mutating func end(_ error: HearthError) -> [Action] {
        if case .over = state { return [] }
        state = .over
        return [.end(error)]
    }

    /// Forgets what is owed, so that nothing is kept for a session that is over.
    package mutating func release() {
        precondition(state.isOver, "A session is released that is not over")
        owed = OwedAnswers()
        dialogue?.release()
    }

    // MARK: Greeting

    private mutating func received(_ hello: Hello, number: UInt64) -> [Action] {
        guard let version = Hello.commonVersion(Hello.supportedVersions, hello.versions) else {
            let (ours, theirs) = (Hello.supportedVersions, hello.versions)
            return end(
                .init(
                    code: .unimplemented,
                    message: "The client speaks versions \(theirs.lowerBound) to "
                        + "\(theirs.upperBound), the daemon \(ours.lowerBound) to "
                        + "\(ours.upperBound). Update the older of the two."))
        }
        guard let database = hello.database ?? defaultDatabase(named: hello.databaseName) else {
            return end(
                .init(
                    code: .failedPrecondition,
                    message: "No database: name one in Hello, or set database.project in "
                        + "hearthd.toml."))
        }
        guard StoreFolder.isID(database.project), StoreFolder.isID(database.database) else {
            return end(.noDatabaseID)
        }
        state = .attaching(hello, number: number, version: version)
        greeting = hello
        codec = WireCodec(database: database)
        dialogue = FirestoreDialogue(configuration, hello, in: database)
        setGrant(AccessGrant(configuration.access, to: configuration.peer, in: database))
        return [.attach(database)]
    }

    private func defaultDatabase(named name: String?) -> DatabaseID? {
        configuration.defaultDatabase.map {
            DatabaseID(project: $0.project, database: name ?? $0.database)
        }
    }

    /// The database has an engine.
    package mutating func attached() -> [Action] {
        guard case .attaching(_, let number, let version) = state, let database else { return [] }
        state = .open
        let welcome = Welcome(
            version: version, sessionID: configuration.session, database: database,
            daemonVersion: configuration.daemonVersion,
            limits: configuration.limits.toldInWelcome, setup: configuration.setup)
        return [.reply(.welcome(welcome), number)]
    }

    /// The database cannot have an engine.
    package mutating func attachFailed(_ error: HearthError) -> [Action] {
        guard case .attaching = state else { return [] }
        return end(error)
    }
}
