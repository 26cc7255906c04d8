import GRPCCore
import HearthEmulator
import HearthProtocol
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
                    // Calls that came too late would wait for another emulator.
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
}
