import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import Synchronization

/// All sessions of WebChannel, by name. Each session has its own event loop.
final class WebChannels: Sendable {
    private let service: FirestoreService
    private let faults: FaultTable
    private let registry: ConnectionRegistry
    private let sessions = Mutex<[String: Handle]>([:])
    private let lineCount = Atomic<UInt64>(0)

    /// Reaches a session on its event loop.
    struct Handle: Sendable {
        fileprivate let call: NIOLoopBound<WebChannelCall>
        fileprivate let eventLoop: any EventLoop

        /// Calls `body` with the session, on the session's loop. Calls run in the order of `run`.
        func run(_ body: @escaping @Sendable (WebChannelCall) -> Void) {
            eventLoop.execute { [call] in body(call.value) }
        }
    }

    /// No sessions.
    init(service: FirestoreService, faults: FaultTable, registry: ConnectionRegistry) {
        self.service = service
        self.faults = faults
        self.registry = registry
    }

    /// Begins a session on the caller's loop.
    ///
    /// - Returns: `nil` if the number of sessions is at its limit.
    func open(
        _ method: FirestoreMethod, authorization: String?, on eventLoop: any EventLoop
    ) -> (name: String, handle: Handle)? {
        let name = Base64.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
            .replacing("+", with: "-").replacing("/", with: "_")
        let call = WebChannelCall(name, method, on: eventLoop) { [weak self] in self?.forget(name) }
        let handle = Handle(call: NIOLoopBound(call, eventLoop: eventLoop), eventLoop: eventLoop)
        let fits = sessions.withLock { sessions in
            guard sessions.count < WebChannelLimits.sessionCountMax else { return false }
            sessions[name] = handle
            return true
        }
        guard fits else { return nil }
        registry.add(ObjectIdentifier(call)) { handle.run { $0.stop() } }
        call.begin(service, authorization: authorization, faults.take(method.call))
        return (name, handle)
    }

    /// The session of a name.
    func session(_ name: String) -> Handle? {
        sessions.withLock { $0[name] }
    }

    /// A name for a back channel. No two back channels have the same name.
    func nextLine() -> WebChannelSession.LineID {
        .init(number: lineCount.add(1, ordering: .relaxed).newValue)
    }

    private func forget(_ name: String) {
        let handle = sessions.withLock { $0.removeValue(forKey: name) }
        // The session calls `forget` itself, so on its own loop.
        if let handle { registry.remove(ObjectIdentifier(handle.call.value)) }
    }
}
