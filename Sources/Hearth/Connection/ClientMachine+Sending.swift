import HearthModel
import HearthWire

extension ClientMachine {
    mutating func begin(
        _ id: OperationID, _ operation: Operation, at now: Duration
    ) -> [Action] {
        entries[id] = Entry(
            operation: operation, waitingSince: state == .open ? nil : now,
            isUnnamed: database == nil)
        return state == .open ? send(id) : []
    }

    mutating func send(_ id: OperationID) -> [Action] {
        guard let entry = entries[id], let database else {
            preconditionFailure("Sending what is not there, or before the handshake")
        }
        let request: Request
        switch entry.operation {
        case .read(let read, _):
            request = read
            entries[id]?.operation = .read(read, begun: nil)
        case .listen(let query, let options, _):
            request = .listen(query, options)
        case .sync:
            request = .listenToSync
        case .write(var write):
            write.wasSent = true
            entries[id]?.operation = .write(write)
            request = .write(
                Request.Write(
                    sequence: write.sequence, answeredBelow: answeredBelow,
                    mutations: write.mutations))
        }
        let number = nextNumber()
        do throws(WireError) {
            let frame = try codec.frame(
                of: entry.isUnnamed ? request.named(in: database) : request, number: number)
            entries[id]?.number = number
            entries[id]?.waitingSince = nil
            numbers[number] = id
            return [.send(frame)]
        } catch {
            remove(id)
            return [.fail(id, FirestoreError(error.hearthError))]
        }
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func deadline(_ entry: Entry) -> Duration? {
        guard let since = entry.waitingSince else { return nil }
        switch entry.operation {
        case .read: return since + configuration.connectTimeout
        case .write(let write):
            return write.accepted == nil ? since + configuration.connectTimeout : nil
        case .listen, .sync: return nil
        }
    }

    mutating func remove(_ id: OperationID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if let number = entry.number { numbers[number] = nil }
        if case .write(let write) = entry.operation {
            openSequences.remove(write.sequence)
            while answeredBelow <= lastSequence, !openSequences.contains(answeredBelow) {
                answeredBelow += 1
            }
        }
    }

    mutating func failAll(_ error: FirestoreError) -> [Action] {
        let all = entries.keys.sorted()
        for id in all { remove(id) }
        return all.map { .fail($0, error) }
    }
}
