import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

private let database = DatabaseID(project: "demo")

private func key(_ text: String) throws -> DocumentKey { try DocumentKey(parsing: text) }

/// The requests that the access rules let through, one by one.
struct SessionAccessTests {
    /// A request of every kind, and the rights over everything without which it is refused.
    static func requests() throws -> [(Request, Set<AccessPolicy.Right>)] {
        let rooms = Query(path: try ResourcePath(parsing: "rooms"))
        let set = Mutation(key: try key("rooms/a"), kind: .set(.empty))
        let check = Mutation(key: try key("rooms/a"), kind: .verify)
        func write(_ mutations: [Mutation]) -> Request {
            .firestore(
                .write(FirestoreRequest.Write(sequence: 1, answeredBelow: 1, mutations: mutations)))
        }
        return [
            (.session(.ping), []), (.session(.shareReads), []),
            (.session(.listenToStatus(.database)), []),
            (.inquiry(.status), []), (.inquiry(.inspection(.clients)), []),
            (.firestore(.listenToSync), []),
            (.firestore(.waitForPendingWrites), []),
            (.firestore(.waitForOwnWrites(last: BatchID(1))), []),
            (.firestore(.get(rooms, .default)), [.read]),
            (.firestore(.listen(rooms, .init())), [.read]),
            (.firestore(.explain(rooms)), [.read]), (.firestore(.getNamedQuery("q")), [.read]),
            (
                .firestore(.aggregate(.init(query: rooms, aggregations: [], source: .cache))),
                [.read]
            ),
            (.firestore(.readDocuments([try key("rooms/a")])), [.read]),
            (.firestore(.noteReads([try key("rooms/a")])), [.read]),
            (
                .firestore(
                    .buildBundle(
                        .init(id: "b", queries: [.init(name: "q", query: rooms)], documents: []))),
                [.read]
            ),
            (
                .firestore(
                    .buildBundle(.init(id: "b", queries: [], documents: [try key("rooms/a")]))),
                [.read]
            ),
            (.firestore(.voteNetwork(isEnabled: true)), [.read]),
            (.firestore(.cancelWrite(sequence: 1, batch: BatchID(1))), []),
            (.firestore(.pin(.list)), []), (.firestore(.pin(.end(name: "p", uid: nil))), []),
            (.firestore(.pin(.keep(rooms, name: "p", freshness: nil))), [.read]),
            (.firestore(.manageIndexes(.none)), [.read]),
            (.inquiry(.queue(.init())), [.read]), (.inquiry(.deadLetters(.init())), [.read]),
            (write([set]), [.write]), (write([set, check]), [.read, .write]),
            (.firestore(.commit([set])), [.write]),
            (.firestore(.commit([set, check])), [.read, .write]),
            (.firestore(.manageIndexes(.removeAll)), [.write]),
            (.firestore(.loadBundle(.init(data: [1], hasMore: true))), [.write]),
            (.administration(.steerQueue(.retry)), [.administer]),
            (.administration(.setNetwork(isEnabled: true)), [.administer]),
            (.inquiry(.document(try key("rooms/a"))), [.read]),
            (.inquiry(.history(.init(of: try key("rooms/a")))), [.read]),
            (.administration(.clearPersistence), [.administer]),
            (.administration(.reload), [.administer]),
            (.administration(.authenticate(.tell)), []),
            (.administration(.authenticate(.signOut)), [.administer]),
            (.administration(.authenticate(.signIn(.anonymous))), [.administer]),
            (.inquiry(.collections(.init(below: ResourcePath(["rooms", "a"])))), [.read]),
        ]
    }

    private func machine(_ rules: [AccessPolicy.Rule]) -> SessionMachine {
        var configuration = SessionMachine.Configuration(
            session: 7, peer: Peer(uid: 60_001, gid: 60_001, pid: 42),
            directory: DatabaseDirectory(database: database),
            limits: .init(listenerCountMax: 9, requestCountMax: 9), daemonVersion: "test")
        configuration.access = AccessPolicy(rules: rules)
        var machine = SessionMachine(configuration)
        _ = machine.received(
            .session(.hello(Hello(client: .anonymous, program: "root"))), number: 1)
        _ = machine.attached()
        return machine
    }

