import HearthEngine
import HearthFirestore
import HearthModel
import HearthWire
import NIOCore

/// Orders about pins: the desk knows who may have which, and the engine how each stands.
extension SessionHandler {
    /// Carries out an order; the engine answers unless the order is refused.
    func carryOut(
        _ order: PinOrder, in database: DatabaseID, _ number: UInt64,
        _ context: ChannelHandlerContext
    ) {
        let (pinning, id) = (services.pinning, RequestID(session: session, number: number))
        switch order {
        case .list:
            engine?.gather(.firestore(.tellPins(id, pinning.ids(for: peer, in: database))))
        case .wait(let name, let uid):
            let pin = pinning.id(named: name, of: uid, for: peer, in: database)
            guard let pin else {
                let error = HearthError.notPinned(Pin.ID(uid: uid, name: name))
                return carryOut(machine.reported(.failed(error), number: number))
            }
            engine?.gather(.firestore(.waitForPin(id, pin)))
        case .keep, .end:
            change(order, in: database, id, context)
        }
    }

    private func change(
        _ order: PinOrder, in database: DatabaseID, _ id: RequestID,
        _ context: ChannelHandlerContext
    ) {
        let status = services.engines.engine(of: .firestore(database))?.lifecycle.status
        let pinnedByteCount = status?.pins.byteCount(
            paidBy: peer.orderPayer, SubordinateUsers.ofMachine.ranges)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let pinsChanged = services.pinsChanged
        services.pinning.carryOut(
            order, in: database, for: peer,
            pinnedByteCount: pinnedByteCount ?? 0, on: context.eventLoop
        ).whenSuccess { error in
            guard let error else { return pinsChanged(database, id) }
            handler.value.carryOut(
                handler.value.machine.reported(.failed(error), number: id.number))
            handler.value.finishRead()
        }
    }
}
