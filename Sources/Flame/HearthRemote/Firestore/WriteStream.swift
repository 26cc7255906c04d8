import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import Synchronization

/// One write stream: carries batches to the backend, and its answers back in the same order.
///
/// The first answer belongs to the handshake; every other answer belongs to the oldest batch
/// without an answer. A batch that cannot be sent ends the stream, after the batches in front were
/// sent and answered. The end of the stream names the failed batch.
struct WriteStream: Sendable {
    /// The engine's number for the stream.
    let number: StreamNumber
    private let call: StreamCall<ProtoWriteRequest>
    private let codec: FirestoreCodec
    private let unsendable: Unsendable

    /// Opens a stream.
    init(
        _ number: StreamNumber, as user: UserID, on channel: FirestoreChannel,
        sink: @escaping @Sendable (UpstreamEvent) async -> Void
    ) {
        let codec = channel.codec
        let handshake = Handshake()
        let unsendable = Unsendable()
        self.number = number
        self.codec = codec
        self.unsendable = unsendable
        self.call = StreamCall(
            .write, on: channel, as: user,
            listener: StreamListener(
                opened: { await sink(.writeOpened(number)) },
                answered: { message in
                    let proto = try ProtoWriteResponse(answer: message)
                    let token = [UInt8](proto.streamToken)
                    if handshake.takesAnswer() {
                        await sink(.writeHandshaken(number, token))
                    } else {
                        let (committedAt, results) = try codec.decode(proto)
                        let answer = WriteAnswer(
                            token: token, committedAt: committedAt, results: results)
                        await sink(.writeAnswered(number, answer))
                    }
                },
                closed: { end in
                    if let (batch, reason) = unsendable.first {
                        return await sink(.writeUnsendable(number, batch, reason))
                    }
                    switch end {
                    case .ended(let error): await sink(.writeClosed(number, error))
                    case .unreadable(let error): await sink(.writeBroken(number, error))
                    }
                }))
    }

    /// Names the database; the backend answers with the first token.
    func shakeHands() {
        var request = ProtoWriteRequest()
        request.database = codec.database.name
        call.send(request)
    }

    /// Sends one batch.
    func send(_ batch: BatchID, _ mutations: [Mutation], _ token: StreamToken) {
        do throws(CodecError) {
            call.send(try codec.encode(mutations, token: token))
        } catch {
            unsendable.note(batch, HearthError(unsendable: error))
            call.conclude()
        }
    }

    /// Closes the stream and tells nothing more; with a token it says goodbye first.
    func close(goodbye token: StreamToken?) {
        guard let token else { return call.cancel() }
        do throws(CodecError) {
            call.send(try codec.encode([], token: token))
            call.finish()
        } catch {
            call.cancel()
        }
    }
}

/// Whether the handshake has been answered.
private final class Handshake: Sendable {
    private let isAnswered = Mutex(false)

    /// Returns `true` to the first who asks.
    func takesAnswer() -> Bool {
        isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
    }
}

/// The batch that ended a stream because it could not be sent.
private final class Unsendable: Sendable {
    private let noted = Mutex<(batch: BatchID, reason: HearthError)?>(nil)

    /// The first that was noted.
    var first: (batch: BatchID, reason: HearthError)? { noted.withLock { $0 } }

    /// Notes a batch, if none is noted yet; batches behind the noted batch are not sent either.
    func note(_ batch: BatchID, _ reason: HearthError) {
        noted.withLock { if $0 == nil { $0 = (batch, reason) } }
    }
}
