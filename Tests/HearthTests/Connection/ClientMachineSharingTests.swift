import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// When the library asks for the memory file of hot documents, and when only the daemon may answer.
struct ClientMachineSharingTests: MachineSuite {
    var machine = newMachine

    private mutating func get(_ source: ReadSource) throws -> [(request: Request, number: UInt64)] {
        let query = HearthModel.Query(document: try DocumentKey(parsing: "rooms/hall"))
        return try sent(
            machine.begin(
                machine.nextOperation(), .firestore(.get(query, source)), at: .zero))
    }

    private func sharing(_ sent: [(request: Request, number: UInt64)]) -> UInt64? {
        sent.first { $0.request == .session(.shareReads) }?.number
    }

    @Test mutating func `the second get from the cache asks for the file, once in each session`()
        throws
    {
        _ = try connect()
        #expect(sharing(try get(.cache)) == nil)
        #expect(sharing(try get(.default)) == nil)
        let number = try #require(sharing(try get(.cache)))
        #expect(sharing(try get(.cache)) == nil)
        #expect(
            machine.received(.sharedReads(byteCount: 4_096), number: number)
                == [.share(byteCount: 4_096)])
        #expect(
            machine.received(.sharedReads(byteCount: nil), number: number)
                == [.share(byteCount: nil)])
        #expect(machine.received(.sharedReads(byteCount: 1), number: number + 1).isEmpty)
        machine.lost(at: .zero)
        let next = try connect()
        #expect(sharing(next).map { $0 > number } == true)
        #expect(machine.received(.sharedReads(byteCount: 1), number: number).isEmpty)
    }

    @Test mutating func `a daemon that knows no such file is asked as before`() throws {
        _ = try connect()
        _ = try get(.cache)
        let asked = try get(.cache)
        let number = try #require(sharing(asked))
        let error = HearthError(code: .unimplemented, message: "No such kind.")
        #expect(machine.received(.failed(error), number: number).isEmpty)
        #expect(machine.isOpen)
        let again = try get(.cache)
        #expect(again.map(\.request.kind) == [3])
    }

    @Test mutating func `what was read is told in an open session, and in no other`() throws {
        let key = try DocumentKey(parsing: "rooms/hall")
        #expect(machine.tellReads(of: [key], at: .zero).isEmpty)
        _ = try connect()
        let told = try sent(machine.tellReads(of: [key], at: .zero))
        #expect(told.map(\.request) == [.firestore(.noteReads([key]))])
        let number = try #require(told.first?.number)
        let error = HearthError(code: .unimplemented, message: "No such kind.")
        #expect(try sent(machine.received(.failed(error), number: number)).isEmpty)
        #expect(machine.isOpen)
        #expect(!machine.wantsConnection)
    }

    @Test mutating func `names that are told take the room of an answer until they are answered`()
        throws
    {
        let key = try DocumentKey(parsing: "rooms/hall")
        _ = try connect()
        machine.owedCountMax = 1
        let told = try sent(machine.tellReads(of: [key], at: .zero))
        let number = try #require(told.first?.number)
        #expect(try get(.server).isEmpty)
        let next = try sent(machine.received(.done, number: number))
        #expect(
            next.map(\.request) == [.firestore(.get(HearthModel.Query(document: key), .server))])
    }

    @Test mutating func `a listener's state is the cache's while nothing has changed there`() throws
    {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.listen(id, to: Self.rooms, ListenOptions(), at: .zero)).first?.number)
        #expect(machine.cachedState(of: Self.rooms, at: 4) == nil)
        var snapshot = try Events.snapshot(1, [try Events.listed("rooms/hall", [:])])
        snapshot.flags.changeNumber = 4
        _ = machine.received(.snapshot(snapshot), number: number)
        let state = try #require(machine.cachedState(of: Self.rooms, at: 4)).asCached
        #expect(state.documents.documents.map(\.key.documentID) == ["hall"])
        #expect(state.flags.isFromCache && state.changes.map(\.kind) == [.added])
        #expect(machine.cachedState(of: Self.rooms, at: 5) == nil)
        var first = Self.rooms
        first.limit = .init(1)
        #expect(machine.cachedState(of: first, at: 4) == nil)
        // A write of the program's own, until the daemon has it.
        let write = try #require(try sent(try write().actions).first?.number)
        #expect(machine.cachedState(of: Self.rooms, at: 4) == nil)
        _ = machine.received(Events.accepted(1), number: write)
        #expect(machine.cachedState(of: Self.rooms, at: 4) != nil)
        machine.lost(at: .zero)
        #expect(machine.cachedState(of: Self.rooms, at: 4) == nil)
        _ = machine.end(id)
        #expect(machine.listeners.isEmpty)
    }

    @Test mutating func `a program that reads what it listens to asks for the file`() throws {
        _ = try connect()
        _ = machine.listen(machine.nextOperation(), to: Self.rooms, ListenOptions(), at: .zero)
        let asked = try (0..<2).map { _ in
            try sent(
                machine.begin(
                    machine.nextOperation(), .firestore(.get(Self.rooms, .cache)), at: .zero))
        }
        #expect(asked.map { sharing($0) != nil } == [false, true])
    }

    @Test mutating func `while a write is not accepted, only the daemon knows the answer`() throws {
        _ = try connect()
        #expect(machine.changeCount == 0)
        let numbers = try (0..<3).map { _ in
            try #require(try sent(try write().actions).first?.number)
        }
        #expect(machine.changeCount == 3)
        _ = machine.received(Events.accepted(1), number: numbers[0])
        _ = machine.received(Events.accepted(1), number: numbers[0])
        #expect(machine.changeCount == 2)
        let error = Event.failed(HearthError(code: .resourceExhausted, message: "Full."))
        _ = machine.received(error, number: numbers[1])
        #expect(machine.changeCount == 1)
        machine.lost(at: .zero)
        #expect(machine.changeCount == 1)
        _ = try connect()
        _ = machine.shutDown()
        #expect(machine.changeCount == 0)
    }

    @Test mutating func `a write that nobody waits for counts until it is accepted`() throws {
        _ = try connect()
        let (id, actions) = try write()
        let number = try #require(try sent(actions).first?.number)
        _ = machine.release(id)
        #expect(machine.changeCount == 1)
        _ = machine.received(Events.accepted(1), number: number)
        #expect(machine.changeCount == 0)
    }
}
