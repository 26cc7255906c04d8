import FoundationEssentials
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import HearthWire
import NIOCore

/// A client's watch stream: listens in the engine for each target, and sends what `ListenStream`
/// decides as fast as the client reads.
///
/// For one event loop.
final class ListenCall: BidirectionalCall {
    /// Bytes of messages that may wait before the client may add no more targets.
    private static let waitingByteCountMax = 64 << 10
    /// A smaller change of the held bytes is not worth counting.
    private static let heldByteCountStep = 4 << 10
    private static let never = Duration.seconds(Int64.max)

    private let head: CallHead
    private let mode: GatewayMode
    private let connection: GatewayConnection
    private let sender: any CallSender
    private var session: GatewaySession?
    private var encoder: ListenEncoder?
    private var stream: ListenStream
    /// The engine's listeners of each target, by the places of its queries.
    private var listeners: [WireTargetID: [UInt64]] = [:]
    private var alarm: Scheduled<Void>?
    /// When the alarm rings.
    private var alarmAt = never
    private var heldByteCount = 0
    private var hasEnded = false
    /// Whether the stream waits for the client to read answers of its connection.
    private var isUnread = false
    /// Whether nothing more may be sent.
    private var isClosed = false

    /// A stream whose headers have come.
    init(
        _ head: CallHead, _ mode: GatewayMode, of connection: GatewayConnection,
        answering sender: any CallSender
    ) {
        self.head = head
        self.mode = mode
        self.connection = connection
        self.sender = sender
        let shelf = connection.gateway.shelf
        stream = ListenStream(epoch: shelf.epoch, id: shelf.nextStream(), at: Self.now)
    }

    var isBusy: Bool { stream.waitingByteCount > Self.waitingByteCountMax }

    func received(_ request: ByteBuffer) {
        guard !isClosed else { return }
        do throws(HearthError) {
            try take(request)
        } catch {
            return finish(error)
        }
        sender.sendSoon()
    }

    func ended() {
        hasEnded = true
        sendMore()
    }

    func becameWritable() { sendMore() }

    func closed() {
        isClosed = true
        release()
    }

    /// Gives back the bytes that the stream holds, and keeps the pictures that the client has seen.
    private func release() {
        alarm?.cancel()
        alarm = nil
        guard let session else { return }
        for number in listeners.values.joined() { session.unlisten(number) }
        listeners = [:]
        session.release(heldByteCount)
        shelve(stream.histories, session)
        self.session = nil
    }

    /// Keeps what the client was shown, for its return.
    private func shelve(_ histories: [(ListenShape, SentHistory)], _ session: GatewaySession) {
        guard !histories.isEmpty else { return }
        let shelf = connection.gateway.shelf
        let sweep = shelf.put(histories, of: streamName(stream.id, session), at: Self.now)
        if let sweep { shelf.sweep(at: sweep, on: connection.eventLoop) }
    }

    private func streamName(_ id: UInt64, _ session: GatewaySession) -> ResumeShelf.StreamName {
        ResumeShelf.StreamName(
            id: id, database: session.database, uid: connection.peer.uid,
            payer: connection.peer.payer)
    }

    // MARK: Requests

    private func take(_ request: ByteBuffer) throws(HearthError) {
        let message: ProtoListenRequest
        do throws(CodecError) {
            message = try FirestoreCodec.read(
                ProtoListenRequest.self, from: Array(request.readableBytesView))
        } catch {
            throw .argument("The request is no ListenRequest.")
        }
        let session = try self.session(named: message.database)
        switch message.targetChange {
        case .addTarget(let target): try add(target, session, byteCount: request.readableBytes)
        case .removeTarget(let id): end(WireTargetID(id), nil)
        case nil: throw .argument("A listen request needs a target change.")
        }
    }

    private func session(named name: String) throws(HearthError) -> GatewaySession {
        if let session {
            guard name.isEmpty || utf8Equals(session.database.name, name) else {
                throw .argument("A stream is for one database.")
            }
            return session
        }
        let session = try connection.session(in: try NameReader.database(name), for: head)
        self.session = session
        encoder = ListenEncoder(
            session.database, sharing: connection.gateway.documentBytes)
        return session
    }

