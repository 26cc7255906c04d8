import HearthFirestore
import HearthModel
import HearthWire
import NIOCore

/// One client's connection: bytes in, bytes out. The machine decides, the outbox waits.
///
/// Decodes in place; what one read brings enters the mailbox together, and what it makes us say goes
/// out in one buffer. Lives on its channel's event loop.
final class SessionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What a handler needs of the daemon.
    struct Services: Sendable {
        var registry: SessionRegistry
        var engines: EngineRegistry
        var reporter: StatusReporter
        /// Who knows Firebase Auth; `nil` if nobody does.
        var signIn: (any SignInService)?
        /// How long the last words to a client may take, before the connection is cut.
        var farewellTimeMax: TimeAmount
    }

    private enum Chunk {
        /// Bytes in one buffer to the channel. Enough that the system call no longer counts.
        static let byteCountMax = 256 * 1024
    }

    private let services: Services
    private let session: UInt64
    /// How long a client may take to say Hello.
    private let greetingTimeMax: TimeAmount
    /// How long a client may take to end a frame that it has begun.
    private var frameSecondsMax: Int
    private let uid: UInt32
    /// Frames that have come, by which a stalled one is told from a busy client.
    private var frameCount: UInt64 = 0
    private var frameTimer: Scheduled<Void>?
    private var isReading = true
    private var machine: SessionMachine
    private var decoder: FrameDecoder
    private var outbox: Outbox
    private var inlet: (any EngineInlet)?
    private var inputs: [FirestoreEngine.Input] = []
    private var context: ChannelHandlerContext?
    /// What the registry was told last.
    private var countedListeners = 0
    private var countedRequests = 0
    private var isEnding = false
    private var timer: Scheduled<Void>?

    init(
        _ configuration: SessionMachine.Configuration, _ values: LiveSettings.Values,
        services: Services
    ) {
        self.services = services
        session = configuration.session
        machine = SessionMachine(configuration)
        decoder = FrameDecoder(byteCountMax: configuration.limits.frameByteCountMax)
        outbox = Outbox(limits: values.outboxLimits)
        greetingTimeMax = .seconds(Int64(values.greetingSecondsMax))
        frameSecondsMax = values.frameSecondsMax
        uid = configuration.peer.uid
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer = schedule(after: greetingTimeMax, context) { handler in
            handler.carryOut(handler.machine.greetingTimedOut())
            handler.finishRead()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        let user = services.registry.figures(ofUser: uid)
        machine.othersListenerCount = user.listenerCount - countedListeners
        machine.othersRequestCount = user.requestCount - countedRequests
        do throws(FrameError) {
            try decoder.receive(buffer.readableBytesSpan) { kind, number, body in
                frameCount += 1
                if !answerFromMemory(kind, number, body) {
                    carryOut(machine.received(kind: kind, number: number, body: body))
                }
            }
        } catch {
            carryOut(machine.failed(error))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        finishRead()
        watchFrame(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { pump() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        frameTimer?.cancel()
        services.registry.remove(session)
        submit()
        _ = inlet?.submit([.disconnected(session: session)], from: .session(session))
        inlet = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)  // The client is gone; `channelInactive` follows.
    }

    // MARK: From the engine, on the loop

    /// Takes what the engine has for the session.
    func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            if case .snapshot(let number, let snapshot) = delivery {
                // The same as below, without an array for each of many listeners.
                if machine.listens(number) { outbox.append(snapshot: snapshot, to: number) }
            } else {
                carryOut(machine.delivered(delivery))
            }
        }
        finishRead()
    }

    /// What the session listens to, for operators.
    var queries: [Query] { machine.queries.sorted { $0.key < $1.key }.map(\.value) }

    /// The mailbox has room again.
    func resumeReading() { setReading(true) }

    /// Other settings count from now on.
    func reconfigure(_ values: LiveSettings.Values) {
        outbox.limits = values.outboxLimits
        carryOut(
            machine.reconfigure(
                access: values.access, limits: values.limits,
                uidListenerCountMax: values.uidListenerCountMax,
                uidRequestCountMax: values.uidRequestCountMax))
        frameSecondsMax = values.frameSecondsMax
        finishRead()
    }

    /// The daemon goes down: what is owed is refused, and the connection ends.
    func end(_ error: HearthError) {
        carryOut(machine.end(error))
        pump()
    }

    // MARK: Carrying out

    private func carryOut(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .attach(let database): attach(database)
            case .submit(let input): inputs.append(input)
            case .submitAlone(let input, let number): submitAlone(input, number)
            case .reply(let event, let number): reply(event, number)
            case .snapshot(let snapshot, let number):
                outbox.append(snapshot: snapshot, to: number)
            case .answer(let snapshot, let number): outbox.append(answer: snapshot, to: number)
            case .forgetSnapshots(let number): outbox.removeSnapshot(of: number)
            case .ask(let question, let number): ask(question, number)
            case .noteRefusal(let refusal): services.registry.noteRefused(session, refusal)
            case .end(let error):
                reply(.failed(error), 0)
                beginFarewell()
            }
        }
    }

    /// Answers a get of a hot document at once, if that may be.
    private func answerFromMemory(_ kind: UInt8, _ number: UInt64, _ body: RawSpan) -> Bool {
        guard machine.mayAnswerFromMemory(kind: kind, number: number),
            machine.mayRead(documentIn: body),
            var frame = inlet?.cachedReads.answer(to: body)
        else { return false }
        frame.request = number
        outbox.append(frame)
        return true
    }

    private func attach(_ database: DatabaseID) {
        do throws(HearthError) {
            inlet = try services.engines.inlet(for: database)
            timer?.cancel()
            services.registry.opened(session, database: database, program: machine.program)
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

    private func ask(_ question: SessionMachine.Question, _ number: UInt64) {
        guard let context, let database = machine.database else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let answer: EventLoopFuture<Event>
        if case .signIn(let order) = question {
            answer = SignInAnswer.answer(to: order, by: services.signIn, on: context.eventLoop)
        } else {
            answer = services.reporter.answer(
                question, database: database, on: context.eventLoop)
        }
        answer
            .whenSuccess { event in
                handler.value.carryOut(
                    handler.value.machine.reported(event, number: number))
                handler.value.finishRead()
            }
    }

    /// Hands over what was gathered, and writes what can be written.
    private func finishRead() {
        submit()
        let (listeners, requests) = (machine.openListenerCount, machine.openRequestCount)
        if listeners != countedListeners || requests != countedRequests {
            (countedListeners, countedRequests) = (listeners, requests)
            services.registry.counted(session, listeners: listeners, requests: requests)
        }
        pump()
    }

    private func submit() {
        guard !inputs.isEmpty, let inlet else { return }
        let submission = inlet.submit(inputs, from: .session(session))
        inputs.removeAll(keepingCapacity: true)
        switch submission {
        case .taken(let hasRoom): if !hasRoom { setReading(false) }
        case .refused: end(.shuttingDown)
        }
    }

    private func submitAlone(_ input: FirestoreEngine.Input, _ number: UInt64) {
        guard let database = machine.database else { return }
        let others = services.registry.figures(of: database).clientCount - 1
        guard others > 0 else {
            inputs.append(input)
            return
        }
        let error = HearthError(
            code: .failedPrecondition,
            message: "\(others) other programs use \(database); end them first.")
        carryOut(machine.reported(.failed(error), number: number))
    }

    private func setReading(_ isReading: Bool) {
        guard let context else { return }
        self.isReading = isReading
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
        if isReading { context.read() }
    }

    /// Sees to it that a frame that has begun ends in time, unless it is we who do not read.
    private func watchFrame(_ context: ChannelHandlerContext) {
        guard decoder.isInsideFrame, !isEnding else {
            frameTimer?.cancel()
            frameTimer = nil
            return
        }
        guard frameTimer == nil else { return }
        let (count, secondsMax) = (frameCount, frameSecondsMax)
        frameTimer = schedule(after: .seconds(Int64(secondsMax)), context) { handler in
            handler.frameTimer = nil
            guard let context = handler.context else { return }
            guard count == handler.frameCount, handler.isReading else {
                return handler.watchFrame(context)  // Another frame, or our own fault.
            }
            handler.carryOut(handler.machine.frameTimedOut(secondsMax: secondsMax))
            handler.finishRead()
        }
    }

    // MARK: Writing

    private func pump() {
        guard let context, isEnding || !outbox.isEmpty else { return }
        var buffer = context.channel.allocator.buffer(capacity: 1_024)
        while context.channel.isWritable || isEnding, let frame = outbox.next(machine.codec) {
            buffer.writeFrame(frame)
            if buffer.readableBytes >= Chunk.byteCountMax {
                context.write(wrapOutboundOut(buffer), promise: nil)
                buffer = context.channel.allocator.buffer(capacity: 1_024)
            }
        }
        if isEnding {
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in
                channel.close(promise: nil)
            }
        } else if buffer.readableBytes > 0 {
            context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        } else {
            context.flush()
        }
        if outbox.isOverfull { dropSlowClient(context) }
    }

    private func beginFarewell() {
        guard let context, !isEnding else { return }
        isEnding = true
        setReading(false)
        timer?.cancel()
        timer = schedule(after: services.farewellTimeMax, context) { $0.cut() }
    }

    private func cut() { context?.close(promise: nil) }

    private func dropSlowClient(_ context: ChannelHandlerContext) {
        services.registry.noteSlow(session)
        context.close(promise: nil)
    }

    private func schedule(
        after delay: TimeAmount, _ context: ChannelHandlerContext,
        _ body: @escaping @Sendable (SessionHandler) -> Void
    ) -> Scheduled<Void> {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: delay) { body(handler.value) }
    }
}

extension ByteBuffer {
    /// Appends a frame, header and body.
    mutating func writeFrame(_ frame: Frame) {
        reserveCapacity(minimumWritableBytes: Frame.headerByteCount + frame.body.count)
        writeInteger(UInt32(Frame.prefixByteCount + frame.body.count))
        writeInteger(frame.kind)
        writeInteger(frame.request)
        writeBytes(frame.body)
    }
}

extension HearthError {
    /// What clients are told when the daemon goes down.
    static let shuttingDown = HearthError(
        code: .unavailable, message: "The daemon is shutting down. Connect again.")
}
