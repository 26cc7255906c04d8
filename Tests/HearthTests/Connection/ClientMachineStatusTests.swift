import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// Listeners to the daemon's state, over lost connections.
struct ClientMachineStatusTests: MachineSuite {
    var machine = newMachine

    private let report = Report.status(StatusReport(database: .firestore(FakeDaemon.database)))

    @Test mutating func `a listener is told each state, and listens again after a lost connection`()
        throws
    {
        let id = machine.nextOperation()
        #expect(machine.listenToStatus(id, .database, at: .zero).isEmpty)
        #expect(machine.wantsConnection)
        let first = try #require(try connect().first)
        #expect(first.request == .session(.listenToStatus(.database)))
        for _ in 0..<2 {
            let actions = machine.received(.report(report), number: first.number)
            #expect(actions == [.report(id, report)])
        }
        #expect(machine.lost(at: .zero) == [.interrupt(id)])
        #expect(machine.timePassed(now: .seconds(3_600), reason: "nobody").isEmpty)
        let second = try #require(try connect().first)
        #expect(second.request == first.request)
        #expect(second.number > first.number)
        #expect(machine.received(.report(report), number: first.number).isEmpty)
        let ended = try sent(machine.end(id))
        #expect(ended.map(\.request) == [.session(.unlisten)])
        #expect(ended.map(\.number) == [second.number])
        #expect(!machine.wantsConnection)
    }

    @Test mutating func `a daemon that does not know the listener refuses it alone`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let asked = try #require(
            try sent(machine.listenToStatus(id, .allDatabases, at: .zero)).first)
        let error = HearthError(code: .unimplemented, message: "No such kind.")
        #expect(
            machine.received(.failed(error), number: asked.number)
                == [.fail(id, FirestoreError(error))])
        #expect(machine.isOpen)
        #expect(machine.nextDeadline == nil)
    }
}
