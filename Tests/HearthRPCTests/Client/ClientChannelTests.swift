import HearthModel
import HearthTestSupport
import NIOCore
import Synchronization
import Testing

@testable import HearthRPC

/// Our client and our server, over real sockets.
@Suite(.timeLimit(.minutes(1)))
struct ClientChannelTests {
    @Test func `a call of one request brings its message and its end`() async throws {
        try await withEchoServer { service, server in
            let client = RPCClient(path: server.path)
            let told = await client.call("Say", "hello", timeout: .seconds(50))
            #expect(told.texts == ["hello"])
            #expect(told.openedCount == 1)
            #expect(told.end?.error == nil)
            let timeout = service.timeouts.withLock { $0 }.first ?? nil
            #expect(timeout.map { $0 > 0 && $0 <= 50_000_000_000 } == true)
            let failed = await client.call("Fail")
            #expect(failed.end?.error?.message == "As was wished.")
            #expect(failed.code == .failedPrecondition)
            #expect(await client.call("Sing").code == .unimplemented)
            client.channel.close()
        }
    }

    @Test func `a call of many requests has each answered in order, and ends when both are done`()
        async throws
    {
        try await withEchoServer { _, server in
            let client = RPCClient(path: server.path)
            let texts = (0..<2_000).map { "\($0)" }
            let talk = client.talk()
            for text in texts { talk.call.send(Array(text.utf8)) }
            talk.call.halfClose()
            let told = await talk.end()
            #expect(told.texts == texts)
            #expect(told.end?.error == nil)
            client.channel.close()
        }
    }

    @Test func `many calls share one connection, and one that ends ends no other`() async throws {
        try await withEchoServer { service, server in
            let client = RPCClient(path: server.path)
            let waiting = (0..<300).map { _ in
                RPCTalk(CallRequest("/echo.Echo/Wait"), on: client.channel, sending: [])
            }
            _ = try await eventually({ service.waitingCount }, is: { $0 == 300 })
            let late = await client.call("Wait", timeout: .milliseconds(1))
            #expect(late.code == .deadlineExceeded)
            waiting[7].call.cancel()
            #expect(await waiting[7].end().code == .cancelled)
            #expect(await client.call("Say", "quick").texts == ["quick"])
            service.release()
            for (number, talk) in waiting.enumerated() where number != 7 {
                #expect(await talk.end().texts == ["at last"])
            }
            client.channel.close()
        }
    }

    @Test func `a listener that takes no more slows the server, and hears all in the end`()
        async throws
    {
        try await withEchoServer { service, server in
            let client = RPCClient(path: server.path) { $0.streamWindowByteCount = 1 << 16 }
            let talk = RPCTalk(
                CallRequest("/echo.Echo/Count"), on: client.channel, sending: [], takes: 1)
            _ = try await eventually({ talk.told.messages.count }, is: { $0 == 1 })
            // Other calls go on: only the call's own window is shut.
            for _ in 0..<100 { #expect(await client.call("Say", "x").texts == ["x"]) }
            #expect(talk.told.messages.count == 1)
            // The stream's window, what the server lets wait, and a socket's own memory.
            #expect(service.counted.load(ordering: .relaxed) < 2_000)
            talk.takeMore(5_000)
            _ = try await eventually({ talk.told.messages.count }, is: { $0 == 5_001 })
            talk.call.cancel()
            #expect(await talk.end().code == .cancelled)
            client.channel.close()
        }
    }

    @Test func `a message of many frames comes and goes whole`() async throws {
        try await withEchoServer { _, server in
            let client = RPCClient(path: server.path)
            let text = String(repeating: "x", count: 9 << 20)
            #expect(await client.call("Say", text).texts == [text])
            let small = RPCClient(path: server.path) { $0.messageByteCountMax = 1_000 }
            #expect(await small.call("Say", text).code == .resourceExhausted)
            #expect(await small.call("Say", "x").texts == ["x"])
            client.channel.close()
            small.channel.close()
        }
    }

    @Test func `calls fail at once while nobody listens, and go through when somebody does`()
        async throws
    {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/echo.sock"
        let client = RPCClient(path: path)
        let first = await client.call("Say", "x")
        #expect(first.code == .unavailable)
        #expect(first.openedCount == 0)
        #expect(first.end?.cause != nil)
        try await withEchoServer(at: path) { _, _ in
            let told = try await eventually(
                { await client.call("Say", "x") }, is: { $0.end?.error == nil })
            #expect(told.texts == ["x"])
        }
        #expect(await client.call("Say", "x").code == .unavailable)
    }

    @Test func `a server that stops ends its calls, and the next one gets a new connection`()
        async throws
    {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/echo.sock"
        let client = RPCClient(path: path)
        let talk = try await withEchoServer(at: path) { service, server in
            let talk = client.talk()
            talk.call.send([1])
            _ = try await eventually({ talk.told.messages.count }, is: { $0 == 1 })
            await server.stop()
            return talk
        }
        let told = await talk.end()
        #expect(told.code == .unavailable)
        try await withEchoServer(at: path) { _, _ in
            let told = try await eventually(
                { await client.call("Say", "again") }, is: { $0.end?.error == nil })
            #expect(told.texts == ["again"])
        }
    }

    @Test func `a channel that is shut down lets its calls end and takes no more`() async throws {
        try await withEchoServer { service, server in
            let client = RPCClient(path: server.path)
            let talk = RPCTalk(CallRequest("/echo.Echo/Wait"), on: client.channel, sending: [])
            _ = try await eventually({ service.waitingCount }, is: { $0 == 1 })
            client.channel.shutDown()
            #expect(await client.call("Say", "x").code == .unavailable)
            service.release()
            #expect(await talk.end().texts == ["at last"])
        }
    }

    @Test func `a timeout has at most eight digits`() {
        #expect(CallRequest.text(of: .nanoseconds(-5)) == "0n")
        #expect(CallRequest.text(of: .milliseconds(50)) == "50000000n")
        #expect(CallRequest.text(of: .seconds(60)) == "60000000u")
        #expect(CallRequest.text(of: .hours(24 * 365)) == "31536000S")
    }
}
