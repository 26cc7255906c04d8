import Glibc
import HearthBackend
import HearthModel
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthEmulator

/// Messages keep their order while the host, two loops and slow clients all go on at once.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct RealtimeBroadcastOrderTests {
    /// A connection that sends as `RealtimeSocket` does.
    private final class Line: Sendable {
        let id: RealtimeConnectionID
        let ends: (own: CInt, other: CInt)
        private let wakes: RealtimeWakes.Loop
        private let loop: any EventLoop
        private let outbox = Mutex<RealtimeOutbox?>(nil)
        /// What the socket did not take; used on the loop.
        private let unsent = Mutex<[UInt8]>([])
        private let isWaiting = Mutex(false)

        init(_ number: UInt64, on loop: any EventLoop, _ wakes: RealtimeWakes.Loop) throws {
            id = RealtimeConnectionID(number)
            self.loop = loop
            self.wakes = wakes
            ends = try socketPair()
            // So little room that many messages do not fit in whole.
            var byteCount: CInt = 4_608
            setsockopt(
                ends.own, SOL_SOCKET, SO_SNDBUF, &byteCount, socklen_t(MemoryLayout<CInt>.size))
        }

        func open(_ outboxes: inout RealtimeOutboxes) {
            let outbox = RealtimeOutbox(in: wakes) { self.wakes.wake { self.sendMore() } }
            self.outbox.withLock { $0 = outbox }
            outboxes.open(id, outbox)
            wakes.join(
                id,
                .init(
                    outbox: outbox, sendMore: { self.sendMore() },
                    sendRest: { bytes in
                        self.unsent.withLock { $0 += Array(bytes.readableBytesView) }
                        self.wakes.setReady(self.id, nil)
                        self.sendMoreLater()
                    }))
            wakes.setReady(id, ends.own)
        }

        func close() {
            wakes.leave(id)
            outbox.withLock { $0 = nil }
            Glibc.close(ends.own)
            Glibc.close(ends.other)
        }

        /// Waits until the loop has done what it was to do by now.
        func awaitLoop() {
            try? loop.submit {}.wait()
        }

        private func sendMore() {
            guard let outbox = outbox.withLock({ $0 }) else { return }
            var bytes = unsent.withLock { $0 }
            var isEmptied = false
            while !isEmptied, bytes.count < 1 << 14 {
                guard let next = outbox.next() else {
                    isEmptied = true
                    break
                }
                switch next.message {
                case .push(let change, let tag):
                    bytes += Array(change.frames(tag: tag).readableBytesView)
                case .answer(_, let number): bytes += Array("<\(number)>".utf8)
                case .revoke, .lost: break
                }
                isEmptied = next.isLast
            }
            let count = Glibc.send(ends.own, bytes, bytes.count, CInt(MSG_DONTWAIT))
            bytes.removeFirst(max(0, count))
            let isReady = isEmptied && bytes.isEmpty
            unsent.withLock { $0 = bytes }
            wakes.setReady(id, isReady ? ends.own : nil)
            if !isReady { sendMoreLater() }
        }

        /// Tries again soon, where NIO would wait for room.
        private func sendMoreLater() {
            let isFirst = isWaiting.withLock { isWaiting in
                defer { isWaiting = true }
                return !isWaiting
            }
            guard isFirst else { return }
            loop.scheduleTask(in: .microseconds(200)) {
                self.isWaiting.withLock { $0 = false }
                self.sendMore()
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `every connection gets its messages in their order`(seed: UInt64) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let wakes = RealtimeWakes()
        var outboxes = RealtimeOutboxes()
        let lines = try (1...60).map { number in
            let loop = group.next()
            return try Line(UInt64(number), on: loop, wakes.wakes(of: loop))
        }
        for line in lines { line.open(&outboxes) }
        let opened = outboxes
        let isDone = Mutex(false)
        let host = Task.detached {
            defer { isDone.withLock { $0 = true } }
            return Self.talk(to: lines, opened, seed: seed)
        }
        var heard = [String](repeating: "", count: lines.count)
        var isLast = false
        // Ends by the suite's limit if something is missing.
        while !isLast {
            isLast = isDone.withLock { $0 }
            for (number, line) in lines.enumerated() {
                let text = received(from: line.ends.other)
                heard[number] += text
                if !text.isEmpty { isLast = false }
            }
            if isLast {
                let expected = await host.value
                isLast = zip(heard, expected).allSatisfy { Self.numbers($0).count >= $1.count }
            }
            await Task.yield()
        }
        let expected = await host.value
        for (text, numbers) in zip(heard, expected) { #expect(Self.numbers(text) == numbers) }
        for line in lines { line.close() }
        try await group.shutdownGracefully()
    }

    /// Gives the connections messages, and tells the numbers that each is to get.
    private static func talk(
        to lines: [Line], _ opened: RealtimeOutboxes, seed: UInt64
    ) -> [[Int]] {
        var outboxes = opened
        var state = seed
        func random(below limit: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % limit)
        }
        var expected = [[Int]](repeating: [], count: lines.count)
        for number in 1...400 {
            let one = random(below: UInt64(lines.count))
            let kind = random(below: 8)
            if kind == 0 {
                outboxes.put(.answer(.done, request: number), to: lines[one].id)
                expected[one].append(number)
            } else {
                let told = kind < 3 ? one..<min(one + 3, lines.count) : lines.indices
                let text = "<\(number)>" + String(repeating: ".", count: random(below: 400))
                let node = Node(.string(text))
                let change = PushedChange.overwrite(WritePath("/a" as RealtimePath), node)
                outboxes.push(
                    SharedChange(change, isFirst: false),
                    to: told.map { RealtimeListener(lines[$0].id) })
                for line in told { expected[line].append(number) }
            }
            // Sometimes the loops come to rest, and sometimes much is on its way.
            if random(below: 3) == 0 {
                for line in lines.prefix(2) { line.awaitLoop() }
            }
        }
        return expected
    }

    /// The numbers in what a connection has heard.
    private static func numbers(_ text: String) -> [Int] {
        text.split(separator: "<").compactMap { part in
            part.firstIndex(of: ">").flatMap { Int(part[..<$0]) }
        }
    }
}
