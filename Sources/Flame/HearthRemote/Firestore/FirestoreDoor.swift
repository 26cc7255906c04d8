package import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore

/// The door of a database's channel: calls with bytes that the caller encoded and will decode.
package final class FirestoreDoor: BackendDoor {
    private let line: FirestoreLine
    private let probe: BackendProbe

    /// Opens a door in a line. The door keeps the line's channel open.
    package init(_ line: FirestoreLine) {
        self.line = line
        probe = BackendProbe(line.address)
    }

    deinit { probe.stop() }

    package var via: String { line.channel.headers.via }
    package var reach: BackendReach { probe.reach }

    package func knock() { probe.knock() }

    package func entered(through names: [String]) -> [String] {
        line.channel.headers.callers.entered(names)
    }

    package func left(by names: [String]) { line.channel.headers.callers.left(names) }

    package func call(_ request: DoorRequest, telling listener: DoorListener) -> any DoorCall {
        let begun = NIODeadline.now()
        let task = Task(executorPreference: line.channel.client.executor) { [line, probe] in
            let (end, hasAnswered) = await Self.makeCall(
                request, on: line.channel, telling: listener)
            if hasAnswered {
                probe.met()
            } else if end.error?.code == .unavailable {
                // The backend may have said so itself. Whoever hears of the end may ask which.
                await probe.settle(since: begun)
            }
            listener.ended(end)
        }
        return RunningDoorCall(task: task)
    }

    /// Makes a call, and once more if the backend does not believe who we are. Returns too whether a
    /// message came.
    private static func makeCall(
        _ request: DoorRequest, on channel: FirestoreChannel, telling listener: DoorListener
    ) async -> (DoorEnd, hasAnswered: Bool) {
        let (end, hasAnswered) = await attempt(request, on: channel, telling: listener)
        guard end.error?.code == .unauthenticated, !hasAnswered else { return (end, hasAnswered) }
        return await attempt(request, on: channel, telling: listener)
    }

    private static func attempt(
        _ request: DoorRequest, on channel: FirestoreChannel, telling listener: DoorListener
    ) async -> (DoorEnd, hasAnswered: Bool) {
        do throws(HearthError) {
            let identity = try await channel.headers.identity(
                as: nil, routing: request.routing, way: request.via)
            return await exchange(request, showing: identity, on: channel, telling: listener)
        } catch {
            return (DoorEnd(error: error), false)
        }
    }

    private static func exchange(
        _ request: DoorRequest, showing identity: CallIdentity, on channel: FirestoreChannel,
        telling listener: DoorListener
    ) async -> (DoorEnd, hasAnswered: Bool) {
        let inbox = CallInbox()
        let call = channel.client.call(
            FirestoreChannel.request(
                FirestoreMethod.path(of: request.method), showing: identity,
                timeout: request.timeout),
            sending: request.message, telling: inbox.listener)
        return await withTaskCancellationHandler {
            var hasAnswered = false
            while true {
                switch await inbox.next(of: call) {
                case .opened: break
                case .message(let message):
                    if Task.isCancelled { continue }
                    if !hasAnswered { await channel.answered(identity) }
                    hasAnswered = true
                    await listener.received(Array(message.readableBytesView))
                case .end(let end):
                    return (await Self.end(end, showing: identity, on: channel), hasAnswered)
                }
            }
        } onCancel: {
            call.cancel()
        }
    }

    private static func end(
        _ end: CallEnd, showing identity: CallIdentity, on channel: FirestoreChannel
    ) async -> DoorEnd {
        guard let failure = end.failure else { return .well }
        await channel.ended(failure, showing: identity)
        return DoorEnd(error: failure, details: end.details, isLost: end.cause != nil)
    }
}

/// A call's task.
private struct RunningDoorCall: DoorCall {
    let task: Task<Void, Never>

    func cancel() { task.cancel() }
}
