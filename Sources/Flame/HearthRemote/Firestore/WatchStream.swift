import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import NIOCore

/// One watch stream: carries listens to the backend and the backend's changes to the engine.
///
/// A document that cannot be read concerns the targets that its message names. Any other message that
/// cannot be read closes the stream, because later messages cannot be trusted either.
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
                    await sink(try codec.event(of: number, from: message))
                },
                closed: { end in
                    switch end {
                    case .ended(let error): await sink(.watchClosed(number, error))
                    case .unreadable(let error): await sink(.watchBroken(number, error))
                    }
                }))
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

extension FirestoreCodec {
    /// What a message of a watch stream tells the engine.
    ///
    /// - Throws: `CodecError` for a message that cannot be read, unless it is for certain targets.
    fileprivate func event(
        of number: StreamNumber, from message: ByteBuffer
    ) throws(CodecError) -> UpstreamEvent {
        let event = message.withUnsafeReadableBytes { bytes in
            Result { () throws(CodecError) -> UpstreamEvent in
                do throws(CodecError) {
                    // The codec reads straight into our own values.
                    return .watched(number, try watchChange(fromBytes: bytes))
                } catch {
                    guard let unread = unreadDocument(fromBytes: bytes) else { throw error }
                    return .watchUnreadable(
                        number, unread.targets, HearthError(unreadable: error, unread))
                }
            }
        }
        return try event.get()
    }
}
