import HearthEngine
package import HearthModel
package import HearthRealtime
import Synchronization

/// The engine's upstream to one Realtime Database: the shell of `LinkMachine`.
///
/// Holds at most one WebSocket. A command for a link that is no longer open is a race and is
/// ignored; so is, by the engine, an event of one.
package final class RealtimeConnection: EngineUpstream {
    /// The parts that a connection needs.
    package struct Configuration: Sendable {
        /// Where the database listens.
        package let address: RealtimeAddress
        /// Who vouches for the service.
        package let trust: TrustedCertificates
        /// Who we are.
        package let identity: LinkIdentity
        /// Is told of a failure that waiting does not cure, such as a certificate that nobody
        /// vouches for, each time; and with `nil` of each link that opened.
        package let watch: @Sendable (HearthError?) -> Void
        /// Is told what the service says to people.
        package let hear: @Sendable (LinkNote) -> Void

        /// Joins the parts.
        ///
        /// - Parameters:
        ///   - address: Where the database listens.
        ///   - trust: Who vouches for the service.
        ///   - identity: Who we are.
        ///   - watch: Hears each failure that waiting does not cure, and `nil` for each link that
        ///     opened.
        ///   - hear: Hears what the service says to people.
        package init(
            address: RealtimeAddress, trusting trust: TrustedCertificates = .system,
            identity: LinkIdentity,
            watch: @escaping @Sendable (HearthError?) -> Void = { _ in },
            hear: @escaping @Sendable (LinkNote) -> Void = { _ in }
        ) {
            self.address = address
            self.trust = trust
            self.identity = identity
            self.watch = watch
            self.hear = hear
        }
    }

    private struct State {
        var machine: LinkMachine
        var socket: (number: SocketNumber, socket: RealtimeSocket)?
        var timers: [LinkTimer: (number: UInt64, task: Task<Void, Never>)] = [:]
        var lastTimer: UInt64 = 0
        /// The credentials hear the news in order, and questions come after the news.
        var telling: Task<Void, Never>?
    }

    private let configuration: Configuration
    private let clock: any RemoteClock
    private let events: LinkEvents
    private let state: Mutex<State>

    /// Prepares a connection; the engine opens it.
    ///
    /// - Parameters:
    ///   - configuration: The parts that the connection needs.
    ///   - clock: Runs the link's timers.
    ///   - sink: Hears of events one at a time. While too many events wait for `sink`, the
    ///     connection reads nothing more from the service.
    package init(
        _ configuration: Configuration, clock: any RemoteClock = SystemRemoteClock(),
        sink: @escaping @Sendable (RealtimeUpstreamEvent) async -> Void
    ) {
        self.configuration = configuration
        self.clock = clock
        events = LinkEvents(sink)
        state = Mutex(State(machine: LinkMachine(host: configuration.address.host)))
    }

    deinit {
        events.end()
        state.withLock { state in
            state.socket?.socket.close()
            for timer in state.timers.values { timer.task.cancel() }
        }
    }

    package func perform(_ command: RealtimeCommand) {
        switch command {
        case .open(let number, let user): take { $0.open(number, as: user) }
        case .send(let number, let request): take { $0.send(number, request) }
        case .close(let number):
            events.silence(number)
            take { $0.close(number) }
        }
    }

    /// Gives the machine an input, and carries out what it decides.
    ///
    /// All of that happens under the lock, and none of it waits. So the engine hears events in the
    /// order of the decisions, and requests are sent in that order.
    ///
    /// - Parameter byteCount: The size of the message that is the input.
    private func take(
        costing byteCount: Int = 0, _ input: (inout LinkMachine) -> [LinkAction]
    ) {
        state.withLock { state in
            for action in input(&state.machine) { perform(action, byteCount, &state) }
        }
    }

    private func perform(_ action: LinkAction, _ byteCount: Int, _ state: inout State) {
        switch action {
        case .ask(let question, let user): ask(question, as: user, &state)
        case .connect(let number, let address): connect(number, to: address, &state)
        case .send(let message): state.socket?.socket.send(message)
        case .disconnect(let number):
            guard let (current, socket) = state.socket, current == number else { return }
            state.socket = nil
            socket.close()
        case .believe(let token): tell(&state) { await $0.believed([.bearer(token)]) }
        case .refuse(let token): tell(&state) { await $0.refused([.bearer(token)]) }
        case .tell(let event):
            if case .opened = event { configuration.watch(nil) }
            events.put(event, byteCount: byteCount)
        case .note(let note): configuration.hear(note)
        case .schedule(let timer, let delay): schedule(timer, after: delay, &state)
        case .cancel(let timer): state.timers.removeValue(forKey: timer)?.task.cancel()
        }
    }

    // MARK: The WebSocket

    private func connect(
        _ number: SocketNumber, to address: LinkAddress, _ state: inout State
    ) {
        let place = SocketPlace(
            address, of: configuration.address, trusting: configuration.trust)
        let listener = SocketListener(
            heard: { [weak self] in self?.heard(from: number) },
            received: { [weak self, events] message, byteCount in
                self?.received(message, of: byteCount, from: number)
                await events.waitForRoom()
            },
            ended: { [weak self] in self?.ended(number, $0) })
        state.socket = (number, RealtimeSocket(to: place, listener: listener))
    }

    private func heard(from number: SocketNumber) {
        state.withLock { $0.machine.heard(from: number) }
    }

    private func received(
        _ message: RealtimeServerMessage, of byteCount: Int, from number: SocketNumber
    ) {
        let now = clock.now()
        take(costing: byteCount) { $0.received(message, from: number, at: now) }
    }

    private func ended(_ number: SocketNumber, _ error: HearthError?) {
        if let error, error.isCertificateFailure { configuration.watch(error) }
        take { $0.ended(number, error) }
    }

    // MARK: Credentials

    private func ask(_ question: QuestionNumber, as user: UserID, _ state: inout State) {
        let telling = state.telling
        Task { [weak self, identity = configuration.identity] in
            await telling?.value
            let result: Result<LinkCredential?, HearthError>
            do throws(HearthError) {
                result = .success(try await identity.credential(as: user))
            } catch {
                result = .failure(error)
            }
            self?.take { $0.credentialCame(question, result) }
        }
    }

    private func tell(
        _ state: inout State, _ news: @escaping @Sendable (any Credentials) async -> Void
    ) {
        state.telling = Task { [telling = state.telling, identity = configuration.identity] in
            await telling?.value
            await news(identity.credentials)
        }
    }

    // MARK: Timers

    private func schedule(_ timer: LinkTimer, after delay: Duration, _ state: inout State) {
        state.lastTimer += 1
        let number = state.lastTimer
        let task = Task { [weak self, clock] in
            try? await clock.pause(for: delay)
            self?.elapsed(timer, number)
        }
        state.timers.updateValue((number, task), forKey: timer)?.task.cancel()
    }

    private func elapsed(_ timer: LinkTimer, _ number: UInt64) {
        state.withLock { state in
            // Moved or cancelled meanwhile.
            guard state.timers[timer]?.number == number else { return }
            state.timers[timer] = nil
            let isReading = state.socket.map { !$0.socket.isBusy } ?? true
            for action in state.machine.elapsed(timer, isReading: isReading) {
                perform(action, 0, &state)
            }
        }
    }
}
