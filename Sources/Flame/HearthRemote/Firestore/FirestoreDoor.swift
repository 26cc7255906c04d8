import GRPCCore
package import HearthFirestore
import HearthModel

/// The door of a database's channel: calls with bytes that the caller encoded and will decode.
package final class FirestoreDoor: BackendDoor {
    private static let service = "google.firestore.v1.Firestore"

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

    package func call(_ request: DoorRequest, telling listener: DoorListener) -> any DoorCall {
        let task = Task { [line, probe] in
            let (end, hasAnswered) = await Self.makeCall(
                request, on: line.channel, telling: listener)
            if hasAnswered {
                probe.met()
            } else if end.error?.code == .unavailable {
                probe.knock()  // The backend may have said so itself.
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
            var identity = try await channel.headers.identity(as: nil, routing: request.routing)
            for name in request.via {
                identity.metadata.addString(name, forKey: CallHeaders.viaName)
            }
            return await exchange(request, showing: identity, on: channel, telling: listener)
        } catch {
            return (DoorEnd(error: error), false)
        }
    }

    private static func exchange(
        _ request: DoorRequest, showing identity: CallIdentity, on channel: FirestoreChannel,
        telling listener: DoorListener
    ) async -> (DoorEnd, hasAnswered: Bool) {
        var options = FirestoreChannel.streamOptions
        options.timeout = request.timeout
        let method = MethodDescriptor(fullyQualifiedService: service, method: request.method)
        do {
            return try await channel.client.serverStreaming(
                request: ClientRequest(message: request.message, metadata: identity.metadata),
                descriptor: method, serializer: BytesSerializer(),
                deserializer: BytesDeserializer(), options: options
            ) { response in
                var hasAnswered = false
                do {
                    for try await message in response.messages {
                        if !hasAnswered { await channel.answered(identity) }
                        hasAnswered = true
                        await listener.received(message)
                    }
                    return (.well, hasAnswered)
                } catch {
                    return (await end(error, showing: identity, on: channel), hasAnswered)
                }
            }
        } catch {
            return (await end(error, showing: identity, on: channel), false)
        }
    }

    private static func end(
        _ error: any Error, showing identity: CallIdentity, on channel: FirestoreChannel
    ) async -> DoorEnd {
        let failure = HearthError(error)
        await channel.ended(failure, showing: identity)
        let details = (error as? RPCError)?.metadata[binaryValues: "grpc-status-details-bin"]
        return DoorEnd(error: failure, details: details?.first { _ in true } ?? [])
    }
}

/// A call's task.
private struct RunningDoorCall: DoorCall {
    let task: Task<Void, Never>

    func cancel() { task.cancel() }
}

/// Sends bytes as they are.
private struct BytesSerializer: MessageSerializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes {
        Bytes(message)
    }
}

/// Hands bytes over as they came.
private struct BytesDeserializer: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
        bytes.withUnsafeBytes { Array($0) }
    }
}