    private func isRefused(_ actions: [SessionMachine.Action]) -> Bool {
        actions.contains { action in
            if case .reply(.failed(let error), 2) = action {
                error.code == .permissionDenied
            } else {
                false
            }
        }
    }

    @Test func `each request needs its rights, all of them and no others`() throws {
        let listings: [Request] = [
            .inquiry(.queue(.init())), .inquiry(.deadLetters(.init())),
            .inquiry(.document(try key("rooms/a"))),
        ]
        for (request, needed) in try Self.requests() {
            for missing in AccessPolicy.Right.allCases {
                let rights = Set(AccessPolicy.Right.allCases).subtracting([missing])
                let rule = AccessPolicy.Rule(name: "x", subject: .everyone, rights: rights)
                var machine = machine([rule])
                // What waits may be seen by who may steer it, too.
                let isListing = listings.contains { $0.kind == request.kind }
                let expected = needed.contains(missing) && !isListing
                let actions = machine.received(request, number: 2)
                #expect(isRefused(actions) == expected, "\(request) without \(missing)")
            }
            var nobody = machine([])
            #expect(isRefused(nobody.received(request, number: 2)) == !needed.isEmpty)
        }
    }

    @Test func `the table has every kind of request that a session answers`() throws {
        let unanswered: [Request] = [
            .session(.hello(Hello(client: .anonymous, program: ""))), .session(.unlisten),
            .firestore(.unlistenToSync),
        ]
        let kinds = Set(try Self.requests().map(\.0.kind) + unanswered.map(\.kind))
        #expect(kinds.count == 35)
    }

