import HearthEngine
import HearthModel
import HearthWire
import NIOCore

/// One client's connection: bytes in, bytes out. The machine decides, the outbox waits.
///
/// The handler decodes in place. The requests of one read enter the mailbox together, and the
/// answers to them go out in one buffer. The handler lives on the event loop of the channel.
final class SessionHandler: ChannelInboundHandler, SessionEnd {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The parts of the daemon that a handler needs.
    struct Services: Sendable {
        var registry: SessionRegistry
        var engines: EngineRegistry
        var reporter: StatusReporter
        /// The service that signs in to Firebase Auth; `nil` if the daemon has none.
        var signIn: (any SignInService)?
        /// Knows the places that are kept in step, and takes orders about them.
        var keeping: KeepingDesk
        /// Called when an instance keeps other places than before.
        var keptPlacesChanged: @Sendable (InstanceID) -> Void
        /// Knows the pins, and takes orders about them.
        var pinning: PinDesk
        /// Called when a database has other pins than before; the engine answers the request.
        var pinsChanged: @Sendable (DatabaseID, RequestID) -> Void
        /// Makes backups.
        var backups: BackupDesk
        /// Called when a program gets a memory file.
        var noteSharing: @Sendable () -> Void
        /// Sends the descriptors of memory files.
        var descriptors: DescriptorPassage
        /// The time that each user has taken of the event loops.
        var shares: LoopShareTable
        /// Reads the large frames of all sessions.
        var largeFrames: FairQueue
        /// How long the last words to a client may take, before the connection is cut.
        var farewellTimeMax: TimeAmount
    }

    let services: Services
    let session: UInt64
    let peer: Peer
    /// What was read and waits, because the user has taken more of the event loop than is his.
    var unread = UnreadBytes()
    /// The bytes of the large frame that is being read aside; 0 if none is.
    var asideByteCount = 0
    /// The frames that came behind the large frame, in the same bytes as the large frame's end.
    var framesBehind: [Frame] = []
    /// The number of received frames, which tells a busy client from a client with a stalled frame.
    var frameCount: UInt64 = 0
    var frameTimer: Scheduled<Void>?
    var isReading = true
    /// Whether the user has taken more of the event loop than is his.
    var isThrottled = false
    /// Whether frames are being handed out, so that nobody else may look at the decoder.
    var isDecoding = false
    /// Whether the mailbox has no room for more of this session.
    var isMailboxFull = false
    /// Whether the handler stopped reading because too much waits for the engine.
    var isPaced = false
    var machine: SessionMachine
    var decoder: FrameDecoder
    var outbox: Outbox
    /// The engine that the session uses; `nil` until the session has named a database.
    var engine: SessionEngine?
    var context: ChannelHandlerContext?
    /// The tally that the registry heard last.
    var tally = SessionTally()
    /// The limits of the memory that the daemon holds for clients.
    var memory: ClientMemory { machine.configuration.limits.memory }
    /// Bytes that have come, and bytes that were handed to the socket.
    var carried: (received: Int, sent: Int) = (0, 0)
    /// Bytes of large writes that the socket has not taken.
    var writingByteCount = 0
    var bundleTimer: Scheduled<Void>?
    var isEnding = false
    var timer: Scheduled<Void>?
    /// The memory file of hot documents, if the client has asked for one.
    var sharing: SharedReadOffer?
    /// Set while the encoding of answers pauses.
    var pumpTimer: Scheduled<Void>?

