import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import HearthServer

/// Listeners to the daemon's state: what makes news for each, and what one may see.
struct StatusListenerTests: ~Copyable {
    private var spoken = Spoken.open()
    private let key = EngineKey.firestore(Spoken.database)
    private let other = EngineKey.firestore(DatabaseID(project: "demo", database: "other"))

    private func report(
        _ key: EngineKey? = nil, _ change: (inout StatusReport) -> Void = { _ in }
    ) -> StatusReport {
        var report = StatusReport(database: key ?? self.key)
        change(&report)
        return report
    }

    private func databases(_ reports: StatusReport...) -> Report {
        var inspection = Inspection()
        inspection.databases = reports
        return .inspection(inspection)
    }

    @Test mutating func `a listener is told the present state, and then what a state shows`() {
        #expect(
            spoken.machine.received(.session(.listenToStatus(.database)), number: 2) == [
                .followStatus([.database]), .ask(.inquiry(.status, ofUser: 1_000), 2),
            ])
        let first = report { $0.uptime = .seconds(1) }
        #expect(
            spoken.machine.reported(.report(.status(first)), number: 2)
                == [.status(.status(first), 2)])
        let older = report {
            $0.uptime = .seconds(9)
            $0.clientCount = 4
            $0.cachedDocumentCount = 1_000
            $0.nextAttemptDelay = .seconds(1)
        }
        #expect(spoken.machine.told([older], of: .database) == [])
        let changes: [(inout StatusReport) -> Void] = [
            { $0.isNetworkEnabled = false }, { $0.onlineState = .online },
            { $0.targetCount = 1 }, { $0.queueBatchCount = 1 }, { $0.heldBatchCount = 1 },
            { $0.oldestWrittenAt = Timestamp(seconds: 1, nanoseconds: 0) },
            { $0.deadLetterCount = 1 },
            { $0.connectionError = HearthError(code: .unavailable, message: "Nobody.") },
        ]
        for change in changes {
            let next = report(change: change)
            #expect(spoken.machine.told([next], of: .database) == [.status(.status(next), 2)])
            #expect(spoken.machine.told([next], of: .database) == [])
            #expect(spoken.machine.told([next], of: .allDatabases) == [])
        }
    }

    private func report(change: (inout StatusReport) -> Void) -> StatusReport {
        report(nil, change)
    }

    @Test mutating func `a listener to all databases is told all but the time`() {
        _ = spoken.machine.received(.session(.listenToStatus(.allDatabases)), number: 2)
        #expect(
            spoken.machine.told([report(), report(other)], of: .allDatabases)
                == [.status(databases(report(), report(other)), 2)])
        let older = report {
            $0.uptime = .seconds(9)
            $0.nextAttemptDelay = .seconds(1)
        }
        #expect(spoken.machine.told([older, report(other)], of: .allDatabases) == [])
        let busier = report(other) { $0.clientCount = 4 }
        #expect(
            spoken.machine.told([older, busier], of: .allDatabases)
                == [.status(databases(older, busier), 2)])
        // The other database is closed.
        #expect(
            spoken.machine.told([older], of: .allDatabases) == [.status(databases(older), 2)])
    }

    @Test mutating func `what happens in a database without rights is no news`() {
        _ = spoken.machine.received(.session(.listenToStatus(.allDatabases)), number: 2)
        _ = spoken.machine.reconfigure(
            access: .closed, limits: SessionLimits(listenerCountMax: 2, requestCountMax: 2))
        #expect(
            spoken.machine.told([report(), report(other)], of: .allDatabases)
                == [.status(databases(report()), 2)])
        let busier = report(other) { $0.queueBatchCount = 4 }
        #expect(spoken.machine.told([report(), busier], of: .allDatabases) == [])
    }

    @Test mutating func `each listener has its own number, and the last one ends the following`() {
        _ = spoken.machine.received(.session(.listenToStatus(.database)), number: 2)
        _ = spoken.machine.reported(.report(.status(report())), number: 2)
        #expect(
            spoken.machine.received(.session(.listenToStatus(.database)), number: 3) == [
                .followStatus([.database]), .ask(.inquiry(.status, ofUser: 1_000), 3),
            ])
        #expect(
            spoken.machine.reported(.report(.status(report())), number: 3)
                == [.status(.status(report()), 3)])
        let busy = report { $0.queueBatchCount = 4 }
        #expect(
            spoken.machine.told([busy], of: .database)
                == [.status(.status(busy), 2), .status(.status(busy), 3)])
        #expect(
            spoken.machine.received(.session(.unlisten), number: 2)
                == [.followStatus([.database]), .forgetNews(2)])
        #expect(spoken.machine.told([report()], of: .database) == [.status(.status(report()), 3)])
        #expect(
            spoken.machine.received(.session(.unlisten), number: 3)
                == [.followStatus([]), .forgetNews(3)])
        #expect(spoken.machine.told([busy], of: .database) == [])
        #expect(spoken.machine.openListenerCount == 0)
    }

    @Test mutating func `listeners to the state count as listeners do`() {
        let before = spoken.machine.heldByteCount
        for number in UInt64(2)...3 {
            _ = spoken.machine.received(.session(.listenToStatus(.database)), number: number)
        }
        #expect(spoken.machine.openListenerCount == 2)
        #expect(spoken.machine.openRequestCount == 0)
        _ = spoken.machine.told([report()], of: .database)
        #expect(
            spoken.machine.heldByteCount - before
                >= 2 * (ClientMemory.listenerByteCount + ClientMemory.statusByteCount))
        let third = spoken.machine.received(.session(.listenToStatus(.database)), number: 4)
        #expect(Spoken.failures(third) == ["4: RESOURCE_EXHAUSTED"])
        _ = spoken.machine.end(.shuttingDown)
        spoken.machine.release()
        #expect(spoken.machine.told([report()], of: .database) == [])
    }

    @Test mutating func `a listener that ends before its first state keeps its room until then`() {
        for number in UInt64(2)...3 {
            _ = spoken.machine.received(.session(.listenToStatus(.database)), number: number)
            _ = spoken.machine.received(.session(.unlisten), number: number)
        }
        #expect(spoken.machine.told([report()], of: .database) == [])
        let third = spoken.machine.received(.session(.listenToStatus(.database)), number: 4)
        #expect(Spoken.failures(third) == ["4: RESOURCE_EXHAUSTED"])
        #expect(spoken.machine.reported(.report(.status(report())), number: 2) == [])
        let fourth = spoken.machine.received(.session(.listenToStatus(.database)), number: 5)
        #expect(fourth.first == .followStatus([.database]))
        #expect(spoken.machine.reported(.report(.status(report())), number: 3) == [])
        #expect(spoken.machine.openListenerCount == 1)
    }

    @Test mutating func `a session has few listeners to the state, whatever else it may have`() {
        _ = spoken.machine.reconfigure(
            access: .open, limits: SessionLimits(listenerCountMax: 1_000, requestCountMax: 2))
        let numbers = UInt64(2)..<UInt64(2 + StatusListener.countMax)
        for number in numbers {
            _ = spoken.machine.received(.session(.listenToStatus(.database)), number: number)
        }
        let next = spoken.machine.received(
            .session(.listenToStatus(.database)), number: numbers.upperBound)
        #expect(Spoken.failures(next) == ["\(numbers.upperBound): RESOURCE_EXHAUSTED"])
        #expect(spoken.machine.told([report()], of: .database).count == numbers.count)
    }

    @Test mutating func `a state that cannot be found out ends the listener`() {
        _ = spoken.machine.received(.session(.listenToStatus(.database)), number: 2)
        let error = HearthError(code: .unavailable, message: "No.")
        #expect(
            spoken.machine.reported(.failed(error), number: 2)
                == [.followStatus([]), .forgetNews(2), .reply(.failed(error), 2)])
        #expect(spoken.machine.openListenerCount == 0)
    }

    @Test func `the newest state alone waits for a client that does not read`() throws {
        let codec = WireCodec(database: Spoken.database)
        var outbox = Outbox()
        for count in 1...100 {
            outbox.append(status: .status(report { $0.queueBatchCount = count }), to: 2)
        }
        outbox.append(status: .status(report()), to: 3)
        outbox.removeNews(of: 3)
        #expect(outbox.byteCount == ClientMemory.statusByteCount)
        let next = outbox.next(codec)
        let frame = try #require(next)
        #expect(frame.request == 2)
        #expect(try codec.event(frame) == .report(.status(report { $0.queueBatchCount = 100 })))
        let rest = outbox.next(codec)
        #expect(rest == nil && outbox.byteCount == 0)
    }
}
