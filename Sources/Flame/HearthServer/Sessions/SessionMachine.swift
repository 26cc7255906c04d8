package import HearthEngine
package import HearthModel
package import HearthWire

/// The session of one client: the client's identity, rights and quotas, and the session's end.
///
///     greeting --hello--> attaching --attached--> open --ended--> over
///
/// The machine decides; the handler reads, writes and closes. The dialogue turns requests into
/// inputs of the engine, and the engine's news into answers. The client chooses the numbers of
/// requests and listeners, so an answer needs no table except the table of owed answers.
///
/// The machine cannot be copied: its handler would copy some thirty references to ask the machine
/// anything.
package struct SessionMachine: ~Copyable, Sendable {
    /// The values that the daemon gives a session at the start.
    package struct Configuration: Sendable {
        /// The session's number.
        package var session: UInt64
        /// Who is at the other end, as the kernel says.
        package var peer: Peer
        /// The databases of clients that name none, and the databases that clients may name.
        package var directory: DatabaseDirectory
        /// The limits of the session, and of the memory that the daemon holds for the session.
        package var limits: SessionLimits
        /// The daemon's version, for people.
        package var daemonVersion: String
        /// How the daemon is set up for each kind of database, for programs that count on it.
        package var setups: DaemonSetups?
        /// Who may do what.
        package var access = AccessPolicy.open
        /// The number of the daemon's stores, which a restore changes; 0 if there is none.
        package var storeGeneration: UInt64 = 0

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - session: The session's number.
        ///   - peer: Who is at the other end, as the kernel says.
        ///   - directory: The databases of clients that name none, and the databases that clients
        ///     may name.
        ///   - limits: The limits of the session, and of the memory that the daemon holds for the
        ///     session.
        ///   - daemonVersion: The daemon's version, for people.
        ///   - setups: How the daemon is set up for each kind of database; `nil` if programs are
        ///     told nothing.
        package init(
            session: UInt64, peer: Peer, directory: DatabaseDirectory, limits: SessionLimits,
            daemonVersion: String, setups: DaemonSetups? = nil
        ) {
            self.session = session
            self.peer = peer
            self.directory = directory
            self.limits = limits
            self.daemonVersion = daemonVersion
            self.setups = setups
        }
    }

    /// What the handler must do.
    package enum Action: Equatable, Sendable {
        /// Find the database's engine, then call `attached` or `attachFailed`.
        case attach(EngineKey)
        /// Put an input in the engine's mailbox.
        case submit(SessionInput)
        /// Put an input in the engine's mailbox if no other session uses the database; else call
        /// `reported` with a failure.
        case submitAlone(SessionInput, UInt64)
        /// Write an event.
        case reply(Event, UInt64)
        /// Write a snapshot to a listener.
        case snapshot(SharedSnapshot, UInt64)
        /// Write news of a view to a listener.
        case news(SharedNodes, UInt64)
        /// Write the result of a one-time read of the Realtime Database.
        case nodes(SharedNodes, UInt64)
        /// Write a step of a transaction.
        case step(SharedNodes, UInt64)
        /// Write the result of a one-time read.
        case answer(SharedSnapshot, UInt64)
        /// Write the daemon's state to a listener, in the place of the state that waits for it.
        case status(Report, UInt64)
        /// Forget what waits for a listener.
        case forgetNews(UInt64)
        /// Find out something, then call `reported`.
        case ask(Question, UInt64)
        /// Tell the client under this number which memory file of hot documents the session has:
        /// now, and whenever the session gets another file or loses the file.
        case shareReads(UInt64)
        /// Call `told` whenever the daemon's state may have changed in one of these scopes. The set
        /// replaces the earlier scopes.
        case followStatus(Set<StatusScope>)
        /// Tell the journal of a request that the access rules did not allow.
        case noteRefusal(AccessRefusal)
        /// Write the owed answers and this error, then close.
        case end(HearthError)
    }

    /// A question of a session that the daemon answers instead of an engine.
    package enum Question: Equatable, Sendable {
        /// An operator's inquiry; with a user, about the processes of that user alone, and of a document with
        /// no other names in the batches of other users.
        case inquiry(Inquiry, ofUser: UInt32?)
        /// Read the configuration again and tell the changes.
        case reload
        /// Tell who is signed in, after the ordered change if there is one.
        case signIn(SignInOrder)
        /// Tell which places of the instance are kept, after the ordered change if there is one.
        case keep(KeepOrder)
        /// Carry out an order about pins, or have the engine answer it.
        case pin(PinOrder)
        /// Hand out the part of a backup behind a position.
        case backUp(position: Int)
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
    /// How often the rights have been set.
    var grantNumber = 0
    /// The refusals that are already in the journal.
    var notedRefusals: Set<NotedRefusal> = []
    var state = State.greeting
    var owed = OwedAnswers()
    /// Speaks with the engine; `nil` until the client has named a database.
    var dialogue: Dialogue?
    /// The listeners of the same Unix user's other sessions, as the handler has counted.
    package var othersListenerCount = 0
    /// The open requests of the same Unix user's other sessions, as the handler has counted.
    package var othersRequestCount = 0
    var greeting: Hello?
    /// The listeners to the daemon's state, by their numbers.
    var statusListeners: [UInt64: StatusListener] = [:]
    /// Whether the client has asked for the memory file of hot documents.
    var hasAskedToShare = false

    /// The session's database; `nil` until the client has named one.
    package var key: EngineKey? { codec.key }

    /// The session's codec; it knows the database when the session is open.
    package internal(set) var codec = WireCodec()

    /// Makes a session that waits for Hello.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// The program's name for itself.
    package var program: String? { greeting.flatMap { $0.program.isEmpty ? nil : $0.program } }

    /// How many listeners the session has.
    package var openListenerCount: Int { owed.listenerCount }

    /// How many of them listen to the daemon's state.
    package var statusListenerCount: Int { statusListeners.count }

    /// How many requests have no answer yet. Listeners and accepted writes do not count.
    package var openRequestCount: Int { owed.requestCount }

    /// Bytes that the daemon holds for the session's unanswered requests and listeners.
    package var heldByteCount: Int {
        owed.byteCount + owed.numberCount * ClientMemory.requestByteCount
            + owed.listenerCount * ClientMemory.listenerByteCount + (dialogue?.keptByteCount ?? 0)
            + statusListeners.values.reduce(0) { $0 + $1.byteCount }
    }

    /// Bytes of held requests that the engine answers without more from the client.
    package var waitingByteCount: Int { owed.waitingByteCount }

    /// Whether Hello has not come yet.
    package var isGreeting: Bool { if case .greeting = state { true } else { false } }

    /// Whether the rules let the session do anything in its database and have an engine.
    package var mayOpenDatabase: Bool { grant?.holdsAnything ?? false }

    // MARK: Frames

    /// A frame has come. An unknown kind or an unreadable body fails that request alone.
    ///
    /// - Parameters:
    ///   - kind: The frame's kind.
    ///   - number: The request's number, which the client chose.
    ///   - body: The request's bytes, valid during the call alone.
    package mutating func received(kind: UInt8, number: UInt64, body: RawSpan) -> [Action] {
        if let actions = refusal(kind: kind, number: number, byteCount: body.byteCount) {
            return actions
        }
        do throws(WireError) {
            let actions = received(try codec.request(kind: kind, body: body), number: number)
            owed.charge(body.byteCount, to: number)
            return actions
        } catch {
            return unreadable(error, number)
        }
    }

    /// A frame has come and was read aside.
    package mutating func received(_ outcome: RequestReading.Outcome, number: UInt64) -> [Action] {
        if state.isOver { return [] }
        switch outcome.request {
        case .success(let request):
            let actions = asked(request, number, findings: outcome.findings)
            owed.charge(outcome.byteCount, to: number)
            return actions
        case .failure(let error): return unreadable(error, number)
        }
    }

    private mutating func unreadable(_ error: WireError, _ number: UInt64) -> [Action] {
        guard case .open = state else { return end(error.hearthError) }
        return [.reply(.failed(error.hearthError), number)]
    }

    /// What reads a frame aside; `nil` if the frame is to be received at once.
    ///
    /// - Parameters:
    ///   - kind: The frame's kind.
    ///   - number: The request's number; 0 for a frame that is no request.
    ///   - byteCount: The size of the body in bytes. Only a large body is read aside.
    package func reading(kind: UInt8, number: UInt64, byteCount: Int) -> RequestReading? {
        guard case .open = state, byteCount > LoopLimits.frameByteCountMax, number != 0,
            !isRefusedUnread(byteCount)
        else { return nil }
        return RequestReading(codec: codec, grant: grant, grantNumber: grantNumber)
    }

    /// What follows from a frame that need not be read; `nil` for a frame to be read.
    private mutating func refusal(
        kind: UInt8, number: UInt64, byteCount: Int
    ) -> [Action]? {
        if state.isOver { return [] }  // Frames behind the one that ended the session.
        guard number != 0 else {
            return end(.init(code: .invalidArgument, message: "A request needs a number above 0."))
        }
        switch state {
        case .greeting where byteCount > LoopLimits.frameByteCountMax:
            return end(
                .init(
                    code: .invalidArgument,
                    message: "The first frame has \(byteCount) bytes; a Hello has at most "
                        + "\(LoopLimits.frameByteCountMax)."))
        case .open where isRefusedUnread(byteCount):
            guard let key else { return nil }
            let error = HearthError.noRights(in: key, of: configuration.peer.uid)
            return [.reply(.failed(error), number)]
        case .greeting, .attaching, .open, .over: return nil
        }
    }

    /// Whether a frame is more than the questions need that a program without any right may ask.
    private func isRefusedUnread(_ byteCount: Int) -> Bool {
        byteCount > LoopLimits.questionByteCountMax && !mayHoldRights
    }

    /// Whether the program has a right in its database, or has not named the database yet.
    package var mayHoldRights: Bool { grant?.holdsAnything ?? true }

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

    /// Forgets the owed answers, so that the daemon holds nothing for an ended session.
    package mutating func release() {
        precondition(state.isOver, "A session is released that is not over")
        owed = OwedAnswers()
        statusListeners = [:]
        dialogue?.release()
    }
}
