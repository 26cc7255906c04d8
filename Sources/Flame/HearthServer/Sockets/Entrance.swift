import NIOCore
import NIOPosix

/// Brings accepted connections to event loops, each when the connection's user may come in.
///
///     accepted > queue of a loop --comes in--> channel, session
///                                \--owes--> waits on the doorstep, then comes in
struct Entrance: Sendable {
    /// Gives a client, which the kernel names, a session. Called on the client's event loop.
    typealias Admit = @Sendable (any Channel, Peer) throws -> Void

    /// How many connections wait for a loop before nobody more is accepted for a moment.
    private static let queueCountMax = 256

    /// The loops that serve clients.
    let group: any EventLoopGroup
    /// Where connections wait until a loop has time for them.
    let queues: LoopQueues
    /// Where clients wait who have taken too much.
    let doorstep: Doorstep
    /// Whether the rules allow a client anything at all.
    let hasRights: @Sendable (Peer) -> Bool
    /// Whether the rules let a client administer.
    let administers: @Sendable (Peer) -> Bool
    /// The descriptors that are left.
    let room = DescriptorRoom.ofProcess
    /// What becomes of a client that comes in.
    let admit: Admit

    /// Has a connection come in when the connection's user may.
    ///
    /// - Parameters:
    ///   - socket: The connection, which is closed if too many connections of the user wait.
    ///   - payer: The Unix user who pays for the client.
    ///   - isAdministrator: Asked when the descriptors are running out.
    ///   - enter: Called on the loop of the connection, at once or later.
    func bring(
        _ socket: AcceptedSocket, paidBy payer: UInt32, isAdministrator: () -> Bool,
        enter: @escaping @Sendable (AcceptedSocket, any EventLoop) -> Void
    ) -> AcceptThread.Outcome {
        if room.isKept(socket.descriptor), !isAdministrator() { return .findsNoRoom }
        guard !doorstep.isCrowded(payer) else { return .turnedAway }
        let loop = group.next()
        let count = queues.queue(of: loop).add { [doorstep] in
            switch doorstep.arrive(payer, on: loop) {
            case .comesIn: enter(socket, loop)
            case .waits(let entry):
                loop.scheduleTask(deadline: entry) {
                    doorstep.leave(payer)
                    enter(socket, loop)
                }
            case .isTurnedAway: break
            }
        }
        return count < Self.queueCountMax ? .taken : .takenLast
    }

    /// Makes a channel of a connection, unless the client has left and asked nothing. On the loop of
    /// the connection.
    ///
    /// - Parameter peer: Who is at the other end, asked for as late as this.
    func serve(
        _ socket: AcceptedSocket, paidBy payer: UInt32, on loop: any EventLoop, peer: () -> Peer
    ) {
        guard !socket.hasLeft else { return }
        let began = LoopMoment.now()
        let (admit, peer) = (admit, peer())
        _ = ClientBootstrap(group: loop)
            .channelOption(.writeBufferWaterMark, value: .init(low: 64 * 1_024, high: 256 * 1_024))
            // A client who sends much is read once in each round of the loop, like all others.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try admit(channel, peer)
                    // Throws for a channel that is closed already, which no loop may serve.
                    _ = try channel.syncOptions?.getOption(.autoRead)
                }
            }
            .withConnectedSocket(socket.take())
        doorstep.charge(payer, since: began, hasRights: hasRights(peer), on: loop)
    }
}
