import HearthBackend
import HearthEngine
import HearthModel
import HearthRealtime

/// The service of a simulation, with connections that break.
///
/// What a daemon had sent when its connection broke may still arrive, until the service gives the
/// connection up. The daemon hears nothing of it.
final class SimulatedService {
    /// One connection as the service sees it.
    private struct Line {
        let daemon: Int
        let number: StreamNumber
        /// What is on its way up.
        var up: [RealtimeRequest] = []
        /// Whether the daemon has lost it.
        var isBroken = false
    }

    private(set) var backend: RealtimeBackend
    private let namespace: RealtimeNamespace
    private var lines: [RealtimeConnectionID: Line] = [:]
    /// What is on its way to each daemon.
    private var down: [[RealtimeUpstreamEvent]]
    private var lastID: UInt64 = 0

    /// Everybody may read all, and write all but what is below `denied`.
    private static let rules = """
        {"rules": {".read": true, "$place": {".write": "$place !== 'denied'"}}}
        """

    init(daemonCount: Int) {
        guard let namespace = RealtimeNamespace("simulation"),
            let backend = try? RealtimeBackend(rules: Self.rules)
        else { preconditionFailure("The simulation's own rules") }
        self.namespace = namespace
        self.backend = backend
        down = Array(repeating: [], count: daemonCount)
    }

    /// What the service holds.
    var root: Node { backend.root(of: namespace) }

    /// The connections with a request on its way up, and the broken connections.
    var busy: [RealtimeConnectionID] {
        lines.filter { !$0.value.up.isEmpty || $0.value.isBroken }.keys
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// The connections that a daemon has lost and the service has not given up.
    var broken: [RealtimeConnectionID] {
        lines.filter(\.value.isBroken).keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether something is on its way to a daemon.
    func hasNews(for daemon: Int) -> Bool { !down[daemon].isEmpty }

    /// Whether a daemon has a connection.
    func isConnected(_ daemon: Int) -> Bool { line(of: daemon) != nil }

    private func line(of daemon: Int) -> RealtimeConnectionID? {
        lines.first { $0.value.daemon == daemon && !$0.value.isBroken }?.key
    }

    // MARK: The daemon's end

    /// A daemon's engine does something.
    func perform(_ command: RealtimeCommand, of daemon: Int, serverTimeOffset: Int64) {
        switch command {
        case .open(let number, _):
            precondition(line(of: daemon) == nil, "The connection is opened twice")
            lastID += 1
            let id = RealtimeConnectionID(lastID)
            lines[id] = Line(daemon: daemon, number: number)
            backend.connect(id, to: namespace)
            down[daemon] = [.opened(number, serverTimeOffset: serverTimeOffset)]
        case .send(let number, let request):
            guard let id = line(of: daemon), lines[id]?.number == number else {
                preconditionFailure("A request on a connection that is not open")
            }
            lines[id]?.up.append(request)
        case .close(let number):
            guard let id = line(of: daemon), lines[id]?.number == number else { return }
            lose(daemon)
        }
    }

    /// A daemon loses its connection; what it had sent may still arrive.
    ///
    /// - Returns: The number that the daemon knows the connection by.
    @discardableResult
    func lose(_ daemon: Int) -> StreamNumber? {
        down[daemon] = []
        guard let id = line(of: daemon) else { return nil }
        lines[id]?.isBroken = true
        return lines[id]?.number
    }

    /// What arrives next at a daemon.
    func takeNews(for daemon: Int) -> RealtimeUpstreamEvent? {
        down[daemon].isEmpty ? nil : down[daemon].removeFirst()
    }

    // MARK: The service's end

    /// The service takes the next request of a connection; if none is there, the service gives up a
    /// broken connection.
    func serve(_ id: RealtimeConnectionID, at now: Timestamp) {
        guard var line = lines[id] else { return }
        guard !line.up.isEmpty else { return giveUp(id, at: now) }
        let request = line.up.removeFirst()
        lines[id] = line
        let answer = self.answer(to: request, from: id, at: now)
        deliver()
        tell(.answered(line.number, answer), id)
    }

    /// The service notices that a connection is broken; what is on its way there is lost.
    func giveUp(_ id: RealtimeConnectionID, at now: Timestamp) {
        guard lines[id]?.isBroken == true else { return }
        lines[id] = nil
        backend.disconnect(id, at: now)
        deliver()
    }

    private func answer(
        to request: RealtimeRequest, from id: RealtimeConnectionID, at now: Timestamp
    ) -> RealtimeAnswer {
        switch backend.take(request.action, from: id, at: now) {
        case .done, .authenticated, .unauthenticated: return RealtimeAnswer(number: request.number)
        case .listening(let warnings):
            return RealtimeAnswer(
                number: request.number, body: .warnings(warnings.map(\.rawValue)))
        case .value(let node): return RealtimeAnswer(number: request.number, body: .node(node))
        case .refused(let refusal):
            return RealtimeAnswer(
                number: request.number, status: RealtimeStatus(refusal.status.rawValue),
                body: .text(refusal.reason))
        }
    }

    // MARK: News

    private func deliver() {
        for effect in backend.takeEffects() {
            switch effect {
            case .save: break
            case .push(let change, let listeners):
                for listener in listeners {
                    guard let number = lines[listener.connection]?.number else { continue }
                    tell(.pushed(number, Self.push(change, listener.tag)), listener.connection)
                }
            case .revoke(let path, let query, let listener):
                guard let number = lines[listener.connection]?.number else { continue }
                tell(.pushed(number, .revoked(path, [query])), listener.connection)
            }
        }
    }

    private static func push(_ change: PushedChange, _ tag: Int?) -> RealtimePush {
        switch change {
        case .overwrite(let place, let node): .overwrite(place, node, tag: tag)
        case .merge(let path, let children): .merge(path, children, tag: tag)
        case .ranges(let path, let ranges): .ranges(path, ranges, tag: tag)
        }
    }

    private func tell(_ event: RealtimeUpstreamEvent, _ id: RealtimeConnectionID) {
        guard let line = lines[id], !line.isBroken else { return }
        down[line.daemon].append(event)
    }
}
