import Glibc
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Changes of the Realtime Database as server-sent events.
@Suite(.timeLimit(.minutes(1)))
struct RealtimeEventStreamTests {
    /// Reads whole events of a stream that has begun.
    private final class Events {
        private let connection: HTTPConnection
        private var text = ""

        init(_ target: String, at address: String) throws {
            connection = try HTTPConnection(to: address)
            let head = try connection.begin(
                "GET", target, headers: ["accept: text/event-stream"])
            guard head.status == 200 else { throw TooLate(last: "\(head.status)") }
        }

        /// The next event, as `NAME DATA`; `nil` at the end.
        func next() throws -> String? {
            while !text.contains("\n\n") {
                let chunk = try connection.nextChunk()
                if chunk.isEmpty { return nil }
                text += String(decoding: chunk, as: UTF8.self)
            }
            let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            text = String(lines[2].dropFirst())
            return "\(lines[0].dropFirst("event: ".count)) \(lines[1].dropFirst("data: ".count))"
        }
    }

    /// Does something between one event and the next.
    private static func changes(
        _ address: String, _ target: String, _ requests: [(String, String, String)]
    ) async throws -> [String?] {
        let stream = try await Task.detached {
            let events = try Events(target, at: address)
            var told = [try events.next()]
            let admin = ["authorization: Bearer owner"]
            for (method, path, body) in requests {
                _ = try HTTPConnection(to: address).send(
                    method, "\(path).json?ns=demo", headers: admin, body: body)
                told.append(try events.next())
            }
            return told
        }.value
        return stream
    }

    @Test func `a stream tells all, and then each change by its path`() async throws {
        try await withEmulator { _, address in
            _ = try await RealtimeClient(address: address).text("PUT", "/a", [], #"{"b":1}"#)
            let told = try await Self.changes(
                address, "/a.json?ns=demo",
                [
                    ("PUT", "/a/c", "2"), ("PATCH", "/a", #"{"b":null,"d/e":3}"#),
                    ("PUT", "/", #"{"a":9}"#), ("DELETE", "/a", ""),
                ])
            #expect(
                told == [
                    #"put {"path":"/","data":{"b":1}}"#, #"put {"path":"/c","data":2}"#,
                    #"patch {"path":"/","data":{"b":null,"d/e":3}}"#,
                    #"put {"path":"/","data":9}"#, #"put {"path":"/","data":null}"#,
                ])
        }
    }

    @Test func `a stream ends when rules no longer allow it`() async throws {
        try await withEmulator { _, address in
            let told = try await Self.changes(
                address, "/a.json?ns=demo", [("PUT", "/.settings/rules", #"{"rules":{}}"#)])
            #expect(told == [#"put {"path":"/","data":null}"#, "cancel null"])
            let denied = try await RealtimeClient(address: address).send(
                "GET", "/a", headers: ["accept: text/event-stream"])
            #expect(denied.status == 401)
        }
    }

    @Test func `a stream without changes says again and again that it is alive`() async throws {
        try await withEmulator(configure: { $0.realtimeTimes.keepAlive = .milliseconds(100) }) {
            _, address in
            let told = try await Task.detached {
                let events = try Events("/a.json?ns=demo", at: address)
                return try (0..<3).map { _ in try events.next() }
            }.value
            #expect(
                told == [
                    #"put {"path":"/","data":null}"#, "keep-alive null", "keep-alive null",
                ])
        }
    }

    @Test func `a stream ends with the token that opened it, and says so`() async throws {
        try await withEmulator { _, address in
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let claims = #"{"sub":"ann","iat":1,"exp":\#(time.tv_sec + 2)}"#
            let token = "e30." + Base64.encodeForLinks(Array(claims.utf8)) + "."
            let told = try await Task.detached {
                let events = try Events("/a.json?ns=demo&auth=\(token)", at: address)
                return try (0..<3).map { _ in try events.next() }
            }.value
            #expect(
                told == [
                    #"put {"path":"/","data":null}"#, "auth_revoked credential is no longer valid",
                    nil,
                ])
        }
    }

    @Test func `an open stream does not hold up the emulator's stop`() async throws {
        let reader = try await withEmulator { _, address in
            let opened = AsyncStream.makeStream(of: String?.self)
            let reader = Task.detached {
                let events = try Events("/a.json?ns=demo", at: address)
                opened.continuation.yield(try events.next())
                return try? events.next()
            }
            for await first in opened.stream {
                #expect(first == #"put {"path":"/","data":null}"#)
                break
            }
            return reader
        }
        // The emulator has ended, and with it the line.
        #expect(try await reader.value == nil)
    }
}