    /// Takes up a target; a fault of one target ends that target alone.
    private func add(
        _ proto: ProtoTarget, _ session: GatewaySession, byteCount: Int
    ) throws(HearthError) {
        let id = WireTargetID(proto.targetID)
        guard id.rawValue > 0 else {
            throw .argument("Target id \(id) is not positive.")
        }
        guard !stream.hasTarget(id) else {
            throw .argument("Target id \(id) is already in use on this stream.")
        }
        do throws(HearthError) {
            guard byteCount <= GatewayLimits.targetByteCountMax else {
                throw .tooLargeTarget(byteCount)
            }
            let shape = try ListenShape(proto, in: session.database)
            for query in shape.queries { try session.check(.read, AccessScope(query)) }
            if mode.reads == .server, session.reach == .offline {
                throw .unreachable(mode.offlineStatus)
            }
            let numbers = try listen(id, shape, session, byteCount: byteCount)
            // A target that was asked for once may have ended before the client has heard of the
            // end.
            let old = listeners.updateValue(numbers, forKey: id) ?? []
            for number in old { session.unlisten(number) }
            let point = resumption(of: proto, shape, session)
            stream.add(
                GatewayTarget(id, shape, isOnce: proto.once, from: point.resumption),
                after: point.last)
        } catch {
            stream.refuse(id, error)
        }
    }

    private func listen(
        _ id: WireTargetID, _ shape: ListenShape, _ session: GatewaySession, byteCount: Int
    ) throws(HearthError) -> [UInt64] {
        let options = ListenOptions(
            includeMetadataChanges: true, waitForSyncWhenOnline: mode.reads != .cacheFirst,
            tellsDepartures: mode.reads != .cacheFirst)
        var numbers: [UInt64] = []
        do throws(HearthError) {
            for (place, query) in shape.queries.enumerated() {
                numbers.append(
                    try session.listen(
                        query, options, byteCount: byteCount / shape.queries.count
                    ) { [self] delivery in  // Until `release`, at the latest.
                        delivered(delivery, of: place, for: id)
                    })
            }
        } catch {
            for number in numbers { session.unlisten(number) }
            throw error
        }
        return numbers
    }

    /// What is known of a client that shows no token.
    ///
    /// Google's client for Python may then hold documents of a picture whose end never came.
    ///
    /// - Source: google-cloud-firestore for Python, `watch.py`: when a stream breaks, the client
    ///   keeps the documents that the stream has told, and lays the next picture over these.
    private var beginning: GatewayTarget.Resumption {
        let isPython = ProgramName.read(head)?.utf8.starts(with: "grpc-python".utf8) ?? false
        return isPython ? .unknown : .start
    }

    /// Where the client of a target goes on from. A time is no token: nothing is known of it.
    private func resumption(
        of proto: ProtoTarget, _ shape: ListenShape, _ session: GatewaySession
    ) -> (resumption: GatewayTarget.Resumption, last: Timestamp?) {
        switch proto.resumeType {
        case nil: return (beginning, nil)
        case .readTime: return (.unknown, nil)
        case .resumeToken(let bytes):
            guard let token = ResumeToken([UInt8](bytes)) else {
                return (beginning, nil)
            }
            guard let mark = ResumeMark(token) else { return (.unknown, nil) }
            let resumption = connection.gateway.shelf.take(
                mark, shape, of: streamName(mark.stream, session), at: Self.now)
            return (resumption, mark.readAt)
        }
    }

    /// Ends a target. The pictures that the client was shown are kept for its return.
    private func end(_ id: WireTargetID, _ error: HearthError?) {
        guard let session, let target = stream.end(id, error) else { return }
        for number in listeners.removeValue(forKey: id) ?? [] { session.unlisten(number) }
        guard target.isCurrent else { return }
        shelve([(target.shape, target.history)], session)
    }

    // MARK: From the engine

