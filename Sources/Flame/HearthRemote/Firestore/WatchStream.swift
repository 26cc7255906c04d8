import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import NIOCore

/// One watch stream: carries listens to the backend and the backend's changes to the engine.
///
/// A message that cannot be read closes the stream, because later messages cannot be trusted
/// either.
struct WatchStream: Sendable {
    /// The engine's number for the stream.
    let number: StreamNumber
    private let call: StreamCall<ProtoListenRequest>
    private let codec: FirestoreCodec

    /// Opens a stream.
    init(
        _ number: StreamNumber, as user: UserID, on channel: FirestoreChannel,
        sink: @escaping @Sendable (UpstreamEvent) async -> Void
    ) {
        let codec = channel.codec
        self.number = number
        self.codec = codec
        self.call = StreamCall(
            .listen, on: channel, as: user,
            listener: StreamListener(
                opened: { await sink(.watchOpened(number)) },
                answered: { message in
                    // The codec reads straight into our own values.
                    let change = try message.withUnsafeReadableBytes { bytes in
                        try codec.watchChange(fromBytes: bytes)
                    }
                    await sink(.watched(number, change))
                },
                closed: { await sink(.watchClosed(number, $0)) }))
    }

    /// Watches a target.
    func listen(_ request: ListenRequest) {
        do throws(CodecError) {
            call.send(try codec.encode(request))
        } catch {
            call.fail(HearthError(unsendable: error))
        }
    }

    /// Stops watching a target.
    func unlisten(_ target: WireTargetID) {
        call.send(codec.encodeUnlisten(target))
    }

    /// Closes the stream and tells nothing more.
    func close() {
        call.cancel()
    }
}