    @Test(arguments: [
        ("allow everyone read below rooms/a", true), ("allow everyone read", false),
        ("allow everyone administer", false),
    ])
    func
        `whoever may read a document may ask where it stands, and sees whole batches with the queue`(
            rule: String, isCut: Bool
        ) throws
    {
        let rules = [try AccessRuleReader.read(rule, name: "x")]
        var asking = machine(rules)
        var listing = machine(rules)
        let inquiry = Inquiry.document(try key("rooms/a"))
        let user: UInt32? = isCut ? 60_001 : nil
        #expect(
            asking.received(.inquiry(inquiry), number: 2)
                == [.ask(.inquiry(inquiry, ofUser: user), 2)])
        #expect(isRefused(listing.received(.inquiry(.queue(.init())), number: 2)) == isCut)
    }

    @Test func `one write that is not allowed refuses the whole batch`() throws {
        let rule = try AccessRuleReader.read("allow everyone write below rooms", name: "rooms")
        var machine = machine([rule])
        let mutations = [
            Mutation(key: try key("rooms/a"), kind: .delete),
            Mutation(key: try key("staff/a"), kind: .delete),
        ]
        let write = FirestoreRequest.Write(sequence: 1, answeredBelow: 1, mutations: mutations)
        #expect(isRefused(machine.received(.firestore(.write(write)), number: 2)))
        let allowed = FirestoreRequest.Write(
            sequence: 2, answeredBelow: 1, mutations: Array(mutations.prefix(1)))
        #expect(!isRefused(machine.received(.firestore(.write(allowed)), number: 3)))
    }

    @Test func `a query of which a rule allows a part is refused`() throws {
        var machine = machine([
            try AccessRuleReader.read("allow everyone read below rooms/a", name: "a")
        ])
        let group = Query(collectionGroup: "items")
        let below = Query(path: try ResourcePath(parsing: "rooms/a/items"))
        #expect(isRefused(machine.received(.firestore(.get(group, .cache)), number: 2)))
        #expect(!isRefused(machine.received(.firestore(.get(below, .cache)), number: 3)))
    }

    @Test func `the memory of hot documents is for those who may read the document`() throws {
        func mayRead(
            _ machine: borrowing SessionMachine, _ path: String, in place: DatabaseID = database
        ) throws -> Bool {
            let get = Request.firestore(.get(Query(document: try key(path)), .cache))
            let body = try WireCodec(database: place).frame(of: get, number: 2).body
            return machine.mayRead(documentIn: body.span.bytes)
        }
        let part = machine([
            try AccessRuleReader.read("allow everyone read below a", name: "a"),
            try AccessRuleReader.read("deny everyone read below a/secret", name: "b"),
        ])
        #expect(try mayRead(part, "a/b") == true)
        #expect(try mayRead(part, "a/secret") == false)
        #expect(try mayRead(part, "c/d") == false)
        #expect(try mayRead(part, "a/b", in: DatabaseID(project: "other")) == false)
        let all = machine([try AccessRuleReader.read("allow everyone read", name: "a")])
        #expect(try mayRead(all, "c/d") == true)
        #expect(try mayRead(machine([]), "a/b") == false)
    }

    @Test func `a refusal is for the journal once for each rule`() throws {
        var machine = machine([])
        let notes = (UInt64(2)...4).map { number in
            machine.received(.firestore(.readDocuments([])), number: number).count
                + machine.received(
                    .administration(.setNetwork(isEnabled: true)), number: number + 10
                ).count
        }
        // A read of nothing needs nothing; the switch is noted the first time.
        #expect(notes[0] == notes[1] + 1)
        #expect(notes[1] == notes[2])
    }

    @Test func `new rules end the listeners that they do not allow, and let others be`() throws {
        var machine = machine([try AccessRuleReader.read("allow everyone read", name: "all")])
        let rooms = Query(path: try ResourcePath(parsing: "rooms"))
        let staff = Query(path: try ResourcePath(parsing: "staff"))
        _ = machine.received(.firestore(.listen(rooms, .init())), number: 2)
        _ = machine.received(.firestore(.listen(staff, .init())), number: 3)
        let rules = [
            try AccessRuleReader.read("allow everyone read", name: "all"),
            try AccessRuleReader.read("deny everyone read below staff", name: "staff"),
        ]
        let actions = machine.reconfigure(
            access: AccessPolicy(rules: rules),
            limits: .init(listenerCountMax: 9, requestCountMax: 9))
        #expect(actions.contains(.submit(.firestore(.unlisten(ListenerID(session: 7, number: 3))))))
        #expect(
            actions.contains { action in
                if case .reply(.listenFailed(let error), 3) = action {
                    error.message.contains("\"staff\"")
                } else {
                    false
                }
            })
        #expect(machine.listens(2) == true)
        #expect(machine.listens(3) == false)
        #expect(machine.openListenerCount == 1)
    }

    @Test func `a reload replaces every limit of a session that is open`() throws {
        let rules = [try AccessRuleReader.read("allow everyone read write", name: "all")]
        var machine = machine(rules)
        let rooms = Query(path: try ResourcePath(parsing: "rooms"))
        _ = machine.received(.firestore(.listen(rooms, .init())), number: 2)
        var limits = SessionLimits()
        limits.listenerCountMax = 1
        limits.memory.bundleByteCountMax = 1
        _ = machine.reconfigure(access: AccessPolicy(rules: rules), limits: limits)
        let requests: [(request: Request, limit: String)] = [
            (.firestore(.listen(rooms, .init())), "raise limits.listenerCountMax"),
            (
                .firestore(.loadBundle(.init(data: [1, 2], hasMore: true))),
                "limits.bundleByteCountMax = 1"
            ),
        ]
        for (index, (request, limit)) in requests.enumerated() {
            let actions = machine.received(request, number: UInt64(3 + index))
            #expect("\(actions)".contains(limit), "\(actions)")
        }
    }

    @Test func `a vote without the right to administer is for the session alone`() throws {
        let id = RequestID(session: 7, number: 2)
        var reader = machine([try AccessRuleReader.read("allow everyone read write", name: "a")])
        #expect(
            reader.received(.firestore(.voteNetwork(isEnabled: false)), number: 2)
                == [.submit(.firestore(.withhold(id, isWithheld: true)))])
        var administrator = machine([
            try AccessRuleReader.read("allow everyone read administer", name: "a")
        ])
        #expect(
            administrator.received(.firestore(.voteNetwork(isEnabled: false)), number: 2)
                == [.submit(.firestore(.vote(id, isEnabled: false)))])
    }
}