    private func delivered(_ delivery: FirestoreDelivery, of place: Int, for id: WireTargetID) {
        guard !isClosed else { return }
        switch delivery {
        case .snapshot(_, let shared): take(shared, of: place, for: id)
        case .fail(_, let error) where error.code == .unavailable:
            // The daemon goes, and the client may come back; an ended target would be final.
            return finish(error)
        case .fail(_, let error): end(id, error)
        case .inSync, .answer, .accept, .settle, .complete, .refuse, .loaded, .found, .explained,
            .indexes, .result:
            preconditionFailure("A listener got \(delivery)")
        }
        sender.sendSoon()
    }

    private func take(_ shared: SharedSnapshot, of place: Int, for id: WireTargetID) {
        if mode.reads != .cacheFirst, shared.snapshot.isUnknown, !stream.isCurrent(id) { return }
        stream.received(shared, of: place, for: id)
    }

    // MARK: Sending

    /// Sends as much as the client takes, and has itself woken for what is due later.
    private func sendMore() {
        guard !isClosed else { return }
        guard let encoder else { return hasEnded ? finish(nil) : () }
        guard !connection.isUnread else { return sendMoreWhenRead() }
        let wasBusy = isBusy
        let isSettling = mode.reads != .cacheFirst && session?.reach == .online
        let now = Self.now
        while !isClosed, sender.isWritable,
            let message = stream.next(at: now, isSettling: isSettling)
        {
            do throws(HearthError) {
                try message.send(to: sender, encoder)
            } catch {
                return finish(error)
            }
            if case .ended(let id, nil) = message { unlistenEnded(id) }
        }
        guard !isClosed else { return }
        count()
        if wasBusy, !isBusy { sender.becameIdle() }
        guard sender.isWritable else { return }
        if hasEnded { return finish(nil) }
        setAlarm()
    }

    /// The client has left too many bytes of other calls unread, so this call makes no messages.
    private func sendMoreWhenRead() {
        guard !isUnread else { return }
        isUnread = true
        connection.whenRead { [weak self] in
            self?.isUnread = false
            self?.sendMore()
        }
    }

    /// A target that was asked for once has been told whole.
    private func unlistenEnded(_ id: WireTargetID) {
        guard !stream.hasTarget(id) else { return }  // The client has taken up another since.
        for number in listeners.removeValue(forKey: id) ?? [] { session?.unlisten(number) }
    }

    private func count() {
        let change = stream.waitingByteCount - heldByteCount
        guard abs(change) >= Self.heldByteCountStep || (change != 0 && heldByteCount + change == 0)
        else { return }
        heldByteCount += change
        session?.hold(change)
    }

    private func setAlarm() {
        let at = stream.wakesAt
        if alarmAt <= at { return }
        alarm?.cancel()
        let task = connection.eventLoop.assumeIsolated().scheduleTask(
            deadline: NIODeadline.uptimeNanoseconds(0) + TimeAmount(at)
        ) { [self] in  // Until `release`, at the latest.
            alarmAt = Self.never
            sendMore()
        }
        alarm = task
        alarmAt = at
    }

    private func finish(_ error: HearthError?) {
        guard !isClosed else { return }
        isClosed = true
        release()
        sender.finish(error)
    }

    private static var now: Duration { ResumeShelf.now }
}

extension ViewSnapshot {
    /// Whether nobody knows that there are no results, because the backend never told them.
    fileprivate var isUnknown: Bool { isFromCache && documents.isEmpty && readAt == .zero }
}

extension HearthError {
    /// Refuses a target whose reading would hold up the loop, and whose query would fill the memory.
    fileprivate static func tooLargeTarget(_ byteCount: Int) -> HearthError {
        argument(
            "The target has \(byteCount) bytes, and may have \(GatewayLimits.targetByteCountMax). "
                + "Listen to its documents by several targets, or ask for less.")
    }

    /// Refuses a listener that wants the backend alone.
    fileprivate static func unreachable(_ code: StatusCode) -> HearthError {
        HearthError(
            code: code,
            message: "A listener in the mode \"server\" needs the backend, which cannot be reached "
                + "now. In the mode \"server-first\" it begins with what is cached.")
    }
}