    init(_ configuration: SessionMachine.Configuration, services: Services) {
        self.services = services
        session = configuration.session
        machine = SessionMachine(configuration)
        decoder = FrameDecoder(byteCountMax: configuration.limits.frameByteCountMax)
        outbox = Outbox(limits: configuration.limits)
        peer = configuration.peer
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let greetingTimeMax = Int64(machine.configuration.limits.greetingSecondsMax)
        timer = schedule(after: .seconds(greetingTimeMax), context) { handler in
            handler.carryOut(handler.machine.greetingTimedOut())
            handler.finishRead()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        let bytes = unwrapInboundIn(data)
        carried.received += bytes.readableBytes
        unread.append(bytes)
        takeUnread(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) { readEnded(context) }

    func channelWritabilityChanged(context: ChannelHandlerContext) { pump() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        frameTimer?.cancel()
        pumpTimer?.cancel()
        bundleTimer?.cancel()
        services.registry.remove(session)
        services.registry.statusBoard.leave(session)
        services.backups.left(session)
        if let access = services.registry.access { carryOut(machine.left(under: access)) }
        leaveSharing()
        engine?.leave(session)
        if let engine { services.engines.detach(from: engine.key) }
        engine = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)  // The client is gone; `channelInactive` follows.
    }

    // MARK: From the engine, on the loop

    func deliver(_ deliveries: Deliveries) {
        switch deliveries {
        case .firestore(let deliveries):
            for delivery in deliveries {
                if case .snapshot(let number, let snapshot) = delivery {
                    // The same as below, without an array for each of many listeners.
                    if machine.listens(number) { outbox.append(snapshot: snapshot, to: number) }
                } else {
                    carryOut(machine.delivered(delivery))
                }
            }
        case .realtime(let deliveries):
            for delivery in deliveries {
                if case .news(let number, let news) = delivery {
                    if machine.takes(news, number) { outbox.append(news: news, to: number) }
                } else {
                    carryOut(machine.delivered(realtime: delivery))
                }
            }
        }
        finishRead()
    }

    var listenedTo: [ListenerText] { machine.listenedTo }

    var traffic: Inspection.Traffic {
        var traffic = Inspection.Traffic()
        traffic.writeCount = machine.writeCount
        (traffic.receivedByteCount, traffic.sentByteCount) = carried
        return traffic
    }

    func resumeReading() {
        isMailboxFull = false
        readIfMay()
    }

    func reconfigure(_ values: LiveSettings.Values) {
        outbox.limits = values.limits
        carryOut(machine.reconfigure(access: values.access, limits: values.limits))
        offerSharedReads()
        finishRead()
    }

    func end(_ error: HearthError) {
        carryOut(machine.end(error))
        pump()
    }

    // MARK: Carrying out

    func carryOut(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .attach(let key): attach(key)
            case .submit(let input): engine?.gather(input)
            case .submitAlone(let input, let number): submitAlone(input, number)
            case .reply(let event, let number): reply(event, number)
            case .snapshot(let snapshot, let number):
                outbox.append(snapshot: snapshot, to: number)
            case .answer(let snapshot, let number):
                if !outbox.append(answer: snapshot, to: number) { replyUnread(number) }
            case .news(let news, let number): outbox.append(news: news, to: number)
            case .nodes(let nodes, let number):
                if !outbox.append(nodes: nodes, to: number) { replyUnread(number) }
            case .step(let step, let number): outbox.append(step: step, to: number)
            case .status(let report, let number): outbox.append(status: report, to: number)
            case .forgetNews(let number): outbox.removeNews(of: number)
            case .ask(let question, let number): ask(question, number)
            case .shareReads(let number): shareReads(number)
            case .followStatus(let scopes): followStatus(scopes)
            case .noteRefusal(let refusal): services.registry.noteRefused(session, refusal)
            case .end(let error):
                reply(.failed(error), 0)
                beginFarewell()
            }
        }
    }

    /// Answers a get of a hot document at once, if that may be.
    func answerFromMemory(_ kind: UInt8, _ number: UInt64, _ body: RawSpan) -> Bool {
        guard machine.mayAnswerFromMemory(kind: kind, number: number),
            machine.mayRead(documentIn: body),
            var frame = engine?.cachedReads?.answer(to: body)
        else { return false }
        frame.request = number
        outbox.append(frame)
        return true
    }

    private func attach(_ key: EngineKey) {
        do throws(HearthError) {
            guard machine.mayOpenDatabase || services.engines.engine(of: key) != nil else {
                throw .noRights(in: key, of: peer.uid)
            }
            engine = SessionEngine(
                key, try services.engines.attach(to: key, for: peer),
                from: .session(session, of: peer.payer),
                introducing: (session, LedgerProgram(of: peer.writer(machine.program))))
            timer?.cancel()
            services.registry.opened(session, key, program: machine.program)
            carryOut(machine.attached())
        } catch {
            carryOut(machine.attachFailed(error))
        }
    }

    private func reply(_ event: Event, _ number: UInt64) {
        do throws(WireError) {
            for frame in try machine.codec.frames(of: event, number: number) {
                outbox.append(frame)
            }
        } catch {
            guard let frame = try? machine.codec.frame(of: .failed(error.hearthError)) else {
                return
            }
            var failure = frame
            failure.request = number
            outbox.append(failure)
        }
    }

    /// Refuses an answer that finds no room.
    private func replyUnread(_ number: UInt64) {
        reply(.failed(.unreadAnswers(outbox.limits.unreadByteCountMax)), number)
    }

    private func ask(_ question: SessionMachine.Question, _ number: UInt64) {
        guard let context, let key = engine?.key else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        if case .pin(let order) = question, case .firestore(let database) = key {
            return carryOut(order, in: database, number, context)
        }
        let answer: EventLoopFuture<Event>
        if case .signIn(let order) = question {
            answer = SignInAnswer.answer(to: order, by: services.signIn, on: context.eventLoop)
        } else if case .keep(let order) = question, case .realtime(let instance) = key {
            answer = services.keeping.answer(
                to: order, in: instance, for: peer, on: context.eventLoop,
                changed: services.keptPlacesChanged)
        } else if case .inquiry(.collections(let page), _) = question, page.isOfBackend,
            case .firestore(let database) = key, let running = services.engines.engine(of: key)
        {
            let listing = BackendListing(
                database: database, engine: running, source: .session(session, of: peer.payer),
                session: session)
            answer = listing.answer(to: page, on: context.eventLoop)
        } else if case .inquiry(.children(let page), _) = question,
            case .backend(let after) = page.source, let running = services.engines.engine(of: key)
        {
            answer = KeyListing(engine: running, payer: peer.payer).answer(
                to: page, after: after, on: context.eventLoop)
        } else if case .backUp(let position) = question {
            answer = services.backups.answer(
                at: position, for: peer, of: session, on: context.eventLoop)
        } else {
            answer = services.reporter.answer(
                question, of: key, from: .session(session, of: peer.payer),
                on: context.eventLoop)
        }
        answer
            .whenSuccess { event in
                handler.value.carryOut(
                    handler.value.machine.reported(event, number: number))
                handler.value.finishRead()
            }
    }

    /// Hands over what was gathered, and writes what can be written.
    func finishRead() {
        submit()
        pump()
        count()
    }

    func submit() {
        switch engine?.submit() {
        case nil, .taken(hasRoom: true)?: break
        case .taken(hasRoom: false)?:
            isMailboxFull = true
            readIfMay()
        case .refused?: end(.shuttingDown)
        }
    }

    private func submitAlone(_ input: SessionInput, _ number: UInt64) {
        guard let key = engine?.key else { return }
        let others = services.registry.figures(of: key).clientCount - 1
        guard others > 0 else {
            engine?.gather(input)
            return
        }
        let error = HearthError(
            code: .failedPrecondition,
            message: "\(others) other programs use \(key); end them first.")
        carryOut(machine.reported(.failed(error), number: number))
    }

    func schedule(
        after delay: TimeAmount, _ context: ChannelHandlerContext,
        _ body: @escaping @Sendable (SessionHandler) -> Void
    ) -> Scheduled<Void> {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: delay) { body(handler.value) }
    }
}
