import GRPCCore
import HearthEmulator
import HearthProtocol
import HearthTestSupport
import Testing

/// A stop while calls arrive.
@Suite(.timeLimit(.minutes(2)))
struct StoppingTests {
    @Test func `a stop while streams arrive ends well, each time`() async throws {
        for _ in 0..<25 {
            try await withEmulator { emulator, client, _ in
                try await client.set(["c/a": 1])
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<40 {
                        group.addTask {
                            if number.isMultiple(of: 2) {
                                _ = try? await client.get("c/a")
                            } else {
                                let target = RawClient.target(2, collection: "c")
                                _ = try? await client.listen([target]) { $0.isSnapshot }
                            }
                        }
                        if number == 20 { emulator.shutdown() }
                        await Task.yield()
                    }
                    // Calls that came too late would wait for another emulator. The client's end
                    // refuses them; a cancelled call that finds its client idle would wait on.
                    client.client.beginGracefulShutdown()
                    group.cancelAll()
                }
            }
        }
    }

    @Test func `a listener is told that the emulator stops`() async throws {
        try await withEmulator { emulator, client, _ in
            let error = await #expect(throws: RPCError.self) {
                try await client.listen([RawClient.target(2, collection: "c")]) { message in
                    if message.isSnapshot { emulator.shutdown() }
                    return false
                }
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `a browser is told that the emulator stops`() async throws {
        try await withEmulator { emulator, _, address in
            let told = try await Task.detached {
                let channel = ChannelClient("Listen", at: address)
                try channel.open([ChannelMaps.listen("c", as: 2)])
                let stream = try channel.stream()
                var told: [String] = []
                while true {
                    let chunk = try stream.nextChunk()
                    if chunk.isEmpty { return told }
                    told += try channel.entries(chunk).map { ChannelMaps.summary($0.array) }
                    if told.last == "noop" { emulator.shutdown() }
                }
            }.value
            #expect(told.last == "error UNAVAILABLE")
        }
    }
}
