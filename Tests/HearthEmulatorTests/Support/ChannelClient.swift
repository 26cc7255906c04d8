import HearthModel
import HearthTestSupport

/// A browser's side of a WebChannel with nothing of an SDK on top. For one task.
final class ChannelClient {
    /// An array with its number.
    struct Entry: Equatable, Sendable {
        let id: Int
        let array: JSONValue

        /// Whether it only shows that somebody is there.
        var isNoop: Bool { array.elements?.first?.string == "noop" }
    }

    /// A server's answer that is not of this protocol.
    struct Unreadable: Error {
        let text: String
    }

    let address: String
    let path: String
    let database: String
    /// How the server calls the session.
    private(set) var session = ""
    /// The last array that was received.
    var received = 0
    private var mapCount = 0
    private var requestCount = 1_000

    /// A client without a session.
    init(_ method: String, at address: String, database: String = RawClient.database) {
        self.address = address
        path = "/google.firestore.v1.Firestore/\(method)/channel"
        self.database = database
    }

    /// Begins a session. The token travels as browsers send it, among the maps.
    @discardableResult
    func open(_ maps: [String] = [], token: String? = "owner") throws -> HTTPConnection.Answer {
        let lines = token.map { "X-Goog-Api-Client:test\r\nAuthorization:Bearer \($0)\r\n" } ?? ""
        let form = "headers=\(Self.percent(lines))&\(form(maps, offset: 0))"
        let answer = try post(
            "VER=8&RID=\(nextRequest())&CVER=22&X-HTTP-Session-Id=gsessionid&zx=a&t=1", form)
        mapCount = maps.count
        let greeting = try Self.texts(answer.body).first.map { try Self.json($0) }
        session = greeting?.elements?.first?.elements?.last?.elements?[1].string ?? ""
        return answer
    }

    /// Sends maps.
    @discardableResult
    func send(_ maps: [String], offset: Int? = nil) throws -> HTTPConnection.Answer {
        let form = form(maps, offset: offset ?? mapCount)
        mapCount = max(mapCount, (offset ?? mapCount) + maps.count)
        return try post("VER=8&SID=\(sid)&RID=\(nextRequest())&AID=\(received)&zx=a&t=1", form)
    }

    /// Polls once, acknowledging what was received before.
    func poll() throws -> [Entry] {
        let answer = try HTTPConnection(to: address).send("GET", target(isLongPoll: true))
        guard answer.status == 200 else { throw Unreadable(text: answer.text) }
        return try entries(answer.body)
    }

    /// Polls until there are so many arrays beside signs of life.
    func poll(count: Int) throws -> [Entry] {
        var all: [Entry] = []
        while all.count < count { all += try poll().filter { !$0.isNoop } }
        return all
    }

    /// Begins an answer that goes on; `HTTPConnection.nextChunk` returns the answer's next chunk.
    func stream() throws -> HTTPConnection {
        let connection = try HTTPConnection(to: address)
        let answer = try connection.begin("GET", target(isLongPoll: false))
        guard answer.status == 200 else { throw Unreadable(text: "status \(answer.status)") }
        return connection
    }

    /// Ends the session.
    func terminate() throws -> HTTPConnection.Answer {
        try HTTPConnection(to: address).send(
            "GET", "\(path)?VER=8&SID=\(sid)&RID=\(nextRequest())&TYPE=terminate&zx=a")
    }

    /// The arrays of an answer, or of a part of it that is whole.
    func entries(_ body: [UInt8]) throws -> [Entry] {
        var entries: [Entry] = []
        for text in try Self.texts(body) {
            for element in try Self.json(text).elements ?? [] {
                guard let pair = element.elements, pair.count == 2, let id = pair[0].integer else {
                    throw Unreadable(text: text)
                }
                entries.append(Entry(id: Int(id), array: pair[1]))
            }
        }
        received = entries.last?.id ?? received
        return entries
    }

    /// Asks for a back channel, or for whatever else a GET is answered with.
    func target(isLongPoll: Bool) -> String {
        "\(path)?VER=8&database=\(Self.percent(database))&RID=rpc&SID=\(sid)&AID=\(received)"
            + "&CI=\(isLongPoll ? 1 : 0)&TYPE=xmlhttp&zx=a&t=1"
    }

    private var sid: String { Self.percent(session) }

    private func nextRequest() -> Int {
        requestCount += 1
        return requestCount
    }

    private func post(_ query: String, _ form: String) throws -> HTTPConnection.Answer {
        try HTTPConnection(to: address).send(
            "POST", "\(path)?database=\(Self.percent(database))&\(query)",
            headers: [
                "content-type: application/x-www-form-urlencoded", "origin: http://page.test",
            ], body: form)
    }

    private func form(_ maps: [String], offset: Int) -> String {
        var parts = ["count=\(maps.count)", "ofs=\(offset)"]
        for (index, map) in maps.enumerated() {
            parts.append("req\(index)___data__=\(Self.percent(map))")
        }
        return parts.joined(separator: "&")
    }

    /// What lies behind each length, which counts as JavaScript does.
    private static func texts(_ body: [UInt8]) throws -> [String] {
        var rest = Array(String(decoding: body, as: UTF8.self).utf16)[...]
        var texts: [String] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF16.self)
            rest = rest[(end + 1)...]
            guard let count = Int(line), count <= rest.count else { throw Unreadable(text: line) }
            texts.append(String(decoding: rest.prefix(count), as: UTF16.self))
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty else {
            throw Unreadable(text: String(decoding: rest, as: UTF16.self))
        }
        return texts
    }

    private static func json(_ text: String) throws -> JSONValue {
        try JSONReader.read(Array(text.utf8))
    }

    private static func percent(_ text: String) -> String {
        text.utf8.reduce(into: "") { $0 += "%" + String(UInt16($1) + 0x100, radix: 16).dropFirst() }
    }
}
