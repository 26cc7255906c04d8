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

    /// A listener of a machine that is connected, whose daemon was heard at a time.
    private mutating func listening(heardAt time: Duration) -> OperationID {
        let id = machine.nextOperation()
        #expect(machine.listenToStatus(id, .database, at: time).last == .resume(id))
        return id
    }

    @Test mutating func `a listener is told that there is a connection`() throws {
        let id = machine.nextOperation()
        _ = machine.listenToStatus(id, .database, at: .zero)
        _ = machine.opened()
        let actions = machine.received(.welcome(Events.welcome()), number: 1)
        #expect(actions.contains(.resume(id)))
        let other = machine.nextOperation()
        #expect(machine.listenToStatus(other, .database, at: .zero).contains(.resume(other)))
    }

    @Test mutating func `a silent daemon is pinged while somebody listens`() throws {
        _ = try connect()
        #expect(machine.nextDeadline == nil, "Nobody listens")
        #expect(machine.timePassed(now: .seconds(3_600), reason: "").isEmpty)
        let id = listening(heardAt: .seconds(100))
        #expect(machine.nextDeadline == .seconds(110))
        #expect(machine.timePassed(now: .seconds(109), reason: "").isEmpty)
        let asked = try sent(machine.timePassed(now: .seconds(110), reason: ""))
        #expect(asked.map(\.request) == [.session(.ping)])
        #expect(machine.nextDeadline == .seconds(115))
        #expect(machine.received(.done, number: try #require(asked.first).number).isEmpty)
        machine.pulse.heard(at: .seconds(111))
        #expect(machine.nextDeadline == .seconds(121))
        #expect(try sent(machine.timePassed(now: .seconds(121), reason: "")).count == 1)
        _ = machine.end(id)
        #expect(machine.nextDeadline == nil)
        #expect(machine.timePassed(now: .seconds(3_600), reason: "").isEmpty)
    }

    @Test mutating func `a daemon that has not accepted a change has a minute for a ping`() throws {
        _ = try connect()
        _ = listening(heardAt: .zero)
        let write = machine.nextOperation()
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .delete)
        _ = machine.write(write, .mutations([mutation]), isAwaited: true, at: .seconds(1))
        #expect(try sent(machine.timePassed(now: .seconds(10), reason: "")).count == 1)
        #expect(machine.nextDeadline == .seconds(70))
        #expect(machine.timePassed(now: .seconds(69), reason: "").isEmpty)
        #expect(machine.timePassed(now: .seconds(70), reason: "") == [.disconnect])
    }

    @Test mutating func `a daemon that does not answer a ping is given up, and listened to anew`()
        throws
    {
        _ = try connect()
        let id = listening(heardAt: .zero)
        let other = machine.nextOperation()
        _ = machine.listenToStatus(other, .allDatabases, at: .seconds(9))
        #expect(try sent(machine.timePassed(now: .seconds(10), reason: "")).count == 1)
        #expect(machine.timePassed(now: .seconds(14), reason: "").isEmpty)
        #expect(machine.timePassed(now: .seconds(15), reason: "") == [.disconnect])
        #expect(machine.lost(at: .seconds(15)) == [.interrupt(id), .interrupt(other)])
        #expect(machine.nextDeadline == nil)
        machine.pulse.heard(at: .seconds(20))
        #expect(try connect().count == 2)
        #expect(machine.nextDeadline == .seconds(30))
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
