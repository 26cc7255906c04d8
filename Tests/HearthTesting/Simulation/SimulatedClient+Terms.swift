import HearthEngine
import HearthFirestore
import HearthModel

/// What a daemon does for writers with terms of their own, and what it keeps pinned.
extension SimulatedClient {
    // MARK: Writes that are given up

    /// Notes what a turn that stood sends.
    func noteSending(_ actions: [FirestoreEngine.Action], at time: Timestamp) {
        for case .upstream(.write(_, let batch, let mutations, _)) in actions {
            guard let number = WriteLedger.number(of: mutations) else { continue }
            noteMark(mutations, of: number, batch)
            if let fault = ledger.sent(number, at: time) { report(fault) }
        }
    }

    /// A batch is a dead letter from now on.
    func bury(_ batch: BatchID, _ error: HearthError, at time: Timestamp) {
        if let fault = ledger.buried(batch, by: index, error, at: time) { report(fault) }
        ledger.rejected(batch, by: index)
        noteLetter(batch)
    }

    /// A writer wants a write back, or somebody else who may not have it.
    func takeBack(
        _ number: Int, isOwn: Bool, at now: Timestamp, dies: Bool
    ) throws(StoreError) {
        guard let entry = ledger.entries[number], let batch = entry.batch else { return }
        let id = RequestID(session: 7, number: nextNumber())
        let identity = identity(of: isOwn ? number : number + 1_000_000)
        takingBack = [id: isOwn ? number : -1]
        steeredKeys = Set(entry.mutations.map(\.key))
        defer { steeredKeys = [] }
        if dies {
            try takeAndDie(.cancelWrite(id, batch, identity), at: now)
        } else {
            take(.cancelWrite(id, batch, identity), at: now)
        }
    }

    /// What is durable now of a writer's wish.
    func noteTakingBack(_ id: RequestID, _ actions: [FirestoreEngine.Action]) {
        guard actions.contains(.complete(id)), let number = takingBack[id] else { return }
        if number < 0 { return report("somebody took back a write of another") }
        if let fault = ledger.takenBack(number) { report(fault) }
    }

    // MARK: Pins

    /// The daemon tells the engine what is pinned.
    func tellPins(at now: Timestamp) { take(.setPins(pins, for: nil), at: now) }

    /// A session waits until a pin is complete and fresh.
    func waitForPin(_ pin: Pin.ID, session: UInt64, at now: Timestamp) {
        let id = RequestID(session: session, number: nextNumber())
        pinWaits.insert(id)
        take(.waitForPin(id, pin), at: now)
    }

    /// How the pins stand, in the order of their names.
    func reportsOnPins(at now: Timestamp) -> [PinReport] {
        take(
            .tellPins(RequestID(session: 8, number: nextNumber()), pins.pins.map(\.id)), at: now)
        return pinReports.sorted { $0.pin.id < $1.pin.id }
    }
}
