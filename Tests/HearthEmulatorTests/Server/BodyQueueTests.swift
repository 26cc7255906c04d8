import Dispatch
import HearthRPC
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// Long bodies are read away from the event loops, one after another, for both databases.
@Suite(.timeLimit(.minutes(1)))
struct BodyQueueTests {
    /// More connections than the emulator has event loops.
    private static let connectionCount = 6

    private static let firestore = (
        "PATCH", "/v1/\(RawClient.database)/documents/c/a",
        #"{"fields":{"t":{"stringValue":"x"}}}"#
    )
    private static let tree = ("PUT", "/a.json?ns=demo", "[1,2]")
    private static let rules = (
        "PUT", "/.settings/rules.json?ns=demo", #"{"rules":{".read":true}}"#
    )

    private static func packed(_ request: (verb: String, path: String, body: String)) -> [UInt8] {
        let body = ContentCoding.gzip(Array(request.body.utf8))
        let head = [
            "\(request.verb) \(request.path) HTTP/1.1", "host: localhost",
            "authorization: Bearer owner", "content-type: application/json",
            "content-encoding: gzip", "content-length: \(body.count)", "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }

    @Test(arguments: [firestore, tree, rules])
    func `a packed body waits for its turn, and others are answered meanwhile`(
        _ verb: String, _ path: String, _ body: String
    ) async throws {
        try await withEmulator { emulator, address in
            let told = try await Task.detached {
                let turn = DispatchSemaphore(value: 0)
                emulator.bodies.queue.async { turn.wait() }
                let slow = try HTTPConnection(to: address)
                let isEarly: Bool
                do {
                    defer { turn.signal() }
                    try slow.write(Self.packed((verb, path, body)))
                    for _ in 0..<Self.connectionCount {
                        _ = try HTTPConnection(to: address).send("GET", "/")
                    }
                    isEarly = slow.awaitInput(for: 0)
                }
                let answer = try slow.read("HTTP/1.1 200".utf8.count)
                return (isEarly: isEarly, answer: String(decoding: answer, as: UTF8.self))
            }.value
            #expect(!told.isEarly)
            #expect(told.answer == "HTTP/1.1 200")
        }
    }

    @Test func `a packed body of Firestore that is wrong is refused as one that is not packed`()
        async throws
    {
        try await withEmulator { _, address in
            let answers = try await Task.detached {
                let path = Self.firestore.1
                let wrong = Array(#"{"fields":7}"#.utf8)
                return [
                    try HTTPConnection(to: address).send("PATCH", path, bytes: wrong),
                    try HTTPConnection(to: address).send(
                        "PATCH", path, headers: ["content-encoding: gzip"],
                        bytes: ContentCoding.gzip(wrong)),
                ]
            }.value
            #expect(answers[0].status == 400)
            #expect(answers[0].body == answers[1].body)
        }
    }
}
