import HearthTestSupport
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthEmulator

/// How changes get to listeners that share something: an event loop, a connection, a full socket.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeListenerTests {
    @Test func `a listener that reads late gets whole frames in order, and delays nobody`()
        async throws
    {
        // More than a socket holds, less than the emulator does.
        let (count, size) = (600, 12_000)
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { late in
                try late.ask(1, "q", #"{"p":"/told","h":""}"#)
                #expect(try late.next() == SocketClient.answer(1, "{}"))
                let prompt = try SocketClient(address)
                try prompt.ask(1, "q", #"{"p":"/told","h":""}"#)
                #expect(try prompt.next() == SocketClient.answer(1, "{}"))
                let told = { (number: Int) in
                    let text = "\(number) " + String(repeating: "x", count: size)
                    return SocketClient.push("d", #""p":"told","d":"\#(text)""#)
                }
                for number in 2..<count {
                    let text = "\(number) " + String(repeating: "x", count: size)
                    try prompt.ask(number, "p", #"{"p":"/told","d":"\#(text)"}"#)
                    #expect(try prompt.next() == told(number))
                    #expect(try prompt.next() == SocketClient.answer(number))
                    // The answers must stand between frames, whether the socket is full or not.
                    if number % 100 == 0 { try late.send(Array("life".utf8), opcode: 9) }
                }
                for number in 2..<count { #expect(try late.next() == told(number)) }
                try late.ask(2, "g", #"{"p":"/none","q":{}}"#)
                #expect(try late.next() == SocketClient.answer(2, "null"))
            }
        }
    }

    @Test func `a listener that reads nothing is ended when too much waits, and delays nobody`()
        async throws
    {
        // More than the emulator and a socket hold.
        let (count, size) = (310, 60_000)
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { idle in
                try idle.ask(1, "q", #"{"p":"/told","h":""}"#)
                #expect(try idle.next() == SocketClient.answer(1, "{}"))
                let writer = try SocketClient(address)
                let text = String(repeating: "x", count: size)
                for number in 1...count {
                    let put = #"{"p":"/told","d":"\#(number) \#(text)"}"#
                    try writer.send(
                        pieces: #"{"t":"d","d":{"r":\#(number),"a":"p","b":\#(put)}}"#)
                    #expect(try writer.next() == SocketClient.answer(number))
                }
                // Each change is several frames, the first of which tells how many follow. The last
                // frame may be cut.
                var toldCount = 0
                while let frame = try? idle.next() { toldCount += Int(frame) == nil ? 0 : 1 }
                #expect(toldCount < count)
            }
        }
    }

    @Test(arguments: [10, 12_000])
    func `many listeners hear all changes in order, though one writes, one reads late and one ends`(
        size: Int
    ) async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { writer in
                let others = try (0..<40).map { _ in try SocketClient(address) }
                for client in [writer] + others {
                    try client.ask(1, "q", #"{"p":"/told","h":""}"#)
                    #expect(try client.next() == SocketClient.answer(1, "{}"))
                }
                let told = { (number: Int) in
                    let text = "\(number) " + String(repeating: "x", count: size)
                    return SocketClient.push("d", #""p":"told","d":"\#(text)""#)
                }
                // One at a time, and some together.
                var number = 1
                for together in [1, 1, 1, 3, 1, 8, 1, 1, 20, 1] {
                    let numbers = number + 1...number + together
                    number += together
                    for number in numbers {
                        let text = "\(number) " + String(repeating: "x", count: size)
                        try writer.ask(number, "p", #"{"p":"/told","d":"\#(text)"}"#)
                    }
                    for number in numbers {
                        #expect(try writer.next() == told(number))
                        #expect(try writer.next() == SocketClient.answer(number))
                    }
                    if number == 4 { others[1].reset() }
                    for client in others.dropFirst(2) {
                        for number in numbers { #expect(try client.next() == told(number)) }
                    }
                }
                for number in 2...number { #expect(try others[0].next() == told(number)) }
            }
        }
    }

    @Test(arguments: [1, 100, 16_330, 40_000])
    func `all listens of one connection are told, each under its number`(size: Int) async throws {
        try await withEmulator { _, address in
            try await SocketClient.talk(address) { client in
                let tags = 1...20
                for tag in tags {
                    let query = #"{"i":".key","l":\#(tag),"vf":"l"}"#
                    try client.ask(tag, "q", #"{"p":"/a","q":\#(query),"t":\#(tag),"h":""}"#)
                    #expect(try client.next() == SocketClient.answer(tag, "{}"))
                }
                let text = String(repeating: "x", count: size)
                let writer = try SocketClient(address)
                try writer.send(
                    pieces: #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a/b","d":"\#(text)"}}}"#)
                #expect(try writer.next() == SocketClient.answer(1))
                var told: Set<String> = []
                for _ in tags { told.insert(try client.whole() ?? "") }
                let expected = tags.map {
                    #"{"t":"d","d":{"a":"d","b":{"p":"a/b","d":"\#(text)","t":\#($0)}}}"#
                }
                #expect(told == Set(expected))
                try client.ask(21, "n", #"{"p":"/none"}"#)
                #expect(try client.next() == SocketClient.answer(21))
            }
        }
    }

    @Test func `connections are woken in order, and once for all that waits`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let wakes = RealtimeWakes()
        #expect(wakes.wakes(of: loop) === wakes.wakes(of: loop))
        let woken = Mutex<[Int]>([])
        try await loop.submit {
            // The loop is here: whoever is woken now waits for the end of this task.
            for number in 0..<100 {
                wakes.wakes(of: loop).wake {
                    woken.withLock { $0.append(number) }
                    if number == 0 {
                        wakes.wakes(of: loop).wake { woken.withLock { $0.append(100) } }
                    }
                }
            }
            #expect(woken.withLock { $0.isEmpty })
        }.get()
        try await loop.submit {}.get()
        try await loop.submit {}.get()
        #expect(woken.withLock { $0 } == Array(0...100))
    }
}

extension SocketClient {
    /// Sends a message as clients do: in pieces, if it is long.
    fileprivate func send(pieces text: String) throws {
        let bytes = Array(text.utf8)
        guard bytes.count > 16_384 else { return try send(text) }
        let starts = Array(stride(from: 0, to: bytes.count, by: 16_384))
        try send("\(starts.count)")
        for start in starts {
            try send(Array(bytes[start..<min(start + 16_384, bytes.count)]), opcode: 1)
        }
    }

    /// The next message, put together from its pieces; `nil` when the connection has ended.
    fileprivate func whole() throws -> String? {
        guard let first = try next() else { return nil }
        guard let count = Int(first) else { return first }
        return try (0..<count).map { _ in try next() ?? "" }.joined()
    }
}
