import Glibc
import HearthBackend
import HearthModel
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthEmulator

/// How a change for many listeners goes past their outboxes, and overtakes nothing.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeBroadcastTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    /// A connection of which only the broadcasts' part is there.
    private final class Ear: Sendable {
        let id: RealtimeConnectionID
        let outbox: RealtimeOutbox
        /// The server's end and the client's.
        let ends: (own: CInt, other: CInt)
        let rests = Mutex<[ByteBuffer]>([])
        let wakeCount = Mutex(0)

        init(_ number: UInt64, in wakes: RealtimeWakes.Loop) throws {
            id = RealtimeConnectionID(number)
            outbox = RealtimeOutbox(in: wakes) { wakes.wake {} }
            ends = try socketPair()
        }

        deinit {
            Glibc.close(ends.own)
            Glibc.close(ends.other)
        }

        /// Takes part, ready or not.
        func join(_ wakes: RealtimeWakes.Loop, isReady: Bool = true) {
            let member = RealtimeWakes.Loop.Member(
                outbox: outbox,
                sendMore: { [unowned self] in wakeCount.withLock { $0 += 1 } },
                sendRest: { [unowned self] bytes in
                    rests.withLock { $0.append(bytes) }
                    wakes.setReady(id, nil)
                })
            wakes.join(id, member)
            if isReady { wakes.setReady(id, ends.own) }
        }

        /// What the client has got since the last time.
        func heard() -> String { received(from: ends.other) }

        /// What waits for the connection, in words.
        func waiting() -> [String] {
            var told: [String] = []
            while let next = outbox.next() {
                switch next.message {
                case .push(let change, let tag):
                    told.append(String(buffer: change.frames(tag: tag)).text)
                case .answer(_, let number): told.append("answer \(number)")
                case .revoke, .lost: told.append("other")
                }
            }
            return told
        }
    }

    private func change(_ text: String) -> SharedChange {
        let node = Node(.string(text))
        return SharedChange(.overwrite(WritePath("/a" as RealtimePath), node), isFirst: false)
    }

    /// Twenty connections of one loop, all ready.
    private func ears() throws -> (RealtimeOutboxes, [Ear], RealtimeWakes.Loop) {
        let wakes = RealtimeWakes().wakes(of: loop)
        var outboxes = RealtimeOutboxes()
        let ears = try (1...20).map { try Ear($0, in: wakes) }
        for ear in ears {
            outboxes.open(ear.id, ear.outbox)
            ear.join(wakes)
        }
        return (outboxes, ears, wakes)
    }

    private func listeners(_ ears: [Ear], tag: Int? = nil) -> [RealtimeListener] {
        ears.map { RealtimeListener($0.id, tag: tag) }
    }

    /// Does something while the loop is busy, and waits until the loop has done what follows.
    private func whileBusy(_ body: @Sendable @escaping () throws -> Void) async throws {
        try await loop.submit(body).get()
        try await loop.submit {}.get()
        try await loop.submit {}.get()
    }

    private static func told(_ text: String, tag: Int? = nil) -> String {
        let ending = tag.map { #","t":\#($0)"# } ?? ""
        return #"{"t":"d","d":{"a":"d","b":{"p":"a","d":"\#(text)"\#(ending)}}}"#
    }

    @Test func `a change goes into the sockets that are ready, and the others' outboxes`()
        async throws
    {
        let (outboxes, ears, wakes) = try ears()
        wakes.setReady(ears[3].id, nil)
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("one"), to: listeners(ears))
        }
        for (number, ear) in ears.enumerated() {
            let isReady = number != 3
            #expect(ear.heard().text == (isReady ? Self.told("one") : ""))
            #expect(ear.waiting() == (isReady ? [] : [Self.told("one")]))
            #expect(ear.wakeCount.withLock { $0 } == (isReady ? 0 : 1))
        }
    }

    @Test func `listeners with several tags get each change under its tag`() async throws {
        let (outboxes, ears, _) = try ears()
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("one"), to: listeners(ears, tag: 7) + listeners(ears))
        }
        for ear in ears {
            let heard = ear.heard()
            let texts = [Self.told("one", tag: 7), Self.told("one")]
            #expect(heard.split(separator: "\u{81}").map { String($0.dropFirst()) } == texts)
        }
    }

    @Test func `many listeners of a connection get a change together, by its outbox`() async throws
    {
        let (outboxes, ears, _) = try ears()
        try await whileBusy {
            var outboxes = outboxes
            let tagged = (7...9).flatMap { listeners(ears, tag: $0) }
            outboxes.push(change("one"), to: tagged)
        }
        for ear in ears {
            #expect(ear.heard() == "")
            #expect(ear.waiting() == (7...9).map { Self.told("one", tag: $0) })
        }
    }

    @Test func `a message behind a change comes behind the change`() async throws {
        let (outboxes, ears, _) = try ears()
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("one"), to: listeners(ears))
            outboxes.put(.answer(.done, request: 1), to: ears[5].id)
            outboxes.put(.answer(.done, request: 2), to: ears[5].id)
        }
        for (number, ear) in ears.enumerated() {
            let isAsking = number == 5
            #expect(ear.heard().text == (isAsking ? "" : Self.told("one")))
            #expect(
                ear.waiting() == (isAsking ? [Self.told("one"), "answer 1", "answer 2"] : []))
        }
    }

    @Test func `messages for many behind a change come behind the change`() async throws {
        let (opened, ears, _) = try ears()
        let outboxes = Mutex(opened)
        try await whileBusy {
            outboxes.withLock { outboxes in
                outboxes.push(change("one"), to: listeners(ears))
                for number in 0..<10 {
                    outboxes.put(.answer(.done, request: number), to: ears[number].id)
                }
                outboxes.put(.answer(.done, request: 99), to: ears[0].id)
            }
        }
        // Taken back one by one, then all at once: also those whom no message calls back.
        for (number, ear) in ears.enumerated() {
            let answers = number < 10 ? ["answer \(number)"] : []
            let last = number == 0 ? ["answer 99"] : []
            #expect(ear.heard() == "")
            #expect(ear.waiting() == [Self.told("one")] + answers + last)
        }
        // The next change is a broadcast again, and its messages are counted anew.
        try await whileBusy {
            outboxes.withLock { outboxes in
                outboxes.push(change("two"), to: listeners(ears))
                outboxes.put(.answer(.done, request: 1), to: ears[5].id)
            }
        }
        for (number, ear) in ears.enumerated() {
            #expect(ear.heard().text == (number == 5 ? "" : Self.told("two")))
            #expect(ear.waiting() == (number == 5 ? [Self.told("two"), "answer 1"] : []))
        }
    }

    @Test func `a change does not overtake a message on its way, nor an earlier change`()
        async throws
    {
        let (outboxes, ears, _) = try ears()
        try await whileBusy {
            var outboxes = outboxes
            outboxes.put(.answer(.done, request: 1), to: ears[5].id)
            outboxes.push(change("one"), to: listeners(ears))
        }
        for (number, ear) in ears.enumerated() {
            #expect(ear.heard() == "")
            #expect(ear.waiting() == (number == 5 ? ["answer 1"] : []) + [Self.told("one")])
        }
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("two"), to: listeners(ears))
            outboxes.push(change("three"), to: listeners(ears))
            // For few, so right into the outboxes.
            outboxes.push(change("four"), to: listeners([ears[0]]))
        }
        for (number, ear) in ears.enumerated() {
            #expect(ear.heard() == "")
            let last = number == 0 ? [Self.told("four")] : []
            #expect(ear.waiting() == [Self.told("two"), Self.told("three")] + last)
        }
    }

    @Test func `a change for few behind a change for many calls the few back`() async throws {
        let (outboxes, ears, _) = try ears()
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("one"), to: listeners(ears))
            outboxes.push(change("two"), to: listeners([ears[0]]))
        }
        #expect(ears[0].heard() == "")
        #expect(ears[0].waiting() == [Self.told("one"), Self.told("two")])
        for ear in ears.dropFirst() { #expect(ear.heard().text == Self.told("one")) }
    }

    @Test func `what a full socket does not take is sent by the connection, with all that follows`()
        async throws
    {
        let (outboxes, ears, _) = try ears()
        let full = [UInt8](repeating: 0, count: 1 << 22)
        let filledCount = full.withUnsafeBytes {
            Glibc.send(ears[3].ends.own, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT))
        }
        #expect(filledCount > 0)
        try await whileBusy {
            var outboxes = outboxes
            let all = listeners(ears) + listeners(ears, tag: 7)
            outboxes.push(change("one"), to: all)
        }
        let rests = ears[3].rests.withLock { $0 }.map { String(buffer: $0).text }
        #expect(rests == [Self.told("one"), Self.told("one", tag: 7)])
        for (number, ear) in ears.enumerated() where number != 3 {
            #expect(!ear.heard().isEmpty)
            #expect(ear.rests.withLock { $0.isEmpty })
        }
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("two"), to: listeners(ears))
        }
        #expect(ears[3].waiting() == [Self.told("two")])
    }

    @Test func `a connection that has ended gets nothing`() async throws {
        let (outboxes, ears, wakes) = try ears()
        try await whileBusy {
            var outboxes = outboxes
            outboxes.push(change("one"), to: listeners(ears))
            wakes.leave(ears[3].id)
        }
        for (number, ear) in ears.enumerated() {
            #expect(ear.heard().text == (number == 3 ? "" : Self.told("one")))
            #expect(ear.waiting().isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `many sockets get the same bytes, and those that fail are told`(isRingAllowed: Bool)
        throws
    {
        let pairs = try (0..<20).map { _ in try socketPair() }
        defer { for pair in pairs { Glibc.close(pair.own) } }
        Glibc.close(pairs[7].other)
        // More than the kernel gets in one call.
        let sockets = (0..<300).map { pairs[$0 % 20].own }
        var sends = ManySends(isRingAllowed: isRingAllowed)
        for round in 1...3 {
            let text = "message \(round)"
            let late = sends.send(ByteBuffer(string: text), to: sockets[...])
            #expect(late.map(\.place) == Array(stride(from: 7, to: 300, by: 20)))
            #expect(late.allSatisfy { $0.takenCount == 0 })
            for (number, pair) in pairs.enumerated() where number != 7 {
                #expect(received(from: pair.other) == String(repeating: text, count: 15))
            }
        }
        let long = ByteBuffer(repeating: 0, count: 1 << 22)
        let late = sends.send(long, to: sockets[10..<20])
        #expect(late.map(\.place) == Array(0..<10))
        #expect(late.allSatisfy { $0.takenCount > 0 && $0.takenCount < 1 << 22 })
        for (number, pair) in pairs.enumerated() where number != 7 { Glibc.close(pair.other) }
    }
}

/// Two connected sockets.
func socketPair() throws -> (own: CInt, other: CInt) {
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

/// What a socket has got, each byte as one character.
func received(from socket: CInt) -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT))
    return String(String.UnicodeScalarView(bytes.prefix(max(0, count)).map(Unicode.Scalar.init)))
}

extension String {
    /// A frame's text, without the frame's head.
    fileprivate var text: String { String(drop(while: { $0 != "{" })) }
}
