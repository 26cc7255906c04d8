import HearthModel
import HearthTestSupport
import NIOCore
import Testing

@testable import HearthRPC

/// Servers that leave the rules, or are only slow.
@Suite(.timeLimit(.minutes(1)))
struct HostileServerTests {
    /// What a server sends when the first call has come.
    enum Answer: String, CaseIterable {
        case garbage
        case halfFrame
        case endlessHeaders
        case windowOverflow
        case emptyWindow
        case hugeFrame
        case pushedStream
        case oneMessageTooLarge

        var bytes: [UInt8] {
            let ok = RawServer.headers([(":status", "200"), ("content-type", "application/grpc")])
            switch self {
            case .garbage: return [UInt8](repeating: 0xFF, count: 100_000)
            case .halfFrame: return [0, 0, 50, 1, 4, 0]
            case .endlessHeaders:
                let part = RawServer.headers([("x-flood", String(repeating: "a", count: 120))])
                return RawFrames.frame(1, 0, 1, part)
                    + (0..<10_000).flatMap { _ in RawFrames.frame(9, 0, 1, part) }
            case .windowOverflow:
                let more = RawFrames.frame(8, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF])
                return more + more
            case .emptyWindow: return RawFrames.frame(8, 0, 0, [0, 0, 0, 0])
            case .hugeFrame: return [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]
            case .pushedStream: return RawFrames.frame(5, 4, 1, [0, 0, 0, 2] + ok)
            case .oneMessageTooLarge:
                return RawFrames.frame(1, 4, 1, ok)
                    + RawFrames.frame(0, 0, 1, [0, 0x7F, 0xFF, 0xFF, 0xFF])
            }
        }
    }

    @Test(arguments: Answer.allCases)
    func `a server that misuses HTTP/2 ends the call with an error`(answer: Answer) async throws {
        try await RawServer.serve { _, frame in
            guard let frame else { return RawServer.greeting }
            switch frame.type {
            case 1: return answer.bytes
            case 6: return nil  // Half a frame is never followed by the rest.
            default: return []
            }
        } _: { server in
            let client = RPCClient(path: server.path) {
                $0.keepalivePeriod = .milliseconds(100)
                $0.keepaliveTimeout = .milliseconds(100)
            }
            let told = await client.call("Say", "x")
            #expect(told.end?.error != nil)
            #expect(told.messages == [])
            client.channel.close()
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `bytes by chance end a call and never the process`(seed: UInt64) async throws {
        try await RawServer.serve { number, frame in
            var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))
            guard let frame else { return RawServer.greeting }
            guard frame.type == 1 else { return [] }
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1..<30, using: &random) {
                let payload = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                    random.pick([0, 1, 0x88, UInt8.random(in: 0...255, using: &random)])
                }
                bytes += RawFrames.frame(
                    .random(in: 0..<11, using: &random), random.pick([0, 1, 4, 5, 8, 32]),
                    random.pick([0, 1, 1, 1, 2, 3]), payload)
            }
            return bytes
        } _: { server in
            let client = RPCClient(path: server.path)
            let told = await client.call("Say", "x", timeout: .milliseconds(200))
            #expect(told.end != nil)
            client.channel.close()
        }
    }

    @Test func `a server that does not speak is given up in time`() async throws {
        try await RawServer.serve { _, _ in
            []
        } _: { server in
            let client = RPCClient(path: server.path) { $0.connectTimeout = .milliseconds(50) }
            let told = await client.call("Say", "x")
            #expect(told.code == .unavailable)
            #expect(told.openedCount == 0)
        }
    }

    @Test func `a server that falls silent under a call is found out by a ping`() async throws {
        try await RawServer.serve { _, frame in
            frame == nil ? RawServer.greeting : []
        } _: { server in
            let client = RPCClient(path: server.path) {
                $0.keepalivePeriod = .milliseconds(50)
                $0.keepaliveTimeout = .milliseconds(50)
            }
            let told = await client.call("Say", "x")
            #expect(told.code == .unavailable)
            #expect(told.openedCount == 1)
            #expect(server.frames.contains { $0.type == 6 })
        }
    }

    @Test func `a call above the goodbye's last is begun anew on a new connection, once`()
        async throws
    {
        for goodbyeCount in 1...2 {
            try await RawServer.serve { number, frame in
                guard let frame else { return RawServer.greeting }
                guard frame.type == 1 else { return [] }
                return number <= goodbyeCount
                    ? RawFrames.frame(7, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])
                    : RawServer.wellDone(on: frame.stream)
            } _: { server in
                let client = RPCClient(path: server.path)
                let told = await client.call("Say", "hello")
                #expect(told.code == (goodbyeCount == 1 ? nil : .unavailable))
                #expect(told.openedCount == 1)
                #expect(server.connectionCount == 2)
                if goodbyeCount == 1 {
                    // The request went out again whole.
                    let data = server.frames.filter { $0.type == 0 }.map(\.payload)
                    let message: [UInt8] = [0, 0, 0, 0, 5] + Array("hello".utf8)
                    #expect(data == [message, message])
                }
                client.channel.close()
            }
        }
    }

    @Test func `a refused stream is begun anew, a broken one is not`() async throws {
        for (code, expected) in [(UInt8(7), nil), (UInt8(2), StatusCode.internalError)] {
            try await RawServer.serve { _, frame in
                guard let frame else { return RawServer.greeting }
                guard frame.type == 1 else { return [] }
                return frame.stream == 1
                    ? RawFrames.frame(3, 0, 1, [0, 0, 0, code])
                    : RawServer.wellDone(on: frame.stream)
            } _: { server in
                let client = RPCClient(path: server.path)
                #expect(await client.call("Say", "x").code == expected)
                #expect(server.connectionCount == 1)
                client.channel.close()
            }
        }
    }

    @Test func `no more calls go out than the server takes, and the rest wait their turn`()
        async throws
    {
        try await RawServer.serve { _, frame in
            // Two calls at once; a call is answered when its message comes.
            guard let frame else { return RawFrames.frame(4, 0, 0, [0, 3, 0, 0, 0, 2]) }
            return frame.type == 0 ? RawServer.wellDone(on: frame.stream) : []
        } _: { server in
            let client = RPCClient(path: server.path)
            let talks = (0..<5).map { _ in client.talk() }
            _ = try await eventually(
                { server.frames.filter { $0.type == 1 }.count }, is: { $0 == 2 })
            #expect(talks.map(\.told.openedCount) == [1, 1, 0, 0, 0])
            for talk in talks { talk.call.send([1]) }
            for talk in talks { #expect(await talk.end().code == nil) }
            #expect(talks.map(\.told.openedCount) == [1, 1, 1, 1, 1])
            client.channel.close()
        }
    }

    /// A server that counts resets would send the client away, and everybody's calls with it.
    @Test func `few streams are reset, and calls go on beside those that are not`() async throws {
        try await RawServer.serve { _, frame in
            // Five calls at once; a call is answered when its message comes.
            guard let frame else { return RawFrames.frame(4, 0, 0, [0, 3, 0, 0, 0, 5]) }
            let isMessage = frame.type == 0 && !frame.payload.isEmpty
            return isMessage ? RawServer.wellDone(on: frame.stream) : []
        } _: { server in
            let client = RPCClient(path: server.path) { $0.resetCountMax = 2 }
            let talks = (0..<5).map { _ in client.talk() }
            _ = try await eventually(
                { server.frames.filter { $0.type == 1 }.count }, is: { $0 == 5 })
            for talk in talks { talk.call.cancel() }
            for talk in talks { #expect(await talk.end().code == .cancelled) }
            for _ in 0..<3 { #expect(await client.call("Say", "x").code == nil) }
            #expect(server.frames.filter { $0.type == 3 }.count == 2)
            #expect(server.connectionCount == 1)
            client.channel.close()
        }
    }

    @Test func `a call does not wait for the place of a stream whose reset waits`() async throws {
        try await RawServer.serve { _, frame in
            // Two calls at once; a call is answered when its message comes.
            guard let frame else { return RawFrames.frame(4, 0, 0, [0, 3, 0, 0, 0, 2]) }
            let isMessage = frame.type == 0 && !frame.payload.isEmpty
            return isMessage ? RawServer.wellDone(on: frame.stream) : []
        } _: { server in
            let client = RPCClient(path: server.path) { $0.resetCountMax = 1 }
            let givenUp = (0..<2).map { _ in client.talk() }
            _ = try await eventually(
                { server.frames.filter { $0.type == 1 }.count }, is: { $0 == 2 })
            for talk in givenUp { talk.call.cancel() }
            for talk in givenUp { #expect(await talk.end().code == .cancelled) }
            let talks = (0..<2).map { _ in client.talk() }
            _ = try await eventually(
                { server.frames.filter { $0.type == 1 }.count }, is: { $0 == 4 })
            #expect(server.connectionCount == 2)
            for talk in talks { talk.call.send([1]) }
            for talk in talks { #expect(await talk.end().code == nil) }
            client.channel.close()
        }
    }

    @Test func `a connection that takes no more calls ends, though streams wait to be reset`()
        async throws
    {
        try await RawServer.serve { connection, frame in
            guard let frame else { return RawServer.greeting }
            switch frame.type {
            case 1: return connection == 1 ? [] : RawServer.wellDone(on: frame.stream)
            case 3: return RawFrames.frame(7, 0, 0, [0, 0, 0, 5, 0, 0, 0, 0])
            default: return []
            }
        } _: { server in
            let client = RPCClient(path: server.path) { $0.resetCountMax = 1 }
            let talks = (0..<3).map { _ in client.talk() }
            _ = try await eventually(
                { server.frames.filter { $0.type == 1 }.count }, is: { $0 == 3 })
            for talk in talks.prefix(2) { talk.call.cancel() }
            _ = try await eventually({ server.frames.contains { $0.type == 3 } }, is: { $0 })
            // On another connection, so the client has heard that this one takes no more.
            #expect(await client.call("Say", "x").code == nil)
            #expect(server.connectionCount == 2)
            #expect(!server.frames.contains { $0.type == 7 })
            talks[2].call.cancel()
            _ = try await eventually({ server.frames.contains { $0.type == 7 } }, is: { $0 })
            client.channel.close()
        }
    }

    @Test func `a connection without calls ends well when nobody has used it for long`()
        async throws
    {
        try await RawServer.serve { _, frame in
            guard let frame else { return RawServer.greeting }
            return frame.type == 1 ? RawServer.wellDone(on: frame.stream) : []
        } _: { server in
            let client = RPCClient(path: server.path) { $0.idleTimeout = .milliseconds(20) }
            #expect(await client.call("Say", "x").code == nil)
            _ = try await eventually(
                { server.frames.contains { $0.type == 7 } }, is: { $0 })
            #expect(await client.call("Say", "x").code == nil)
            #expect(server.connectionCount == 2)
        }
    }

    @Test func `answers that wait are bounded for all calls together`() async throws {
        let ok = RawServer.headers([(":status", "200"), ("content-type", "application/grpc")])
        try await RawServer.serve { _, frame in
            guard let frame else { return RawServer.greeting }
            guard frame.type == 1 else { return [] }
            // The beginning of a message that is never whole.
            let part = [UInt8](repeating: 0, count: 10_000)
            return RawFrames.frame(1, 4, frame.stream, ok)
                + RawFrames.frame(0, 0, frame.stream, [0, 0, 1, 0, 0] + part)
        } _: { server in
            let client = RPCClient(path: server.path) { $0.waitingByteCountMax = 25_000 }
            let talks = (0..<3).map { _ in client.talk() }
            let codes = try await eventually(
                { talks.compactMap(\.told.code) }, is: { !$0.isEmpty })
            #expect(codes == [.resourceExhausted])
            client.channel.close()
        }
    }
}
